/* Claims: the derived quantities of a contact problem are what their definitions say; resizing keeps nothing and loses
 * nothing; a mass matrix that is not positive definite is refused; a copy stands by itself. */
#include <cradle/contact.h>
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/random_tree.h"

/* Two equal balls on a line: M = m 1, one contact n = (-1, 1): W = 2/m, and the elastic impulse m du exchanges their
 * velocities. */
static void two_balls_exchange_their_velocities(void **state) {
  (void)state;
  crd_contact_problem *p = crd_contact_problem_new();
  assert_int_equal(crd_contact_problem_resize(p, 2, 1, 1, 0, true), CRD_OK);
  const double m = 3, M[4] = {m, 0, 0, m}, n[2] = {-1, 1}, v[2] = {2, 0.5};
  memcpy(p->M, M, sizeof M), memcpy(p->J, n, sizeof n), memcpy(p->v, v, sizeof v);
  p->contact[0] = (crd_contact){.name = crd_contact_problem_text(p, "ball"), .row = 0, .e = 1};
  assert_int_equal(crd_contact_problem_complete(p), CRD_OK);
  assert_true(fabs(p->W[0] - 2 / m) < 1e-15 && fabs(p->u[0] + 1.5) < 1e-15);
  assert_true(fabs(p->kinetic - 0.5 * m * (4 + 0.25)) < 1e-14);
  double impulse = m * 1.5, after[2], u;
  crd_contact_problem_velocity(p, &impulse, after);
  crd_contact_problem_contact_velocity(p, &impulse, &u);
  assert_true(fabs(after[0] - 0.5) < 1e-14 && fabs(after[1] - 2) < 1e-14 && fabs(u - 1.5) < 1e-14);
  assert_true(fabs(crd_contact_problem_kinetic_after(p, &impulse) - p->kinetic) < 1e-13);
  crd_contact_problem_free(p);
}

static void random_problems_obey_the_definitions(void **state) {
  (void)state;
  crd_contact_problem *p = crd_contact_problem_new();
  for (uint64_t seed = 1; seed <= 200; seed++) {
    random_stream stream = {.seed = seed};
    int n = random_int(&stream, 1, 12), nc = random_int(&stream, 0, 5), nb = random_int(&stream, 0, 3), m = 3 * nc + nb;
    assert_int_equal(crd_contact_problem_resize(p, n, nc, 3 * nc, nb, true), CRD_OK);
    double B[144], x[18], plus[12], u[18];
    random_vector(&stream, n * n, B);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        p->M[n * i + j] = i == j;
        for (int k = 0; k < n; k++) p->M[n * i + j] += B[n * i + k] * B[n * j + k];
      }
    random_vector(&stream, m * n, p->J);
    random_vector(&stream, n, p->v);
    random_vector(&stream, n, p->impulse);
    random_vector(&stream, m, x);
    assert_int_equal(crd_contact_problem_complete(p), CRD_OK);
    crd_contact_problem_velocity(p, x, plus);
    crd_contact_problem_contact_velocity(p, x, u);
    /* M (v+ - v) = J' p + impulse, u+ = J v+, and the energy without M is the energy with it */
    double energy = 0;
    for (int i = 0; i < n; i++) {
      double balance = -p->impulse[i], momentum = 0;
      for (int j = 0; j < n; j++)
        balance += p->M[n * i + j] * (plus[j] - p->v[j]), momentum += p->M[n * i + j] * plus[j];
      for (int r = 0; r < m; r++) balance -= p->J[n * r + i] * x[r];
      assert_true(fabs(balance) < 1e-12);
      energy += 0.5 * plus[i] * momentum;
    }
    for (int r = 0; r < m; r++) {
      double direct = 0;
      for (int i = 0; i < n; i++) direct += p->J[n * r + i] * plus[i];
      assert_true(fabs(direct - u[r]) < 1e-12);
    }
    assert_true(fabs(energy - crd_contact_problem_kinetic_after(p, x)) < 1e-12 * (1 + energy));
  }
  crd_contact_problem_free(p);
}

/* A copy has the same contents and outlives what it was made from. */
static void a_copy_stands_by_itself(void **state) {
  (void)state;
  crd_contact_problem *p = crd_contact_problem_new(), *copy = crd_contact_problem_new();
  assert_int_equal(crd_contact_problem_resize(p, 2, 1, 2, 1, true), CRD_OK);
  const double M[4] = {2, 0.5, 0.5, 1}, J[6] = {1, 0, 0, 1, 1, 1}, v[2] = {-1, 0.25}, impulse[2] = {0.5, -1};
  memcpy(p->M, M, sizeof M), memcpy(p->J, J, sizeof J), memcpy(p->v, v, sizeof v);
  memcpy(p->impulse, impulse, sizeof impulse);
  p->residual[0] = 1e-3;
  p->contact[0] = (crd_contact){.name = crd_contact_problem_text(p, "foot"), .ntangent = 1, .mu = 0.7, .e = 0.2};
  assert_int_equal(crd_contact_problem_add_restitution_matrix(p), CRD_OK);
  p->restitution_matrix[0] = 0.3;
  assert_int_equal(crd_contact_problem_complete(p), CRD_OK);
  assert_int_equal(crd_contact_problem_copy(p, copy), CRD_OK);
  double W[9], u_free[3];
  memcpy(W, p->W, sizeof W), memcpy(u_free, p->u_free, sizeof u_free);
  const double kinetic = p->kinetic;
  crd_contact_problem_free(p);
  assert_memory_equal(copy->M, M, sizeof M);
  assert_memory_equal(copy->v, v, sizeof v);
  assert_memory_equal(copy->W, W, sizeof W);
  assert_memory_equal(copy->u_free, u_free, sizeof u_free);
  assert_true(copy->kinetic == kinetic && copy->nb == 1 && copy->residual[0] == 1e-3);
  assert_true(copy->restitution_matrix && copy->restitution_matrix[0] == 0.3 && !copy->restitution_full);
  assert_string_equal(copy->contact[0].name, "foot");
  assert_true(copy->contact[0].mu == 0.7 && copy->contact[0].e == 0.2 && copy->contact[0].ntangent == 1);
  crd_contact_problem_free(copy);
}

static void an_indefinite_mass_matrix_is_refused(void **state) {
  (void)state;
  crd_contact_problem *p = crd_contact_problem_new();
  assert_int_equal(crd_contact_problem_resize(p, 2, 0, 0, 0, true), CRD_OK);
  const double M[4] = {1, 2, 2, 1};
  memcpy(p->M, M, sizeof M);
  p->v[0] = p->v[1] = 0;
  assert_int_equal(crd_contact_problem_complete(p), CRD_SINGULAR);
  assert_int_equal(crd_contact_problem_resize(p, 2, 1, 7, 0, true),
                   CRD_ERR_ARGUMENT); /* a normal, two tangents, spin, two rolls */
  crd_contact_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_balls_exchange_their_velocities),
      cmocka_unit_test(random_problems_obey_the_definitions),
      cmocka_unit_test(a_copy_stands_by_itself),
      cmocka_unit_test(an_indefinite_mass_matrix_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
