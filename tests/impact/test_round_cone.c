/* The round friction cone: impacts in space turn with the scene, whatever tangents the contacts have; friction opposes
 * the slip it leaves; momentum and energy. */
#include <cradle/impact.h>
#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "impact/friction.h"
#include "support/cmocka_all.h"
#include "support/space_impact.h"

static void random_rotation(random_stream *stream, double R[9]) {
  double q[4];
  random_unit_quat(stream, q);
  crd_quat_to_mat3(R, q);
}

static const crd_impact_solution *resolve(const char *law, const crd_contact_problem *p, double e,
                                          crd_impact_result *result) {
  crd_impact_options options = crd_impact_default();
  options.round_cone = true, options.e = e, options.max_solutions = 1;
  crd_status status = crd_impact_resolve(crd_impact_find(law), p, &options, result);
  if (status != CRD_OK && status != CRD_LIMIT) fail_msg("%s: %s", law, crd_status_text(status));
  return result->count ? &result->solution[0] : NULL;
}

/* Largest difference of v+ and the v+ of the turned scene turned back. */
static double difference_after_turn(const space_impact *scene, const double R[9], const double *v, const double *w) {
  double worst = 0;
  for (int k = 0; k < 2 * scene->nbody; k++)
    for (int i = 0; i < 3; i++) {
      double turned = 0;
      for (int j = 0; j < 3; j++) turned += R[3 * i + j] * v[3 * k + j];
      worst = fmax(worst, fabs(turned - w[3 * k + i]));
    }
  return worst;
}

static void check_turned(const char *law, uint64_t seed, int nbody, int nc, double tolerance) {
  random_stream stream = {.seed = seed};
  space_impact scene = random_space_impact(&stream, nbody, nc), turned;
  double R[9], angle[SPACE_CONTACTS];
  random_rotation(&stream, R);
  for (int c = 0; c < nc; c++) angle[c] = random_in(&stream, -3, 3);
  turned = turned_space_impact(&scene, R);
  crd_contact_problem *p = space_impact_problem(&scene, NULL), *q = space_impact_problem(&turned, angle);
  crd_impact_result a = {0}, b = {0};
  const crd_impact_solution *s = resolve(law, p, NAN, &a), *t = resolve(law, q, NAN, &b);
  assert_true(!s == !t);
  if (s && t) {
    double off = difference_after_turn(&scene, R, s->v_plus, t->v_plus);
    if (!(off <= tolerance)) fail_msg("%s, seed %llu, %d contacts: %g", law, (unsigned long long)seed, nc, off);
    assert_true(s->check.momentum <= 1e-12);
  }
  crd_impact_result_free(&a), crd_impact_result_free(&b);
  crd_contact_problem_free(p), crd_contact_problem_free(q);
}

static void turning_the_scene_turns_every_impact(void **state) {
  (void)state;
  const char *law[] = {"poisson", "anitescu-potra", "sequential"};
  for (int k = 0; k < 3; k++)
    for (uint64_t seed = 1; seed <= 150; seed++) {
      int nbody = 1 + (int)(seed % SPACE_BODIES), nc = 1 + (int)(seed % 4);
      /* two contacts of the same bodies do not determine the impulse along the line between them, and restitution goes
       * with a choice among them, known to fewer digits */
      check_turned(law[k], seed, nbody, nc, k > 0 || nc == 1 ? 1e-9 : nc > nbody ? 1e-3 : 1e-5);
    }
  for (uint64_t seed = 1; seed <= 60; seed++) check_turned("routh", seed, 1 + (int)(seed % SPACE_BODIES), 1, 1e-9);
}

/* Several contacts at given rates: sliding that turns quickly before it stops multiplies rounding. */
static void turning_the_scene_turns_the_path_of_an_impact(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 40; seed++)
    check_turned("routh", seed, 1 + (int)(seed % SPACE_BODIES), 2 + (int)(seed % 3), 1e-5);
}

