/* Claims: bad input ends in a negative status that names the row, contradictions in CRD_NO_SOLUTION that names one of
 * them, for every form of G; neither writes to the state. */
#include <cradle/coulomb.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"

enum { N = 6 };

/* A good problem to be damaged: contact at row 0 with two tangents, contact at row 3 without, bilateral row 4, bounded
 * row 5. */
typedef struct sample {
  double G[N * N], w[N], J[N * N], X[N * N], value[N * N];
  crd_coulomb_contact contact[2];
  int bilateral[1], first_row[4], first[4], column[4];
  size_t offset[4];
  crd_coulomb_bounded bounded[1];
  crd_coulomb_blocks blocks;
  crd_coulomb_problem problem;
} sample;

static void make(sample *s) {
  memset(s, 0, sizeof *s);
  const double w[N] = {-1, 0.5, 0, -2, 0.3, 0.2};
  memcpy(s->w, w, sizeof w);
  for (int i = 0; i < N; i++) s->G[(N + 1) * i] = s->J[(N + 1) * i] = s->X[(N + 1) * i] = 1;
  s->contact[0] = (crd_coulomb_contact){.row = 0, .ntangent = 2, .mu = 0.5};
  s->contact[1] = (crd_coulomb_contact){.row = 3};
  s->bilateral[0] = 4;
  s->bounded[0] = (crd_coulomb_bounded){5, -1, 1};
  const int first_row[4] = {0, 3, 4, 6}, first[4] = {0, 1, 2, 3}, column[4] = {0, 1, 2, 0};
  const size_t offset[4] = {0, 9, 10, 14};
  memcpy(s->first_row, first_row, sizeof first_row), memcpy(s->first, first, sizeof first);
  memcpy(s->column, column, sizeof column), memcpy(s->offset, offset, sizeof offset);
  for (int i = 0; i < 3; i++) s->value[4 * i] = 1;
  s->value[9] = s->value[10] = s->value[13] = 1;
  s->blocks = (crd_coulomb_blocks){3, s->first_row, s->first, s->column, s->offset, s->value};
  s->problem = (crd_coulomb_problem){.n = N,
                                     .w = s->w,
                                     .ncontact = 2,
                                     .contact = s->contact,
                                     .nbilateral = 1,
                                     .bilateral = s->bilateral,
                                     .nbounded = 1,
                                     .bounded = s->bounded,
                                     .G = s->G};
}

static void by_blocks(sample *s) { s->problem.G = NULL, s->problem.blocks = &s->blocks; }
static void factored(sample *s) { s->problem.G = NULL, s->problem.J = s->J, s->problem.X = s->X, s->problem.nv = N; }

/* Solves cold and warm; the state must be untouched. */
static void assert_refused(const crd_coulomb_problem *problem, crd_status status, int row) {
  crd_coulomb_work *work = crd_coulomb_work_new();
  for (int warm = 0; warm < 2; warm++) {
    double p[2 * N], u[2 * N];
    crd_mode mode[2 * N];
    for (int i = 0; i < 2 * N; i++) p[i] = 0.125 * i, u[i] = -i, mode[i] = i % 2 ? CRD_MODE_SLIP : CRD_MODE_STICK;
    crd_coulomb_options options = crd_coulomb_default();
    options.warm = warm;
    crd_coulomb_state state = {.p = p, .u = u, .mode = mode};
    crd_coulomb_report report;
    crd_status found = crd_coulomb_solve(work, problem, &options, &state, &report);
    if (found != status || report.status != status || report.row != row)
      fail_msg("%s at row %d, expected %s at row %d", crd_status_text(found), report.row, crd_status_text(status), row);
    for (int i = 0; i < 2 * N; i++)
      assert_true(p[i] == 0.125 * i && u[i] == -i && mode[i] == (i % 2 ? CRD_MODE_SLIP : CRD_MODE_STICK));
    assert_int_equal(crd_coulomb_solve(work, problem, &options, &state, NULL), status);
  }
  crd_coulomb_work_free(work);
}

