/* Claims: the residual of every kind of row is the one derived by hand from its law, relative to the velocities of the
 * problem; the modes are those its projections show; the three forms of G agree; what is not finite is never a small
 * residual. */
#include <cradle/coulomb.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/random_tree.h"

static void assert_near(double found, double expected, double tolerance) {
  if (!(fabs(found - expected) <= tolerance)) fail_msg("%.17g, expected %.17g", found, expected);
}

static crd_coulomb_residual_parts residual_of(const crd_coulomb_problem *problem, const double *p) {
  double u[64];
  crd_coulomb_residual_parts parts;
  assert_true(problem->n <= 64);
  assert_int_equal(crd_coulomb_residual(problem, p, u, &parts), CRD_OK);
  return parts;
}

static crd_mode mode_of(const crd_coulomb_problem *problem, const double *p) {
  double u[64];
  crd_coulomb_residual_parts parts;
  crd_mode mode[1] = {CRD_MODE_NONE};
  crd_coulomb_residual(problem, p, u, &parts);
  crd_coulomb_modes(problem, p, u, mode);
  return mode[0];
}

/* ------------------------------------------------------------------------------------------- contacts */

/* g = 2, u = w + 2 p: | min(2 p, u - target) | over max(|w|, |target|). */
static void the_normal_counts_what_is_missing_of_its_complementarity(void **state) {
  (void)state;
  const struct {
    double w, target, p, expected;
    crd_mode mode;
  } rows[] = {
      {-4, 0, 2, 0, CRD_MODE_STICK},         /* stopped: u = 0 */
      {-4, 0, 0, 1, CRD_MODE_NONE},          /* u = -4 of 4, without impulse */
      {-4, 0, 3, 0.5, CRD_MODE_STICK},       /* pushes and opens: min(6, 2) of 4 */
      {4, 0, 0, 0, CRD_MODE_SEPARATE},       /* opens */
      {4, 0, -0.5, 0.25, CRD_MODE_SEPARATE}, /* pulls: min(-1, 3) of 4 */
      {-4, 2, 3, 0, CRD_MODE_STICK},         /* u = 2, the target */
      {-4, 2, 2, 0.5, CRD_MODE_STICK},       /* u = 0, 2 below the target */
      {-4, 8, 2, 1, CRD_MODE_STICK},         /* the target is the larger velocity: 8 of 8 */
      {0, 0, 0, 0, CRD_MODE_NONE},           /* rests without load; nothing moves: relative to 1 m/s */
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    const double G[1] = {2};
    const crd_coulomb_contact contact = {.target = rows[k].target};
    crd_coulomb_problem problem = {.n = 1, .w = &rows[k].w, .ncontact = 1, .contact = &contact, .G = G};
    crd_coulomb_residual_parts parts = residual_of(&problem, &rows[k].p);
    assert_near(parts.normal, rows[k].expected, 0);
    assert_near(parts.worst, rows[k].expected, 0);
    assert_true(parts.friction == 0 && parts.bilateral == 0 && parts.bounded == 0);
    assert_int_equal(parts.row, rows[k].expected > 0 ? 0 : -1);
    assert_int_equal(mode_of(&problem, &rows[k].p), rows[k].mode);
  }
}

/* g_n = 1, p_n = 1, u_n = 0; planar friction with g = 2, mu = 0.5: radius mu g p_n = 1. */
static void planar_friction_counts_the_distance_to_its_projection(void **state) {
  (void)state;
  const double G[4] = {1, 0, 0, 2};
  const crd_coulomb_contact contact = {.ntangent = 1, .mu = 0.5};
  const struct {
    double w, p, expected; /* relative to max(1, |w|) */
    crd_mode mode;
  } rows[] = {
      {0.5, -0.25, 0, CRD_MODE_STICK},                               /* u = 0 inside the cone */
      {1, -0.5, 0, CRD_MODE_STICK},                                  /* u = 0 at the limit of sticking */
      {4, -0.5, 0, CRD_MODE_SLIP},                                   /* u = 3 against p = -mu p_n */
      {-4, 0.5, 0, CRD_MODE_SLIP},     {4, 0.5, 0.5, CRD_MODE_SLIP}, /* drives: 1 - P(1 - 5) = 2 of 4 */
      {4, -1, 0.25, CRD_MODE_SLIP},                                  /* outside the cone: -2 - P(-4) = -1 of 4 */
      {0.5, 0, 0.5, CRD_MODE_STICK},                                 /* sticks, but u = 0.5: 0 - P(-0.5) of 1 */
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    const double w[2] = {-1, rows[k].w}, p[2] = {1, rows[k].p};
    crd_coulomb_problem problem = {.n = 2, .w = w, .ncontact = 1, .contact = &contact, .G = G};
    crd_coulomb_residual_parts parts = residual_of(&problem, p);
    assert_near(parts.friction, rows[k].expected, 1e-16);
    assert_true(parts.normal == 0 && parts.worst == parts.friction);
    assert_int_equal(parts.row, rows[k].expected > 0 ? 1 : -1);
    assert_int_equal(mode_of(&problem, p), rows[k].mode);
  }
}

