/* Claims: an impact problem written and read again is the same, bit by bit; what may be absent has its default; every
 * kind of bad file is refused with the place of the offending value; a file appears whole or not at all. */
#include <cradle/io.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/mechanism.h"
#include "support/random_tree.h"

static crd_contact_problem *read_text(const char *text) {
  crd_contact_problem *problem;
  crd_error err = {0};
  if (crd_io_read_problem_text(text, strlen(text), "p.json", NULL, &problem, &err) != CRD_OK) fail_msg("%s", err.text);
  return problem;
}

static void expect_same_bits(const double *x, const double *y, int n) {
  assert_memory_equal(x, y, sizeof(double) * (size_t)n);
}

static void expect_same(const crd_contact_problem *p, const crd_contact_problem *q) {
  int m = p->nrow + p->nb;
  assert_true(p->nv == q->nv && p->nc == q->nc && p->nrow == q->nrow && p->nb == q->nb);
  expect_same_bits(p->M, q->M, p->nv * p->nv);
  expect_same_bits(p->v, q->v, p->nv);
  expect_same_bits(p->impulse, q->impulse, p->nv);
  expect_same_bits(p->J, q->J, m * p->nv);
  assert_true(!p->restitution_matrix == !q->restitution_matrix);
  if (p->restitution_matrix) expect_same_bits(p->restitution_matrix, q->restitution_matrix, p->nc * p->nc);
  assert_true(!p->restitution_full == !q->restitution_full);
  if (p->restitution_full) expect_same_bits(p->restitution_full, q->restitution_full, p->nv * p->nv);
  assert_true(!p->force == !q->force && !p->rate == !q->rate);
  if (p->force) expect_same_bits(p->force, q->force, p->nv), expect_same_bits(p->rate, q->rate, m);
  for (int i = 0; i < p->nc; i++) {
    const crd_contact *a = &p->contact[i], *b = &q->contact[i];
    assert_string_equal(a->name, b->name);
    assert_true(a->row == b->row && a->ntangent == b->ntangent && a->mu == b->mu && a->mu_static == b->mu_static &&
                a->e == b->e && a->e_t == b->e_t);
    assert_true(a->nspin == b->nspin && a->nroll == b->nroll && a->mu_spin == b->mu_spin && a->mu_roll == b->mu_roll);
  }
  assert_true(max_difference(p->W, q->W, m * m) <= 1e-11 * (1 + max_abs(p->W, m * m)));
}

static void expect_round_trip(const crd_contact_problem *p) {
  crd_arena arena = {0};
  const char *text;
  crd_error err = {0};
  assert_int_equal(crd_io_problem_text(p, &arena, &text, &err), CRD_OK);
  crd_contact_problem *q = read_text(text);
  expect_same(p, q);
  crd_contact_problem_free(q);
  crd_arena_free(&arena);
}

static void examples_survive_writing_and_reading(void **state) {
  (void)state;
  for (int i = 0; i < crd_io_example_count(); i++) {
    mechanism m = mechanism_from_example(crd_io_example_at(i)->name);
    mechanism_assemble(&m, NULL);
    expect_round_trip(m.problem);
    mechanism_free(&m);
  }
}

