/* Claims: newton finds the solutions of restitution with Coulomb friction that are known in closed form and those of
 * the case files; every answer satisfies its equations; with a regular Delassus matrix their number is odd; a gain of
 * energy is reported. */
#include <math.h>
#include <string.h>

#include "support/case_file.h"
#include "support/cmocka_all.h"
#include "support/impact_problem.h"

static const double identity3[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* The solution with this velocity, or NULL. */
static const crd_impact_solution *with_velocity(const crd_impact_result *result, int nv, const double *v,
                                                double close) {
  for (int k = 0; k < result->count; k++)
    if (max_difference(result->solution[k].v_plus, v, nv) <= close) return &result->solution[k];
  return NULL;
}

/* [Brogliato, Example 5]: a particle sticks (or rebounds by e_t) where (1 + e_t) |v_t| <= mu (1 + e) |v_n|, else it
 * slips and loses mu (1 + e) |v_n|, along v_t in space as in the plane. */
static void a_particle_sticks_or_slips(void **state) {
  (void)state;
  random_stream stream = {.seed = 3};
  for (int trial = 0; trial < 400; trial++) {
    int nt = random_int(&stream, 1, 2);
    double v[3] = {random_in(&stream, -1, 1), nt == 2 ? random_in(&stream, -1, 1) : 0, random_in(&stream, -1, -0.1)};
    const double rows[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    double e = random_in(&stream, 0, 1), e_t = random_in(&stream, 0, 1), mu = random_in(&stream, 0.01, 1);
    crd_contact_problem *p = make_problem(&(problem_def){
        .nv = 3, .nc = 1, .ntangent = nt, .M = identity3, .v = v, .contact = rows, .e = e, .e_t = e_t, .mu = mu});
    crd_impact_result result = {0};
    resolve_with("newton", p, &result);
    assert_int_equal(result.count, 1);
    double speed = hypot(v[0], v[1]), push = -(1 + e) * v[2], keep;
    bool sticks = (1 + e_t) * speed <= mu * push;
    keep = sticks ? -e_t : 1 - mu * push / speed;
    const double after[3] = {keep * v[0], keep * v[1], -e * v[2]};
    assert_true(max_difference(result.solution[0].v_plus, after, 3) < 1e-12);
    assert_true(fabs(result.solution[0].p[0] - push) < 1e-12);
    assert_string_equal(result.solution[0].label, sticks ? "stick"
                                                         : (nt == 2                   ? "slip"
                                                            : (keep + e_t) * v[0] > 0 ? "slip+"
                                                                                      : "slip-"));
    assert_false(result.solution[0].check.gains_energy);
    crd_impact_result_free(&result);
    crd_contact_problem_free(p);
  }
}

/* [Brogliato, Example 4, erratum C-27]: disk in a right angle, both contacts slipping forward (xi = 1). From
 * m(1+e) = p_n1 - mu p_n2 = p_n2 - mu p_n1 for xd = yd = -1: p_n = m (1+e)/(1-mu), and the spin stays zero. Tangents as
 * in C-08. */
static void disk_in_a_corner_slips_at_both_contacts(void **state) {
  (void)state;
  const double m = 2, R = 0.3, I = 0.5 * m * R * R, e = 0.5, mu = 0.4;
  const double M[9] = {m, 0, 0, 0, m, 0, 0, 0, I}, v[3] = {-1, -1, 0};
  const double rows[12] = {0, 1, 0, 1, 0, R, 1, 0, 0, 0, 1, -R}; /* floor: n = y, t = x; wall: n = x, t = y */
  crd_contact_problem *p =
      make_problem(&(problem_def){.nv = 3, .nc = 2, .ntangent = 1, .M = M, .v = v, .contact = rows, .e = e, .mu = mu});
  crd_impact_result result = {0};
  resolve_with("newton", p, &result);
  const double after[3] = {e, e, 0};
  const crd_impact_solution *s = with_velocity(&result, 3, after, 1e-12);
  assert_non_null(s);
  assert_string_equal(s->label, "slip+/slip+");
  for (int c = 0; c < 2; c++) {
    assert_true(fabs(s->p[2 * c] - m * (1 + e) / (1 - mu)) < 1e-12);
    assert_true(fabs(s->p[2 * c + 1] + mu * s->p[2 * c]) < 1e-12);
    assert_int_equal(s->mode[c], CRD_MODE_SLIP);
  }
  assert_true(fabs(s->kinetic_after / s->kinetic_before - e * e) < 1e-12);
  crd_impact_result_free(&result);
  crd_contact_problem_free(p);
}

/* A block that falls flat and sticks: m (1 + e) in all, half of it at each corner; only the sum of the frictions is
 * determined, -m v_x. One outcome, with a note. */
static void hyperstatic_sticking_is_one_outcome(void **state) {
  (void)state;
  const double m = 2, a = 0.5, h = 0.25, I = 0.4, e = 0.5;
  const double M[9] = {m, 0, 0, 0, m, 0, 0, 0, I}, v[3] = {0.2, -1, 0};
  const double rows[12] = {0, 1, -a, 1, 0, h, 0, 1, a, 1, 0, h};
  crd_contact_problem *p =
      make_problem(&(problem_def){.nv = 3, .nc = 2, .ntangent = 1, .M = M, .v = v, .contact = rows, .e = e, .mu = 0.8});
  crd_impact_result result = {0};
  resolve_with("newton", p, &result);
  assert_int_equal(result.count, 1);
  const crd_impact_solution *s = &result.solution[0];
  /* both corners rebound with e and rest in x: the velocity is (0, e, 0) */
  const double after[3] = {0, e, 0};
  assert_true(max_difference(s->v_plus, after, 3) < 1e-12);
  assert_true(fabs(s->p[0] + s->p[2] - m * (1 + e)) < 1e-12 && fabs(s->p[1] + s->p[3] + m * 0.2) < 1e-12);
  assert_false(s->check.leaves_cone || s->check.pulls);
  assert_true(result.nnote > 0 && strstr(result.note[0], "not determined"));
  crd_impact_result_free(&result);
  crd_contact_problem_free(p);
}

/* Three equal balls: u_n+ = -e u_n- at both contacts gives (-1/3, 2/3, 2/3) for e = 1, 1/3 each for e = 0. */
static void frictionless_chain_of_balls(void **state) {
  (void)state;
  const double v[3] = {1, 0, 0}, rows[6] = {-1, 1, 0, 0, -1, 1}, elastic[3] = {-1. / 3, 2. / 3, 2. / 3},
               plastic[3] = {1. / 3, 1. / 3, 1. / 3};
  for (int e = 0; e <= 1; e++) {
    crd_contact_problem *p =
        make_problem(&(problem_def){.nv = 3, .nc = 2, .M = identity3, .v = v, .contact = rows, .e = e});
    crd_impact_result result = {0};
    resolve_with("newton", p, &result);
    assert_int_equal(result.count, 1);
    assert_true(max_difference(result.solution[0].v_plus, e ? elastic : plastic, 3) < 1e-14);
    assert_string_equal(result.solution[0].label, "push/push");
    crd_impact_result_free(&result);
    crd_contact_problem_free(p);
  }
}

static const crd_impact_solution *resolved_case(const case_variant *variant, crd_contact_problem **problem, double e_t,
                                                crd_impact_result *result) {
  double qd[16];
  *problem = case_problem(variant);
  for (int c = 0; c < (*problem)->nc; c++) (*problem)->contact[c].e_t = e_t;
  crd_contact_problem_complete(*problem);
  resolve_with("newton", *problem, result);
  int n = case_numbers(variant->outputs, "qd_plus", qd, 16);
  return with_velocity(result, n, qd, 10 * variant->abs);
}

/* Erratum B-10: sticking in [Aghili F] is (66) with e_t = 0, slipping and the mean-zero fallback are (66) with e_t = 1.
 * Of the variants with one coefficient mu, newton has the same outcomes, all of them. */
static void check_friction_variant(const case_variant *variant) {
  if (!case_has(variant->outputs, "mode") || !case_has(variant->inputs, "mu_d")) return;
  if (case_number(variant->inputs, "mu_d") != case_number(variant->inputs, "mu_s") || case_has(variant->inputs, "E"))
    return;
  const char *mode = json_string_value(json_object_get(variant->outputs, "mode"));
  bool sticks = strcmp(mode, "stick") == 0;
  crd_contact_problem *p;
  crd_impact_result result = {0};
  const crd_impact_solution *s = resolved_case(variant, &p, sticks ? 0 : 1, &result);
  if (!s) fail_msg("%s %s: no solution has the case's velocity", variant->file, variant->name);
  int m = 1 + p->contact[0].ntangent;
  case_check(variant, "impulse", s->p, m);
  case_check_number(variant, "K_plus", s->kinetic_after);
  case_check_number(variant, "W", s->kinetic_after - s->kinetic_before);
  if (!sticks && case_has(variant->outputs, "n_slip_solutions")) {
    int expected =
        (int)case_number(variant->outputs, "n_slip_solutions") + (int)case_number(variant->outputs, "mean_zero_valid");
    if (expected != result.count)
      fail_msg("%s %s: %d solutions, expected %d", variant->file, variant->name, result.count, expected);
  }
  crd_impact_result_free(&result);
  crd_contact_problem_free(p);
}

static void friction_cases(void **state) {
  (void)state;
  for_case_variants("fric_", check_friction_variant);
}

/* Kane's double pendulum, e = mu = 0.5: the only solution sticks, and the kinetic energy grows to 1.587 of itself. */
static void check_kane(const case_variant *variant) {
  if (strcmp(variant->name, "e=0.5_mu=0.5") != 0) return;
  crd_contact_problem *p;
  crd_impact_result result = {0};
  const crd_impact_solution *s = resolved_case(variant, &p, 0, &result);
  assert_non_null(s);
  assert_int_equal(result.count, 1);
  assert_string_equal(s->label, "stick");
  assert_true(fabs(s->kinetic_after / s->kinetic_before - 1.587) < 5e-4);
  assert_true(s->check.gains_energy && !s->check.pulls && !s->check.penetrates && !s->check.leaves_cone);
  crd_impact_result_free(&result);
  crd_contact_problem_free(p);
}

static void kanes_pendulum_gains_energy_and_says_so(void **state) {
  (void)state;
  for_case_variants("fric_03", check_kane);
}

/* The particle of quasi_12: m, e_n, mu, velocity (xd, yd); coulomb_solution lists all solutions. */
static void check_coulomb_solution(const case_variant *variant) {
  const json_t *list = json_object_get(variant->outputs, "coulomb_solution");
  if (!list) return;
  double m = case_number(variant->inputs, "m");
  const double M[4] = {m, 0, 0, m}, rows[4] = {0, 1, 1, 0};
  const double v[2] = {case_number(variant->inputs, "xd"), case_number(variant->inputs, "yd")};
  crd_contact_problem *p = make_problem(&(problem_def){.nv = 2,
                                                       .nc = 1,
                                                       .ntangent = 1,
                                                       .M = M,
                                                       .v = v,
                                                       .contact = rows,
                                                       .e = case_number(variant->inputs, "e_n"),
                                                       .mu = case_number(variant->inputs, "mu")});
  crd_impact_result result = {0};
  resolve_with("newton", p, &result);
  assert_int_equal(result.count, json_array_size(list));
  for (size_t k = 0; k < json_array_size(list); k++) {
    case_variant one = *variant;
    double qd[2];
    one.outputs = json_array_get(list, k);
    case_numbers(one.outputs, "qd_plus", qd, 2);
    const crd_impact_solution *s = with_velocity(&result, 2, qd, 1e-8);
    assert_non_null(s);
    case_check(&one, "qd_plus", s->v_plus, 2);
    case_check(&one, "p_n", s->p, 1), case_check(&one, "p_t", s->p + 1, 1),
        case_check(&one, "vt_plus", s->u_plus + 1, 1);
    case_check_number(&one, "T_L", s->kinetic_after - s->kinetic_before);
  }
  crd_impact_result_free(&result);
  crd_contact_problem_free(p);
}

static void coulomb_solutions_of_the_cases(void **state) {
  (void)state;
  for_case_variants("quasi_12", check_coulomb_solution);
}

/* quasi_12 forces the sliding mode xi (68). Where the velocities it leads to slide that way and its impulses push, the
 * mode is a solution, and newton has it; elsewhere newton has not. Enn is the restitution matrix of (67). */
static int forced_modes;

static void check_forced_sliding(const case_variant *variant) {
  if (!case_has(variant->outputs, "qd_plus_forced_sliding")) return;
  double qd[8], xi[4], pbar[4];
  crd_contact_problem *p = case_problem(variant);
  case_numbers(variant->outputs, "qd_plus_forced_sliding", qd, 8);
  case_numbers(variant->inputs, "xi", xi, 4), case_numbers(variant->outputs, "pbar", pbar, 4);
  bool valid = true;
  for (int c = 0; c < p->nc; c++) {
    double slip = 0;
    for (int k = 0; k < p->nv; k++) slip += p->J[p->nv * (2 * c + 1) + k] * qd[k];
    valid &= xi[c] * slip > 0 && pbar[c] >= 0;
  }
  crd_impact_result result = {0};
  resolve_with("newton", p, &result);
  const crd_impact_solution *s = with_velocity(&result, p->nv, qd, 1e-9);
  assert_true(valid == (s != NULL));
  if (s) case_check_number(variant, "T_L_77", s->kinetic_after - s->kinetic_before);
  forced_modes += valid;
  crd_impact_result_free(&result);
  crd_contact_problem_free(p);
}

static void sliding_modes_of_the_cases(void **state) {
  (void)state;
  forced_modes = 0;
  for_case_variants("quasi_12", check_forced_sliding);
  assert_true(forced_modes >= 1);
}

static crd_contact_problem *random_frictional(random_stream *stream, int nc, int ntangent, int nb) {
  random_problem_options options = {
      .nv = nc * (1 + ntangent) + nb + random_int(stream, 0, 1), .nc = nc, .ntangent = ntangent, .nb = nb};
  crd_contact_problem *p = random_problem(stream, options);
  for (int c = 0; c < nc; c++) {
    crd_contact *contact = &p->contact[c];
    contact->mu = contact->mu_static = random_in(stream, 0, 1.5);
    contact->e = random_in(stream, 0, 1), contact->e_t = random_int(stream, 0, 1) * random_in(stream, 0, 1);
  }
  return p;
}

/* Independent rows: existence and, except for borderline cases that do not occur at random, an odd number (law_newton.c).
 * The residual is computed from p alone. Returns the largest number of solutions. */
static int check_random(uint64_t seed, int count, int most_contacts, int ntangent, int nb) {
  random_stream stream = {.seed = seed};
  int most = 0;
  for (int trial = 0; trial < count; trial++) {
    crd_contact_problem *p = random_frictional(&stream, random_int(&stream, 1, most_contacts), ntangent, nb);
    crd_impact_result result = {0};
    resolve_with("newton", p, &result);
    if (result.count % 2 != 1) fail_msg("seed %d, trial %d: %d solutions", (int)seed, trial, result.count);
    for (int k = 0; k < result.count; k++) {
      const crd_impact_check *check = &result.solution[k].check;
      assert_true(result.solution[k].residual < 1e-9);
      assert_true(check->momentum < 1e-9 && check->bilateral < 1e-9);
      assert_false(check->pulls || check->leaves_cone);
    }
    if (result.count > most) most = result.count;
    crd_impact_result_free(&result);
    crd_contact_problem_free(p);
  }
  return most;
}

static void random_planar_problems_have_an_odd_number_of_solutions(void **state) {
  (void)state;
  assert_true(check_random(11, 10000, 3, 1, 0) >= 3);
  check_random(12, 1000, 3, 1, 2);
  check_random(13, 10, 6, 1, 0);
}

static void random_spatial_problems_have_an_odd_number_of_solutions(void **state) {
  (void)state;
  assert_true(check_random(21, 5000, 1, 2, 0) >= 3);
  check_random(22, 500, 1, 2, 2);
  check_random(23, 400, 2, 2, 0);
}

/* A plate whose centre of mass is not in the middle: 0.8 of the push comes from one corner, 0.2 from the other, and the
 * friction that stops it is more than twice what the weak corner can give: least norm, an equal split, is not
 * admissible, but sticking is. */
static void undetermined_friction_is_chosen_inside_the_cones(void **state) {
  (void)state;
  const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0.3}, mu = 0.5, v[3] = {-0.9 * mu, -1, 0};
  const double rows[12] = {0, 1, -0.2, 1, 0, 0, 0, 1, 0.8, 1, 0, 0};
  crd_contact_problem *p =
      make_problem(&(problem_def){.nv = 3, .nc = 2, .ntangent = 1, .M = M, .v = v, .contact = rows, .mu = mu});
  crd_impact_result result = {0};
  resolve_with("newton", p, &result);
  assert_int_equal(result.count, 1);
  const crd_impact_solution *s = &result.solution[0];
  assert_string_equal(s->label, "stick/stick");
  assert_true(max_abs(s->v_plus, 3) < 1e-12 && fabs(s->p[0] - 0.8) < 1e-12 && fabs(s->p[2] - 0.2) < 1e-12);
  assert_true(fabs(s->p[1] + s->p[3] - 0.9 * mu) < 1e-12 && s->residual < 1e-9 && !s->check.leaves_cone);
  crd_impact_result_free(&result);
  crd_contact_problem_free(p);
}

/* A thin square plate falls flat on its four corners, sliding: all slip along v, and v_t loses mu (1 + e) |v_n|. */
static void plate_slides_on_four_corners(void **state) {
  (void)state;
  const double e = 0.3, mu = 0.2, speed = 1;
  double M[36] = {0}, v[6] = {speed * 0.6, speed * 0.8, -1, 0, 0, 0}, rows[12 * 6] = {0};
  for (int i = 0; i < 6; i++) M[7 * i] = i < 3 ? 1 : 0.4;
  for (int c = 0; c < 4; c++) {
    double x = c % 2 ? 0.5 : -0.5, y = c / 2 ? 0.5 : -0.5;
    const double frame[3][6] = {
        {0, 0, 1, y, -x, 0}, {1, 0, 0, 0, 0, -y}, {0, 1, 0, 0, 0, x}}; /* z, x, y of the corner */
    memcpy(rows + 18 * c, frame, sizeof frame);
  }
  crd_contact_problem *p =
      make_problem(&(problem_def){.nv = 6, .nc = 4, .ntangent = 2, .M = M, .v = v, .contact = rows, .e = e, .mu = mu});
  crd_impact_result result = {0};
  resolve_with("newton", p, &result);
  double keep = 1 - mu * (1 + e) / speed;
  const double after[6] = {keep * v[0], keep * v[1], e, 0, 0, 0};
  const crd_impact_solution *s = with_velocity(&result, 6, after, 1e-10);
  assert_true(s && result.count == 1);
  assert_true(s->residual < 1e-9 && !s->check.pulls && !s->check.leaves_cone);
  crd_impact_result_free(&result);
  crd_contact_problem_free(p);
}

/* With e = e_t = 0 and planar contacts this is Anitescu and Potra's problem, whose answers another enumeration finds,
 * over the bases of its complementarity problem: the same velocities, with dependent rows too. */
static void planar_plastic_outcomes_are_anitescu_and_potras(void **state) {
  (void)state;
  random_stream stream = {.seed = 31};
  int several = 0;
  for (int trial = 0; trial < 400; trial++) {
    int nc = random_int(&stream, 1, 3), nv = random_int(&stream, 2, 6);
    crd_contact_problem *p = random_problem(&stream, (random_problem_options){.nv = nv, .nc = nc, .ntangent = 1});
    for (int c = 0; c < nc; c++) p->contact[c].mu = p->contact[c].mu_static = random_in(&stream, 0.1, 2);
    crd_impact_result ours = {0}, theirs = {0};
    resolve_with("newton", p, &ours), resolve_with("anitescu-potra", p, &theirs);
    for (int k = 0; k < theirs.count; k++)
      if (!with_velocity(&ours, nv, theirs.solution[k].v_plus, 1e-7))
        fail_msg("trial %d: answer %d is missing", trial, k);
    for (int k = 0; k < ours.count; k++)
      if (!with_velocity(&theirs, nv, ours.solution[k].v_plus, 1e-7))
        fail_msg("trial %d: answer %d is ours only", trial, k);
    several += ours.count > 1;
    crd_impact_result_free(&ours), crd_impact_result_free(&theirs);
    crd_contact_problem_free(p);
  }
  assert_true(several > 0);
}

/* Too many modes: one solution, and a note that there may be others. */
static void large_problems_get_one_solution(void **state) {
  (void)state;
  random_stream stream = {.seed = 5};
  int found = 0;
  for (int trial = 0; trial < 40; trial++) {
    int nt = 1 + trial % 2, nc = nt == 1 ? 10 : 6;
    crd_contact_problem *p = random_problem(&stream, (random_problem_options){.nv = 16, .nc = nc, .ntangent = nt});
    for (int c = 0; c < p->nc; c++)
      p->contact[c].mu = p->contact[c].mu_static = random_in(&stream, 0, 1), p->contact[c].e = random_in(&stream, 0, 1);
    crd_impact_result result = {0};
    crd_impact_options options = crd_impact_default();
    crd_status status = crd_impact_resolve(crd_impact_find("newton"), p, &options, &result);
    found += status == CRD_OK;
    assert_true(result.nnote > 0 && (status == CRD_OK) == (result.count == 1));
    assert_non_null(strstr(result.note[result.nnote - 1], "too many modes"));
    if (result.count) assert_true(result.solution[0].residual < 1e-9);
    crd_impact_result_free(&result);
    crd_contact_problem_free(p);
  }
  assert_true(found >= 38);
}

/* mu = 1e12: p_n below rounding must not pass for a push that lets friction be anything. */
static void enormous_friction_stays_in_its_cone(void **state) {
  (void)state;
  for (uint64_t trial = 0; trial < 60; trial++) {
    random_stream stream = {.seed = 190000 + trial};
    int nc = random_int(&stream, 1, 2);
    crd_contact_problem *p =
        random_problem(&stream, (random_problem_options){.nv = 2 * nc + 2, .nc = nc, .ntangent = 1});
    for (int c = 0; c < nc; c++) p->contact[c].mu = p->contact[c].mu_static = 1e12;
    crd_impact_result result = {0};
    resolve_with("newton", p, &result);
    assert_int_equal(result.count % 2, 1);
    for (int k = 0; k < result.count; k++) {
      const crd_impact_solution *s = &result.solution[k];
      assert_false(s->check.leaves_cone || s->check.pulls || s->check.penetrates);
      assert_true(s->residual < 1e-9);
    }
    crd_impact_result_free(&result);
    crd_contact_problem_free(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_particle_sticks_or_slips),
      cmocka_unit_test(disk_in_a_corner_slips_at_both_contacts),
      cmocka_unit_test(hyperstatic_sticking_is_one_outcome),
      cmocka_unit_test(frictionless_chain_of_balls),
      cmocka_unit_test(friction_cases),
      cmocka_unit_test(kanes_pendulum_gains_energy_and_says_so),
      cmocka_unit_test(coulomb_solutions_of_the_cases),
      cmocka_unit_test(sliding_modes_of_the_cases),
      cmocka_unit_test(random_planar_problems_have_an_odd_number_of_solutions),
      cmocka_unit_test(random_spatial_problems_have_an_odd_number_of_solutions),
      cmocka_unit_test(undetermined_friction_is_chosen_inside_the_cones),
      cmocka_unit_test(plate_slides_on_four_corners),
      cmocka_unit_test(planar_plastic_outcomes_are_anitescu_and_potras),
      cmocka_unit_test(large_problems_get_one_solution),
      cmocka_unit_test(enormous_friction_stays_in_its_cone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
