/* Claims: the built-in examples are the systems they are named after. Masses, contact Jacobians and pre-impact
 * velocities reproduce published and independently computed figures: sequential impacts of Halm & Posa's systems,
 * Painleve's critical friction, Kane's double pendulum, Aghili's four-bar linkages, Newton's cradle. */
#include <cradle/io.h>
#include <cradle/tree.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/example/example.h"
#include "support/cmocka_all.h"

enum { MAX_NV = 9 };

/* A mechanism of the plane in one of its keyframes, with what the tests need from it. */
typedef struct plane {
  crd_model *model;
  crd_workspace *work;
  int nv;
  double M[MAX_NV * MAX_NV], v[MAX_NV];
} plane;

static void open_model(plane *p, crd_model *model, int key) {
  *p = (plane){.model = model, .work = crd_model_workspace_new(model), .nv = model->nv};
  assert_non_null(p->work);
  assert_true(p->nv <= MAX_NV && key < model->nkey);
  memcpy(p->v, model->key[key].qvel, (size_t)p->nv * sizeof(double));
  crd_tree_kinematics(model, p->work, model->key[key].qpos);
  crd_tree_velocity(model, p->work, p->v);
  crd_tree_crba(model, p->work, p->M);
  assert_int_equal(crd_tree_factor(model, p->work), CRD_OK);
}

static plane open_example(const char *spec) {
  plane p;
  crd_model *model;
  crd_error err;
  if (crd_io_example_model(spec, NULL, &model, &err)) fail_msg("%s: %s", spec, err.text);
  open_model(&p, model, 0);
  return p;
}

static void close_plane(plane *p) {
  crd_model_workspace_free(p->work);
  crd_model_free(p->model);
}

/* Rows (normal, tangent) of the Jacobian of the point of geom `name` that lies farthest against the normal (nx, nz);
 * the tangent is the normal turned by -90 degrees. */
static void contact_rows(const plane *p, const char *name, double nx, double nz, double rows[2][MAX_NV]) {
  int geom = crd_model_find_geom(p->model, name);
  double pos[3], R[9], J[6 * MAX_NV];
  assert_true(geom >= 0 && p->model->geom[geom].type == CRD_SPHERE);
  crd_tree_geom_pose(p->model, p->work, geom, pos, R);
  const double radius = p->model->geom[geom].size[0];
  const crd_node node = {p->model->geom[geom].body, {pos[0] - radius * nx, pos[1], pos[2] - radius * nz}};
  crd_tree_jacobian(p->model, p->work, &node, J);
  for (int j = 0; j < p->nv; j++) {
    const double x = J[3 * p->nv + j], z = J[5 * p->nv + j];
    rows[0][j] = nx * x + nz * z, rows[1][j] = nz * x - nx * z;
  }
}

static void contact_velocity(const plane *p, double rows[2][MAX_NV], double u[2]) {
  for (int r = 0; r < 2; r++) {
    u[r] = 0;
    for (int j = 0; j < p->nv; j++) u[r] += rows[r][j] * p->v[j];
  }
}

static double kinetic(const plane *p) {
  double energy = 0;
  for (int i = 0; i < p->nv; i++)
    for (int j = 0; j < p->nv; j++) energy += 0.5 * p->v[i] * p->M[i * p->nv + j] * p->v[j];
  return energy;
}

/* W = J M^-1 J' of one contact, and X = M^-1 J'. */
static void delassus(const plane *p, double rows[2][MAX_NV], double W[2][2], double X[2][MAX_NV]) {
  for (int r = 0; r < 2; r++) crd_tree_solve(p->model, p->work, rows[r], X[r]);
  for (int r = 0; r < 2; r++)
    for (int s = 0; s < 2; s++) {
      W[r][s] = 0;
      for (int j = 0; j < p->nv; j++) W[r][s] += rows[r][j] * X[s][j];
    }
}