static void the_sample_itself_is_solved_in_every_form(void **state) {
  (void)state;
  void (*const form[])(sample *) = {NULL, by_blocks, factored};
  for (int k = 0; k < 3; k++) {
    sample s;
    make(&s);
    if (form[k]) form[k](&s);
    double p[N], u[N];
    crd_mode mode[2];
    crd_coulomb_state answer = {.p = p, .u = u, .mode = mode};
    crd_coulomb_report report;
    crd_coulomb_work *work = crd_coulomb_work_new();
    assert_int_equal(crd_coulomb_solve(work, &s.problem, NULL, &answer, &report), CRD_OK);
    const double expected[N] = {1, -0.5, 0, 2, -0.3, -0.2};
    for (int i = 0; i < N; i++) assert_true(fabs(p[i] - expected[i]) <= 1e-9);
    assert_true(report.row == -1 && report.residual <= 1e-9 && mode[0] == CRD_MODE_STICK);
    answer.mode = NULL; /* modes are not asked for */
    assert_int_equal(crd_coulomb_solve(work, &s.problem, NULL, &answer, NULL), CRD_OK);
    crd_coulomb_work_free(work);
  }
}

/* ------------------------------------------------------------------------------------------- numbers */

static void what_is_not_finite_is_refused(void **state) {
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    sample s;
    make(&s), s.w[2] = bad[k];
    assert_refused(&s.problem, CRD_ERR_NUMBER, 2);
    make(&s), s.G[N * 3 + 1] = bad[k];
    assert_refused(&s.problem, CRD_ERR_NUMBER, 3);
    make(&s), factored(&s), s.J[N * 4 + 2] = bad[k];
    assert_refused(&s.problem, CRD_ERR_NUMBER, 4);
    make(&s), factored(&s), s.X[N * 5] = bad[k];
    assert_refused(&s.problem, CRD_ERR_NUMBER, 5);
    make(&s), by_blocks(&s), s.value[12] = bad[k]; /* of the group of rows 4 and 5 */
    assert_refused(&s.problem, CRD_ERR_NUMBER, 4);
    make(&s), s.contact[1].mu = bad[k];
    assert_refused(&s.problem, CRD_ERR_NUMBER, 3);
    make(&s), s.contact[0].mu_spin = bad[k];
    assert_refused(&s.problem, CRD_ERR_NUMBER, 0);
    make(&s), s.contact[0].mu_roll = bad[k];
    assert_refused(&s.problem, CRD_ERR_NUMBER, 0);
    make(&s), s.contact[1].target = bad[k];
    assert_refused(&s.problem, CRD_ERR_NUMBER, 3);
    make(&s), s.contact[0].slides = true, s.contact[0].slide[1] = bad[k];
    assert_refused(&s.problem, CRD_ERR_NUMBER, 0);
    make(&s), s.problem.velocity = bad[k];
    assert_refused(&s.problem, CRD_ERR_NUMBER, -1);
  }
  sample s;
  make(&s), s.bounded[0].lower = NAN;
  assert_refused(&s.problem, CRD_ERR_NUMBER, 5);
  make(&s), s.bounded[0].upper = NAN;
  assert_refused(&s.problem, CRD_ERR_NUMBER, 5);
  make(&s), s.problem.velocity = -1;
  assert_refused(&s.problem, CRD_ERR_NUMBER, -1);
}

/* A guess is read only where it is announced. */
static void a_guess_that_is_not_finite_is_refused_and_unread_without_warm_start(void **state) {
  (void)state;
  sample s;
  make(&s);
  crd_coulomb_work *work = crd_coulomb_work_new();
  crd_coulomb_options options = crd_coulomb_default();
  double p[N] = {0, 0, 0, NAN, 0, 0}, u[N] = {7};
  crd_mode mode[2] = {CRD_MODE_SLIP, CRD_MODE_NONE};
  crd_coulomb_state answer = {.p = p, .u = u, .mode = mode};
  crd_coulomb_report report;
  options.warm = true;
  assert_int_equal(crd_coulomb_solve(work, &s.problem, &options, &answer, &report), CRD_ERR_NUMBER);
  assert_true(report.row == 3 && isnan(p[3]) && u[0] == 7 && mode[0] == CRD_MODE_SLIP);
  options.warm = false;
  assert_int_equal(crd_coulomb_solve(work, &s.problem, &options, &answer, &report), CRD_OK);
  crd_coulomb_work_free(work);
}