/* Two bodies that hit the world apart from each other: the path of both together is that of each alone, whose direction
 * of sliding is integrated to 1e-12 (src/impact/routh_single.c). */
static void contacts_apart_follow_the_exact_path_of_a_single_one(void **state) {
  (void)state;
  crd_impact_result both = {0}, alone = {0};
  for (uint64_t seed = 1; seed <= 40; seed++) {
    random_stream stream = {.seed = seed};
    space_impact scene = random_space_impact(&stream, 2, 0);
    for (int b = 0; b < 2; b++) {
      space_impact one = random_space_impact(&stream, 1, 1);
      scene.mass[b] = one.mass[0];
      memcpy(scene.inertia[b], one.inertia[0], sizeof one.inertia[0]);
      memcpy(scene.center[b], one.center[0], sizeof one.center[0]);
      memcpy(scene.velocity[b], one.velocity[0], sizeof one.velocity[0]);
      scene.contact[b] = one.contact[0], scene.contact[b].body1 = b;
    }
    scene.nc = 2;
    crd_contact_problem *p = space_impact_problem(&scene, NULL);
    const crd_impact_solution *s = resolve("routh", p, 0, &both);
    assert_non_null(s);
    for (int b = 0; b < 2; b++) {
      space_impact one = {.nbody = 1, .nc = 1, .mu = scene.mu};
      one.mass[0] = scene.mass[b];
      memcpy(one.inertia[0], scene.inertia[b], sizeof one.inertia[0]);
      memcpy(one.center[0], scene.center[b], sizeof one.center[0]);
      memcpy(one.velocity[0], scene.velocity[b], sizeof one.velocity[0]);
      one.contact[0] = scene.contact[b], one.contact[0].body1 = 0;
      crd_contact_problem *q = space_impact_problem(&one, NULL);
      const crd_impact_solution *t = resolve("routh", q, 0, &alone);
      assert_non_null(t);
      double off = max_difference(s->v_plus + 6 * b, t->v_plus, 6);
      if (!(off <= 1e-3)) fail_msg("seed %llu: %g", (unsigned long long)seed, off);
      crd_contact_problem_free(q);
    }
    crd_contact_problem_free(p);
  }
  crd_impact_result_free(&both), crd_impact_result_free(&alone);
}

/* Random impacts of up to six contacts on up to three bodies, redundant ones among them, end on the round cone. */
static void random_impacts_end_on_the_round_cone(void **state) {
  (void)state;
  crd_impact_result result = {0};
  for (uint64_t seed = 1; seed <= 1200; seed++) {
    random_stream stream = {.seed = seed};
    int nc = 1 + (int)(seed % SPACE_CONTACTS);
    space_impact scene = random_space_impact(&stream, 1 + (int)(seed % SPACE_BODIES), nc);
    crd_contact_problem *p = space_impact_problem(&scene, NULL);
    const crd_impact_solution *s = resolve("anitescu-potra", p, NAN, &result);
    assert_non_null(s);
    if (!(s->residual <= 1e-9)) fail_msg("seed %d, %d contacts: residual %g", (int)seed, nc, s->residual);
    assert_true(s->check.energy_gain <= 1e-12);
    crd_contact_problem_free(p);
  }
  crd_impact_result_free(&result);
}

/* With restitution and friction in both phases: none gains energy. Redundant contacts make the sweeps of decompression
 * slow; where they, or the compression before, do not reach the tolerance the answer or the status says so. */
