/* Claims: the law `projection` gives closed-form impacts, agrees with the paper's formulas in joint space for every
 * rank of the rows, conserves bilateral rows, never gains energy with one coefficient, says where it pulls or where
 * coefficients conflict, and reproduces every case file proj_*. */
#include <cradle/impact.h>
#include <math.h>
#include <string.h>

#include "impact/oblique.h"
#include "support/case_file.h"
#include "support/cmocka_all.h"
#include "support/impact_problem.h"
#include "support/make_model.h"
#include "support/projection_oracle.h"

static crd_impact_result result;

static int release(void **state) {
  (void)state;
  crd_impact_result_free(&result);
  return 0;
}

/* The only answer of the law for this problem under default options. */
static const crd_impact_solution *resolve(const crd_contact_problem *problem) {
  resolve_with("projection", problem, &result);
  assert_int_equal(result.count, 1);
  assert_true(result.solution[0].residual < 1e-12);
  return &result.solution[0];
}

static void identity(int n, double scale, double *M) {
  for (int i = 0; i < n * n; i++) M[i] = i / n == i % n ? scale : 0;
}

/* A point mass on a smooth incline with unit normal b hits a plane with normal n: only the part of n along the incline
 * acts, n' = n - (n.b) b, and v+ = v - (1 + e) (n.v) / |n'|^2 n'. */
static void a_point_mass_on_an_incline_bounces_along_it(void **state) {
  (void)state;
  const double s = 0.5, c = sqrt(0.75), b[3] = {-s, 0, c}, n[3] = {-0.8, 0.3, 0.2}, v[3] = {1.5 * c, 0.4, 1.5 * s};
  double M[9], along[3], expected[3], nv = 0, nb = 0, norm = 0;
  identity(3, 2, M);
  for (int i = 0; i < 3; i++) nb += n[i] * b[i], nv += n[i] * v[i];
  for (int i = 0; i < 3; i++) along[i] = n[i] - nb * b[i], norm += along[i] * along[i];
  for (double e = 0; e <= 1; e += 0.25) {
    crd_contact_problem *p =
        make_problem(&(problem_def){.nv = 3, .nc = 1, .nb = 1, .M = M, .v = v, .contact = n, .bilateral = b, .e = e});
    const crd_impact_solution *answer = resolve(p);
    for (int i = 0; i < 3; i++) expected[i] = v[i] - (1 + e) * nv / norm * along[i];
    check_close(answer->v_plus, expected, 3, 1e-14);
    assert_true(fabs(answer->p[0] + 2 * (1 + e) * nv / norm) < 1e-14);
    assert_true(fabs(answer->p[1] - 2 * (1 + e) * nv / norm * nb) < 1e-14);
    assert_int_equal(result.nnote, 0);
    crd_contact_problem_free(p);
  }
}

/* As many independent rows as velocities: P = 0, S = I, qd+ = -e qd. */
static void rows_that_span_everything_reverse_the_velocity(void **state) {
  (void)state;
  const double M[4] = {2, 0.3, 0.3, 1}, rows[4] = {-1, 0.2, 0.1, 1}, v[2] = {0.7, -0.6};
  crd_contact_problem *p = make_problem(&(problem_def){.nv = 2, .nc = 2, .M = M, .v = v, .contact = rows, .e = 0.3});
  const double expected[2] = {-0.3 * v[0], -0.3 * v[1]};
  check_close(resolve(p)->v_plus, expected, 2, 1e-14);
  crd_contact_problem_free(p);
}