static void coefficients_are_not_negative(void **state) {
  (void)state;
  sample s;
  make(&s), s.contact[1].mu = -1e-9;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, 3);
  make(&s), s.contact[0].mu_spin = -1;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, 0);
  make(&s), s.contact[0].mu_roll = -1;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, 0);
}

static void bounds_leave_room(void **state) {
  (void)state;
  sample s;
  make(&s), s.bounded[0].lower = 2;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, 5);
  make(&s), s.bounded[0].lower = s.bounded[0].upper = INFINITY;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, 5);
  make(&s), s.bounded[0].lower = s.bounded[0].upper = -INFINITY;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, 5);
}

static void a_slide_is_a_unit_vector(void **state) {
  (void)state;
  sample s;
  make(&s), s.contact[0].slides = true;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, 0);
  s.contact[0].slide[0] = 1, s.contact[0].slide[1] = 0.1;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, 0);
  make(&s), s.contact[1].slides = true, s.contact[1].slide[0] = 1; /* it has no tangents */
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, 3);
}

/* ------------------------------------------------------------------------------------------- rows */

static void rows_lie_in_the_problem(void **state) {
  (void)state;
  const int outside[] = {-1, N, INT_MAX, INT_MAX - 1, INT_MIN};
  for (size_t k = 0; k < sizeof outside / sizeof *outside; k++) {
    sample s;
    make(&s), s.contact[1].row = outside[k];
    assert_refused(&s.problem, CRD_ERR_ARGUMENT, outside[k]);
    make(&s), s.bilateral[0] = outside[k];
    assert_refused(&s.problem, CRD_ERR_ARGUMENT, outside[k]);
    make(&s), s.bounded[0].row = outside[k];
    assert_refused(&s.problem, CRD_ERR_ARGUMENT, outside[k]);
  }
  sample s;
  make(&s), s.contact[1].row = 5, s.contact[1].ntangent = 2, s.problem.nbounded = 0; /* 5, 6, 7 */
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, 6);
}

/* The last rows that an int can name: a sum would overflow. */
static void rows_do_not_overflow(void **state) {
  (void)state;
  const double G[1] = {1}, w[1] = {0};
  const crd_coulomb_bounded bounded = {0, -1, 1};
  const crd_coulomb_contact contact = {.row = INT_MAX, .ntangent = 2, .mu = 1};
  crd_coulomb_problem problem = {
      .n = 1, .w = w, .ncontact = 1, .contact = &contact, .nbounded = 1, .bounded = &bounded, .G = G};
  assert_refused(&problem, CRD_ERR_ARGUMENT, INT_MAX);
}

static void every_row_has_one_owner(void **state) {
  (void)state;
  sample s;
  make(&s), s.bilateral[0] = 2;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, 2);
  make(&s), s.bounded[0].row = 4;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, 4);
  make(&s), s.contact[0].nroll = 1; /* 0..3 */
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, 3);
  make(&s), s.problem.nbilateral = 0;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, 4);
  make(&s), s.problem.nbounded = 0;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, 5);
  make(&s), s.contact[0].ntangent = 1;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, 2);
}

static void counts_are_those_of_a_contact(void **state) {
  (void)state;
  sample s;
  make(&s), s.contact[1].ntangent = 3;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, 3);
  make(&s), s.contact[1].ntangent = -1;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, 3);
  make(&s), s.contact[1].nspin = 2;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, 3);
  make(&s), s.contact[1].nroll = 3;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, 3);
  make(&s), s.problem.n = -1;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, -1);
  make(&s), s.problem.ncontact = -1;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, -1);
  make(&s), s.problem.nbilateral = -1;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, -1);
  make(&s), s.problem.nbounded = -1;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, -1);
}

