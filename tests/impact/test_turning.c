/* Claim: torsional and rolling friction of a contact are moments of at most mu_spin p_n about the normal and mu_roll p_n
 * across it: the laws that carry them give the closed forms of a ball, the verifier judges them, the energies of contacts
 * add up, and every other law says that it does not apply. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "impact/impact.h"
#include "support/cmocka_all.h"
#include "support/impact_problem.h"

static const double m = 2, r = 0.1, fall = 3;

typedef struct coefficients {
  double mu, mu_spin, mu_roll, e;
} coefficients;

/* A ball (vx, vy, vz, wx, wy, wz) that falls on a floor; the caller frees it. */
static crd_contact_problem *ball(const double w[3], double vx, coefficients c) {
  crd_contact_problem *p = crd_contact_problem_new();
  const int nspin = c.mu_spin > 0, nroll = c.mu_roll > 0 ? 2 : 0;
  assert_int_equal(crd_contact_problem_resize(p, 6, 1, 3 + nspin + nroll, 0, true), CRD_OK);
  memset(p->M, 0, sizeof *p->M * 36), memset(p->J, 0, sizeof *p->J * 6 * (size_t)p->nrow);
  for (int i = 0; i < 6; i++) p->M[7 * i] = i < 3 ? m : 0.4 * m * r * r;
  const double v[6] = {vx, 0, -fall, w[0], w[1], w[2]};
  memcpy(p->v, v, sizeof v);
  /* the point of contact is r below the centre: v + w x (0, 0, -r) */
  p->J[2] = 1, p->J[6] = 1, p->J[6 + 4] = -r, p->J[12 + 1] = 1, p->J[12 + 3] = r;
  if (nspin) p->J[18 + 5] = 1;
  for (int k = 0; k < nroll; k++) p->J[6 * (3 + nspin + k) + 3 + k] = 1;
  p->contact[0] = (crd_contact){.name = "floor",
                                .ntangent = 2,
                                .mu = c.mu,
                                .mu_static = c.mu,
                                .e = c.e,
                                .body1 = -1,
                                .body2 = -1,
                                .joint = -1,
                                .nspin = nspin,
                                .nroll = nroll,
                                .mu_spin = c.mu_spin,
                                .mu_roll = c.mu_roll};
  assert_int_equal(crd_contact_problem_complete(p), CRD_OK);
  return p;
}

/* The laws that carry the rows, and how much of m v_n bounds friction: newton all of the impulse; the others that of
 * compression, which returns along the normal alone (poisson) or not at all. */
static const struct {
  const char *law;
  bool all, returns;
} carries[] = {{"newton", true, true}, {"poisson", false, true}, {"anitescu-potra", false, false}};
enum { CARRY = 3 };

static void resolve_round(const char *law, const crd_contact_problem *problem, crd_impact_result *result) {
  crd_impact_options options = crd_impact_default();
  options.round_cone = true;
  assert_int_equal(crd_impact_resolve(crd_impact_find(law), problem, &options, result), CRD_OK);
  assert_int_equal(result->count, 1);
  const crd_impact_solution *s = &result->solution[0];
  double work = 0;
  for (int c = 0; c < problem->nc; c++) work += s->work[c];
  assert_true(fabs(work - (s->kinetic_after - problem->kinetic_free)) <= 1e-12 * problem->kinetic_free);
  assert_true(s->residual < 1e-9 && s->check.momentum < 1e-12 && !s->check.leaves_cone && !s->check.gains_energy);
}

static void expect_near(double found, double expected) {
  if (!(fabs(found - expected) <= 1e-9 * (1 + fabs(expected))))
    fail_msg("found %.15g, expected %.15g", found, expected);
}

/* I w+ = I w - min(mu_s P, I w): P = (1 + e) m v_n or m v_n. I = 0.008, so mu_s P takes 10 of 12 rad/s with P = 8. */
static void a_ball_spinning_about_the_normal_loses_mu_s_of_the_impulse(void **state) {
  (void)state;
  const double I = 0.4 * m * r * r, spins[] = {50, -50, 2, 0}, es[] = {0, 0.5};
  for (int k = 0; k < CARRY; k++)
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 2; j++) {
        const coefficients c = {.mu = 0.3, .mu_spin = 0.01, .e = es[j]};
        const double w[3] = {0, 0, spins[i]}, P = (carries[k].all ? 1 + c.e : 1) * m * fall;
        const double lost = fmin(c.mu_spin * P, I * fabs(w[2]));
        crd_contact_problem *problem = ball(w, 0, c);
        crd_impact_result result = {0};
        resolve_round(carries[k].law, problem, &result);
        const crd_impact_solution *s = &result.solution[0];
        expect_near(s->v_plus[5], w[2] - copysign(lost, w[2]) / I);
        expect_near(s->v_plus[2], carries[k].returns ? c.e * fall : 0);
        assert_int_equal(s->spin[0], I * fabs(w[2]) > c.mu_spin * P ? CRD_MODE_SLIP : CRD_MODE_STICK);
        assert_int_equal(s->roll[0], CRD_MODE_NONE);
        crd_impact_result_free(&result);
        crd_contact_problem_free(problem);
      }
}