/* g_t = 1 and 3, their mean 2; mu p_n = 0.5: radius 1. g p - u = (1.2, -1.6) has the length 2 and the projection (0.6,
 * -0.8); (0.2, 0.4) less that is (-0.4, 1.2), of length sqrt(1.6). The largest velocity is w_2 = 1.4. */
static void spatial_friction_is_judged_on_the_round_cone(void **state) {
  (void)state;
  const double G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 3}, w[3] = {-1, -1.1, 1.4}, p[3] = {1, 0.1, 0.2};
  const crd_coulomb_contact contact = {.ntangent = 2, .mu = 0.5};
  crd_coulomb_problem problem = {.n = 3, .w = w, .ncontact = 1, .contact = &contact, .G = G};
  crd_coulomb_residual_parts parts = residual_of(&problem, p);
  assert_near(parts.scale, 1.4, 0);
  assert_near(parts.friction, sqrt(1.6) / 1.4, 1e-15);
  assert_int_equal(parts.row, 1);
  /* slip along (0.6, 0.8) with |p_t| = mu p_n: u = w + G p = 5 (0.6, 0.8) */
  const double slips[3] = {1, -0.3, -0.4}, fast[3] = {-1, 3.3, 5.2};
  problem.w = fast;
  assert_near(residual_of(&problem, slips).worst, 0, 1e-15);
  assert_int_equal(mode_of(&problem, slips), CRD_MODE_SLIP);
  /* a square cone would hold (-0.45, -0.45); the round one is left by sqrt(0.405) - 0.5 */
  const double corner[3] = {1, -0.45, -0.45}, still[3] = {-1, 0.45, 1.35};
  problem.w = still;
  assert_near(residual_of(&problem, corner).friction, 2 * (sqrt(0.405) - 0.5) / 1.35, 1e-15);
}

/* A contact without normal impulse has no friction: what its tangents carry counts in full. */
static void friction_without_load_is_an_error(void **state) {
  (void)state;
  const double G[4] = {1, 0, 0, 2}, w[2] = {1, 0}, p[2] = {0, 0.25}, pulls[2] = {-1, 0};
  const crd_coulomb_contact contact = {.ntangent = 1, .mu = 0.5};
  crd_coulomb_problem problem = {.n = 2, .w = w, .ncontact = 1, .contact = &contact, .G = G};
  assert_near(residual_of(&problem, p).friction, 0.5, 0);
  assert_near(residual_of(&problem, pulls).normal, 1, 0); /* the radius of a pulling contact is zero, not negative */
  assert_near(residual_of(&problem, pulls).friction, 0, 0);
}

/* All six rows of a contact: p_n = 2, g = 1 for the normal and the tangents, 9 for spin, 3 and 5 (mean 4) for rolling.
 *
 *   sliding   mu = 0.5,       radius 1         u = (0, 0), p = (0.6, 0.8): on the cone, 0
 *   spinning  mu_spin = 0.25, radius 9 * 0.5   u = 3, p = -0.4: -3.6 - P(-6.6) = 0.9 rad/s, length sqrt(1 / 9): 0.3 m/s
 *   rolling   mu_roll = 0.5,  radius 4         u = (-3, 4) on p = (0.6, -0.8): 4 p = (2.4, -3.2) is the projection
 *
 * and w of the last row is 4 + 5 * 0.8 = 8 rad/s, with its length sqrt(1 / 4) 4 m/s: more than any other. */