/* ------------------------------------------------------------------------------------------- matrices */

static void the_matrix_is_given_once(void **state) {
  (void)state;
  sample s;
  make(&s), s.problem.G = NULL;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, -1);
  make(&s), s.problem.blocks = &s.blocks;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, -1);
  make(&s), s.problem.J = s.J, s.problem.X = s.X, s.problem.nv = N;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, -1);
  make(&s), factored(&s), s.problem.X = NULL;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, -1);
  make(&s), factored(&s), s.problem.nv = -1;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, -1);
}

static void blocks_cover_the_rows(void **state) {
  (void)state;
  sample s;
  make(&s), by_blocks(&s), s.first_row[3] = 5;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, -1);
  make(&s), by_blocks(&s), s.first_row[0] = 1;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, -1);
  make(&s), by_blocks(&s), s.first_row[2] = 2; /* group 1 would have -1 rows */
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, 3);
  make(&s), by_blocks(&s), s.column[1] = 3;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, 3);
  make(&s), by_blocks(&s), s.column[2] = -1;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, 4);
  make(&s), by_blocks(&s), s.first[2] = 0; /* before the blocks of the group above */
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, 3);
  make(&s), by_blocks(&s), s.first[1] = 2, s.column[1] = 0; /* twice the same column */
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, 0);
  make(&s), by_blocks(&s), s.blocks.ngroup = -1;
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, -1);
}

/* "No contact lies in two groups". */
static void a_contact_lies_in_one_group(void **state) {
  (void)state;
  sample s;
  make(&s), by_blocks(&s), s.first_row[1] = 2; /* 0, 1 | 2, 3 | 4, 5 */
  s.first_row[2] = 4;
  const size_t offset[3] = {0, 4, 8};
  memcpy(s.offset, offset, sizeof offset);
  assert_refused(&s.problem, CRD_ERR_ARGUMENT, 0);
}

/* ------------------------------------------------------------------------------------------- verdicts */

/* Two bilateral rows of the same velocity that ask for different values; the verdict names one of them. */
static void contradictory_bilateral_rows_have_no_solution(void **state) {
  (void)state;
  const double J[3] = {1, 1, 1}, w[3] = {0.5, 1, 0};
  const int bilateral[2] = {0, 1};
  const crd_coulomb_bounded bounded = {2, -1, 1};
  double G[9], p[3] = {7, 8, 9}, u[3] = {1, 2, 3};
  for (int i = 0; i < 9; i++) G[i] = 1;
  for (int factor = 0; factor < 2; factor++) {
    crd_coulomb_problem problem = {
        .n = 3, .w = w, .nbilateral = 2, .bilateral = bilateral, .nbounded = 1, .bounded = &bounded};
    if (factor)
      problem.nv = 1, problem.J = J, problem.X = J;
    else
      problem.G = G;
    crd_coulomb_work *work = crd_coulomb_work_new();
    crd_coulomb_state answer = {.p = p, .u = u};
    crd_coulomb_report report;
    assert_int_equal(crd_coulomb_solve(work, &problem, NULL, &answer, &report), CRD_NO_SOLUTION);
    assert_true(report.status == CRD_NO_SOLUTION && (report.row == 0 || report.row == 1));
    assert_true(p[0] == 7 && p[2] == 9 && u[1] == 2);
    crd_coulomb_work_free(work);
  }
}

/* The same two rows, asking for the same, are merely redundant. */
static void repeated_bilateral_rows_are_solved(void **state) {
  (void)state;
  const double J[2] = {1, 1}, w[2] = {0.5, 0.5};
  const int bilateral[2] = {0, 1};
  double p[2], u[2];
  crd_coulomb_problem problem = {.n = 2, .w = w, .nbilateral = 2, .bilateral = bilateral, .nv = 1, .J = J, .X = J};
  crd_coulomb_work *work = crd_coulomb_work_new();
  crd_coulomb_state answer = {.p = p, .u = u};
  assert_int_equal(crd_coulomb_solve(work, &problem, NULL, &answer, NULL), CRD_OK);
  assert_true(fabs(p[0] + 0.25) <= 1e-6 && fabs(p[1] + 0.25) <= 1e-6); /* least norm: half each */
  crd_coulomb_work_free(work);
}