/* One inelastic impact at one contact: it sticks where the impulse lies in the friction cone, else it slides. */
static void strike(plane *p, double rows[2][MAX_NV], double mu) {
  double W[2][2], X[2][MAX_NV], u[2], impulse[2];
  delassus(p, rows, W, X);
  contact_velocity(p, rows, u);
  const double det = W[0][0] * W[1][1] - W[0][1] * W[1][0];
  impulse[0] = (-u[0] * W[1][1] + u[1] * W[0][1]) / det;
  impulse[1] = (-u[1] * W[0][0] + u[0] * W[1][0]) / det;
  if (fabs(impulse[1]) > mu * impulse[0]) {
    const double slide = impulse[1] > 0 ? mu : -mu;
    impulse[0] = -u[0] / (W[0][0] + slide * W[0][1]), impulse[1] = slide * impulse[0];
    assert_true((u[1] + W[1][0] * impulse[0] + W[1][1] * impulse[1]) * slide <= 0);
  }
  assert_true(impulse[0] >= 0);
  for (int j = 0; j < p->nv; j++) p->v[j] += X[0][j] * impulse[0] + X[1][j] * impulse[1];
}

static void assert_near(const char *what, double found, double expected, double tolerance) {
  if (!(fabs(found - expected) <= tolerance)) fail_msg("%s: found %.15g, expected %.15g", what, found, expected);
}

/* Sequential outcomes of EXAMPLES.md: velocities (normal, tangential) of A and B and K+/K- after the contacts `order`
 * struck one after the other. */
static void sequential_impacts_end_as_published(void **state) {
  (void)state;
  static const struct {
    const char *spec, *order;
    double mu, a[2], b[2], ratio;
  } table[] = {
      {"rocking-block", "AB", 1, {0.0930183852795, 0}, {0, 0}, 0.0735},
      {"rocking-block", "BA", 1, {0, 0}, {0.0930183852795, 0}, 0.0735},
      {"compass-gait", "A", 5, {0, 0}, {0.0995551756309, 0.198019603924}, 0.601779},
      {"box-wall", "BA", 1, {0, 0.305764805792}, {0.105642286542, 0.0725421704332}, 0.061863},
      {"ramone", "A", 1e5, {0, 0}, {0.00033082304515, -0.0273500896204}, 0.701886},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    plane p = open_example(table[i].spec);
    const bool wall = strcmp(table[i].spec, "box-wall") == 0;
    double A[2][MAX_NV], B[2][MAX_NV], u[2];
    contact_rows(&p, "A", 0, 1, A);
    contact_rows(&p, "B", wall ? -1 : 0, wall ? 0 : 1, B);
    const double before = kinetic(&p);
    for (const char *at = table[i].order; *at; at++) strike(&p, *at == 'A' ? A : B, table[i].mu);
    for (int r = 0; r < 2; r++) {
      contact_velocity(&p, A, u);
      assert_near(table[i].spec, u[r], table[i].a[r], 2e-12);
      contact_velocity(&p, B, u);
      assert_near(table[i].spec, u[r], table[i].b[r], 2e-12);
    }
    assert_near(table[i].spec, kinetic(&p) / before, table[i].ratio, 5e-7);
    close_plane(&p);
  }
}

/* Uniform rod on its tip at angle a: W_nn = 1 + 3 cos^2, W_nt = -3 sin cos; critical friction is their ratio. */
static void the_rod_has_the_critical_friction_4_3(void **state) {
  (void)state;
  plane p = open_example("painleve-rod");
  double rows[2][MAX_NV], W[2][2], X[2][MAX_NV], u[2];
  contact_rows(&p, "A", 0, 1, rows);
  delassus(&p, rows, W, X);
  assert_near("W_nn", W[0][0], 1 + 3.0 / 5, 1e-14);
  assert_near("W_nt", W[0][1], -3 * 2.0 / 5, 1e-14);
  assert_near("critical friction", -W[0][0] / W[0][1], 4.0 / 3, 1e-14);
  assert_true(p.model->pair[0].friction[0] > 4.0 / 3);
  contact_velocity(&p, rows, u);
  assert_near("u_n", u[0], 0, 1e-15);
  assert_near("u_t", u[1], -1, 1e-15);
  close_plane(&p);
}

