/* newton: restitution of every contact's normal velocity with Coulomb friction, [Brogliato, (66)-(75)] with errata
 * C-25.
 *
 *   0 <= p_n _|_ u_n+ + e u_n- >= 0                 u_n+ = -e u_n- where the contact pushes, (67)
 *   p_t in -mu p_n Sgn(u_t+ + e_t u_t-)             (66)
 *
 * The complementarity is what the paper's mode (68) leaves open: a contact that would have to pull separates instead
 * and may leave faster than e asks. All modes are tried and all solutions reported; the law may have none, several, and
 * it may gain energy (Kane's double pendulum). One coefficient mu is used for sticking and slipping, as in (66).
 * Impulses that are not determined by the velocities (hyperstatic contact) count as one solution. A restitution matrix,
 * where the problem has one, stands for diag(e) as E_nn of (67), on quasi-velocities.
 */
#include <math.h>
#include <string.h>

#include "impact/coulomb.h"
#include "impact/facet_lcp.h"
#include "impact/impact.h"
#include "impact/laws.h"
#include "impact/oblique.h"
#include "impact/quasi.h"
#include "linalg/dense.h"

typedef struct newton_problem {
  crd_bilateral bilateral;
  crd_quasi quasi;
  crd_cones coulomb;
} newton_problem;

/* E u- in the normal row of a contact (t = 0) or a tangent row. */
static double rebound(const crd_contact_problem *problem, const crd_impact_options *options, const crd_quasi *quasi,
                      int c, int t) {
  if (t > 0) return problem->contact[c].e_t * problem->u[problem->contact[c].row + t];
  return quasi->norm[c] * crd_quasi_rebound(quasi, problem, options, c);
}

/* w = u+ + E u- in contact space, the bilateral rows eliminated. */
static crd_status set_up(newton_problem *newton, const crd_contact_problem *problem, const crd_impact_options *options,
                         crd_arena *arena) {
  crd_impact_scale scale = crd_impact_scale_of(problem);
  crd_cones_contact *contact = crd_arena_alloc(arena, (size_t)problem->nc, sizeof *contact);
  double *b = crd_arena_alloc(arena, (size_t)problem->nrow, sizeof *b);
  if (!contact || !b) return CRD_ERR_MEMORY;
  crd_status status = crd_bilateral_eliminate(&newton->bilateral, problem, arena);
  if (status == CRD_OK) status = crd_quasi_normal(&newton->quasi, problem, arena);
  if (status != CRD_OK) return status;
  for (int c = 0; c < problem->nc; c++) {
    contact[c] = crd_cones_contact_of(&problem->contact[c]);
    for (int t = 0; t <= problem->contact[c].ntangent; t++) {
      int r = contact[c].row + t;
      b[r] = newton->bilateral.u_free[r] + rebound(problem, options, &newton->quasi, c, t);
    }
  }
  newton->coulomb = (crd_cones){.nc = problem->nc,
                                .m = problem->nrow,
                                .contact = contact,
                                .W = newton->bilateral.W,
                                .b = b,
                                .velocity = scale.velocity,
                                .impulse = scale.impulse,
                                .tolerance = options->tolerance,
                                .starts = 16};
  return CRD_OK;
}

/* The solutions found so far, told apart by their velocities. */
typedef struct collection {
  const newton_problem *newton;
  const crd_contact_problem *problem;
  const crd_impact_options *options;
  crd_impact_result *result;
  double *w;  /* max_solutions x nrow */
  bool freed; /* a solution's impulses are not determined */
} collection;

static bool known(const collection *all, const crd_cones_answer *answer) {
  int m = all->problem->nrow;
  for (int k = 0; k < all->result->count; k++) {
    double difference = 0;
    for (int i = 0; i < m; i++)
      difference = fmax(difference, fabs(answer->w[i] - all->w[(size_t)m * (size_t)k + (size_t)i]));
    if (difference <= all->options->tolerance * all->newton->coulomb.velocity) return true;
  }
  return false;
}