static void spin_and_rolling_have_their_own_cones(void **state) {
  (void)state;
  const double g[6] = {1, 1, 1, 9, 3, 5}, p[6] = {2, 0.6, 0.8, -0.4, 0.6, -0.8}, u[6] = {0, 0, 0, 3, -3, 4};
  const crd_coulomb_contact contact = {
      .ntangent = 2, .nspin = 1, .nroll = 2, .mu = 0.5, .mu_spin = 0.25, .mu_roll = 0.5};
  double G[36] = {0}, w[6];
  for (int i = 0; i < 6; i++) G[7 * i] = g[i], w[i] = u[i] - g[i] * p[i];
  crd_coulomb_problem problem = {.n = 6, .w = w, .ncontact = 1, .contact = &contact, .G = G};
  crd_coulomb_residual_parts parts = residual_of(&problem, p);
  assert_near(parts.scale, 4, 0);
  assert_near(parts.friction, 0.3 / 4, 1e-15);
  assert_true(parts.normal == 0 && parts.row == 3);
  assert_int_equal(mode_of(&problem, p), CRD_MODE_STICK); /* of the tangents alone */
}

/* A coin of 2 kg and a radius of gyration of 0.1 m lands flat, spinning: g = 1 / 2 and 1 / 0.02 = 50, length 0.1. Left
 * spinning at 3 rad/s with no friction although 5 N m s were there, it misses 0.3 m/s of 1. In millimetres, and in
 * hours, too. */
static void spin_is_judged_in_any_unit_of_length(void **state) {
  (void)state;
  const double unit[] = {1, 1e3, 1e-6}, second[] = {1, 1, 3600};
  for (int k = 0; k < 3; k++) {
    double L = unit[k], T = second[k]; /* a metre and a second in these units; mass in kg */
    const crd_coulomb_contact contact = {.nspin = 1, .mu_spin = 2.5 * L};
    double G[4] = {0.5, 0, 0, 50 / (L * L)}, w[2] = {-1 * L / T, 3 / T}, p[2] = {2 * L / T, 0};
    crd_coulomb_problem problem = {.n = 2, .w = w, .ncontact = 1, .contact = &contact, .G = G};
    crd_coulomb_residual_parts parts = residual_of(&problem, p);
    assert_near(parts.friction, 0.3, 1e-15);
    assert_near(parts.scale, L / T, 1e-15 * L / T);
    assert_int_equal(parts.row, 1);
  }
}

/* Rows of a friction whose coefficient is zero carry nothing. */
static void friction_without_coefficient_carries_nothing(void **state) {
  (void)state;
  const crd_coulomb_contact contact = {.ntangent = 2, .nspin = 1, .nroll = 1};
  for (int row = 1; row < 5; row++) {
    double G[25] = {0}, w[5] = {-2, 1, 1, 1, 1}, p[5] = {2};
    for (int i = 0; i < 5; i++) G[6 * i] = i == 0 ? 1 : 2;
    crd_coulomb_problem problem = {.n = 5, .w = w, .ncontact = 1, .contact = &contact, .G = G};
    assert_near(residual_of(&problem, p).worst, 0, 0);
    p[row] = 0.25;
    assert_near(residual_of(&problem, p).friction, row < 3 ? 0.25 : 0.25 * sqrt(0.5), 1e-16); /* 2 * 0.25 of 2 */
    assert_int_equal(residual_of(&problem, p).row, row);
  }
}

