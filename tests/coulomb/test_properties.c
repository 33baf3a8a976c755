/* Claims, on seeded random problems with a known solution (support/coulomb_campaign.h): they are solved, and with the
 * known velocities where these are unique; answers turn with the tangents, follow the order of contacts and scale with
 * the units; an island does not notice another; a warm start from the answer returns it; the caller can stop a solve.
 */
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/coulomb_campaign.h"

typedef struct answer {
  double p[2 * KNOWN_ROWS], u[2 * KNOWN_ROWS];
  crd_mode mode[2 * KNOWN_CONTACTS];
  crd_coulomb_report report;
} answer;

static crd_status solve_with(const crd_coulomb_problem *problem, const crd_coulomb_options *options, answer *a) {
  crd_coulomb_work *work = crd_coulomb_work_new();
  crd_coulomb_state state = {.p = a->p, .u = a->u, .mode = a->mode};
  crd_status status = crd_coulomb_solve(work, problem, options, &state, &a->report);
  crd_coulomb_work_free(work);
  return status;
}

static void assert_known_is_solved(const known_problem *known, int seed, answer *a) {
  crd_status status = solve_with(&known->problem, NULL, a);
  long double residual = known_residual(&known->problem, a->p);
  if (status != CRD_OK || !(residual <= 1.001e-9L))
    fail_msg("seed %d: %s, residual %Lg, row %d", seed, crd_status_text(status), residual, a->report.row);
  assert_true(a->report.row == -1 && a->report.residual <= 1e-9);
}

/* ------------------------------------------------------------------------------------------- known solutions */

/* Without friction the problem is a convex program: velocities are unique whatever the rank of G. */
static void frictionless_velocities_are_those_known(void **state) {
  (void)state;
  for (int seed = 0; seed < 1000; seed++) {
    random_stream stream = {.seed = 21000 + (uint64_t)seed};
    const known_options options = {.contacts = 8,
                                   .mu = 1,
                                   .mass_ratio = 10,
                                   .frictionless = true,
                                   .redundant = seed % 2,
                                   .degenerate = seed % 3 == 0};
    known_problem known;
    answer a;
    known_problem_make(&known, &stream, &options);
    assert_known_is_solved(&known, seed, &a);
    double apart = max_difference(a.u, known.u, known.problem.n), scale = max_abs(known.w, known.problem.n);
    if (apart > 1e-6 * scale) fail_msg("seed %d: velocities differ by %g of %g", seed, apart, scale);
  }
}

/* With friction there may be several motions; where the enumeration proves that there is one it is the one known. */
static void frictional_velocities_are_those_known_where_they_are_unique(void **state) {
  (void)state;
  crd_coulomb_solutions all = {0};
  int compared = 0;
  for (int seed = 0; seed < 400; seed++) {
    random_stream stream = {.seed = 22000 + (uint64_t)seed};
    const known_options options = {.contacts = 2, .mu = 1, .mass_ratio = 10, .redundant = seed % 4 == 0};
    known_problem known;
    answer a;
    known_problem_make(&known, &stream, &options);
    assert_known_is_solved(&known, seed, &a);
    if (crd_coulomb_enumerate(&known.problem, NULL, &all) != CRD_OK) continue;
    crd_coulomb_verdict verdict = crd_coulomb_judge(&all);
    if (verdict.motion != CRD_MOTION_UNIQUE || !verdict.proved || all.solution[0].continuum) continue;
    double apart = max_difference(a.u, known.u, known.problem.n), scale = max_abs(known.w, known.problem.n);
    if (apart > 1e-6 * scale) fail_msg("seed %d: velocities differ by %g of %g", seed, apart, scale);
    compared++;
  }
  assert_true(compared > 200);
  crd_coulomb_solutions_free(&all);
}

/* Redundant, repeated, degenerate, at the limit of sticking, with spin, bilateral and bounded rows. */
static void every_kind_of_known_problem_is_solved(void **state) {
  (void)state;
  for (int seed = 0; seed < 3000; seed++) {
    random_stream stream = {.seed = 23000 + (uint64_t)seed};
    const known_options options = {.contacts = 1 + seed % 5,
                                   .mu = 0.5,
                                   .mass_ratio = 10,
                                   .redundant = seed % 2 == 0,
                                   .degenerate = seed % 3 == 0,
                                   .spin = seed % 5 == 0,
                                   .others = seed % 7 == 0,
                                   .slides = seed % 11 == 0};
    known_problem known;
    answer a;
    known_problem_make(&known, &stream, &options);
    assert_known_is_solved(&known, seed, &a);
  }
}