/* Without sliding friction the moment opposes the turning about any axis across the normal, with mu_r P at most. */
static void a_moment_of_rolling_opposes_the_turning_across_the_normal(void **state) {
  (void)state;
  const double I = 0.4 * m * r * r, turns[][2] = {{30, 40}, {-20, 1}, {0.1, -0.2}};
  for (int k = 0; k < CARRY; k++)
    for (int i = 0; i < 3; i++) {
      const coefficients c = {.mu_roll = 0.01, .e = 0.5};
      const double w[3] = {turns[i][0], turns[i][1], 7}, P = (carries[k].all ? 1 + c.e : 1) * m * fall;
      const double length = hypot(w[0], w[1]), left = fmax(0, 1 - c.mu_roll * P / (I * length));
      crd_contact_problem *problem = ball(w, 0, c);
      crd_impact_result result = {0};
      resolve_round(carries[k].law, problem, &result);
      const crd_impact_solution *s = &result.solution[0];
      expect_near(s->v_plus[3], left * w[0]);
      expect_near(s->v_plus[4], left * w[1]);
      expect_near(s->v_plus[5], 7);
      assert_int_equal(s->roll[0], left > 0 ? CRD_MODE_SLIP : CRD_MODE_STICK);
      assert_int_equal(s->spin[0], CRD_MODE_NONE);
      crd_impact_result_free(&result);
      crd_contact_problem_free(problem);
    }
}

/* A ball that rolls, v = r w_y, sticks at the point of contact while mu r > 5/7 mu_r: it turns about that point, with
 * 7/5 m r^2, and w_y+ = w_y - mu_r P / (7/5 m r^2). With less friction than that it slides: v+ = v - mu P / m, and w_y+ =
 * w_y - (mu_r - mu r) P / I. */
static void a_rolling_ball_is_slowed_about_its_point_of_contact(void **state) {
  (void)state;
  const double I = 0.4 * m * r * r, about = 1.4 * m * r * r, w[3] = {0, 40, 0};
  for (int k = 0; k < CARRY; k++)
    for (int slides = 0; slides < 2; slides++) {
      const coefficients c = {.mu = slides ? 0.03 : 0.3, .mu_roll = 0.01};
      const double P = m * fall;
      crd_contact_problem *problem = ball(w, r * w[1], c);
      crd_impact_result result = {0};
      resolve_round(carries[k].law, problem, &result);
      const crd_impact_solution *s = &result.solution[0];
      const double turning = slides ? w[1] - (c.mu_roll - c.mu * r) * P / I : w[1] - c.mu_roll * P / about;
      expect_near(s->v_plus[4], turning);
      expect_near(s->v_plus[0], slides ? r * w[1] - c.mu * P / m : r * turning);
      assert_int_equal(s->mode[0], slides ? CRD_MODE_SLIP : CRD_MODE_STICK);
      assert_int_equal(s->roll[0], CRD_MODE_SLIP);
      crd_impact_result_free(&result);
      crd_contact_problem_free(problem);
    }
}

/* Without rows for it a law would drop the friction in silence. */
static void every_other_law_says_that_it_does_not_apply(void **state) {
  (void)state;
  const double w[3] = {1, 2, 3};
  crd_contact_problem *problem = ball(w, 0, (coefficients){.mu = 0.3, .mu_spin = 0.01, .mu_roll = 0.002, .e = 0.5});
  int refused = 0;
  for (int k = 0; crd_impact_law_at(k); k++)
    for (int round = 0; round < 2; round++) {
      const crd_impact_law *law = crd_impact_law_at(k);
      crd_impact_options options = crd_impact_default();
      crd_impact_result result = {0};
      char words[80];
      options.round_cone = round;
      bool carried = strcmp(law->name, "newton") == 0;
      for (int i = 1; i < CARRY; i++) carried |= round && strcmp(law->name, carries[i].law) == 0;
      crd_status status = crd_impact_resolve(law, problem, &options, &result);
      snprintf(words, sizeof words, "law %s has no torsional or rolling friction", law->name);
      assert_int_equal(status, carried ? CRD_OK : CRD_ERR_ARGUMENT);
      assert_true(carried == (result.count > 0) && carried != has_note(&result, words));
      if (!carried) assert_true(has_note(&result, "contact floor has mu_spin 0.01 m, mu_roll 0.002 m"));
      refused += !carried;
      crd_impact_result_free(&result);
    }
  assert_true(refused > 20);
  problem->contact[0].mu_spin = NAN;
  crd_impact_result result = {0};
  const crd_impact_options options = crd_impact_default();
  assert_int_equal(crd_impact_resolve(crd_impact_find("newton"), problem, &options, &result), CRD_ERR_NUMBER);
  crd_impact_result_free(&result);
  crd_contact_problem_free(problem);
}

/* A moment beyond its bound by x is x over the radius of gyration, sqrt(2/5) r, beyond the cone; the answer that the law
 * gives is inside. */