/* A homogeneous sphere (v_G, omega) on a plane with tangent rows: the law is frictionless, spin stays. */
static void a_sphere_keeps_spin_and_tangential_velocity(void **state) {
  (void)state;
  const double m = 1.2, R = 0.25, I = 0.4 * m * R * R, v[6] = {3, 1, -2, 5, -6, 7};
  const double rows[18] = {0, 0, 1, 0, 0, 0, 1, 0, 0, 0, -R, 0, 0, 1, 0, R, 0, 0};
  double M[36] = {0};
  for (int i = 0; i < 6; i++) M[7 * i] = i < 3 ? m : I;
  crd_contact_problem *p = make_problem(
      &(problem_def){.nv = 6, .nc = 1, .ntangent = 2, .M = M, .v = v, .contact = rows, .e = 0.7, .mu = 0.5});
  const crd_impact_solution *answer = resolve(p);
  const double expected[6] = {3, 1, 1.4, 5, -6, 7}, impulse[3] = {m * 1.7 * 2, 0, 0};
  check_close(answer->v_plus, expected, 6, 1e-15);
  check_close(answer->p, impulse, 3, 1e-14);
  crd_contact_problem_free(p);
}

/* The third row repeats, scales or sums the others: velocities stay, the impulse is shared so that its norm is least
 * (1 : k for a row scaled by k). */
static void redundant_rows_change_impulses_only(void **state) {
  (void)state;
  const double M[16] = {2, 0.1, 0, 0.3, 0.1, 1.5, 0.2, 0, 0, 0.2, 1, 0.1, 0.3, 0, 0.1, 0.9};
  const double v[4] = {-1, -0.6, 0.4, 0.9}, a[4] = {1, 2, -1, 0.5}, b[4] = {0, 1, 1, -1};
  double rows[12], alone[4], pa, pb;
  memcpy(rows, a, sizeof a), memcpy(rows + 4, b, sizeof b);
  problem_def def = {.nv = 4, .nc = 2, .M = M, .v = v, .contact = rows, .e = 0.4};
  crd_contact_problem *p = make_problem(&def);
  const crd_impact_solution *answer = resolve(p);
  memcpy(alone, answer->v_plus, sizeof alone);
  pa = answer->p[0], pb = answer->p[1];
  crd_contact_problem_free(p);
  def.nc = 3;
  const double scale[2] = {1, 3};
  for (int i = 0; i < 2; i++) {
    double k = scale[i];
    for (int j = 0; j < 4; j++) rows[8 + j] = k * a[j];
    p = make_problem(&def);
    answer = resolve(p);
    check_close(answer->v_plus, alone, 4, 1e-14);
    const double shared[3] = {pa / (1 + k * k), pb, k * pa / (1 + k * k)};
    check_close(answer->p, shared, 3, 1e-14);
    assert_true(has_note(&result, "rank 2 of 3 rows") && !has_note(&result, "conflicting"));
    crd_contact_problem_free(p);
  }
  for (int j = 0; j < 4; j++) rows[8 + j] = a[j] + b[j];
  p = make_problem(&def);
  answer = resolve(p);
  check_close(answer->v_plus, alone, 4, 1e-14);
  const double shared[3] = {pa - (pa + pb) / 3, pb - (pa + pb) / 3, (pa + pb) / 3};
  check_close(answer->p, shared, 3, 1e-14);
  crd_contact_problem_free(p);
}

/* A row written twice, the second time k times as long, with two coefficients: the law uses (e1 + k^2 e2)/(1 + k^2)
 * and says so (errata A-11). */
static void conflicting_coefficients_are_averaged_and_reported(void **state) {
  (void)state;
  const double M[1] = {3}, v[1] = {-2};
  for (double k = 1; k <= 4; k += 1.5) {
    const double rows[2] = {1, k};
    crd_contact_problem *p = make_problem(&(problem_def){.nv = 1, .nc = 2, .M = M, .v = v, .contact = rows});
    p->contact[0].e = 0.9, p->contact[1].e = 0.1;
    double mean = (0.9 + k * k * 0.1) / (1 + k * k);
    assert_true(fabs(resolve(p)->v_plus[0] - 2 * mean) < 1e-14);
    assert_true(has_note(&result, "conflicting"));
    p->contact[1].e = 0.9;
    assert_true(fabs(resolve(p)->v_plus[0] - 1.8) < 1e-14);
    assert_false(has_note(&result, "conflicting"));
    crd_contact_problem_free(p);
  }
}