/* p_t = -mu p_n slide whatever u_t; spin goes on by its own law. */
static void a_given_slide_fixes_the_friction(void **state) {
  (void)state;
  const crd_coulomb_contact contact = {
      .ntangent = 2, .nspin = 1, .mu = 0.5, .mu_spin = 1, .slides = true, .slide = {0.6, 0.8}};
  double G[16] = {0}, w[4] = {-2, -7, 3, 1}, p[4] = {2, -0.6, -0.8, -1};
  for (int i = 0; i < 4; i++) G[5 * i] = i == 2 ? 2 : 1;
  crd_coulomb_problem problem = {.n = 4, .w = w, .ncontact = 1, .contact = &contact, .G = G};
  assert_near(residual_of(&problem, p).worst, 0, 1e-16);
  assert_int_equal(mode_of(&problem, p), CRD_MODE_SLIP);
  p[2] = -0.45; /* 2 * (-0.45 + 0.8) = 0.7 of 7 */
  assert_near(residual_of(&problem, p).friction, 0.1, 1e-16);
  assert_int_equal(residual_of(&problem, p).row, 2);
  p[2] = -0.8, p[3] = 0; /* sticking, but u = 1: 1 of 7 */
  assert_near(residual_of(&problem, p).friction, 1.0 / 7, 1e-16);
  assert_int_equal(residual_of(&problem, p).row, 3);
}

/* ------------------------------------------------------------------------------------------- other rows */

/* Bilateral rows: | u | of the scale, nothing up to 1e-8 of the mechanism's velocity. */
static void bilateral_rows_count_above_their_share_of_the_velocity(void **state) {
  (void)state;
  const double G[1] = {2};
  const int row = 0;
  double w[1] = {-4}, p[1] = {1.5};
  crd_coulomb_problem problem = {.n = 1, .w = w, .nbilateral = 1, .bilateral = &row, .G = G};
  crd_coulomb_residual_parts parts = residual_of(&problem, p);
  assert_near(parts.bilateral, 0.25, 0); /* -4 + 3 of 4 */
  assert_true(parts.row == 0 && parts.worst == parts.bilateral);
  /* a velocity of 100 m/s allows 1e-6 and lets w = 1e-4 be the scale */
  problem.velocity = 100;
  p[0] = 0, w[0] = 0.99e-6;
  assert_near(residual_of(&problem, p).worst, 0, 0);
  w[0] = 2e-6;
  parts = residual_of(&problem, p);
  assert_near(parts.scale, 1e-4, 1e-19);
  assert_near(parts.bilateral, 0.02, 1e-16);
}

/* g = 2, bounds -1 and 3 are -2 and 6 in velocities: | 2 p - clamp(2 p - u) |. */
static void bounded_rows_count_what_their_clamp_changes(void **state) {
  (void)state;
  const double G[1] = {2};
  const struct {
    double lower, upper, p, u, expected; /* absolute */
  } rows[] = {
      {-1, 3, 0.5, 0, 0},                                     /* between, held */
      {-1, 3, -1, 2, 0},                                      /* at the lower bound, moving up */
      {-1, 3, -1, -2, 2},                                     /* at the lower bound, but moving down */
      {-1, 3, 3, -2, 0},                                      /* at the upper bound, moving down */
      {-1, 3, 3, 5, 5},                                       /* at the upper bound, but moving up: 6 - 1 */
      {-1, 3, 4, 0, 2},                                       /* above: 8 - 6 */
      {-1, 3, 2, 50, 6},                                      /* 4 - clamp(-46) = 6 */
      {0, INFINITY, 7, 0, 0},                                 /* a unilateral row */
      {0, INFINITY, 0, 3, 0}, {-INFINITY, INFINITY, 7, 3, 3}, /* a bilateral one */
      {2, 2, 2, -9, 0},                                       /* a given impulse */
      {2, 2, 1, 0, 2},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    const crd_coulomb_bounded bounded = {.lower = rows[k].lower, .upper = rows[k].upper};
    const double w[1] = {rows[k].u - 2 * rows[k].p};
    crd_coulomb_problem problem = {.n = 1, .w = w, .nbounded = 1, .bounded = &bounded, .G = G};
    crd_coulomb_residual_parts parts = residual_of(&problem, &rows[k].p);
    double scale = w[0] == 0 ? 1 : fabs(w[0]);
    assert_near(parts.bounded, rows[k].expected / scale, 1e-16);
    assert_int_equal(parts.row, rows[k].expected > 0 ? 0 : -1);
  }
}

