/* Claims about the rows of assembled problems on random mechanisms: the normal row gives the rate of the gap, all rows
 * give the relative velocity of the touching material points, W is J M^-1 J' of the dense mass matrix, X is M^-1 J',
 * and the problem of the model equals the one made of its own M and J. */
#include <cradle/linalg.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/mechanism.h"
#include "support/random_tree.h"

enum { SEEDS = 40 };

/* Bodies with spheres and capsules, so near each other that many count as contacts at distance 0.3. */
static mechanism random_mechanism(uint64_t seed, const crd_contact_options *options) {
  random_stream stream = {.seed = 500 + seed};
  random_tree_options tree = {
      .nbody = 2 + (int)(seed % 12), .branching = seed % 2 ? 0.7 : 0, .armature = seed % 3 == 0, .geoms = true};
  mechanism m = mechanism_from_model(random_tree(seed, tree));
  for (int tries = 0; tries < 20; tries++) {
    random_state(m.model, &stream, m.qpos, m.qvel);
    mechanism_assemble(&m, options);
    if (m.problem->nc > 0) break;
  }
  return m;
}

static crd_contact_options wide(void) {
  crd_contact_options options = crd_contact_default();
  options.distance = 0.3;
  return options;
}

/* The gap of the same two geoms and point number at another position, NaN where it is gone. */
static double gap_at(mechanism *m, const crd_contact_point *p, double h, const crd_contact_options *options) {
  double *moved = new_vector(m->model->nq), gap = NAN;
  crd_contact_problem *problem = crd_contact_problem_new();
  int count;
  crd_tree_integrate_position(m->model, m->qpos, m->qvel, h, moved);
  assert_int_equal(crd_contact_at_state(m->assembler, m->work, moved, m->qvel, options, problem), CRD_OK);
  const crd_contact_point *now = crd_contact_points(m->assembler, &count);
  for (int i = 0; i < count; i++)
    if (now[i].geomA == p->geomA && now[i].geomB == p->geomB && now[i].index == p->index) gap = now[i].gap;
  crd_contact_problem_free(problem);
  free(moved);
  return gap;
}

static void normal_row_is_the_rate_of_the_gap(void **state) {
  (void)state;
  crd_contact_options options = wide();
  int checked = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    mechanism m = random_mechanism(seed, &options);
    int count;
    const crd_contact_point *found = crd_contact_points(m.assembler, &count);
    crd_contact_point *points = malloc((size_t)(count + 1) * sizeof *points);
    int *contact_of = malloc((size_t)(count + 1) * sizeof *contact_of);
    if (count) memcpy(points, found, (size_t)count * sizeof *points);
    if (count) memcpy(contact_of, crd_contact_of_point(m.assembler), (size_t)count * sizeof *contact_of);
    for (int i = 0; i < count; i++) {
      if (contact_of[i] < 0) continue;
      const double h = 1e-6;
      double ahead = gap_at(&m, &points[i], h, &options), behind = gap_at(&m, &points[i], -h, &options);
      double rate = m.problem->u[m.problem->contact[contact_of[i]].row];
      if (isnan(ahead) || isnan(behind)) continue; /* left the range */
      assert_true(fabs((ahead - behind) / (2 * h) - rate) < 1e-6 * (1 + fabs(rate)));
      checked++;
    }
    free(points), free(contact_of);
    mechanism_free(&m);
  }
  assert_true(checked > 50);
}

static void rows_give_the_relative_velocity_of_the_points(void **state) {
  (void)state;
  crd_contact_options options = wide();
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    mechanism m = random_mechanism(seed, &options);
    for (int c = 0; c < m.problem->nc; c++) {
      const crd_contact *contact = &m.problem->contact[c];
      double V1[6], V2[6], slip[3];
      crd_tree_point_velocity(m.model, m.work, contact->body1, contact->point, V1);
      crd_tree_point_velocity(m.model, m.work, contact->body2, contact->point, V2);
      crd_vec3_sub(slip, V1 + 3, V2 + 3);
      double scale = 1 + crd_vec3_norm(V1) + crd_vec3_norm(V2) + crd_vec3_norm(slip);
      const double *u = m.problem->u + contact->row;
      assert_true(fabs(u[0] - crd_vec3_dot(contact->normal, slip)) < 1e-12 * scale);
      for (int k = 0; k < contact->ntangent; k++)
        assert_true(fabs(u[1 + k] - crd_vec3_dot(contact->tangent[k], slip)) < 1e-12 * scale);
      /* an orthonormal frame */
      for (int k = 0; k < contact->ntangent; k++)
        assert_true(fabs(crd_vec3_dot(contact->tangent[k], contact->normal)) < 1e-14 &&
                    fabs(crd_vec3_norm(contact->tangent[k]) - 1) < 1e-14);
    }
    mechanism_free(&m);
  }
}