/* Joint rates of a chain are differences of absolute rates, v = T w with T_ii = 1, T_i,i-1 = -1: M_abs = T' M T, rows J
 * T. */
static void to_absolute(const plane *p, double M[3][3]) {
  const int n = p->nv;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const double *m = p->M;
      M[i][j] = m[i * n + j] - (i + 1 < n ? m[(i + 1) * n + j] : 0) - (j + 1 < n ? m[i * n + j + 1] : 0) +
                (i + 1 < n && j + 1 < n ? m[(i + 1) * n + j + 1] : 0);
    }
}

static double absolute_entry(const double *row, int j, int n) { return row[j] - (j + 1 < n ? row[j + 1] : 0); }

/* Case fric_03: M, a_n, A_t, contact velocity and energy, in absolute angles. */
static void kane_s_double_pendulum_is_that_of_the_case(void **state) {
  (void)state;
  static const double mass[2][2] = {{1.3333333333333333, 0.492403876506104}, {0.492403876506104, 0.3333333333333333}};
  static const double an[2] = {0.3420201433256687, 0.49999999999999994},
                      at[2] = {0.9396926207859084, 0.8660254037844387};
  plane p = open_example("double-pendulum-floor");
  double rows[2][MAX_NV], M[3][3], u[2];
  contact_rows(&p, "A", 0, 1, rows);
  to_absolute(&p, M);
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) assert_near("M", M[i][j], mass[i][j], 1e-14);
    assert_near("a_n", absolute_entry(rows[0], i, 2), an[i], 1e-14);
    assert_near("A_t", absolute_entry(rows[1], i, 2), at[i], 1e-14);
  }
  contact_velocity(&p, rows, u);
  assert_near("u_n", u[0], -0.134202014333, 1e-12);
  assert_near("u_t", u[1], -0.267174342835, 1e-12);
  assert_near("K", kinetic(&p), 0.0231814108635, 1e-13);
  close_plane(&p);
}

/* Cases proj_03 and proj_05: M and the rows of the loop (x, z) and of the wall, in absolute angles. */
static void four_bars_are_those_of_the_cases(void **state) {
  (void)state;
  static const struct {
    crd_four_bar bars;
    double M[3][3], A[3][3];
  } table[] = {
      {{{0.5, 1, 0.8},
        {1, 2, 1.5},
        1.2,
        0.6,
        0.25,
        0,
        1,
        {{"impact",
          {1.0471975511965976, 0.37550805654847763, -1.5461956138375004},
          {-2.0, 0.5549706476228533, -0.8283663548673107}}}},
       {{0.9583333333333334, 0.9784642440142045, -0.2560392732042614},
        {0.9784642440142045, 2.1666666666666665, -0.20625000000000016},
        {-0.2560392732042614, -0.20625000000000016, 0.32000000000000006}},
       {{-0.4330127018922193, -0.3667452322850323, 0.7997579341772516},
        {0.25000000000000006, 0.9303214146714015, 0.01967858532859837},
        {0.4330127018922193, 0.45262749303886973, 0}}},
      {{{0.6, 1.4, 0.6}, {1, 2, 1}, 1.4, 0.7, 0.3, 0, 1, {{"impact", {0, 0, 3.141592653589793}, {1, -0.3, 0.3}}}},
       {{1.2, 1.68, -0.18}, {1.68, 3.266666666666666, -0.42}, {-0.18, -0.42, 0.12}},
       {{0, 0, 0}, {0.6, 1.4, -0.6}, {0, 0.3, 0}}},
  };
  for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
    crd_text text = {0};
    crd_model *model;
    crd_error err;
    crd_example_write_four_bar(&text, &table[k].bars);
    if (crd_io_read_model_text(text.data, text.size, "four-bar", NULL, &model, NULL, &err)) fail_msg("%s", err.text);
    crd_text_free(&text);
    plane p;
    open_model(&p, model, 0);
    double M[3][3], wall[2][MAX_NV], J[6 * MAX_NV];
    to_absolute(&p, M);
    contact_rows(&p, "P", -1, 0, wall);
    const crd_loop *loop = &model->loop[0];
    double end[3], R[9];
    crd_tree_body_pose(model, p.work, loop->body1, end, R);
    for (int i = 0; i < 3; i++) end[i] += R[3 * i] * table[k].bars.length[2];
    assert_near("the loop ends at x", end[0], table[k].bars.ground, 1e-12);
    assert_near("the loop ends at z", end[2], 0, 1e-12);
    crd_tree_jacobian(model, p.work, &(crd_node){loop->body1, {end[0], end[1], end[2]}}, J);
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) assert_near("M", M[i][j], table[k].M[i][j], 1e-14);
      assert_near("loop x", absolute_entry(J + 3 * 3, i, 3), table[k].A[0][i], 1e-12);
      assert_near("loop z", absolute_entry(J + 5 * 3, i, 3), table[k].A[1][i], 1e-12);
      assert_near("wall", absolute_entry(wall[0], i, 3), table[k].A[2][i], 1e-14);
    }
    close_plane(&p);
  }
}

