/* newton: restitution of every contact's normal velocity with Coulomb friction, [Brogliato, (66)-(75)] with errata
 * C-25.
 *
 *   0 <= p_n _|_ u_n+ + e u_n- >= 0                 u_n+ = -e u_n- where the contact pushes, (67)
 *   p_t in -mu p_n Sgn(u_t+ + e_t u_t-)             (66)
 *
 * The paper's mode (68) leaves the complementarity open: a contact that would have to pull separates instead
 * and may leave faster than e asks. With w = u+ + E u- that is a Coulomb problem (cradle/coulomb.h). All modes are
 * tried and all solutions reported; the law may have none, several, and it may gain energy (Kane's double pendulum).
 * Where there are too many modes one solution is given. One coefficient mu is used for sticking and slipping, as in
 * (66). Spinning and rolling, which the paper does not have, are bounded likewise, with no restitution. Impulses that are not determined by the velocities (hyperstatic contact) count as one solution. A restitution
 * matrix, where the problem has one, stands for diag(e) as E_nn of (67), on quasi-velocities.
 */
#include <cradle/coulomb.h>
#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "impact/impact.h"
#include "impact/laws.h"
#include "impact/oblique.h"
#include "impact/quasi.h"

/* E u- in the normal row of a contact (t = 0) or a tangent row. */
static double rebound(const crd_contact_problem *problem, const crd_impact_options *options, const crd_quasi *quasi,
                      int c, int t) {
  if (t > 0) return problem->contact[c].e_t * problem->u[problem->contact[c].row + t];
  return quasi->norm[c] * crd_quasi_rebound(quasi, problem, options, c);
}

/* The problem of w = u+ + E u- with `n` rows of compliance W and velocities u_free without contact: the contacts' rows,
 * and behind them bilateral ones or none. */
static crd_status pose(const crd_contact_problem *problem, const crd_impact_options *options, int n, const double *W,
                       const double *u_free, crd_arena *arena, crd_coulomb_problem *coulomb) {
  crd_quasi quasi;
  crd_coulomb_contact *contact;
  double *w;
  int *bilateral;
  if (CRD_TAKE(arena, CRD_ARRAY(contact, problem->nc), CRD_ARRAY(w, n),
               CRD_ARRAY(bilateral, (size_t)(n - problem->nrow))))
    return CRD_ERR_MEMORY;
  crd_status status = crd_quasi_normal(&quasi, problem, arena);
  if (status != CRD_OK) return status;
  memcpy(w, u_free, sizeof *w * (size_t)n);
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *own = &problem->contact[c];
    contact[c] = crd_impact_coulomb_contact(own);
    for (int t = 0; t <= own->ntangent; t++) w[own->row + t] += rebound(problem, options, &quasi, c, t);
  }
  for (int i = problem->nrow; i < n; i++) bilateral[i - problem->nrow] = i;
  *coulomb = (crd_coulomb_problem){.n = n,
                                   .w = w,
                                   .ncontact = problem->nc,
                                   .contact = contact,
                                   .nbilateral = n - problem->nrow,
                                   .bilateral = bilateral,
                                   .G = W,
                                   .velocity = crd_impact_scale_of(problem).velocity};
  return CRD_OK;
}

typedef struct newton_law {
  const crd_contact_problem *problem;
  const crd_impact_options *options;
  crd_impact_result *result;
  crd_bilateral bilateral;     /* rows that are eliminated */
  crd_coulomb_problem coulomb; /* what remains */
} newton_law;

/* A planar contact slips along (+) or against (-) its tangent. */
static const char *word_of(const newton_law *law, const crd_coulomb_solution *solution, int c) {
  const crd_coulomb_contact *contact = &law->coulomb.contact[c];
  const double *p = solution->p + contact->row, *w = solution->u + contact->row;
  if (solution->mode[c] == CRD_MODE_STICK && (contact->ntangent == 0 || !(contact->mu > 0))) return "push";
  if (solution->mode[c] != CRD_MODE_SLIP || contact->ntangent > 1) return crd_coulomb_mode_name(solution->mode[c]);
  double along = w[1] != 0 ? w[1] : -p[1];
  return along > 0 ? "slip+" : "slip-";
}

/* "stick/slip+/separate", in the order of the contacts; frictionless contacts push. */
static const char *label_of(const newton_law *law, const crd_coulomb_solution *solution) {
  int nc = law->problem->nc;
  char *text = crd_arena_alloc(&law->result->arena, (size_t)nc + 1, sizeof "separate/");
  if (!text) return NULL;
  for (int c = 0; c < nc; c++) {
    if (c > 0) strcat(text, "/");
    strcat(text, word_of(law, solution, c));
  }
  return text;
}

static crd_status add(const newton_law *law, const crd_coulomb_solution *solution) {
  crd_impact_solution *s = crd_impact_add(law->result, law->problem);
  if (!s || !(s->label = label_of(law, solution))) return CRD_ERR_MEMORY;
  memcpy(s->p, solution->p, sizeof *s->p * (size_t)law->problem->nrow);
  crd_bilateral_impulses(&law->bilateral, law->problem, s->p);
  return CRD_OK;
}

