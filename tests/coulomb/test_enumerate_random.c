/* Claims, on seeded random systems: the motions listed for planar contacts are those of the equivalent linear
 * complementarity problem, enumerated independently; those of a spatial contact are found by walking round its circle
 * of directions; the solver's answer is among them; they turn with the tangents and scale with the units. */
#include <cradle/coulomb.h>
#include <cradle/lcp.h>
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/random_tree.h"

enum { MAX_C = 3, MAX_N = 12, MAX_V = 12 };

typedef struct random_case {
  double J[MAX_N * MAX_V], G[MAX_N * MAX_N], w[MAX_N];
  crd_coulomb_contact contact[MAX_C];
  int nv;
  crd_coulomb_problem problem;
} random_case;

static void multiply_out(random_case *r) {
  int n = r->problem.n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      r->G[i * n + j] = 0;
      for (int k = 0; k < r->nv; k++) r->G[i * n + j] += r->J[i * r->nv + k] * r->J[j * r->nv + k];
    }
}

/* G = J J' with nv velocities: singular where there are fewer of them than rows. Half of the contacts approach. */
static void make_case(random_case *r, random_stream *stream, int nc, int ntangent, int nv) {
  int n = nc * (1 + ntangent);
  memset(r, 0, sizeof *r);
  r->nv = nv;
  for (int i = 0; i < n * nv; i++) r->J[i] = random_in(stream, -1, 1);
  for (int c = 0; c < nc; c++)
    r->contact[c] =
        (crd_coulomb_contact){.row = c * (1 + ntangent), .ntangent = ntangent, .mu = random_in(stream, 0, 2)};
  double v[MAX_V];
  for (int k = 0; k < nv; k++) v[k] = random_in(stream, -1, 1);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < nv; k++) r->w[i] += r->J[i * nv + k] * v[k];
  r->problem = (crd_coulomb_problem){.n = n, .w = r->w, .ncontact = nc, .contact = r->contact, .G = r->G};
  multiply_out(r);
}

static bool has_continuum(const crd_coulomb_solutions *all) {
  for (int k = 0; k < all->count; k++)
    if (all->solution[k].continuum) return true;
  return false;
}

static bool has_motion(const crd_coulomb_solutions *all, const double *u, double tolerance) {
  for (int k = 0; k < all->count; k++)
    if (max_difference(all->solution[k].u, u, all->n) <= tolerance) return true;
  return false;
}

static void assert_residuals(const crd_coulomb_problem *problem, const crd_coulomb_solutions *all) {
  for (int k = 0; k < all->count; k++) {
    double u[MAX_N];
    crd_coulomb_residual_parts parts;
    assert_int_equal(crd_coulomb_residual(problem, all->solution[k].p, u, &parts), CRD_OK);
    assert_true(parts.worst <= 1e-9);
    assert_true(max_difference(u, all->solution[k].u, all->n) <= 1e-12);
  }
}

/* ------------------------------------------------------------------------------------------- planar */

/* z = (p_n, p_+, p_-, l) of each contact: 0 <= p_n _|_ u_n, 0 <= p_+- _|_ l +- u_t, 0 <= l _|_ mu p_n - p_+ - p_-, with
 * u = w + G B z, B z = p. */
static void facet_problem(const random_case *r, double *W, double *q) {
  int nc = r->problem.ncontact, n = r->problem.n, m = 4 * nc;
  memset(W, 0, sizeof *W * (size_t)(m * m)), memset(q, 0, sizeof *q * (size_t)m);
  const int row_of[3] = {0, 1, 1};
  const double sign[3] = {1, 1, -1};
  for (int c = 0; c < nc; c++) {
    for (int i = 0; i < 3; i++) {
      int row = 2 * c + row_of[i];
      q[4 * c + i] = sign[i] * r->w[row];
      for (int d = 0; d < nc; d++)
        for (int j = 0; j < 3; j++)
          W[(4 * c + i) * m + 4 * d + j] = sign[i] * sign[j] * r->G[row * n + 2 * d + row_of[j]];
      if (i > 0) W[(4 * c + i) * m + 4 * c + 3] = 1, W[(4 * c + 3) * m + 4 * c + i] = -1;
    }
    W[(4 * c + 3) * m + 4 * c] = r->contact[c].mu;
  }
}