static void assert_unmoved(const crd_coulomb_problem *problem, int row) {
  double p[4] = {1, 2, 3, 4}, u[4] = {5, 6, 7, 8};
  crd_mode mode[4] = {CRD_MODE_SLIP, CRD_MODE_SLIP, CRD_MODE_SLIP, CRD_MODE_SLIP};
  crd_coulomb_state answer = {.p = p, .u = u, .mode = mode};
  crd_coulomb_report report;
  crd_coulomb_work *work = crd_coulomb_work_new();
  assert_int_equal(crd_coulomb_solve(work, problem, NULL, &answer, &report), CRD_NO_SOLUTION);
  assert_int_equal(report.row, row);
  assert_true(p[0] == 1 && p[3] == 4 && u[0] == 5 && u[3] == 8 && mode[0] == CRD_MODE_SLIP);
  crd_coulomb_work_free(work);
}

/* Bodies that nothing can move, and that approach: row 1 of G is zero; or the mechanism is held there by row 2. */
static void a_contact_that_nothing_moves_and_that_approaches_has_no_solution(void **state) {
  (void)state;
  const crd_coulomb_contact contact[2] = {{.row = 0}, {.row = 1}};
  const double w[2] = {-1, -1}, G[4] = {1, 0, 0, 0};
  crd_coulomb_problem fixed = {.n = 2, .w = w, .ncontact = 2, .contact = contact, .G = G};
  assert_unmoved(&fixed, 1);
  const int bilateral[1] = {2};
  const double J[6] = {1, 0.5, 0, 1, 0, 2}, approaches[3] = {-1, -1, 0};
  crd_coulomb_problem held = {.n = 3,
                              .w = approaches,
                              .ncontact = 2,
                              .contact = contact,
                              .nbilateral = 1,
                              .bilateral = bilateral,
                              .nv = 2,
                              .J = J,
                              .X = J};
  assert_unmoved(&held, 1);
  const double target[2] = {-1, 0};
  const crd_coulomb_contact bounces[2] = {{.row = 0}, {.row = 1, .target = 0.5}};
  fixed.w = target, fixed.contact = bounces;
  assert_unmoved(&fixed, 1);
}

/* If it does not approach nothing is wrong with it. */
static void a_contact_that_nothing_moves_and_that_rests_is_solved(void **state) {
  (void)state;
  const crd_coulomb_contact contact[2] = {{.row = 0, .ntangent = 1, .mu = 0.5}, {.row = 2, .ntangent = 1, .mu = 0.5}};
  const double w[4] = {-1, 0.2, 0, 0.3}, G[16] = {1, 0, 0, 0, 0, 1};
  crd_coulomb_problem problem = {.n = 4, .w = w, .ncontact = 2, .contact = contact, .G = G};
  double p[4], u[4];
  crd_mode mode[2];
  crd_coulomb_state answer = {.p = p, .u = u, .mode = mode};
  crd_coulomb_work *work = crd_coulomb_work_new();
  assert_int_equal(crd_coulomb_solve(work, &problem, NULL, &answer, NULL), CRD_OK);
  assert_true(fabs(p[0] - 1) < 1e-9 && fabs(p[1] + 0.2) < 1e-9 && p[2] == 0 && p[3] == 0);
  crd_coulomb_work_free(work);
}

