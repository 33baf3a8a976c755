/* Options, names and the step size used where none is given. */
#include <math.h>

#include "impact/normal_cone.h"
#include "outcome/engine.h"

enum { LEAST_FACETS = 4, MOST_FACETS = 256 };
static const double NEARLY_ELASTIC = 1e-9; /* what e^2 = 1 is taken to lack, so that a number of steps exists */

static const char *const PATTERN[CRD_OUTCOME_PATTERNS] = {"uniform", "switched",   "corners", "held",
                                                          "log",     "sequential", "mixed"};
static const char *const SELECTION[CRD_OUTCOME_SELECTIONS] = {"auto", "all-random", "lemke", "random-cover"};
static const char *const END[CRD_OUTCOME_ENDS] = {"done", "steps", "unsolved", "missing"};
static const char *const CLAIM[] = {"inner", "truncated", "epsilon-net", "exact"};

const char *crd_outcome_pattern_name(crd_outcome_pattern pattern) { return PATTERN[pattern]; }
const char *crd_outcome_selection_name(crd_outcome_selection selection) { return SELECTION[selection]; }
const char *crd_outcome_end_name(crd_outcome_end end) { return END[end]; }
const char *crd_outcome_claim_name(crd_outcome_claim claim) { return CLAIM[claim]; }

crd_outcome_options crd_outcome_default(void) {
  return (crd_outcome_options){.samples = 1 << 16,
                               .seed = 0,
                               .facets = 8,
                               .pattern = CRD_OUTCOME_UNIFORM,
                               .selection = CRD_OUTCOME_AUTO,
                               .tolerance = CRD_APPROACH,
                               .threads = 1,
                               .max_modes = 4096,
                               .delta = 0.01};
}

/* Largest normal impulse of the frictionless impact of all contacts without restitution; 0 where it has none. */
static double largest_together(const crd_contact_problem *problem) {
  crd_impact_result memory = {0};
  size_t nc = (size_t)problem->nc, m = (size_t)(problem->nrow + problem->nb);
  double *r = crd_arena_alloc(&memory.arena, nc, sizeof *r), *p = crd_arena_alloc(&memory.arena, m, sizeof *p),
         most = 0;
  bool shared;
  if (r && p && crd_normal_cone_solve(problem, r, &memory, p, &shared) == CRD_OK)
    for (int c = 0; c < problem->nc; c++) most = fmax(most, p[problem->contact[c].row]);
  crd_impact_result_free(&memory);
  return most;
}

double crd_outcome_default_h(const crd_contact_problem *problem) {
  int m = problem->nrow + problem->nb;
  double h = 0;
  for (int c = 0; c < problem->nc; c++) {
    int row = problem->contact[c].row;
    double W = problem->W[(size_t)m * (size_t)row + (size_t)row];
    if (W > 0) h = fmax(h, -problem->u_free[row] / W);
  }
  return h > 0 ? fmax(h, largest_together(problem)) : 1;
}

int crd_outcome_default_steps(const crd_contact_problem *problem, bool restitution) {
  enum { INELASTIC = 100, MOST = 1000000 };
  double e = 0;
  for (int c = 0; c < problem->nc && restitution; c++) e = fmax(e, problem->contact[c].e);
  if (!(e > 0)) return INELASTIC;
  return (int)fmin(INELASTIC * (1 + log(OUTCOME_EMPTY) / log(fmin(e * e, 1 - NEARLY_ELASTIC))), MOST);
}

double crd_outcome_rest_speed(const crd_contact_problem *problem, const crd_outcome_options *options) {
  double most = 0;
  for (int row = 0; row < problem->nrow; row++) most = fmax(most, crd_contact_problem_speed(problem, row));
  return options->tolerance * most;
}

static bool is_at_least_zero(double x) { return x >= 0 && isfinite(x); }

bool outcome_options_valid(const crd_outcome_options *o) {
  bool step = is_at_least_zero(o->h) && o->steps >= 0;
  bool count = o->samples >= 1 && o->samples <= (uint64_t)1 << 40 && o->first <= (uint64_t)1 << 62;
  bool cone = o->facets >= LEAST_FACETS && o->facets % 2 == 0 && o->facets <= MOST_FACETS;
  bool choice = o->pattern >= CRD_OUTCOME_UNIFORM && o->pattern < CRD_OUTCOME_PATTERNS &&
                o->selection >= CRD_OUTCOME_AUTO && o->selection < CRD_OUTCOME_SELECTIONS;
  bool work = o->threads >= 0 && o->max_modes >= 0;
  bool net = is_at_least_zero(o->epsilon) && o->delta > 0 && o->delta < 1 && !(o->epsilon > 0 && o->restitution);
  return step && count && cone && choice && work && net && is_at_least_zero(o->tolerance);
}