static void velocity_of(const random_case *r, const double *z, double *u) {
  int n = r->problem.n;
  double p[MAX_N];
  for (int c = 0; c < r->problem.ncontact; c++) p[2 * c] = z[4 * c], p[2 * c + 1] = z[4 * c + 1] - z[4 * c + 2];
  for (int i = 0; i < n; i++) {
    u[i] = r->w[i];
    for (int j = 0; j < n; j++) u[i] += r->G[i * n + j] * p[j];
  }
}

static void planar_motions_are_those_of_the_complementarity_problem(void **state) {
  (void)state;
  crd_lcp_work *work = crd_lcp_work_new(4 * MAX_C, 0);
  crd_coulomb_solutions all = {0};
  crd_lcp_solutions facets = {0};
  int several = 0, hyperstatic = 0;
  for (uint64_t seed = 0; seed < 1500; seed++) {
    random_stream stream = {.seed = 140000 + seed};
    random_case r;
    double W[16 * MAX_C * MAX_C], q[4 * MAX_C], u[MAX_N];
    int nc = random_int(&stream, 1, MAX_C);
    make_case(&r, &stream, nc, 1, seed % 3 ? 2 * nc : random_int(&stream, 1, 2 * nc));
    facet_problem(&r, W, q);
    crd_lcp_problem lcp = crd_lcp_dense(4 * nc, W, q);
    crd_status expected = crd_lcp_enumerate(work, &lcp, NULL, &facets);
    crd_status found = crd_coulomb_enumerate(&r.problem, NULL, &all);
    /* w = J v: a problem of impulses has a solution [Anitescu, Potra 1997, theorem 1] */
    if (expected != CRD_OK || found != CRD_OK)
      fail_msg("seed %d: status %d, of the LCP %d", (int)seed, found, expected);
    assert_residuals(&r.problem, &all);
    several += all.count > 1;
    for (int k = 0; k < all.count; k++) hyperstatic += all.solution[k].freedom > 0;
    int vertices = 0;
    double motion[64 * MAX_N];
    for (int piece = 0; piece < facets.count; piece++)
      for (int v = 0; v < facets.piece[piece].vertices; v++) {
        velocity_of(&r, facets.piece[piece].vertex + v * 4 * nc, u);
        if (vertices < 64) memcpy(motion + vertices++ * r.problem.n, u, sizeof *u * (size_t)r.problem.n);
        if (!has_continuum(&all) && !has_motion(&all, u, 1e-6))
          fail_msg("seed %d: a motion of the complementarity problem is missing", (int)seed);
      }
    for (int k = 0; k < all.count; k++) {
      bool known = has_continuum(&all);
      for (int v = 0; v < vertices; v++)
        known |= max_difference(motion + v * r.problem.n, all.solution[k].u, r.problem.n) <= 1e-6;
      if (!known) fail_msg("seed %d: a motion that the complementarity problem does not have", (int)seed);
    }
  }
  assert_true(several > 20 && hyperstatic > 20);
  crd_lcp_solutions_free(&facets);
  crd_coulomb_solutions_free(&all);
  crd_lcp_work_free(work);
}

/* ------------------------------------------------------------------------------------------- spatial */

/* d x u_t while the contact slips in direction d with u_n = 0; NaN where it would pull or friction would drive it. */
static double crosswise(const random_case *r, double angle) {
  const double *G = r->G, *w = r->w, mu = r->contact[0].mu, d[2] = {cos(angle), sin(angle)};
  double pn = -w[0] / (G[0] - mu * (G[1] * d[0] + G[2] * d[1])), u[2];
  for (int t = 0; t < 2; t++)
    u[t] = w[1 + t] + pn * (G[3 * (1 + t)] - mu * (G[3 * (1 + t) + 1] * d[0] + G[3 * (1 + t) + 2] * d[1]));
  return pn > 0 && u[0] * d[0] + u[1] * d[1] > 0 ? d[0] * u[1] - d[1] * u[0] : NAN;
}