static crd_status describe(const newton_law *law, const crd_coulomb_solutions *all) {
  crd_impact_result *result = law->result;
  crd_status told = CRD_OK;
  if (all->status == CRD_LIMIT)
    told = crd_impact_note(result, "the limit of %d solutions was reached", law->options->max_solutions);
  if (told == CRD_OK && result->count > 1)
    told = crd_impact_note(result, "%d different outcomes satisfy the law", result->count);
  if (told == CRD_OK && all->searched)
    told = crd_impact_note(result,
                           "slip directions of several spatial contacts were searched for: more outcomes may exist");
  if (told == CRD_OK && result->count > 0 && !crd_coulomb_judge(all).forces_unique)
    told = crd_impact_note(result, "impulses are not determined by the law (hyperstatic contact); one choice is given");
  if (told == CRD_OK && all->every_slip)
    told = crd_impact_note(result, "a contact may slip in a continuum of directions; one is given");
  return told;
}

/* One solution by the solver: in place of all of them, where one is asked for or the modes are too many. */
static crd_status solve_for_one(const newton_law *law) {
  int n = law->coulomb.n, nc = law->coulomb.ncontact;
  double *p = crd_impact_scratch(law->result, (size_t)n), *u = crd_impact_scratch(law->result, (size_t)n);
  crd_mode *mode = crd_arena_alloc(&law->result->arena, (size_t)nc, sizeof *mode);
  crd_coulomb_work *work = crd_impact_coulomb(law->result);
  crd_status status = CRD_ERR_MEMORY;
  if (p && u && mode && work) {
    crd_coulomb_state state = {.p = p, .u = u, .mode = mode};
    crd_coulomb_options options = crd_coulomb_default();
    options.stop = law->options->stop, options.context = law->options->context;
    status = crd_coulomb_solve(work, &law->coulomb, &options, &state, NULL);
  }
  if (status < 0) return status;
  if (status == CRD_OK) {
    for (int c = 0; c < nc; c++)
      if (mode[c] == CRD_MODE_NONE) mode[c] = CRD_MODE_SEPARATE;
    status = add(law, &(crd_coulomb_solution){.p = p, .u = u, .mode = mode});
  } else if (status == CRD_LIMIT) {
    status = CRD_UNKNOWN;
  }
  return status;
}

/* One solution of a problem with too many modes. */
static crd_status one_of_many(const newton_law *law) {
  const int nc = law->coulomb.ncontact;
  crd_status status = solve_for_one(law);
  if (status < 0) return status;
  crd_status told = crd_impact_note(
      law->result,
      law->result->count
          ? "one outcome of possibly several: %d contacts have too many modes for all of them to be tried"
          : "%d contacts have too many modes, and the solver found no solution",
      nc);
  return told != CRD_OK ? told : status;
}

static crd_status every_solution(const newton_law *law, crd_coulomb_solutions *all) {
  if (law->options->max_solutions == 1) { /* without the modes, which tell whether there is one at all */
    crd_status status = solve_for_one(law);
    if (status <= CRD_OK) return status;
  }
  crd_coulomb_enumerate_options options = crd_coulomb_enumerate_default();
  options.tolerance = 0.1 * law->options->tolerance;
  options.merge_tolerance = law->options->tolerance;
  options.max_solutions = law->options->max_solutions;
  options.stop = law->options->stop, options.context = law->options->context;
  crd_status status = crd_coulomb_enumerate(&law->coulomb, &options, all);
  if (status < 0) return status;
  if (status == CRD_LIMIT && all->modes == 0) return one_of_many(law);
  crd_status told = CRD_OK;
  for (int k = 0; k < all->count && told == CRD_OK; k++) told = add(law, &all->solution[k]);
  if (told == CRD_OK) told = describe(law, all);
  return told == CRD_OK ? status : told;
}

static crd_status resolve(const crd_contact_problem *problem, const crd_impact_options *options,
                          crd_impact_result *result) {
  newton_law law = {.problem = problem, .options = options, .result = result};
  crd_coulomb_solutions all = {0};
  crd_status status = crd_bilateral_eliminate(&law.bilateral, problem, &result->arena);
  if (status == CRD_OK)
    status = pose(problem, options, problem->nrow, law.bilateral.W, law.bilateral.u_free, &result->arena, &law.coulomb);
  if (status == CRD_OK) status = every_solution(&law, &all);
  crd_coulomb_solutions_free(&all);
  return status;
}

static double residual(const crd_contact_problem *problem, const crd_impact_options *options, const double *p) {
  crd_arena arena = {0};
  crd_coulomb_problem coulomb;
  crd_coulomb_residual_parts parts = {.worst = INFINITY};
  double *w = crd_arena_alloc(&arena, (size_t)crd_impact_rows(problem), sizeof *w);
  if (w && pose(problem, options, crd_impact_rows(problem), problem->W, problem->u_free, &arena, &coulomb) == CRD_OK)
    crd_coulomb_residual(&coulomb, p, w, &parts);
  crd_arena_free(&arena);
  return parts.worst;
}

const crd_impact_law crd_law_newton = {.name = "newton",
                                       .title = "Newton's restitution with Coulomb friction",
                                       .source = "Brogliato, (66)-(75)",
                                       .dissipative = false,
                                       .turning = CRD_TURNING_CARRIED,
                                       .resolve = resolve,
                                       .residual = residual};