static void random_decompressions_end_on_the_round_cone(void **state) {
  (void)state;
  crd_impact_result result = {0};
  int unsettled = 0, limits = 0;
  for (uint64_t seed = 1; seed <= 1200; seed++) {
    random_stream stream = {.seed = seed};
    space_impact scene = random_space_impact(&stream, 1 + (int)(seed % SPACE_BODIES), 1 + (int)(seed % SPACE_CONTACTS));
    crd_contact_problem *p = space_impact_problem(&scene, NULL);
    const crd_impact_solution *s = resolve("poisson-coulomb", p, 0.5 * (double)(1 + seed % 2), &result);
    limits += !s;
    if (s) {
      unsettled += s->residual > 1e-9;
      assert_true(s->residual <= 1e-6 && s->check.energy_gain <= 1e-12);
    }
    crd_contact_problem_free(p);
  }
  assert_true(limits <= 2 && unsettled <= 10);
  crd_impact_result_free(&result);
}

/* Without friction the impact is the projection on the velocities that part, min p' W p / 2 + p' u over p_n >= 0. The
 * velocities after it are unique, whoever solves it; redundant contacts share the impulses as they like. */
static void frictionless_impacts_have_one_outcome_on_the_cone_and_by_facets(void **state) {
  (void)state;
  crd_impact_result result = {0};
  for (uint64_t seed = 1; seed <= 200; seed++) {
    random_stream stream = {.seed = seed};
    space_impact scene = random_space_impact(&stream, 1 + (int)(seed % SPACE_BODIES), 1 + (int)(seed % SPACE_CONTACTS));
    scene.mu = 0;
    crd_contact_problem *p = space_impact_problem(&scene, NULL);
    crd_impact_options options = crd_impact_default();
    const crd_impact_solution *s = resolve("anitescu-potra", p, 0, &result);
    crd_impact_friction friction;
    double impulse[3 * SPACE_CONTACTS], u[3 * SPACE_CONTACTS], scale = 0;
    assert_non_null(s);
    options.round_cone = false;
    assert_int_equal(crd_impact_friction_begin(&friction, p, &options, &result), CRD_OK);
    assert_int_equal(crd_impact_friction_resolve(&friction, CRD_ALL_CONTACTS, NULL, impulse), CRD_OK);
    crd_contact_problem_contact_velocity(p, impulse, u);
    for (int i = 0; i < p->nrow; i++) scale = fmax(scale, fabs(p->u_free[i]));
    for (int i = 0; i < p->nrow; i++) assert_true(fabs(u[i] - s->u_plus[i]) <= 1e-8 * scale);
    crd_contact_problem_free(p);
  }
  crd_impact_result_free(&result);
}

/* All contacts at the velocity after the impact: p_t is antiparallel to the slip and as large as the cone allows, or
 * inside the cone where nothing slips. */
static void friction_opposes_the_slip_it_leaves(void **state) {
  (void)state;
  crd_impact_result result = {0};
  int slips = 0, sticks = 0;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    random_stream stream = {.seed = seed};
    space_impact scene = random_space_impact(&stream, 1 + (int)(seed % 3), 1 + (int)(seed % 4));
    crd_contact_problem *p = space_impact_problem(&scene, NULL);
    const crd_impact_solution *s = resolve("anitescu-potra", p, NAN, &result);
    assert_non_null(s);
    for (int c = 0; c < p->nc && s->residual <= 1e-9; c++) {
      const double *impulse = s->p + 3 * c, *u = s->u_plus + 3 * c;
      double friction = hypot(impulse[1], impulse[2]), speed = hypot(u[1], u[2]);
      assert_true(friction <= scene.mu * impulse[0] + 1e-9 && u[0] >= -1e-9 && impulse[0] >= -1e-9);
      assert_true(fabs(impulse[0] * u[0]) <= 1e-9);
      if (speed <= 1e-7 || impulse[0] <= 1e-7) {
        sticks++;
        continue;
      }
      slips++;
      assert_true(fabs(friction - scene.mu * impulse[0]) <= 1e-9);
      assert_true(fabs(impulse[1] * u[2] - impulse[2] * u[1]) <= 1e-9 * friction * speed + 1e-12);
      assert_true(impulse[1] * u[1] + impulse[2] * u[2] < 0);
    }
    assert_true(s->check.energy_gain <= 1e-12);
    crd_contact_problem_free(p);
  }
  assert_true(slips > 100 && sticks > 50);
  crd_impact_result_free(&result);
}