/* Parallelogram linkage (bars l, d, l, masses m, 2m, m, absolute angles) with all bars on one line: the closure rows
 * have rank 1. Its second bar, with a point at height h above it, hits a wall: th2' -> -e th2', the loop stays closed,
 * and the momentum along the free motion (1, 0, 1) is conserved. */
static void a_linkage_in_a_singular_position_is_no_special_case(void **state) {
  (void)state;
  const double l = 0.6, d = 1.4, h = 0.3, m1 = 1, m2 = 2, m3 = 1, angle[3] = {0, 0, acos(-1)};
  const double I1 = m1 * l * l / 12, I2 = m2 * d * d / 12, I3 = m3 * l * l / 12;
  double c12 = cos(angle[0] - angle[1]), c13 = cos(angle[0] - angle[2]), c23 = cos(angle[1] - angle[2]);
  double a = (m2 / 2 + m3) * l * d * c12, b = m3 / 2 * l * l * c13, c = m3 / 2 * d * l * c23;
  const double M[9] = {
      I1 + (m1 / 4 + m2 + m3) * l * l, a, b, a, I2 + (m2 / 4 + m3) * d * d, c, b, c, I3 + m3 / 4 * l * l};
  double closure[6];
  for (int i = 0; i < 3; i++) {
    double length = i == 1 ? d : l;
    closure[i] = -length * sin(angle[i]), closure[3 + i] = length * cos(angle[i]);
  }
  const double wall[3] = {0, h, 0}, v[3] = {1, -0.3, 1 - 0.3 * d / l};
  for (double e = 0; e <= 1; e += 0.5) {
    crd_contact_problem *p = make_problem(
        &(problem_def){.nv = 3, .nc = 1, .nb = 2, .M = M, .v = v, .contact = wall, .bilateral = closure, .e = e});
    const crd_impact_solution *answer = resolve(p);
    /* v+ = (x, -e v2, x - e v2 d/l), and g.v+ = g.v with g = M (1, 0, 1) */
    double g[3], w = -e * v[1], difference = w * d / l;
    for (int i = 0; i < 3; i++) g[i] = M[i] + M[6 + i];
    double x = (g[0] * v[0] + g[1] * v[1] + g[2] * v[2] - g[1] * w - g[2] * difference) / (g[0] + g[2]);
    const double expected[3] = {x, w, x + difference};
    check_close(answer->v_plus, expected, 3, 1e-13);
    assert_true(has_note(&result, "rank 2 of 3 rows"));
    assert_true(answer->check.bilateral < 1e-14);
    crd_contact_problem_free(p);
  }
}

/* Errata A-18: a block of width 2 w rests on its left corner when the right one hits with speed s, e = 0. Held by both
 * rows it stops: p_left + p_right = m s/2, w (p_right - p_left) = I s/(2 w), so the left corner pulls where I > m w^2.
 */
static void a_resting_corner_that_pulls_is_reported(void **state) {
  (void)state;
  const double m = 1, w = 0.25, I = m * (1 + 4 * w * w) / 12, s = 0.3;
  const double M[9] = {m, 0, 0, 0, m, 0, 0, 0, I}, rows[6] = {0, 1, -w, 0, 1, w}, v[3] = {0.1, -s / 2, -s / (2 * w)};
  crd_contact_problem *p = make_problem(&(problem_def){.nv = 3, .nc = 2, .M = M, .v = v, .contact = rows});
  const crd_impact_solution *answer = resolve(p);
  const double expected[3] = {0.1, 0, 0},
               impulse[2] = {m * s / 4 - I * s / (4 * w * w), m * s / 4 + I * s / (4 * w * w)};
  check_close(answer->v_plus, expected, 3, 1e-14);
  check_close(answer->p, impulse, 2, 1e-14);
  assert_true(answer->check.pulls && has_note(&result, "1 of 2 contacts pull, '1' most"));
  crd_contact_problem_free(p);
}