static void the_worst_of_all_parts_is_named(void **state) {
  (void)state;
  const double G[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  const double w[4] = {-10, 1, 2, 3}, p[4] = {9.5, 0, 0, 0};
  const crd_coulomb_contact contact = {.ntangent = 1, .mu = 0.5};
  const int bilateral = 2;
  const crd_coulomb_bounded bounded = {3, -1, 1};
  crd_coulomb_problem problem = {.n = 4,
                                 .w = w,
                                 .ncontact = 1,
                                 .contact = &contact,
                                 .nbilateral = 1,
                                 .bilateral = &bilateral,
                                 .nbounded = 1,
                                 .bounded = &bounded,
                                 .G = G};
  crd_coulomb_residual_parts parts = residual_of(&problem, p);
  assert_near(parts.normal, 0.05, 1e-17);
  assert_near(parts.friction, 0.1, 1e-17);
  assert_near(parts.bilateral, 0.2, 1e-17);
  assert_near(parts.bounded, 0.1, 1e-17); /* 0 - clamp(-3) */
  assert_true(parts.worst == parts.bilateral && parts.row == 2 && parts.scale == 10);
}

/* The scale is at least 1e-6 of the velocity given, and 1 m/s where nothing moves at all. */
static void a_problem_without_rows_has_no_residual(void **state) {
  (void)state;
  crd_coulomb_problem problem = {.n = 0};
  crd_coulomb_residual_parts parts;
  assert_int_equal(crd_coulomb_residual(&problem, NULL, NULL, &parts), CRD_OK);
  assert_true(parts.worst == 0 && parts.row == -1 && parts.scale == 1);
  problem.velocity = 3;
  assert_int_equal(crd_coulomb_residual(&problem, NULL, NULL, &parts), CRD_OK);
  assert_near(parts.scale, 3e-6, 1e-21);
}

/* ------------------------------------------------------------------------------------------- forms of G */

enum { GROUPS = 4, N = 14, NV = 9 };

/* Groups of 3, 1, 6 and 4 rows; blocks between groups 0 and 3 are absent: their rows share no velocity. */
typedef struct forms {
  double J[N * NV], X[N * NV], G[N * N], value[N * N], w[N], p[N];
  int first_row[GROUPS + 1], first[GROUPS + 1], column[GROUPS * GROUPS];
  size_t offset[GROUPS * GROUPS];
} forms;

static void make_forms(forms *f, uint64_t seed) {
  random_stream stream = {.seed = seed};
  const int first_row[GROUPS + 1] = {0, 3, 4, 10, 14};
  memset(f, 0, sizeof *f);
  memcpy(f->first_row, first_row, sizeof first_row);
  for (int g = 0; g < GROUPS; g++)
    for (int i = first_row[g]; i < first_row[g + 1]; i++)
      for (int k = 0; k < NV; k++) {
        bool absent = (g == 0 && k >= 4) || (g == 3 && k < 4);
        f->J[NV * i + k] = absent ? 0 : random_in(&stream, -1, 1);
        f->X[NV * i + k] = absent ? 0 : (k + 1) * f->J[NV * i + k] + random_in(&stream, -0.1, 0.1); /* not symmetric */
      }
  for (int i = 0; i < N; i++) {
    f->w[i] = random_in(&stream, -1, 1), f->p[i] = random_in(&stream, -1, 1);
    for (int j = 0; j < N; j++)
      for (int k = 0; k < NV; k++) f->G[N * i + j] += f->J[NV * i + k] * f->X[NV * j + k];
  }
  int count = 0;
  size_t at = 0;
  for (int g = 0; g < GROUPS; g++) {
    f->first[g] = count;
    for (int h = 0; h < GROUPS; h++) {
      if ((g == 0 && h == 3) || (g == 3 && h == 0)) continue;
      f->column[count] = h, f->offset[count++] = at;
      for (int i = first_row[g]; i < first_row[g + 1]; i++)
        for (int j = first_row[h]; j < first_row[h + 1]; j++) f->value[at++] = f->G[N * i + j];
    }
  }
  f->first[GROUPS] = count;
}

static void the_three_forms_of_the_matrix_agree(void **state) {
  (void)state;
  const crd_coulomb_contact contact[2] = {
      {.row = 0, .ntangent = 2, .mu = 0.7, .target = 0.1},
      {.row = 4, .ntangent = 2, .nspin = 1, .nroll = 2, .mu = 0.4, .mu_spin = 0.2, .mu_roll = 0.3}};
  const int bilateral[3] = {3, 10, 12};
  const crd_coulomb_bounded bounded[2] = {{11, -0.2, 0.3}, {13, 0, INFINITY}};
  for (uint64_t seed = 0; seed < 50; seed++) {
    forms f;
    make_forms(&f, 500 + seed);
    const crd_coulomb_blocks blocks = {GROUPS, f.first_row, f.first, f.column, f.offset, f.value};
    crd_coulomb_problem dense = {.n = N,
                                 .w = f.w,
                                 .ncontact = 2,
                                 .contact = contact,
                                 .nbilateral = 3,
                                 .bilateral = bilateral,
                                 .nbounded = 2,
                                 .bounded = bounded,
                                 .velocity = 1,
                                 .G = f.G};
    crd_coulomb_problem by_blocks = dense, factored = dense;
    by_blocks.G = NULL, by_blocks.blocks = &blocks;
    factored.G = NULL, factored.J = f.J, factored.X = f.X, factored.nv = NV;
    const crd_coulomb_problem *form[3] = {&dense, &by_blocks, &factored};
    double u[3][N];
    crd_coulomb_residual_parts parts[3];
    crd_mode mode[3][2];
    for (int k = 0; k < 3; k++) {
      assert_int_equal(crd_coulomb_residual(form[k], f.p, u[k], &parts[k]), CRD_OK);
      crd_coulomb_modes(form[k], f.p, u[k], mode[k]);
      assert_true(max_difference(u[k], u[0], N) <= 1e-13); /* sums of 14 terms below 50, in another order */
      assert_near(parts[k].worst, parts[0].worst, 1e-13);
      assert_near(parts[k].normal, parts[0].normal, 1e-13);
      assert_near(parts[k].friction, parts[0].friction, 1e-13);
      assert_near(parts[k].bilateral, parts[0].bilateral, 1e-13);
      assert_near(parts[k].bounded, parts[0].bounded, 1e-13);
      assert_int_equal(parts[k].row, parts[0].row);
      assert_memory_equal(mode[k], mode[0], sizeof mode[0]);
    }
    for (int i = 0; i < N; i++) { /* by hand, in long double */
      long double sum = f.w[i];
      for (int j = 0; j < N; j++) sum += (long double)f.G[N * i + j] * f.p[j];
      assert_near(u[0][i], (double)sum, 1e-13);
    }
  }
}

/* ------------------------------------------------------------------------------------------- modes, bad numbers */

/* What is below 1e-10 of the velocities is no motion. */
static void rounding_is_neither_opening_nor_slip(void **state) {
  (void)state;
  const double G[4] = {1, 0, 0, 1}, none[2] = {0, 0}, pushes[2] = {1, -0.5};
  const crd_coulomb_contact contact = {.ntangent = 1, .mu = 0.5};
  double w[2] = {1e-11, 1};
  crd_coulomb_problem problem = {.n = 2, .w = w, .ncontact = 1, .contact = &contact, .G = G};
  assert_int_equal(mode_of(&problem, none), CRD_MODE_NONE);
  w[0] = 1e-9;
  assert_int_equal(mode_of(&problem, none), CRD_MODE_SEPARATE);
  w[0] = -1, w[1] = 0.5 + 1e-11; /* slips at 1e-11 beyond the limit of sticking */
  assert_int_equal(mode_of(&problem, pushes), CRD_MODE_STICK);
  w[1] = 0.5 + 1e-9;
  assert_int_equal(mode_of(&problem, pushes), CRD_MODE_SLIP);
}

/* u = w + 1e10 - 1e10: half a unit in the last place of 1 + 2e10 is what the sum may be wrong by. */
static void impulses_that_cancel_leave_a_rounding_error(void **state) {
  (void)state;
  const double G[4] = {1, -1, -1, 1}, J[2] = {1, -1}, w[2] = {-1, 1}, p[2] = {1e10, 1e10};
  const crd_coulomb_contact contact[2] = {{.row = 0}, {.row = 1}};
  crd_coulomb_problem problem = {.n = 2, .w = w, .ncontact = 2, .contact = contact, .G = G};
  assert_near(residual_of(&problem, p).rounding, (1 + 2e10) * DBL_EPSILON / 2, 1e-20);
  problem.G = NULL, problem.J = J, problem.X = J, problem.nv = 1;
  assert_near(residual_of(&problem, p).rounding, (1 + 2e10) * DBL_EPSILON / 2, 1e-20);
  const int first_row[3] = {0, 1, 2}, first[3] = {0, 2, 4}, column[4] = {0, 1, 0, 1};
  const size_t offset[4] = {0, 1, 2, 3};
  const crd_coulomb_blocks blocks = {2, first_row, first, column, offset, G};
  problem.J = problem.X = NULL, problem.blocks = &blocks;
  assert_near(residual_of(&problem, p).rounding, (1 + 2e10) * DBL_EPSILON / 2, 1e-20);
}

static void names_are_those_of_the_header(void **state) {
  (void)state;
  assert_string_equal(crd_coulomb_mode_name(CRD_MODE_NONE), "none");
  assert_string_equal(crd_coulomb_mode_name(CRD_MODE_SEPARATE), "separate");
  assert_string_equal(crd_coulomb_mode_name(CRD_MODE_STICK), "stick");
  assert_string_equal(crd_coulomb_mode_name(CRD_MODE_SLIP), "slip");
  assert_string_equal(crd_coulomb_method_name(CRD_COULOMB_AUTO), "auto");
  assert_string_equal(crd_coulomb_method_name(CRD_COULOMB_NEWTON), "newton");
  assert_string_equal(crd_coulomb_method_name(CRD_COULOMB_INTERIOR), "interior");
  assert_string_equal(crd_coulomb_method_name(CRD_COULOMB_SWEEPS), "sweeps");
  assert_string_equal(crd_coulomb_method_name(CRD_COULOMB_MODES), "modes");
}

static void what_is_not_finite_is_an_infinite_residual(void **state) {
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  const crd_coulomb_contact contact = {.ntangent = 1, .mu = 0.5};
  const int bilateral = 2;
  const crd_coulomb_bounded bounded = {3, -1, 1};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
    for (int row = 0; row < 4; row++)
      for (int in_w = 0; in_w < 2; in_w++) {
        double G[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, w[4] = {-1, 0, 0, 0}, p[4] = {1, 0, 0, 0},
               u[4];
        crd_coulomb_problem problem = {.n = 4,
                                       .w = w,
                                       .ncontact = 1,
                                       .contact = &contact,
                                       .nbilateral = 1,
                                       .bilateral = &bilateral,
                                       .nbounded = 1,
                                       .bounded = &bounded,
                                       .G = G};
        crd_coulomb_residual_parts parts;
        *(in_w ? &w[row] : &p[row]) = bad[k];
        assert_int_equal(crd_coulomb_residual(&problem, p, u, &parts), CRD_ERR_NUMBER);
        assert_true(parts.worst == INFINITY && parts.row >= 0);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_normal_counts_what_is_missing_of_its_complementarity),
      cmocka_unit_test(planar_friction_counts_the_distance_to_its_projection),
      cmocka_unit_test(spatial_friction_is_judged_on_the_round_cone),
      cmocka_unit_test(friction_without_load_is_an_error),
      cmocka_unit_test(spin_and_rolling_have_their_own_cones),
      cmocka_unit_test(spin_is_judged_in_any_unit_of_length),
      cmocka_unit_test(friction_without_coefficient_carries_nothing),
      cmocka_unit_test(a_given_slide_fixes_the_friction),
      cmocka_unit_test(bilateral_rows_count_above_their_share_of_the_velocity),
      cmocka_unit_test(bounded_rows_count_what_their_clamp_changes),
      cmocka_unit_test(the_worst_of_all_parts_is_named),
      cmocka_unit_test(a_problem_without_rows_has_no_residual),
      cmocka_unit_test(the_three_forms_of_the_matrix_agree),
      cmocka_unit_test(rounding_is_neither_opening_nor_slip),
      cmocka_unit_test(impulses_that_cancel_leave_a_rounding_error),
      cmocka_unit_test(names_are_those_of_the_header),
      cmocka_unit_test(what_is_not_finite_is_an_infinite_residual),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