static int slips_by_walking(const random_case *r, int steps) {
  const double turn = 2 * acos(-1);
  int count = 0;
  double before = crosswise(r, 0);
  for (int i = 1; i <= steps; i++) {
    double here = crosswise(r, turn * i / steps);
    count += (before < 0 && here >= 0) || (before >= 0 && here < 0);
    before = here;
  }
  return count;
}

static void spatial_slips_are_those_of_a_walk_round_the_circle(void **state) {
  (void)state;
  crd_coulomb_solutions all = {0};
  int slips = 0, twice = 0;
  for (uint64_t seed = 0; seed < 1000; seed++) {
    random_stream stream = {.seed = 150000 + seed};
    random_case r;
    make_case(&r, &stream, 1, 2, 3);
    r.contact[0].mu *= 2;
    assert_int_equal(crd_coulomb_enumerate(&r.problem, NULL, &all), CRD_OK);
    assert_residuals(&r.problem, &all);
    assert_true(all.count % 2 == 1 && !all.searched);
    int count = 0, expected = slips_by_walking(&r, 2000);
    for (int k = 0; k < all.count; k++) count += all.solution[k].mode[0] == CRD_MODE_SLIP;
    if (count != expected) expected = slips_by_walking(&r, 2000000); /* two of them lie close together */
    if (count != expected) fail_msg("seed %d: %d ways to slip, expected %d", (int)seed, count, expected);
    slips += count, twice += count == 2;
  }
  assert_true(slips > 100 && twice > 3);
  crd_coulomb_solutions_free(&all);
}

static void the_solvers_answer_is_listed(void **state) {
  (void)state;
  crd_coulomb_work *work = crd_coulomb_work_new();
  crd_coulomb_solutions all = {0};
  int compared = 0;
  for (uint64_t seed = 0; seed < 300; seed++) {
    random_stream stream = {.seed = 160000 + seed};
    random_case r;
    int nc = random_int(&stream, 1, MAX_C), full = 3 * nc;
    make_case(&r, &stream, nc, 2, seed % 3 ? full : random_int(&stream, 3, full));
    double p[MAX_N], u[MAX_N];
    crd_mode mode[MAX_C];
    crd_coulomb_state answer = {.p = p, .u = u, .mode = mode};
    if (crd_coulomb_solve(work, &r.problem, NULL, &answer, NULL) != CRD_OK) continue;
    assert_int_equal(crd_coulomb_enumerate(&r.problem, NULL, &all), CRD_OK);
    assert_residuals(&r.problem, &all);
    if (has_continuum(&all)) continue;
    if (!has_motion(&all, u, 1e-6)) fail_msg("seed %d: the solver's motion is not listed", (int)seed);
    compared++;
  }
  assert_true(compared > 200);
  crd_coulomb_solutions_free(&all);
  crd_coulomb_work_free(work);
}

/* ------------------------------------------------------------------------------------------- invariance */

/* Turns the tangents of every contact. */
static void turn_tangents(random_case *r, double angle) {
  double c = cos(angle), s = sin(angle);
  for (int i = 0; i < r->problem.ncontact; i++) {
    int row = r->contact[i].row + 1;
    for (int k = 0; k < r->nv; k++) {
      double *a = &r->J[row * r->nv + k], *b = &r->J[(row + 1) * r->nv + k], x = *a, y = *b;
      *a = c * x + s * y, *b = c * y - s * x;
    }
    double x = r->w[row], y = r->w[row + 1];
    r->w[row] = c * x + s * y, r->w[row + 1] = c * y - s * x;
  }
  multiply_out(r);
}

static void assert_turned(const crd_coulomb_solutions *all, const crd_coulomb_solutions *turned, const random_case *r,
                          double angle, double velocity) {
  double c = cos(angle), s = sin(angle);
  assert_int_equal(turned->count, all->count);
  assert_int_equal(crd_coulomb_judge(turned).motion, crd_coulomb_judge(all).motion);
  assert_int_equal(crd_coulomb_judge(turned).forces_unique, crd_coulomb_judge(all).forces_unique);
  for (int k = 0; k < all->count; k++) {
    double u[MAX_N];
    for (int i = 0; i < r->problem.ncontact; i++) {
      const double *from = all->solution[k].u + r->contact[i].row;
      double *to = u + r->contact[i].row;
      to[0] = velocity * from[0];
      to[1] = velocity * (c * from[1] + s * from[2]), to[2] = velocity * (c * from[2] - s * from[1]);
    }
    assert_true(has_motion(turned, u, 1e-7 * velocity));
  }
}

