/* Claims about hostile scenes: a face with 200 corners, mu = 1e5 and masses a million times apart go through the
 * contact problem and the laws' complementarity problems to the answer that mechanics gives. */
#include <cradle/impact.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/mechanism.h"
#include "support/random_tree.h"

/* Resolves with the law; the answer has to be verified and to bring everything to rest. */
static void expect_rest(const mechanism *m, const char *law, double tolerance, double residual) {
  crd_impact_result result = {0};
  crd_impact_options options = crd_impact_default();
  crd_status status = crd_impact_resolve(crd_impact_find(law), m->problem, &options, &result);
  if (status != CRD_OK) fail_msg("%s: %s", law, result.nnote ? result.note[0] : crd_status_text(status));
  const crd_impact_solution *s = &result.solution[0];
  if (!(s->residual < residual)) fail_msg("%s: residual %g", law, s->residual);
  assert_false(s->check.gains_energy);
  /* the verifier counts 1e-9 of the velocities as wrong, which nearly singular data cannot promise */
  if (residual <= 1e-9) assert_false(s->check.pulls || s->check.penetrates || s->check.leaves_cone);
  if (!(max_abs(s->v_plus, m->problem->nv) < tolerance))
    fail_msg("%s leaves a velocity of %g", law, max_abs(s->v_plus, m->problem->nv));
  crd_impact_result_free(&result);
}

/* A prism with 200 corners below, standing on the floor. */
static mechanism prism(void) {
  enum { CORNERS = 200 };
  char *text = malloc(60000);
  size_t n = (size_t)snprintf(text, 60000, "<mujoco><asset><mesh name='prism' vertex='");
  for (int i = 0; i < 2 * CORNERS; i++)
    n += (size_t)snprintf(text + n, 60000 - n, "%.17g %.17g %d ", cos(0.031415926535897934 * (i / 2)),
                          sin(0.031415926535897934 * (i / 2)), i % 2);
  snprintf(text + n, 60000 - n,
           "'/></asset><worldbody><geom type='plane' size='9 9 1'/><body name='prism'><freejoint/>"
           "<inertial pos='0 0 .5' mass='1' diaginertia='1 1 1'/><geom type='mesh' mesh='prism'/></body></worldbody>"
           "</mujoco>");
  mechanism m = mechanism_from_text(text);
  free(text);
  return m;
}

static void a_face_with_200_corners_lands_flat(void **state) {
  (void)state;
  mechanism m = prism();
  crd_contact_options options = crd_contact_default();
  options.distance = 1e-5; /* MJCF meshes are rounded to single precision */
  m.qvel[2] = -1;
  mechanism_assemble(&m, &options);
  assert_true(m.problem->nc >= 8 && m.problem->nc <= 16);
  expect_rest(&m, "poisson", 1e-5, 1e-9);
  expect_rest(&m, "moreau", 1e-5, 1e-9);
  m.qvel[0] = 0.1;
  mechanism_assemble(&m, &options);
  expect_rest(&m, "poisson", 1e-5, 1e-9);
  mechanism_free(&m);
}

static void huge_friction_sticks(void **state) {
  (void)state;
  mechanism m = mechanism_from_text("box_on_floor: body.pos=0 0 1; box.size=1 1 1; box.friction=1e5");
  m.qvel[0] = 0.1, m.qvel[1] = -0.05, m.qvel[2] = -1, m.qvel[5] = 0.2;
  mechanism_assemble(&m, NULL);
  assert_true(m.problem->contact[0].mu == 1e5);
  expect_rest(&m, "poisson", 1e-9, 1e-9);
  mechanism_free(&m);
}

/* A light box between the floor and a heavy one that comes down on it, and the other way round. */
static void masses_a_million_times_apart_come_to_rest(void **state) {
  (void)state;
  static const double mass[2][2] = {{1e-3, 1e3}, {1e3, 1e-3}};
  for (int k = 0; k < 2; k++) {
    char text[800];
    snprintf(text, sizeof text,
             "stack: below.pos=0 0 0.5; light.size=0.5 0.5 0.5; light.mass=%g; above.pos=0 0 1.5; heavy.size=0.4 0.4 "
             "0.5; heavy.mass=%g",
             mass[k][0], mass[k][1]);
    mechanism m = mechanism_from_text(text);
    m.qvel[8] = -1;
    mechanism_assemble(&m, NULL);
    assert_int_equal(m.problem->nc, 8);
    expect_rest(&m, "poisson", 1e-5, 1e-7);
    mechanism_free(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_face_with_200_corners_lands_flat),
      cmocka_unit_test(huge_friction_sticks),
      cmocka_unit_test(masses_a_million_times_apart_come_to_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