static void random_problems_survive_writing_and_reading(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 50; seed++) {
    random_stream stream = {.seed = seed};
    int n = random_int(&stream, 1, 6), nc = random_int(&stream, 0, 4), nb = random_int(&stream, 0, 2);
    crd_contact_problem *p = crd_contact_problem_new();
    assert_int_equal(crd_contact_problem_resize(p, n, nc, 3 * nc, nb, true), CRD_OK);
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= i; j++)
        p->M[n * i + j] = p->M[n * j + i] = i == j ? 7 + random_in(&stream, 0, 1) : random_in(&stream, -1, 1);
    random_vector(&stream, n, p->v);
    random_vector(&stream, n, p->impulse);
    random_vector(&stream, (3 * nc + nb) * n, p->J);
    for (int i = 0; i < nc; i++) {
      char name[32];
      snprintf(name, sizeof name, "c\"%d\\\n\xc3\xa9", i); /* quote, backslash, line end, e acute */
      p->contact[i] = (crd_contact){.name = crd_contact_problem_text(p, name), .row = 3 * i, .ntangent = 2};
      p->contact[i].mu = random_in(&stream, 0, 2), p->contact[i].mu_static = random_in(&stream, 0, 2);
      p->contact[i].e = random_in(&stream, 0, 1), p->contact[i].e_t = random_in(&stream, -1, 1);
    }
    if (seed % 2) {
      assert_int_equal(crd_contact_problem_add_restitution_matrix(p), CRD_OK);
      random_vector(&stream, nc * nc, p->restitution_matrix);
    } else if (seed % 4 == 0 && n != nc) {
      assert_int_equal(crd_contact_problem_add_restitution_full(p), CRD_OK);
      random_vector(&stream, n * n, p->restitution_full);
    }
    if (seed % 3 == 0) {
      assert_int_equal(crd_contact_problem_add_load(p), CRD_OK);
      random_vector(&stream, n, p->force);
      random_vector(&stream, 3 * nc + nb, p->rate);
    }
    assert_int_equal(crd_contact_problem_complete(p), CRD_OK);
    expect_round_trip(p);
    crd_contact_problem *copy = crd_contact_problem_new();
    assert_int_equal(crd_contact_problem_copy(p, copy), CRD_OK);
    expect_same(p, copy);
    crd_contact_problem_free(copy);
    crd_contact_problem_free(p);
  }
}

static void absent_members_have_defaults(void **state) {
  (void)state;
  crd_contact_problem *p = read_text(
      "{\"cradle\":\"impact-problem/"
      "1\",\"comment\":[1,2],\"M\":[[2]],\"v\":[-3],\"contacts\":[{\"n\":[1]},{\"n\":[-1],\"t\":[],\"mu\":0.5}]}");
  assert_true(p->nc == 2 && p->nrow == 2 && p->nb == 0 && !p->restitution_matrix && p->impulse[0] == 0);
  assert_string_equal(p->contact[0].name, "1");
  assert_string_equal(p->contact[1].name, "2");
  assert_true(p->contact[0].mu == 0 && p->contact[0].e == 0 && p->contact[0].e_t == 0 && p->contact[0].ntangent == 0);
  assert_true(p->contact[1].mu_static == 0.5 && p->contact[1].body1 == -1);
  assert_true(fabs(p->W[0] - 0.5) < 1e-15 && p->u[0] == -3 && p->kinetic == 9);
  assert_true(!p->force && !p->rate);
  crd_contact_problem_free(p);
  p = read_text(
      "{\"cradle\":\"impact-problem/1\",\"M\":[[2]],\"v\":[0],\"contacts\":[{\"n\":[1]},{\"n\":[-1],\"rate\":[4]}]}");
  assert_true(p->force[0] == 0 && p->rate[0] == 0 && p->rate[1] == 4);
  crd_contact_problem_free(p);
}

/* Each contact's rows in the order n, t, spin, roll; a coefficient of zero leaves its rows out. */
static void contacts_that_turn_survive_writing_and_reading(void **state) {
  (void)state;
  crd_contact_problem *p = read_text(
      "{\"cradle\":\"impact-problem/1\",\"M\":[[2,0],[0,3]],\"v\":[1,0],\"contacts\":["
      "{\"roll\":[[5,6]],\"mu_roll\":0.2,\"spin\":[[3,4]],\"mu_spin\":0.1,\"n\":[1,2],\"rate\":[1,2,3]},"
      "{\"n\":[0,1],\"t\":[[1,0]],\"spin\":[[7,8]],\"mu_spin\":0,\"roll\":[[1,3],[3,1]],\"mu_roll\":2}]}");
  const double J[14] = {1, 2, 3, 4, 5, 6, 0, 1, 1, 0, 1, 3, 3, 1};
  assert_true(p->nc == 2 && p->nrow == 7);
  expect_same_bits(p->J, J, 14);
  assert_true(p->contact[0].nspin == 1 && p->contact[0].nroll == 1 && p->contact[0].mu_spin == 0.1);
  assert_true(p->contact[0].mu_roll == 0.2 && p->contact[1].row == 3);
  assert_true(p->contact[1].nspin == 0 && p->contact[1].nroll == 2 && p->contact[1].mu_roll == 2);
  assert_true(p->rate[2] == 3);
  expect_round_trip(p);
  crd_contact_problem_free(p);
}