/* Coefficients up to 1e5 and masses up to 1e6 apart: friction jams, and the way to a solution turns back. */
static void problems_that_jam_are_solved(void **state) {
  (void)state;
  int given_up = 0;
  for (int seed = 0; seed < 2000; seed++) {
    random_stream stream = {.seed = 31000 + (uint64_t)seed};
    const known_options options = {.contacts = 1 + seed % 7,
                                   .mu = seed % 2 ? 1e5 : 100,
                                   .mass_ratio = seed % 3 ? 1e3 : 1e6,
                                   .redundant = seed % 4 != 0,
                                   .degenerate = seed % 5 < 2,
                                   .spin = seed % 7 < 2,
                                   .others = seed % 11 < 3};
    known_problem known;
    answer a;
    known_problem_make(&known, &stream, &options);
    crd_status status = solve_with(&known.problem, NULL, &a);
    if (status != CRD_OK && status != CRD_LIMIT) fail_msg("seed %d: %s", seed, crd_status_text(status));
    if (status == CRD_OK) assert_true(known_residual(&known.problem, a.p) <= 1e-9L);
    given_up += status == CRD_LIMIT;
  }
  assert_true(given_up <= 2); /* one in 10^3: the campaign long_solve counts them among all kinds of problems */
}

/* ------------------------------------------------------------------------------------------- invariance */

/* p or u of one problem in the frame, order and units of another. */
typedef struct change {
  int order[KNOWN_CONTACTS]; /* contact k of the changed problem */
  double angle[KNOWN_CONTACTS];
  double length, mass, time;
} change;

static int rows_of(const crd_coulomb_contact *c) { return 1 + c->ntangent + c->nspin + c->nroll; }

/* Column: which entry of the old vector makes up a new one; a turn mixes two. */
static void change_vector(const known_problem *from, const known_problem *to, const change *c, double unit,
                          const double *x, double *y) {
  for (int k = 0; k < from->problem.ncontact; k++) {
    const crd_coulomb_contact *old = &from->contact[c->order[k]], *new = &to->contact[k];
    double co = cos(c->angle[k]), si = sin(c->angle[k]);
    for (int i = 0; i < rows_of(old); i++) y[new->row + i] = unit * x[old->row + i];
    const int pair[2] = {1, 1 + old->ntangent + old->nspin}, count[2] = {old->ntangent, old->nroll};
    for (int f = 0; f < 2; f++) {
      const double *a = x + old->row + pair[f];
      double *b = y + new->row + pair[f];
      if (count[f] == 2) b[0] = unit * (co * a[0] + si * a[1]), b[1] = unit * (co * a[1] - si * a[0]);
    }
  }
}

/* The changed problem: rows of J turned and in another order, G and w in other units. */
static void change_problem(const known_problem *from, const change *c, known_problem *to) {
  int n = from->problem.n, row = 0;
  *to = *from;
  known_problem_own(to);
  for (int k = 0; k < from->problem.ncontact; k++) {
    const crd_coulomb_contact *old = &from->contact[c->order[k]];
    to->contact[k] = *old, to->contact[k].row = row;
    to->contact[k].mu_spin *= c->length, to->contact[k].mu_roll *= c->length;
    to->contact[k].target *= c->length / c->time;
    double co = cos(c->angle[k]), si = sin(c->angle[k]);
    if (old->ntangent == 2)
      to->contact[k].slide[0] = co * old->slide[0] + si * old->slide[1],
      to->contact[k].slide[1] = co * old->slide[1] - si * old->slide[0];
    row += rows_of(old);
  }
  change_vector(from, to, c, c->length / c->time, from->w, to->w);
  double half[KNOWN_ROWS * KNOWN_ROWS], column[KNOWN_ROWS], turned[KNOWN_ROWS];
  for (int j = 0; j < n; j++) { /* rows of G' = rows of G */
    for (int i = 0; i < n; i++) column[i] = from->G[n * i + j];
    change_vector(from, to, c, 1, column, turned);
    for (int i = 0; i < n; i++) half[n * i + j] = turned[i];
  }
  for (int i = 0; i < n; i++) change_vector(from, to, c, 1 / c->mass, half + n * i, to->G + n * i);
}