/* The built-in four-bar is closed in both of its states, and the loop is at rest in both velocities. */
static void the_four_bar_is_closed_in_both_states(void **state) {
  (void)state;
  for (int key = 0; key < 2; key++) {
    plane p;
    crd_model *model;
    assert_int_equal(crd_io_example_model("four-bar", NULL, &model, NULL), CRD_OK);
    open_model(&p, model, key);
    double pos[3], R[9], velocity[6];
    const int bar = crd_model_find_body(model, "bar3");
    crd_tree_body_pose(model, p.work, bar, pos, R);
    const double end[3] = {pos[0] + R[0], pos[1] + R[3], pos[2] + R[6]};
    assert_near("x", end[0], 1, 1e-15);
    assert_near("z", end[2], 0, 1e-15);
    crd_tree_point_velocity(model, p.work, bar, end, velocity);
    for (int i = 3; i < 6; i++) assert_near("velocity", velocity[i], 0, 1e-15);
    close_plane(&p);
  }
}

static void the_pendulum_starts_level_and_turns_downwards(void **state) {
  (void)state;
  plane p = open_example("pendulum:6");
  assert_near("mass", p.model->mass, 6, 1e-15);
  for (int i = 0; i < 6; i++) {
    double pos[3], R[9], velocity[6];
    const int geom = crd_model_find_geom(p.model, "ball1") + i;
    crd_tree_geom_pose(p.model, p.work, geom, pos, R);
    assert_near("x", pos[0], -(i + 0.5), 1e-14);
    assert_near("z", pos[2], 5.5, 1e-14);
    assert_near("radius", p.model->geom[geom].size[0], 0.5, 1e-15);
    crd_tree_point_velocity(p.model, p.work, p.model->geom[geom].body, pos, velocity);
    assert_near("downward velocity", velocity[5], -(i + 0.5), 1e-14);
    if (i > 0) assert_false(crd_model_may_collide(p.model, geom, geom - 1, NULL));
    if (i > 1) assert_true(crd_model_may_collide(p.model, geom, geom - 2, NULL));
    assert_true(crd_model_may_collide(p.model, geom, crd_model_find_geom(p.model, "floor"), NULL));
    assert_true(crd_model_may_collide(p.model, geom, crd_model_find_geom(p.model, "wall"), NULL));
  }
  /* solid spheres: the last link's entry of M is m (l/2)^2 + 2/5 m r^2 */
  assert_near("M", p.M[35], 0.25 + 0.4 * 0.25, 1e-14);
  close_plane(&p);
}