/* Two free bodies, one contact: what one loses the other has. */
static void two_spinning_bodies_keep_their_momentum(void **state) {
  (void)state;
  const char *law[] = {"poisson", "anitescu-potra", "sequential", "routh", "newton"};
  crd_impact_result result = {0};
  for (uint64_t seed = 1; seed <= 200; seed++) {
    random_stream stream = {.seed = seed};
    space_impact scene = random_space_impact(&stream, 2, 1);
    while (scene.contact[0].body2 < 0) scene = random_space_impact(&stream, 2, 1);
    crd_contact_problem *p = space_impact_problem(&scene, NULL);
    double before[6], after[6];
    space_impact_momentum(&scene, p->v, before);
    for (int k = 0; k < 5; k++) {
      const crd_impact_solution *s = resolve(law[k], p, NAN, &result);
      assert_non_null(s);
      space_impact_momentum(&scene, s->v_plus, after);
      if (!(max_difference(before, after, 6) <= 1e-12 * (1 + max_abs(before, 6))))
        fail_msg("%s, seed %llu: %g", law[k], (unsigned long long)seed, max_difference(before, after, 6));
    }
    crd_contact_problem_free(p);
  }
  crd_impact_result_free(&result);
}

/* A ball that hits a plane without spin, at an angle to every facet: |p_t| = mu p_n exactly against the sliding, or the
 * 2/7 m u_t that stop it; compression and, with e, the rest of the normal impulse (which brings no friction). */
static void a_ball_on_a_plane_in_every_direction(void **state) {
  (void)state;
  crd_impact_result result = {0};
  for (int k = 0; k < 40; k++) {
    double heading = 0.157 * k, speed = k % 2 ? 3 : 0.5, mu = 0.3, c = cos(heading), s = sin(heading);
    space_impact ball = {.nbody = 1, .nc = 1, .mass = {2}, .mu = mu, .e = 0.4};
    for (int i = 0; i < 3; i++) ball.inertia[0][4 * i] = 0.4 * 2 * 0.01;
    ball.center[0][2] = 0.1;
    ball.velocity[0][0] = speed * c, ball.velocity[0][1] = speed * s, ball.velocity[0][2] = -1;
    ball.contact[0] = (space_contact){.body1 = 0, .body2 = -1, .normal = {0, 0, 1}};
    crd_contact_problem *p = space_impact_problem(&ball, NULL);
    const crd_impact_solution *answer = resolve("poisson", p, NAN, &result);
    assert_non_null(answer);
    double friction = fmin(mu * 2 * 1, 2.0 / 7 * 2 * speed), left = speed - friction / 2;
    assert_true(fabs(answer->v_plus[0] - left * c) <= 1e-13 && fabs(answer->v_plus[1] - left * s) <= 1e-13);
    assert_true(fabs(answer->v_plus[2] - 0.4) <= 1e-13);
    crd_contact_problem_free(p);
  }
  crd_impact_result_free(&result);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(turning_the_scene_turns_every_impact),
      cmocka_unit_test(turning_the_scene_turns_the_path_of_an_impact),
      cmocka_unit_test(contacts_apart_follow_the_exact_path_of_a_single_one),
      cmocka_unit_test(random_impacts_end_on_the_round_cone),
      cmocka_unit_test(random_decompressions_end_on_the_round_cone),
      cmocka_unit_test(frictionless_impacts_have_one_outcome_on_the_cone_and_by_facets),
      cmocka_unit_test(friction_opposes_the_slip_it_leaves),
      cmocka_unit_test(two_spinning_bodies_keep_their_momentum),
      cmocka_unit_test(a_ball_on_a_plane_in_every_direction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