static void assert_same_answer(const known_problem *known, const change *c, int seed, bool warm, double tolerance) {
  known_problem other;
  answer a, b;
  double expected[KNOWN_ROWS];
  int n = known->problem.n;
  crd_coulomb_options options = crd_coulomb_default();
  options.warm = warm;
  double velocity = c->length / c->time, impulse = c->mass * velocity;
  change_problem(known, c, &other);
  for (int i = 0; i < n; i++) a.p[i] = 0.9 * known->p[i];
  memcpy(a.mode, known->mode, sizeof known->mode);
  change_vector(known, &other, c, impulse, a.p, b.p);
  for (int k = 0; k < known->problem.ncontact; k++) b.mode[k] = a.mode[c->order[k]];
  crd_status first = solve_with(&known->problem, &options, &a), second = solve_with(&other.problem, &options, &b);
  if (first != CRD_OK || second != CRD_OK)
    fail_msg("seed %d: %s and %s", seed, crd_status_text(first), crd_status_text(second));
  change_vector(known, &other, c, velocity, a.u, expected);
  double apart = max_difference(expected, b.u, n) / (velocity * max_abs(known->w, n));
  if (apart > tolerance) fail_msg("seed %d: velocities differ by %g", seed, apart);
  change_vector(known, &other, c, impulse, a.p, expected);
  apart = max_difference(expected, b.p, n) / (impulse * fmax(max_abs(a.p, n), 1e-300));
  if (apart > 100 * tolerance) fail_msg("seed %d: impulses differ by %g", seed, apart); /* times the condition of G */
  for (int k = 0; k < known->problem.ncontact; k++) assert_int_equal(b.mode[k], a.mode[c->order[k]]);
}

static void draw_order(random_stream *stream, int count, change *c) {
  for (int k = 0; k < count; k++) c->order[k] = k;
  for (int k = count - 1; k > 0; k--) {
    int other = random_int(stream, 0, k), kept = c->order[k];
    c->order[k] = c->order[other], c->order[other] = kept;
  }
}

static void answers_turn_with_tangents_and_follow_the_order_of_contacts(void **state) {
  (void)state;
  for (int seed = 0; seed < 600; seed++) {
    random_stream stream = {.seed = 24000 + (uint64_t)seed};
    const known_options options = {
        .contacts = 6, .mu = 0.5, .mass_ratio = 3, .spin = seed % 3 == 0, .slides = seed % 5 == 0};
    change c = {.length = 1, .mass = 1, .time = 1};
    known_problem known;
    known_problem_make(&known, &stream, &options);
    draw_order(&stream, known.problem.ncontact, &c);
    for (int k = 0; k < known.problem.ncontact; k++) c.angle[k] = random_in(&stream, -3, 3);
    assert_same_answer(&known, &c, seed, seed % 2, 1e-8);
  }
}

/* Lengths, masses and times in units of 1e-9 to 1e9; powers of ten are not exact in binary: rounding differs. */
static void answers_scale_with_units(void **state) {
  (void)state;
  for (int seed = 0; seed < 600; seed++) {
    random_stream stream = {.seed = 25000 + (uint64_t)seed};
    const known_options options = {.contacts = 6, .mu = 0.5, .mass_ratio = 3, .slides = seed % 5 == 0};
    change c = {.length = pow(10, random_int(&stream, -9, 9)),
                .mass = pow(10, random_int(&stream, -9, 9)),
                .time = pow(10, random_int(&stream, -9, 9))};
    known_problem known;
    known_problem_make(&known, &stream, &options);
    for (int k = 0; k < known.problem.ncontact; k++) c.order[k] = k;
    assert_same_answer(&known, &c, seed, seed % 2, 1e-8);
  }
}

/* ------------------------------------------------------------------------------------------- islands */