/* Two balls against two walls: the separating one is left alone, unless a restitution matrix speaks of both. */
static void separating_contacts_take_part_only_with_a_matrix(void **state) {
  (void)state;
  const double M[4] = {1, 0, 0, 2}, rows[4] = {1, 0, 0, 1}, v[2] = {-1, 3};
  crd_contact_problem *p = make_problem(&(problem_def){.nv = 2, .nc = 2, .M = M, .v = v, .contact = rows, .e = 0.5});
  const double alone[2] = {0.5, 3}, both[2] = {0.5, -0.75};
  const crd_impact_solution *answer = resolve(p);
  check_close(answer->v_plus, alone, 2, 1e-15);
  assert_true(answer->mode[0] == CRD_MODE_STICK && answer->mode[1] == CRD_MODE_SEPARATE &&
              has_note(&result, "1 of 2 contacts separate"));
  assert_int_equal(crd_contact_problem_add_restitution_matrix(p), CRD_OK);
  const double E[4] = {0.5, 0, 0, 0.25};
  memcpy(p->restitution_matrix, E, sizeof E);
  answer = resolve(p);
  check_close(answer->v_plus, both, 2, 1e-15);
  assert_true(answer->check.penetrates && answer->check.pulls);
  /* one coefficient for all overrides the matrix and the contacts' own */
  crd_impact_options options = crd_impact_default();
  options.e = 1;
  assert_int_equal(crd_impact_resolve(crd_impact_find("projection"), p, &options, &result), CRD_OK);
  const double overridden[2] = {1, 3};
  check_close(result.solution[0].v_plus, overridden, 2, 1e-15);
  crd_contact_problem_free(p);
}

/* E = [[0, 1], [1, 0]]: each contact leaves with the speed at which the other came. */
static void a_full_restitution_matrix_exchanges_velocities(void **state) {
  (void)state;
  const double M[4] = {1, 0, 0, 1}, rows[4] = {1, 0, 0, 1}, v[2] = {-1, -3}, E[4] = {0, 1, 1, 0}, expected[2] = {3, 1};
  crd_contact_problem *p = make_problem(&(problem_def){.nv = 2, .nc = 2, .M = M, .v = v, .contact = rows});
  assert_int_equal(crd_contact_problem_add_restitution_matrix(p), CRD_OK);
  memcpy(p->restitution_matrix, E, sizeof E);
  check_close(resolve(p)->v_plus, expected, 2, 1e-15);
  crd_contact_problem_free(p);
}

/* A mass that rests on the floor and is hit from above and from the side: (27), the floor answers the vertical part. */
static void an_external_impulse_meets_a_resting_contact(void **state) {
  (void)state;
  const double M[4] = {2, 0, 0, 2}, floor_row[2] = {0, 1}, v[2] = {1, 0}, i_u[2] = {0.6, -5};
  crd_contact_problem *p =
      make_problem(&(problem_def){.nv = 2, .nc = 1, .M = M, .v = v, .contact = floor_row, .impulse = i_u, .e = 0.8});
  const crd_impact_solution *answer = resolve(p);
  const double expected[2] = {1.3, 0};
  check_close(answer->v_plus, expected, 2, 1e-15);
  assert_true(fabs(answer->p[0] - 5) < 1e-14);
  crd_contact_problem_free(p);
}

static void no_contact_and_no_row_means_no_impulse(void **state) {
  (void)state;
  const double M[1] = {2}, v[1] = {3}, i_u[1] = {4};
  crd_contact_problem *p = make_problem(&(problem_def){.nv = 1, .M = M, .v = v, .impulse = i_u});
  assert_true(resolve(p)->v_plus[0] == 5);
  crd_contact_problem_free(p);
}

/* ---- properties */

static crd_contact_problem *random_sizes(random_stream *stream) {
  int nv = random_int(stream, 1, 8), nb = random_int(stream, 0, nv > 1 ? nv / 2 : 0);
  return random_problem(stream,
                        (random_problem_options){
                            .nv = nv, .nc = random_int(stream, 1, 5), .nb = nb, .redundant = random_int(stream, 0, 1)});
}