static void motions_turn_with_tangents_and_scale_with_units(void **state) {
  (void)state;
  crd_coulomb_solutions all = {0}, other = {0};
  int compared = 0;
  for (uint64_t seed = 0; seed < 120; seed++) {
    random_stream stream = {.seed = 170000 + seed};
    random_case r;
    int nc = random_int(&stream, 1, 2);
    make_case(&r, &stream, nc, 2, seed % 2 ? 3 * nc : 3);
    assert_int_equal(crd_coulomb_enumerate(&r.problem, NULL, &all), CRD_OK);
    if (has_continuum(&all)) continue; /* which of a family is listed may differ */
    double angle = random_in(&stream, 0, 6), velocity = pow(10, random_int(&stream, -9, 9));
    double compliance = pow(10, random_int(&stream, -9, 9));
    turn_tangents(&r, angle);
    for (int i = 0; i < r.problem.n; i++) r.w[i] *= velocity;
    for (int i = 0; i < r.problem.n * r.problem.n; i++) r.G[i] *= compliance;
    assert_int_equal(crd_coulomb_enumerate(&r.problem, NULL, &other), CRD_OK);
    assert_turned(&all, &other, &r, angle, velocity);
    compared++;
  }
  assert_true(compared > 60);
  crd_coulomb_solutions_free(&all);
  crd_coulomb_solutions_free(&other);
}

/* Planar contacts with rolling friction, whose rows are in rad/s: other units of length change neither the number of
 * motions nor their digits. */
static void units_of_length_do_not_merge_motions(void **state) {
  (void)state;
  int several = 0;
  for (uint64_t seed = 0; seed < 400; seed++) {
    random_stream stream = {.seed = 170000 + seed};
    int nc = random_int(&stream, 1, 2), count = 0;
    double first[4 * MAX_N];
    for (int k = 0; k < 3; k++) {
      random_stream same = {.seed = 180000 + seed};
      double length = ldexp(1, 25 * (k - 1)); /* of a unit, in those of the case */
      random_case r;
      make_case(&r, &same, nc, 2, 3 * nc + 1);
      for (int c = 0; c < nc; c++) {
        crd_coulomb_contact *contact = &r.contact[c];
        contact->ntangent = contact->nroll = 1, contact->mu_roll = contact->mu * length;
        for (int i = 3 * c; i < 3 * c + 2; i++) {
          r.w[i] *= length;
          for (int j = 0; j < r.nv; j++) r.J[i * r.nv + j] *= length;
        }
      }
      multiply_out(&r);
      crd_coulomb_solutions all = {0};
      crd_status status = crd_coulomb_enumerate(&r.problem, NULL, &all);
      assert_true(status == CRD_OK || status == CRD_NO_SOLUTION);
      if (k == 0) count = all.count, several += count > 1;
      if (all.count != count) fail_msg("seed %d: %d motions, in other units %d", (int)seed, count, all.count);
      for (int s = 0; s < count && s < 4; s++)
        for (int i = 0; i < r.problem.n; i++) {
          double u = all.solution[s].u[i] / (i % 3 == 2 ? 1 : length);
          if (k == 0) first[MAX_N * s + i] = u;
          assert_true(fabs(u - first[MAX_N * s + i]) <= 1e-9);
        }
      crd_coulomb_solutions_free(&all);
    }
  }
  assert_true(several > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planar_motions_are_those_of_the_complementarity_problem),
      cmocka_unit_test(spatial_slips_are_those_of_a_walk_round_the_circle),
      cmocka_unit_test(the_solvers_answer_is_listed),
      cmocka_unit_test(motions_turn_with_tangents_and_scale_with_units),
      cmocka_unit_test(units_of_length_do_not_merge_motions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