/* Two problems with the same largest velocity, which residuals are relative to: 1 m/s. */
static void an_island_does_not_notice_another(void **state) {
  (void)state;
  for (int seed = 0; seed < 200; seed++) {
    known_problem part[2];
    answer apart[2], together;
    static double G[4 * KNOWN_ROWS * KNOWN_ROWS], w[2 * KNOWN_ROWS];
    crd_coulomb_contact contact[2 * KNOWN_CONTACTS];
    int n = 0, nc = 0;
    for (int k = 0; k < 2; k++) {
      random_stream stream = {.seed = 26000 + 2 * (uint64_t)seed + (uint64_t)k};
      const known_options options = {.contacts = 4, .mu = 0.5, .mass_ratio = 3, .redundant = seed % 2};
      known_problem_make(&part[k], &stream, &options);
      for (int i = 0; i < part[k].problem.ncontact; i++) part[k].contact[i].target = 0;
      double largest = max_abs(part[k].w, part[k].problem.n);
      if (largest == 0) part[k].w[0] = largest = 1;
      for (int i = 0; i < part[k].problem.n; i++) part[k].w[i] /= largest;
      n += part[k].problem.n;
    }
    memset(G, 0, sizeof G);
    for (int k = 0, first = 0; k < 2; first += part[k++].problem.n) {
      const crd_coulomb_problem *one = &part[k].problem;
      for (int i = 0; i < one->n; i++) {
        w[first + i] = one->w[i];
        memcpy(G + (size_t)n * (size_t)(first + i) + first, one->G + one->n * i, sizeof *G * (size_t)one->n);
      }
      for (int i = 0; i < one->ncontact; i++) contact[nc] = one->contact[i], contact[nc++].row += first;
    }
    crd_coulomb_problem both = {.n = n, .w = w, .ncontact = nc, .contact = contact, .G = G};
    crd_status status[2] = {solve_with(&part[0].problem, NULL, &apart[0]),
                            solve_with(&part[1].problem, NULL, &apart[1])};
    crd_status of_both = solve_with(&both, NULL, &together);
    assert_int_equal(of_both, status[0] == CRD_OK ? status[1] : status[0]);
    int first = part[0].problem.n;
    assert_memory_equal(together.p, apart[0].p, sizeof *G * (size_t)first);
    assert_memory_equal(together.p + first, apart[1].p, sizeof *G * (size_t)(n - first));
    assert_int_equal(together.report.islands, apart[0].report.islands + apart[1].report.islands);
    double worst = fmax(apart[0].report.residual, apart[1].report.residual);
    assert_true(fabs(together.report.residual - worst) <= 1e-14); /* of them rounding, which is that of both */
  }
}

/* ------------------------------------------------------------------------------------------- warm start, stop */

static void a_warm_start_from_the_answer_returns_it(void **state) {
  (void)state;
  for (int seed = 0; seed < 500; seed++) {
    random_stream stream = {.seed = 27000 + (uint64_t)seed};
    const known_options options = {.contacts = 6,
                                   .mu = 0.5,
                                   .mass_ratio = 10,
                                   .redundant = seed % 2,
                                   .spin = seed % 3 == 0,
                                   .others = seed % 5 == 0};
    known_problem known;
    answer a;
    double p[KNOWN_ROWS];
    crd_mode mode[KNOWN_CONTACTS];
    crd_coulomb_options warm = crd_coulomb_default();
    warm.warm = true;
    known_problem_make(&known, &stream, &options);
    assert_int_equal(solve_with(&known.problem, NULL, &a), CRD_OK);
    memcpy(p, a.p, sizeof p), memcpy(mode, a.mode, sizeof mode);
    assert_int_equal(solve_with(&known.problem, &warm, &a), CRD_OK);
    int n = known.problem.n, steps = a.report.iterations[CRD_COULOMB_NEWTON];
    if (steps > 2 * a.report.islands || a.report.iterations[CRD_COULOMB_INTERIOR] > 0)
      fail_msg("seed %d: %d Newton steps, %d along the path", seed, steps, a.report.iterations[CRD_COULOMB_INTERIOR]);
    if (max_difference(a.p, p, n) > 1e-6 * max_abs(p, n))
      fail_msg("seed %d: impulses changed by %g", seed, max_difference(a.p, p, n) / max_abs(p, n));
    for (int k = 0; k < known.problem.ncontact; k++) {
      int row = known.contact[k].row;
      double load = known.G[(n + 1) * row] * p[row];
      if (load < 1e-9 * max_abs(known.w, n) && mode[k] != CRD_MODE_SEPARATE) continue; /* rounding: none, or stick */
      if (a.mode[k] != mode[k])
        fail_msg("seed %d, contact %d: %s, before %s, load %g", seed, k, crd_coulomb_mode_name(a.mode[k]),
                 crd_coulomb_mode_name(mode[k]), load);
    }
  }
}

static bool count_and_stop(void *context) { return ++*(int *)context > 0; }
static bool count_only(void *context) { return ++*(int *)context < 0; }