/* (36) with erratum A-13: e^2 <= K+/K <= 1. */
static void one_coefficient_never_gains_energy(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 10000; seed++) {
    random_stream stream = {.seed = seed};
    crd_contact_problem *p = random_sizes(&stream);
    double e = seed % 8 == 0 ? 1 : random_in(&stream, 0, 1);
    for (int c = 0; c < p->nc; c++) p->contact[c].e = e;
    resolve_with("projection", p, &result);
    const crd_impact_solution *answer = &result.solution[0];
    assert_true(answer->residual < 1e-10 && answer->check.momentum < 1e-10);
    assert_true(answer->check.bilateral < 1e-10);
    /* energy is quadratic: twice the relative error of v+, which differs from one BLAS to the next */
    double rounding = 1e-12 + 4 * (answer->residual + answer->check.bilateral);
    assert_true(answer->check.energy_gain <= rounding);
    assert_true(answer->kinetic_after >= (e * e - rounding) * p->kinetic);
    if (e == 1) assert_true(fabs(answer->check.energy_gain) <= rounding);
    crd_contact_problem_free(p);
  }
}

/* Contact space against the paper's joint space, with a restitution matrix, external impulses and any rank. */
static void random_impacts_agree_with_the_papers_operators(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 3000; seed++) {
    random_stream stream = {.seed = seed};
    crd_contact_problem *p = random_sizes(&stream);
    projection_oracle oracle;
    assert_int_equal(crd_contact_problem_add_restitution_matrix(p), CRD_OK);
    random_vector(&stream, p->nc * p->nc, p->restitution_matrix);
    random_vector(&stream, p->nv, p->impulse);
    assert_int_equal(crd_contact_problem_complete(p), CRD_OK);
    projection_oracle_resolve(&oracle, p, p->restitution_matrix);
    resolve_with("projection", p, &result);
    check_close(result.solution[0].v_plus, oracle.v_plus, p->nv, 1e-8);
    check_close(result.solution[0].p, oracle.p, p->nrow + p->nb, 1e-7);
    crd_contact_problem_free(p);
  }
}

/* (28b): the elastic impact is its own inverse. */
static void two_elastic_impacts_undo_each_other(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 500; seed++) {
    random_stream stream = {.seed = seed};
    crd_contact_problem *p = random_sizes(&stream);
    double before[16];
    assert_int_equal(crd_contact_problem_add_restitution_matrix(p), CRD_OK);
    identity(p->nc, 1, p->restitution_matrix);
    memcpy(before, p->v, sizeof *p->v * (size_t)p->nv);
    for (int i = 0; i < 2; i++) {
      resolve_with("projection", p, &result);
      memcpy(p->v, result.solution[0].v_plus, sizeof *p->v * (size_t)p->nv);
      assert_int_equal(crd_contact_problem_complete(p), CRD_OK);
    }
    check_close(p->v, before, p->nv, 1e-9);
    crd_contact_problem_free(p);
  }
}

/* Newton's impact of one frictionless contact: p = -(1 + e) u / W. */
static void a_single_contact_obeys_newton(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 1000; seed++) {
    random_stream stream = {.seed = seed};
    crd_contact_problem *p =
        random_problem(&stream, (random_problem_options){.nv = random_int(&stream, 1, 8), .nc = 1, .ntangent = 2});
    double e = p->contact[0].e = random_in(&stream, 0, 1), newton = -(1 + e) * p->u[0] / p->W[0];
    assert_true(fabs(resolve(p)->p[0] - newton) <= 1e-12 * newton);
    crd_contact_problem_free(p);
  }
}