/* Two walls that close on one body: u_0 + u_1 = -2 whatever the impulses. */
static void a_body_between_closing_walls_has_no_solution(void **state) {
  (void)state;
  const crd_coulomb_contact contact[2] = {{.row = 0}, {.row = 1}};
  const double w[2] = {-1, -1}, G[4] = {1, -1, -1, 1};
  crd_coulomb_problem problem = {.n = 2, .w = w, .ncontact = 2, .contact = contact, .G = G};
  double p[2], u[2];
  crd_mode mode[2];
  crd_coulomb_state answer = {.p = p, .u = u, .mode = mode};
  crd_coulomb_report report;
  crd_coulomb_work *work = crd_coulomb_work_new();
  crd_status status = crd_coulomb_solve(work, &problem, NULL, &answer, &report);
  assert_int_equal(status, CRD_NO_SOLUTION);
  assert_true(report.row == 0 || report.row == 1);
  assert_true(report.residual > 0.4); /* at best u = -1 at both */
  crd_coulomb_work_free(work);
}

/* With friction: the walls hold a body whose tangential velocities, two of them with the normal ones, turn nothing of
 * the sum u_0 + u_2 = -gap below the target of both. Without the target the walls rest on it. */
static void walls_with_friction_that_close_have_no_solution(void **state) {
  (void)state;
  const double w[4] = {0, 1, 0, -1}, G[16] = {1, 0, -1, 0, 0, 1, 0, -1, -1, 0, 1, 0, 0, -1, 0, 1};
  crd_coulomb_contact contact[2] = {{.row = 0, .ntangent = 1, .mu = 0.5}, {.row = 2, .ntangent = 1, .mu = 0.5}};
  crd_coulomb_problem problem = {.n = 4, .w = w, .ncontact = 2, .contact = contact, .G = G};
  double p[4], u[4];
  crd_mode mode[2];
  crd_coulomb_state answer = {.p = p, .u = u, .mode = mode};
  crd_coulomb_report report;
  crd_coulomb_work *work = crd_coulomb_work_new();
  assert_int_equal(crd_coulomb_solve(work, &problem, NULL, &answer, &report), CRD_OK);
  contact[0].target = 1e-3;
  assert_int_equal(crd_coulomb_solve(work, &problem, NULL, &answer, &report), CRD_NO_SOLUTION);
  assert_true(report.row == 0 || report.row == 2);
  contact[0].target = -1e-3; /* room between them */
  assert_int_equal(crd_coulomb_solve(work, &problem, NULL, &answer, &report), CRD_OK);
  crd_coulomb_work_free(work);
}

static void a_problem_without_rows_is_solved(void **state) {
  (void)state;
  crd_coulomb_problem problem = {.n = 0};
  crd_coulomb_state answer = {0};
  crd_coulomb_report report;
  crd_coulomb_work *work = crd_coulomb_work_new();
  assert_int_equal(crd_coulomb_solve(work, &problem, NULL, &answer, &report), CRD_OK);
  assert_true(report.islands == 0 && report.row == -1 && report.residual == 0);
  crd_coulomb_work_free(work);
  crd_coulomb_work_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_sample_itself_is_solved_in_every_form),
      cmocka_unit_test(what_is_not_finite_is_refused),
      cmocka_unit_test(a_guess_that_is_not_finite_is_refused_and_unread_without_warm_start),
      cmocka_unit_test(coefficients_are_not_negative),
      cmocka_unit_test(bounds_leave_room),
      cmocka_unit_test(a_slide_is_a_unit_vector),
      cmocka_unit_test(rows_lie_in_the_problem),
      cmocka_unit_test(rows_do_not_overflow),
      cmocka_unit_test(every_row_has_one_owner),
      cmocka_unit_test(counts_are_those_of_a_contact),
      cmocka_unit_test(the_matrix_is_given_once),
      cmocka_unit_test(blocks_cover_the_rows),
      cmocka_unit_test(a_contact_lies_in_one_group),
      cmocka_unit_test(contradictory_bilateral_rows_have_no_solution),
      cmocka_unit_test(repeated_bilateral_rows_are_solved),
      cmocka_unit_test(a_contact_that_nothing_moves_and_that_approaches_has_no_solution),
      cmocka_unit_test(a_contact_that_nothing_moves_and_that_rests_is_solved),
      cmocka_unit_test(a_body_between_closing_walls_has_no_solution),
      cmocka_unit_test(walls_with_friction_that_close_have_no_solution),
      cmocka_unit_test(a_problem_without_rows_is_solved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