static const char *const mode_word[] = {[CRD_CONES_STICK] = "stick",
                                        [CRD_CONES_SLIP_PLUS] = "slip+",
                                        [CRD_CONES_SLIP_MINUS] = "slip-",
                                        [CRD_CONES_SLIP] = "slip",
                                        [CRD_CONES_SEPARATE] = "separate"};

/* "stick/slip+/separate", in the order of the contacts; frictionless contacts push. */
static const char *label_of(const collection *all, const crd_cones_answer *answer) {
  int nc = all->problem->nc;
  char *text = crd_arena_alloc(&all->result->arena, (size_t)nc + 1, sizeof "separate/");
  if (!text) return NULL;
  for (int c = 0; c < nc; c++) {
    bool pushes = answer->mode[c] == CRD_CONES_STICK && all->newton->coulomb.contact[c].ntangent == 0;
    if (c > 0) strcat(text, "/");
    strcat(text, pushes ? "push" : mode_word[answer->mode[c]]);
  }
  return text;
}

static crd_status collect(void *context, const crd_cones_answer *answer) {
  collection *all = context;
  int m = all->problem->nrow;
  all->freed |= answer->freedom > 0;
  if (known(all, answer)) return CRD_OK;
  if (all->result->count == all->options->max_solutions) return CRD_LIMIT;
  memcpy(all->w + (size_t)m * (size_t)all->result->count, answer->w, sizeof *answer->w * (size_t)m);
  crd_impact_solution *s = crd_impact_add(all->result, all->problem);
  if (!s || !(s->label = label_of(all, answer))) return CRD_ERR_MEMORY;
  memcpy(s->p, answer->p, sizeof *answer->p * (size_t)m);
  crd_bilateral_impulses(&all->newton->bilateral, all->problem, s->p);
  return CRD_OK;
}

static crd_status describe(const collection *all, const crd_cones_report *report, crd_status status) {
  crd_impact_result *result = all->result;
  crd_status told = CRD_OK;
  if (status == CRD_LIMIT)
    told = crd_impact_note(result, "the limit of %d solutions was reached", all->options->max_solutions);
  if (told == CRD_OK && result->count > 1)
    told = crd_impact_note(result, "%d different outcomes satisfy the law", result->count);
  if (told == CRD_OK && report->searched)
    told = crd_impact_note(result,
                           "slip directions of several spatial contacts were searched for: more outcomes may exist");
  if (told == CRD_OK && all->freed)
    told = crd_impact_note(result, "impulses are not determined by the law (hyperstatic contact); one choice is given");
  if (told == CRD_OK && report->every_slip)
    told = crd_impact_note(result, "a contact may slip in a continuum of directions; one is given");
  return told;
}

/* If W is positive definite, the number of solutions is odd but for borderline cases: the problem can be deformed into
 * the frictionless one, which has a single solution, and its solutions stay bounded on the way (p' w <= 0 excludes p <>
 * 0 with b = 0), so that they appear and vanish in pairs. An even number therefore says that the search missed
 * something. */
static crd_status enumerate(newton_problem *newton, collection *all, crd_cones_report *report) {
  crd_status status = crd_cones_enumerate(&newton->coulomb, all->result, collect, all, report);
  if (status != CRD_OK || !report->searched || all->result->count % 2 == 1) return status;
  int m = all->problem->nrow;
  double *L = crd_impact_scratch(all->result, (size_t)m * (size_t)m);
  if (!L) return CRD_ERR_MEMORY;
  memcpy(L, newton->coulomb.W, sizeof *L * (size_t)m * (size_t)m);
  if (!crd_dense_cholesky(m, L)) return status;
  newton->coulomb.starts = 256;
  return crd_cones_enumerate(&newton->coulomb, all->result, collect, all, report);
}

/* One solution of a problem with too many modes: that of facetted friction, which is exact for planar contacts,
 * improved to the round cone in the mode it suggests; with more facets where that fails. */