/* A model's problem has its factor instead of M: what the laws need is in X and W. */
static void the_mass_matrix_is_not_needed(void **state) {
  (void)state;
  const char *law[2] = {"projection", "stick-slip"};
  for (uint64_t seed = 1; seed <= 200; seed++) {
    random_stream stream = {.seed = seed};
    crd_contact_problem *p =
        random_problem(&stream, (random_problem_options){.nv = 6, .nc = 1, .ntangent = 2, .nb = 2});
    double *M = p->M, with[6];
    p->contact[0].e = p->contact[0].mu = p->contact[0].mu_static = 0.4;
    for (int k = 0; k < 2; k++) {
      p->M = M;
      resolve_with(law[k], p, &result);
      memcpy(with, result.solution[0].v_plus, sizeof with);
      double energy = result.solution[0].kinetic_after;
      p->M = NULL;
      resolve_with(law[k], p, &result);
      assert_true(memcmp(with, result.solution[0].v_plus, sizeof with) == 0);
      assert_true(fabs(result.solution[0].kinetic_after - energy) < 1e-9 * energy);
    }
    crd_contact_problem_free(p);
  }
}

/* Rows of very different lengths (mm and km) and nearly dependent ones keep their accuracy. */
static void row_lengths_do_not_matter(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    random_stream stream = {.seed = seed};
    crd_contact_problem *p = random_problem(&stream, (random_problem_options){.nv = 6, .nc = 3, .nb = 1});
    double plain[6], scale[4];
    for (int c = 0; c < 3; c++) p->contact[c].e = 0.2 * c;
    resolve_with("projection", p, &result);
    memcpy(plain, result.solution[0].v_plus, sizeof plain);
    for (int i = 0; i < 4; i++) {
      scale[i] = pow(10, random_in(&stream, -4, 4));
      for (int k = 0; k < 6; k++) p->J[6 * i + k] *= scale[i];
    }
    assert_int_equal(crd_contact_problem_complete(p), CRD_OK);
    resolve_with("projection", p, &result);
    check_close(result.solution[0].v_plus, plain, 6, 1e-9);
    crd_contact_problem_free(p);
  }
}

/* ---- case files */

static void check_operators(const case_variant *variant, const crd_contact_problem *p) {
  crd_oblique oblique;
  crd_arena arena = {0};
  int n = p->nv, rows[64], m = p->nc + p->nb;
  double P[400], S[400];
  for (int i = 0; i < m; i++) rows[i] = i < p->nc ? p->contact[i].row : p->nrow + i - p->nc;
  assert_int_equal(crd_oblique_factor(&oblique, p, m, rows, &arena), CRD_OK);
  case_check_number(variant, "rank", oblique.rank);
  /* column j of S = Y' K^-1 V is M^-1 A' W^+ A_j */
  for (int j = 0; j < n; j++) {
    double x[64];
    for (int i = 0; i < m; i++) x[i] = p->J[n * rows[i] + j];
    crd_oblique_solve(&oblique, x);
    for (int k = 0; k < n; k++) {
      S[n * k + j] = 0, P[n * k + j] = k == j;
      for (int i = 0; i < m; i++) S[n * k + j] += p->X[n * rows[i] + k] * x[i];
      for (int r = 0; r < oblique.rank; r++) P[n * k + j] -= oblique.V[n * r + k] * oblique.V[n * r + j];
    }
  }
  case_check(variant, "P", P, n * n);
  case_check(variant, "S", S, n * n);
  crd_arena_free(&arena);
}

/* The case files list bilateral rows first. */
static void file_order(const crd_contact_problem *p, const double *rows, double *out) {
  for (int b = 0; b < p->nb; b++) out[b] = rows[p->nrow + b];
  for (int c = 0; c < p->nc; c++) out[p->nb + c] = rows[p->contact[c].row];
}

static int variants;