static void the_verifier_finds_a_moment_beyond_its_bound(void **state) {
  (void)state;
  const double w[3] = {50, 0, 50}, length = sqrt(0.4) * r;
  const coefficients c = {.mu = 0.3, .mu_spin = 0.01, .mu_roll = 0.002};
  crd_contact_problem *problem = ball(w, 0, c);
  crd_impact_result result = {0};
  const crd_impact_options options = crd_impact_default();
  resolve_round("newton", problem, &result);
  crd_impact_solution *s = &result.solution[0];
  const crd_impact_scale scale = crd_impact_scale_of(problem);
  const double within[2] = {s->p[3], s->p[4]};
  for (int row = 3; row < 5; row++) {
    s->p[row] = within[row - 3] - 0.05;
    crd_impact_complete(problem, &options, s);
    assert_true(s->check.leaves_cone);
    const double mu = row == 3 ? c.mu_spin : c.mu_roll;
    const double size = row == 3 ? fabs(s->p[3]) : hypot(s->p[4], s->p[5]), beyond = size - mu * s->p[0];
    expect_near(s->check.cone, beyond / length / scale.impulse);
    expect_near(crd_impact_violation(problem, s->p), beyond / length / scale.impulse);
    s->p[row] = within[row - 3];
  }
  crd_impact_result_free(&result);
  crd_contact_problem_free(problem);
}

/* A problem with each contact's rows drawn at random, and coefficients of lengths of order one. */
static crd_contact_problem *random_turning(random_stream *stream, int nc) {
  const int n = 9, rows = 6;
  crd_contact_problem *p = random_problem(stream, (random_problem_options){.nv = n, .nc = nc, .ntangent = 2});
  crd_contact_problem *q = crd_contact_problem_new();
  assert_int_equal(crd_contact_problem_resize(q, n, nc, rows * nc, 0, true), CRD_OK);
  memcpy(q->M, p->M, sizeof *q->M * (size_t)(n * n)), memcpy(q->v, p->v, sizeof *q->v * (size_t)n);
  random_vector(stream, rows * nc * n, q->J);
  for (int c = 0; c < nc; c++) {
    memcpy(q->J + n * rows * c, p->J + n * 3 * c, sizeof *q->J * (size_t)(3 * n));
    q->contact[c] = p->contact[c], q->contact[c].row = rows * c;
    q->contact[c].name = c ? "b" : "a";
    q->contact[c].nspin = 1, q->contact[c].nroll = 2;
    q->contact[c].mu = q->contact[c].mu_static = random_in(stream, 0, 0.5);
    q->contact[c].mu_spin = random_in(stream, 0.01, 0.5), q->contact[c].mu_roll = random_in(stream, 0.01, 0.5);
  }
  assert_int_equal(crd_contact_problem_complete(q), CRD_OK);
  crd_contact_problem_free(p);
  return q;
}

/* Inelastic impacts take energy, at each friction: p_f' u_f+ = -mu_f p_n |u_f+|. */
static void friction_of_every_kind_opposes_its_motion(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 60; seed++) {
    random_stream stream = {.seed = seed};
    crd_contact_problem *problem = random_turning(&stream, 1 + (int)(seed % 2));
    crd_impact_options options = crd_impact_default();
    crd_impact_result result = {0};
    options.round_cone = true, options.max_solutions = 1;
    for (int k = 0; k < CARRY; k++) {
      if (crd_impact_resolve(crd_impact_find(carries[k].law), problem, &options, &result) != CRD_OK)
        fail_msg("%s, seed %d: %s", carries[k].law, (int)seed, crd_status_text(result.status));
      const crd_impact_solution *s = &result.solution[0];
      const double small = 1e-7 * crd_impact_scale_of(problem).velocity * crd_impact_scale_of(problem).impulse;
      assert_true(s->residual < 1e-8 && !s->check.leaves_cone && !s->check.pulls && !s->check.gains_energy);
      for (int c = 0; c < problem->nc; c++) {
        const crd_contact *own = &problem->contact[c];
        const struct {
          int row, count;
          double mu;
        } friction[] = {{own->row + 1, 2, own->mu}, {own->row + 3, 1, own->mu_spin}, {own->row + 4, 2, own->mu_roll}};
        for (int f = 0; f < 3; f++) {
          double power = 0, speed = 0;
          for (int t = 0; t < friction[f].count; t++) {
            const int i = friction[f].row + t;
            power += s->p[i] * s->u_plus[i], speed = hypot(speed, s->u_plus[i]);
          }
          assert_true(fabs(power + friction[f].mu * s->p[own->row] * speed) < small);
        }
      }
    }
    crd_impact_result_free(&result);
    crd_contact_problem_free(problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_spinning_about_the_normal_loses_mu_s_of_the_impulse),
      cmocka_unit_test(a_moment_of_rolling_opposes_the_turning_across_the_normal),
      cmocka_unit_test(a_rolling_ball_is_slowed_about_its_point_of_contact),
      cmocka_unit_test(every_other_law_says_that_it_does_not_apply),
      cmocka_unit_test(the_verifier_finds_a_moment_beyond_its_bound),
      cmocka_unit_test(friction_of_every_kind_opposes_its_motion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