static crd_status one_solution(const newton_problem *newton, collection *all) {
  const crd_contact_problem *problem = all->problem;
  crd_impact_result *result = all->result;
  int m = crd_impact_rows(problem), facets = all->options->facets;
  double *u = crd_impact_scratch(result, (size_t)m), *p = crd_impact_scratch(result, (size_t)m);
  if (!u || !p) return CRD_ERR_MEMORY;
  for (int i = problem->nrow; i < m; i++) u[i] = problem->u_free[i];
  for (int c = 0; c < problem->nc; c++)
    for (int t = 0; t <= problem->contact[c].ntangent; t++) {
      int r = problem->contact[c].row + t;
      u[r] = problem->u_free[r] + rebound(problem, all->options, &newton->quasi, c, t);
    }
  crd_status status = CRD_OK;
  for (int attempt = 0; attempt < 3 && status == CRD_OK && result->count == 0; attempt++, facets *= 2) {
    crd_facet_lcp lcp;
    status = crd_facet_lcp_begin(&lcp, problem, facets, result);
    if (status == CRD_OK) status = crd_facet_lcp_resolve(&lcp, CRD_ALL_CONTACTS, u, p);
    if (status == CRD_OK) status = crd_cones_improve(&newton->coulomb, result, p, CRD_CONES_LOADED, collect, all);
  }
  if (status != CRD_OK) return status;
  crd_status told = crd_impact_note(
      result,
      result->count ? "one outcome of possibly several: %d contacts have too many modes for all of them to be tried"
                    : "%d contacts have too many modes, and the facetted solution led to none",
      problem->nc);
  return told != CRD_OK || result->count ? told : CRD_UNKNOWN;
}

static crd_status resolve(const crd_contact_problem *problem, const crd_impact_options *options,
                          crd_impact_result *result) {
  newton_problem newton;
  crd_status status = set_up(&newton, problem, options, &result->arena);
  if (status != CRD_OK) return status;
  size_t m = (size_t)problem->nrow;
  collection all = {.newton = &newton, .problem = problem, .options = options, .result = result};
  all.w = crd_impact_scratch(result, m * (size_t)options->max_solutions);
  if (!all.w) return CRD_ERR_MEMORY;
  crd_cones_report report;
  status = enumerate(&newton, &all, &report);
  if (status < 0) return status;
  if (status == CRD_LIMIT && report.modes == 0) return one_solution(&newton, &all);
  crd_status told = describe(&all, &report, status);
  if (told != CRD_OK) return told;
  if (status != CRD_OK || result->count > 0) return status;
  return report.searched || report.undecided ? CRD_UNKNOWN : CRD_NO_SOLUTION;
}

static double residual(const crd_contact_problem *problem, const crd_impact_options *options, const double *p) {
  crd_impact_scale scale = crd_impact_scale_of(problem);
  crd_arena arena = {0};
  crd_quasi quasi;
  int m = crd_impact_rows(problem);
  double worst = crd_quasi_normal(&quasi, problem, &arena) == CRD_OK ? 0 : INFINITY;
  for (int c = 0; c < problem->nc && isfinite(worst); c++) {
    crd_cones_contact contact = crd_cones_contact_of(&problem->contact[c]);
    double w[3];
    for (int t = 0; t <= contact.ntangent; t++) {
      int r = contact.row + t;
      double plus = problem->u_free[r] + crd_dense_dot(m, problem->W + (size_t)m * (size_t)r, p);
      w[t] = plus + rebound(problem, options, &quasi, c, t);
    }
    worst = fmax(worst, crd_cones_residual(&contact, p + contact.row, w, scale.velocity, scale.impulse));
    for (int t = contact.ntangent + 1; t <= problem->contact[c].ntangent; t++)
      worst = fmax(worst, fabs(p[contact.row + t]) / scale.impulse);
  }
  crd_arena_free(&arena);
  return worst;
}

const crd_impact_law crd_law_newton = {.name = "newton",
                                       .title = "Newton's restitution with Coulomb friction",
                                       .source = "Brogliato, (66)-(75)",
                                       .dissipative = false,
                                       .resolve = resolve,
                                       .residual = residual};