static void check_impact(const case_variant *variant) {
  if (!case_has(variant->inputs, "A") || !case_has(variant->inputs, "qd_minus") ||
      !case_has(variant->outputs, "qd_plus"))
    return;
  crd_contact_problem *p = case_problem(variant);
  const crd_impact_solution *answer = resolve(p);
  int n = p->nv, m = p->nc + p->nb;
  double i_f[32] = {0}, p_plus[32] = {0}, ordered[64];
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < m; i++) i_f[k] += p->J[n * i + k] * answer->p[i];
    for (int j = 0; j < n; j++) p_plus[k] += p->M[n * k + j] * answer->v_plus[j];
  }
  case_check(variant, "qd_plus", answer->v_plus, n);
  case_check(variant, "p_plus", p_plus, n);
  case_check(variant, "i_f", i_f, n);
  file_order(p, answer->p, ordered);
  case_check(variant, "i_lambda", ordered, m);
  file_order(p, p->u, ordered);
  case_check(variant, "phid_minus", ordered, m);
  file_order(p, answer->u_plus, ordered);
  case_check(variant, "phid_plus", ordered, m);
  case_check_number(variant, "K_minus", answer->kinetic_before);
  case_check_number(variant, "K_plus", answer->kinetic_after);
  case_check_number(variant, "W", answer->kinetic_after - answer->kinetic_before);
  case_check_number(variant, "gamma", answer->kinetic_after / answer->kinetic_before);
  check_operators(variant, p);
  crd_contact_problem_free(p);
  variants++;
}

static void case_files_are_reproduced(void **state) {
  (void)state;
  variants = 0;
  for_case_variants("proj_", check_impact);
  assert_true(variants >= 30);
}

static int activations;

/* Contacts that the file calls active (Gamma or Gamma*) get rows, the others stay out: open and released ones are not
 * in the problem, separating ones are left alone by the law. */
static void check_activation(const case_variant *variant) {
  if (!case_has(variant->inputs, "phi_u")) return;
  crd_contact_problem *p = case_problem(variant);
  crd_impact_options options = crd_impact_default();
  options.e = 0.5;
  assert_int_equal(crd_impact_resolve(crd_impact_find("projection"), p, &options, &result), CRD_OK);
  case_check(variant, "qd_plus_e_0.5", result.solution[0].v_plus, p->nv);
  double resting[16], closing[16], total = 0;
  int count = case_numbers(variant->outputs, "Gamma", resting, 16), active = 0;
  assert_int_equal(case_numbers(variant->outputs, "Gamma_star", closing, 16), count);
  for (int i = 0; i < count; i++) total += resting[i] + closing[i];
  for (int c = 0; c < p->nc; c++) active += result.solution[0].p[p->contact[c].row] != 0;
  assert_int_equal(active, (int)total);
  crd_contact_problem_free(p);
  activations++;
}

static void activation_follows_the_case_file(void **state) {
  (void)state;
  activations = 0;
  for_case_variants("proj_", check_activation);
  assert_true(activations >= 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_point_mass_on_an_incline_bounces_along_it),
      cmocka_unit_test(rows_that_span_everything_reverse_the_velocity),
      cmocka_unit_test(a_sphere_keeps_spin_and_tangential_velocity),
      cmocka_unit_test(redundant_rows_change_impulses_only),
      cmocka_unit_test(conflicting_coefficients_are_averaged_and_reported),
      cmocka_unit_test(a_linkage_in_a_singular_position_is_no_special_case),
      cmocka_unit_test(a_resting_corner_that_pulls_is_reported),
      cmocka_unit_test(separating_contacts_take_part_only_with_a_matrix),
      cmocka_unit_test(a_full_restitution_matrix_exchanges_velocities),
      cmocka_unit_test(an_external_impulse_meets_a_resting_contact),
      cmocka_unit_test(no_contact_and_no_row_means_no_impulse),
      cmocka_unit_test(one_coefficient_never_gains_energy),
      cmocka_unit_test(random_impacts_agree_with_the_papers_operators),
      cmocka_unit_test(two_elastic_impacts_undo_each_other),
      cmocka_unit_test(a_single_contact_obeys_newton),
      cmocka_unit_test(the_mass_matrix_is_not_needed),
      cmocka_unit_test(row_lengths_do_not_matter),
      cmocka_unit_test(case_files_are_reproduced),
      cmocka_unit_test(activation_follows_the_case_file),
  };
  return cmocka_run_group_tests(tests, NULL, release);
}