/* Two velocities, one contact; %s is put in for one part of it. */
#define HEAD "{\"cradle\":\"impact-problem/1\","
#define M2 "\"M\":[[2,1],[1,2]],\"v\":[1,0],"
#define CONTACT(members) HEAD M2 "\"contacts\":[{\"n\":[0,1]},{" members "}]}"

static void bad_files_are_refused_with_the_place(void **state) {
  (void)state;
  const struct {
    const char *text;
    crd_status status;
    const char *place; /* start of the message */
  } bad[] = {
      {"", CRD_ERR_FORMAT, "not JSON"},
      {HEAD M2 "\"contacts\":[],\"force\":[1]}", CRD_ERR_FORMAT, "force: found 1 entries, expected 2"},
      {HEAD M2 "\"contacts\":[],\"bilateral_rate\":[1]}", CRD_ERR_FORMAT,
       "bilateral_rate: found 1 entries, expected 0"},
      {CONTACT("\"n\":[1,0],\"t\":[[0,1]],\"rate\":[1]"), CRD_ERR_FORMAT,
       "contacts[1].rate: found 1 entries, expected 2"},
      {"{", CRD_ERR_FORMAT, "not JSON"},
      {"[1]", CRD_ERR_FORMAT, "found a list"},
      {"{\"M\":[[1]]}", CRD_ERR_FORMAT, "cradle: found nothing"},
      {"{\"cradle\":\"impact-problem/2\"}", CRD_ERR_FORMAT, "cradle: found \"impact-problem/2\""},
      {"{\"cradle\":7}", CRD_ERR_FORMAT, "cradle: found a number"},
      {HEAD "\"cradle\":\"x\"}", CRD_ERR_FORMAT, "not JSON: duplicate"},
      {HEAD "\"mass\":1}", CRD_ERR_FORMAT, "mass: found a member that is not known"},
      {HEAD "\"v\":[1],\"contacts\":[]}", CRD_ERR_FORMAT, "M: found nothing"},
      {HEAD "\"M\":[],\"v\":[],\"contacts\":[]}", CRD_ERR_FORMAT, "M: found an empty list"},
      {HEAD "\"M\":3,\"v\":[],\"contacts\":[]}", CRD_ERR_FORMAT, "M: found a number"},
      {HEAD "\"M\":[[1,0],[0]],\"v\":[1,1],\"contacts\":[]}", CRD_ERR_FORMAT, "M[1]: found 1 entries, expected 2"},
      {HEAD "\"M\":[[1,0],0],\"v\":[1,1],\"contacts\":[]}", CRD_ERR_FORMAT, "M[1]: found a number"},
      {HEAD "\"M\":[[1,\"0\"],[0,1]],\"v\":[1,1],\"contacts\":[]}", CRD_ERR_FORMAT, "M[0][1]: found a text"},
      {HEAD "\"M\":[[1,null],[0,1]],\"v\":[1,1],\"contacts\":[]}", CRD_ERR_FORMAT, "M[0][1]: found null"},
      {HEAD "\"M\":[[1,NaN],[0,1]],\"v\":[1,1],\"contacts\":[]}", CRD_ERR_FORMAT, "not JSON"},
      {HEAD "\"M\":[[1,1e999],[0,1]],\"v\":[1,1],\"contacts\":[]}", CRD_ERR_FORMAT, "not JSON"},
      {HEAD "\"M\":[[1,0.5],[0.4,1]],\"v\":[1,1],\"contacts\":[]}", CRD_ERR_MODEL, "M[1][0]: found"},
      {HEAD "\"M\":[[1,0],[0,-1]],\"v\":[1,1],\"contacts\":[]}", CRD_ERR_MODEL, "M[1][1]: found -1"},
      {HEAD "\"M\":[[1,0],[0,0]],\"v\":[1,1],\"contacts\":[]}", CRD_ERR_MODEL, "M[1][1]: found 0"},
      {HEAD "\"M\":[[1,2],[2,1]],\"v\":[1,1],\"contacts\":[]}", CRD_ERR_MODEL,
       "M: found a matrix that is not positive definite"},
      {HEAD "\"M\":[[0.1,0.3],[0.3,0.9]],\"v\":[1,1],\"contacts\":[]}", CRD_ERR_MODEL,
       "M: found a matrix that is not positive definite"},
      {HEAD "\"M\":[[1e-320]],\"v\":[1],\"contacts\":[{\"n\":[1]}]}", CRD_ERR_NUMBER,
       "found numbers so large or small"},
      {HEAD "\"M\":[[1]],\"contacts\":[]}", CRD_ERR_FORMAT, "v: found nothing"},
      {HEAD "\"M\":[[1]],\"v\":[1,2],\"contacts\":[]}", CRD_ERR_FORMAT, "v: found 2 entries, expected 1"},
      {HEAD "\"M\":[[1]],\"v\":[true],\"contacts\":[]}", CRD_ERR_FORMAT, "v[0]: found true or false"},
      {HEAD "\"M\":[[1]],\"v\":[1]}", CRD_ERR_FORMAT, "contacts: found nothing"},
      {HEAD "\"M\":[[1]],\"v\":[1],\"contacts\":{}}", CRD_ERR_FORMAT, "contacts: found an object"},
      {HEAD "\"M\":[[1]],\"v\":[1],\"contacts\":[1]}", CRD_ERR_FORMAT, "contacts[0]: found a number"},
      {CONTACT("\"mu\":1"), CRD_ERR_FORMAT, "contacts[1].n: found nothing"},
      {CONTACT("\"n\":[1]"), CRD_ERR_FORMAT, "contacts[1].n: found 1 entries"},
      {CONTACT("\"n\":[0,0]"), CRD_ERR_MODEL, "contacts[1].n: found a row of zeros"},
      {CONTACT("\"n\":[1,{}]"), CRD_ERR_FORMAT, "contacts[1].n[1]: found an object"},
      {CONTACT("\"n\":[1,0],\"t\":[1,0]"), CRD_ERR_FORMAT, "contacts[1].t[0]: found a number"},
      {CONTACT("\"n\":[1,0],\"t\":7"), CRD_ERR_FORMAT, "contacts[1].t: found a number"},
      {CONTACT("\"n\":[1,0],\"t\":[[1,0],[0,1],[1,1]]"), CRD_ERR_FORMAT, "contacts[1].t: found 3 entries"},
      {CONTACT("\"n\":[1,0],\"t\":[[1,0],[0,0]]"), CRD_ERR_MODEL, "contacts[1].t[1]: found a row of zeros"},
      {CONTACT("\"n\":[1,0],\"spin\":[[0,1]]"), CRD_ERR_FORMAT, "contacts[1].spin: found it without mu_spin"},
      {CONTACT("\"n\":[1,0],\"mu_roll\":0.1"), CRD_ERR_FORMAT, "contacts[1].mu_roll: found it without roll"},
      {CONTACT("\"n\":[1,0],\"spin\":7,\"mu_spin\":1"), CRD_ERR_FORMAT, "contacts[1].spin: found a number"},
      {CONTACT("\"n\":[1,0],\"spin\":[],\"mu_spin\":1"), CRD_ERR_FORMAT, "contacts[1].spin: found 0 entries"},
      {CONTACT("\"n\":[1,0],\"spin\":[[0,1],[1,0]],\"mu_spin\":1"), CRD_ERR_FORMAT,
       "contacts[1].spin: found 2 entries, expected one row"},
      {CONTACT("\"n\":[1,0],\"spin\":[[0,1,2]],\"mu_spin\":1"), CRD_ERR_FORMAT,
       "contacts[1].spin[0]: found 3 entries, expected 2"},
      {CONTACT("\"n\":[1,0],\"spin\":[[0,0]],\"mu_spin\":1"), CRD_ERR_MODEL,
       "contacts[1].spin[0]: found a row of zeros"},
      {CONTACT("\"n\":[1,0],\"spin\":[[0,\"1\"]],\"mu_spin\":0"), CRD_ERR_FORMAT,
       "contacts[1].spin[0][1]: found a text"},
      {CONTACT("\"n\":[1,0],\"spin\":[[0,1]],\"mu_spin\":-0.1"), CRD_ERR_NUMBER, "contacts[1].mu_spin: found -0.1"},
      {CONTACT("\"n\":[1,0],\"spin\":[[0,1]],\"mu_spin\":\"a\""), CRD_ERR_FORMAT, "contacts[1].mu_spin: found a text"},
      {CONTACT("\"n\":[1,0],\"roll\":[[0,1],[1,0],[1,1]],\"mu_roll\":1"), CRD_ERR_FORMAT,
       "contacts[1].roll: found 3 entries"},
      {CONTACT("\"n\":[1,0],\"roll\":[[0,1],3],\"mu_roll\":1"), CRD_ERR_FORMAT, "contacts[1].roll[1]: found a number"},
      {CONTACT("\"n\":[1,0],\"mu\":-0.1"), CRD_ERR_NUMBER, "contacts[1].mu: found -0.1"},
      {CONTACT("\"n\":[1,0],\"mu_static\":-1"), CRD_ERR_NUMBER, "contacts[1].mu_static: found -1"},
      {CONTACT("\"n\":[1,0],\"e\":1.5"), CRD_ERR_NUMBER, "contacts[1].e: found 1.5"},
      {CONTACT("\"n\":[1,0],\"e\":-0.5"), CRD_ERR_NUMBER, "contacts[1].e: found -0.5"},
      {CONTACT("\"n\":[1,0],\"e_t\":2"), CRD_ERR_NUMBER, "contacts[1].e_t: found 2"},
      {CONTACT("\"n\":[1,0],\"e\":\"0.5\""), CRD_ERR_FORMAT, "contacts[1].e: found a text"},
      {CONTACT("\"n\":[1,0],\"Mu\":1"), CRD_ERR_FORMAT, "contacts[1].Mu: found a member that is not known"},
      {CONTACT("\"n\":[1,0],\"name\":3"), CRD_ERR_FORMAT, "contacts[1].name: found a number"},
      {CONTACT("\"n\":[1,0],\"name\":\"1\""), CRD_ERR_FORMAT, "contacts[1].name: found '1'"},
      {HEAD M2 "\"contacts\":[],\"bilateral\":7}", CRD_ERR_FORMAT, "bilateral: found a number"},
      {HEAD M2 "\"contacts\":[],\"bilateral\":[[1,0],[1]]}", CRD_ERR_FORMAT, "bilateral[1]: found 1 entries"},
      {HEAD M2 "\"contacts\":[],\"bilateral\":[[0,0]]}", CRD_ERR_MODEL, "bilateral[0]: found a row of zeros"},
      {HEAD M2 "\"contacts\":[],\"impulse\":[1]}", CRD_ERR_FORMAT, "impulse: found 1 entries"},
      {HEAD M2 "\"contacts\":[{\"n\":[1,0]}],\"restitution_matrix\":[[1,2]]}", CRD_ERR_FORMAT,
       "restitution_matrix[0]: found 2"},
      {HEAD M2 "\"contacts\":[{\"n\":[1,0]}],\"restitution_matrix\":[[1,2],[1]]}", CRD_ERR_FORMAT,
       "restitution_matrix[1]: found 1"},
      {HEAD M2 "\"contacts\":[{\"n\":[1,0]}],\"restitution_matrix\":[]}", CRD_ERR_FORMAT,
       "restitution_matrix: found 0 entries"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    crd_contact_problem *problem;
    crd_error err = {0};
    crd_status status = crd_io_read_problem_text(bad[i].text, strlen(bad[i].text), "bad.json", NULL, &problem, &err);
    if (status != bad[i].status || strncmp(err.text, bad[i].place, strlen(bad[i].place)) != 0)
      fail_msg("%s\n  gave %s: %s\n  expected %s", bad[i].text, crd_status_text(status), err.text, bad[i].place);
    assert_null(problem);
    assert_string_equal(err.file, "bad.json");
  }
}

static void restitution_outside_its_range_can_be_allowed(void **state) {
  (void)state;
  const char *text = CONTACT("\"n\":[1,0],\"e\":1.5,\"e_t\":-2");
  crd_problem_read_options options = {.any_restitution = true};
  crd_contact_problem *problem;
  assert_int_equal(crd_io_read_problem_text(text, strlen(text), "p", &options, &problem, NULL), CRD_OK);
  assert_true(problem->contact[1].e == 1.5 && problem->contact[1].e_t == -2);
  crd_contact_problem_free(problem);
}

static void files_are_read_and_written(void **state) {
  (void)state;
  const char *path = CRADLE_BINARY_DIR "/test_problem.json", *nowhere = CRADLE_BINARY_DIR "/no/such/folder/p.json";
  crd_error err = {0};
  crd_contact_problem *p = read_text(CONTACT("\"n\":[1,0.1],\"t\":[[0,1]],\"mu\":0.1,\"name\":\"x\"")), *q;
  assert_int_equal(crd_io_write_problem(path, p, &err), CRD_OK);
  assert_int_equal(crd_io_read_problem(path, NULL, &q, &err), CRD_OK);
  expect_same(p, q);
  crd_contact_problem_free(q);
  remove(path);
  assert_int_equal(crd_io_read_problem(path, NULL, &q, &err), CRD_ERR_FILE);
  assert_null(q);
  assert_int_equal(crd_io_write_problem(nowhere, p, &err), CRD_ERR_FILE);
  p->M = NULL; /* assembled without it */
  assert_int_equal(crd_io_write_problem(path, p, &err), CRD_ERR_ARGUMENT);
  FILE *none = fopen(path, "r");
  assert_null(none);
  crd_contact_problem_free(p);
}

/* A short file cannot ask for much memory: sizes are checked before any is taken. */
static void sizes_are_checked_before_memory_is_taken(void **state) {
  (void)state;
  enum { ROWS = 100000 };
  char *text = test_malloc(4 * ROWS + 200),
       *end = text + sprintf(text, "%s", HEAD "\"v\":[1],\"contacts\":[],\"M\":[[]");
  for (int i = 1; i < ROWS; i++) end += sprintf(end, ",[]");
  end += sprintf(end, "]}");
  crd_contact_problem *problem;
  crd_error err = {0};
  assert_int_equal(crd_io_read_problem_text(text, (size_t)(end - text), "p", NULL, &problem, &err), CRD_ERR_FORMAT);
  test_free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(examples_survive_writing_and_reading),
      cmocka_unit_test(random_problems_survive_writing_and_reading),
      cmocka_unit_test(absent_members_have_defaults),
      cmocka_unit_test(contacts_that_turn_survive_writing_and_reading),
      cmocka_unit_test(bad_files_are_refused_with_the_place),
      cmocka_unit_test(restitution_outside_its_range_can_be_allowed),
      cmocka_unit_test(files_are_read_and_written),
      cmocka_unit_test(sizes_are_checked_before_memory_is_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