/* Asked before every step of the path; after a stop no step is taken and nobody is asked again. */
static void the_caller_stops_a_solve(void **state) {
  (void)state;
  int stopped = 0;
  for (int seed = 0; seed < 50; seed++) {
    random_stream stream = {.seed = 28000 + (uint64_t)seed};
    const known_options options = {.contacts = 8, .mu = 0.5, .mass_ratio = 10};
    known_problem known;
    answer a;
    int asked = 0;
    crd_coulomb_options how = crd_coulomb_default();
    how.method = CRD_COULOMB_INTERIOR, how.stop = count_only, how.context = &asked;
    known_problem_make(&known, &stream, &options);
    assert_int_equal(solve_with(&known.problem, &how, &a), CRD_OK);
    int steps = a.report.iterations[CRD_COULOMB_INTERIOR];
    assert_true(asked >= steps);
    if (steps == 0) continue;
    asked = 0, how.stop = count_and_stop;
    crd_status status = solve_with(&known.problem, &how, &a);
    assert_true(asked >= 1 && asked <= a.report.islands);
    assert_int_equal(a.report.iterations[CRD_COULOMB_INTERIOR], 0);
    if (status == CRD_OK && a.report.residual <= 1e-9) continue; /* all open: no impulse is the answer */
    assert_int_equal(status, CRD_LIMIT);
    assert_true(a.report.row >= 0 && a.report.residual > 1e-9);
    assert_true(fabsl(known_residual(&known.problem, a.p) - a.report.residual) <= 1e-12L);
    stopped++;
  }
  assert_true(stopped > 25);
}

/* ------------------------------------------------------------------------------------------------ one contact */

/* A random inertia, coefficient and velocity; its solutions are those of enumeration. */
static void a_contact_alone_has_the_solution_of_its_only_mode_whatever_the_guess(void **state) {
  (void)state;
  random_stream stream = {31, 0};
  crd_coulomb_work *work = crd_coulomb_work_new();
  int unique = 0;
  for (int seed = 0; seed < 400; seed++) {
    double B[9], G[9] = {0}, w[3], p[3], u[3];
    for (int i = 0; i < 9; i++) B[i] = random_in(&stream, -1, 1);
    for (int i = 0; i < 9; i++)
      for (int k = 0; k < 3; k++) G[i] += B[3 * (i / 3) + k] * B[3 * (i % 3) + k] + (i % 4 == 0 ? 0.1 : 0);
    for (int i = 0; i < 3; i++) w[i] = random_in(&stream, -1, 1), p[i] = random_in(&stream, 0, 1);
    const crd_coulomb_contact contact = {.row = 0, .ntangent = seed % 3, .mu = random_in(&stream, 0, 2)};
    const double used[9] = {G[0], G[1], G[3], G[4]};
    const crd_coulomb_problem problem = {
        .n = 1 + seed % 3, .w = w, .ncontact = 1, .contact = &contact, .G = seed % 3 == 1 ? used : G};
    crd_mode mode = CRD_MODE_STICK;
    crd_coulomb_state s = {p, u, &mode};
    crd_coulomb_options options = crd_coulomb_default();
    options.warm = seed % 2 == 0;
    assert_int_equal(crd_coulomb_solve(work, &problem, &options, &s, NULL), CRD_OK);
    assert_true(known_residual(&problem, p) <= 1e-9L);
    crd_coulomb_solutions all = {0};
    crd_coulomb_enumerate(&problem, NULL, &all);
    unique += all.count == 1;
    for (int i = 0; all.count == 1 && i < problem.n; i++) assert_true(fabs(p[i] - all.solution[0].p[i]) <= 1e-8);
    crd_coulomb_solutions_free(&all);
  }
  assert_true(unique > 300);
  crd_coulomb_work_free(work);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frictionless_velocities_are_those_known),
      cmocka_unit_test(frictional_velocities_are_those_known_where_they_are_unique),
      cmocka_unit_test(every_kind_of_known_problem_is_solved),
      cmocka_unit_test(problems_that_jam_are_solved),
      cmocka_unit_test(answers_turn_with_tangents_and_follow_the_order_of_contacts),
      cmocka_unit_test(answers_scale_with_units),
      cmocka_unit_test(an_island_does_not_notice_another),
      cmocka_unit_test(a_warm_start_from_the_answer_returns_it),
      cmocka_unit_test(the_caller_stops_a_solve),
      cmocka_unit_test(a_contact_alone_has_the_solution_of_its_only_mode_whatever_the_guess),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