static void delassus_matrix_is_that_of_the_dense_mass_matrix(void **state) {
  (void)state;
  crd_contact_options options = wide();
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    mechanism m = random_mechanism(seed, &options);
    crd_contact_problem *p = m.problem, *dense = crd_contact_problem_new();
    int n = p->nv, rows = p->nrow + p->nb;
    if (rows > 0) {
      assert_int_equal(crd_contact_problem_resize(dense, n, p->nc, p->nrow, p->nb, true), CRD_OK);
      memcpy(dense->M, p->M, sizeof(double) * (size_t)(n * n));
      memcpy(dense->J, p->J, sizeof(double) * (size_t)(rows * n));
      memcpy(dense->v, p->v, sizeof(double) * (size_t)n);
      assert_int_equal(crd_contact_problem_complete(dense), CRD_OK);
      double scale = max_abs(dense->W, rows * rows), reach = max_abs(dense->X, rows * n);
      assert_true(max_difference(p->W, dense->W, rows * rows) < 1e-11 * scale);
      assert_true(max_difference(p->X, dense->X, rows * n) < 1e-11 * reach);
      assert_true(max_difference(p->u, dense->u, rows) < 1e-12 * (1 + max_abs(p->u, rows)));
      assert_true(max_difference(p->u_free, dense->u_free, rows) < 1e-12 * (1 + max_abs(p->u, rows)));
      assert_true(fabs(p->kinetic - dense->kinetic) < 1e-12 * dense->kinetic);
    }
    crd_contact_problem_free(dense);
    mechanism_free(&m);
  }
}

static void without_the_mass_matrix_nothing_else_changes(void **state) {
  (void)state;
  crd_contact_options options = wide();
  mechanism m = random_mechanism(3, &options);
  int rows = m.problem->nrow;
  assert_true(rows > 0);
  double *W = new_vector(rows * rows);
  memcpy(W, m.problem->W, sizeof(double) * (size_t)(rows * rows));
  options.mass_matrix = false;
  mechanism_assemble(&m, &options);
  assert_null(m.problem->M);
  assert_memory_equal(W, m.problem->W, sizeof(double) * (size_t)(rows * rows));
  free(W);
  mechanism_free(&m);
}

/* J v, and J' p through X, by the dense rows. */
static void without_the_rows_the_assembler_stands_for_them(void **state) {
  (void)state;
  crd_contact_options options = wide();
  options.limit_distance = 10, options.dry_friction = true;
  int checked = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    random_stream stream = {.seed = 77 + seed};
    mechanism m = random_mechanism(seed, &options);
    const crd_contact_problem *p = m.problem;
    int n = p->nv, rows = p->nrow + p->nb;
    double *v = new_vector(n), *u = new_vector(rows), *W = new_vector(rows * rows), *impulse = new_vector(rows);
    double *expected_u = new_vector(rows), *expected = new_vector(n), *dv = new_vector(n);
    random_vector(&stream, n, v);
    random_vector(&stream, rows, impulse);
    for (int i = 0; i < rows; i++)
      for (int k = 0; k < n; k++) expected_u[i] += p->J[n * i + k] * v[k], expected[k] += p->X[n * i + k] * impulse[i];
    if (rows > 0) memcpy(W, p->W, sizeof *W * (size_t)(rows * rows));
    options.jacobian = options.mass_matrix = options.names = false;
    mechanism_assemble(&m, &options);
    assert_true(!m.problem->J && !m.problem->X && !m.problem->M);
    assert_int_equal(m.problem->nrow + m.problem->nb, rows);
    assert_memory_equal(W, m.problem->W, sizeof *W * (size_t)(rows * rows));
    crd_contact_velocity(m.assembler, m.work, v, u);
    crd_contact_response(m.assembler, m.work, impulse, dv);
    assert_true(max_difference(u, expected_u, rows) < 1e-12 * (1 + max_abs(expected_u, rows)));
    assert_true(max_difference(dv, expected, n) < 1e-11 * (1 + max_abs(expected, n)));
    options.jacobian = options.mass_matrix = options.names = true;
    checked += rows;
    free(v), free(u), free(W), free(impulse), free(expected_u), free(expected), free(dv);
    mechanism_free(&m);
  }
  assert_true(checked > 200);
}

static void bad_states_are_refused(void **state) {
  (void)state;
  mechanism m = mechanism_from_example("@bouncing-ball");
  m.qpos[2] = NAN;
  assert_int_equal(crd_contact_at_state(m.assembler, m.work, m.qpos, m.qvel, NULL, m.problem), CRD_ERR_NUMBER);
  mechanism_free(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(normal_row_is_the_rate_of_the_gap),
      cmocka_unit_test(rows_give_the_relative_velocity_of_the_points),
      cmocka_unit_test(delassus_matrix_is_that_of_the_dense_mass_matrix),
      cmocka_unit_test(without_the_mass_matrix_nothing_else_changes),
      cmocka_unit_test(without_the_rows_the_assembler_stands_for_them),
      cmocka_unit_test(bad_states_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