static void friction_and_restitution_are_those_stated(void **state) {
  (void)state;
  static const struct {
    const char *spec;
    double mu, e;
  } table[] = {{"rocking-block", 1, 0},
               {"compass-gait", 5, 0},
               {"box-wall", 1, 0},
               {"ramone", 1e5, 0},
               {"disk-stack", 1.7320508075688772, 0},
               {"newtons-cradle", 0, 1},
               {"ball-chain", 0, 1},
               {"double-pendulum-floor", 0.5, 0.5},
               {"bouncing-ball", 0.5, 0.9}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    crd_model *model;
    assert_int_equal(crd_io_example_model(table[i].spec, NULL, &model, NULL), CRD_OK);
    assert_true(model->npair > 0);
    for (int k = 0; k < model->npair; k++) {
      assert_near(table[i].spec, model->pair[k].restitution, table[i].e, 0);
      if (table[i].mu > 0) assert_near(table[i].spec, model->pair[k].friction[0], table[i].mu, 0);
      assert_int_equal(model->pair[k].condim, table[i].mu > 0 ? 3 : 1);
    }
    crd_model_free(model);
  }
}

static void every_example_is_read_without_anything_ignored(void **state) {
  (void)state;
  for (int i = 0; i < crd_io_example_count(); i++) {
    crd_arena arena = {0};
    crd_read_report report = {0};
    crd_error err = {0};
    crd_model *model = NULL;
    const char *text, *name = crd_io_example_at(i)->name;
    assert_int_equal(crd_io_example_text(name, NULL, &arena, &text, &err), CRD_OK);
    if (crd_io_read_model_text(text, strlen(text), name, NULL, &model, &report, &err))
      fail_msg("%s: %s", name, err.text);
    assert_int_equal(report.count, 0);
    crd_model_free(model);
    crd_io_read_report_free(&report);
    crd_arena_free(&arena);
  }
}

static void bad_names_and_sizes_are_refused_with_a_message(void **state) {
  (void)state;
  static const char *const bad[] = {"",
                                    "@",
                                    ":",
                                    "pendulum:",
                                    "pendulum:0",
                                    "pendulum:10001",
                                    "pendulum:1e3",
                                    "ramone:1",
                                    "ball-chain:1",
                                    "Pendulum",
                                    "pendulum ",
                                    "@@pendulum"};
  crd_arena arena = {0};
  const char *text;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    crd_error err = {0};
    assert_int_equal(crd_io_example_text(bad[i], NULL, &arena, &text, &err), CRD_ERR_ARGUMENT);
    assert_null(text);
    assert_non_null(strstr(err.text, "found"));
    assert_non_null(strstr(err.text, "expected"));
  }
  crd_example_options options = {NAN};
  assert_int_equal(crd_io_example_text("pendulum", &options, &arena, &text, NULL), CRD_ERR_NUMBER);
  crd_arena_free(&arena);
}

static void numbers_are_short_and_exact(void **state) {
  (void)state;
  static const struct {
    double value;
    const char *text;
  } table[] = {{0.1, "0.1"}, {1, "1"},       {-2.5e-300, "-2.5e-300"}, {1.0 / 3, "0.3333333333333333"},
               {0, "0"},     {1e22, "1e+22"}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    crd_text text = {0};
    crd_text_add_number(&text, table[i].value);
    assert_string_equal(text.data, table[i].text);
    crd_text_free(&text);
  }
  for (uint64_t i = 0; i < 2000; i++) {
    crd_text text = {0};
    const double value = ldexp(crd_random_normal(3, 0, i), (int)(i % 200) - 100);
    double back;
    crd_text_add_number(&text, value);
    assert_int_equal(sscanf(text.data, "%lf", &back), 1);
    assert_true(back == value);
    crd_text_free(&text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sequential_impacts_end_as_published),
      cmocka_unit_test(the_rod_has_the_critical_friction_4_3),
      cmocka_unit_test(kane_s_double_pendulum_is_that_of_the_case),
      cmocka_unit_test(four_bars_are_those_of_the_cases),
      cmocka_unit_test(the_four_bar_is_closed_in_both_states),
      cmocka_unit_test(the_pendulum_starts_level_and_turns_downwards),
      cmocka_unit_test(friction_and_restitution_are_those_stated),
      cmocka_unit_test(every_example_is_read_without_anything_ignored),
      cmocka_unit_test(bad_names_and_sizes_are_refused_with_a_message),
      cmocka_unit_test(numbers_are_short_and_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
