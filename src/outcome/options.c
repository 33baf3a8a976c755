/* Options, names and the step size used where none is given. */
#include <math.h>

#include "outcome/engine.h"

static const char *const PATTERN[CRD_OUTCOME_PATTERNS] = {"uniform", "switched",   "corners", "held",
                                                          "log",     "sequential", "mixed"};
static const char *const SELECTION[CRD_OUTCOME_SELECTIONS] = {"auto", "all-random", "lemke", "random-cover"};
static const char *const END[CRD_OUTCOME_ENDS] = {"done", "steps", "unsolved", "missing"};
static const char *const CLAIM[] = {"inner", "truncated", "exact"};

const char *crd_outcome_pattern_name(crd_outcome_pattern pattern) { return PATTERN[pattern]; }
const char *crd_outcome_selection_name(crd_outcome_selection selection) { return SELECTION[selection]; }
const char *crd_outcome_end_name(crd_outcome_end end) { return END[end]; }
const char *crd_outcome_claim_name(crd_outcome_claim claim) { return CLAIM[claim]; }

crd_outcome_options crd_outcome_default(void) {
  return (crd_outcome_options){.steps = 100,
                               .samples = 1 << 16,
                               .seed = 1,
                               .facets = 8,
                               .pattern = CRD_OUTCOME_UNIFORM,
                               .selection = CRD_OUTCOME_AUTO,
                               .tolerance = 1e-8,
                               .threads = 1,
                               .max_modes = 4096};
}

double crd_outcome_default_h(const crd_contact_problem *problem) {
  int m = problem->nrow + problem->nb;
  double h = 0;
  for (int c = 0; c < problem->nc; c++) {
    int row = problem->contact[c].row;
    double W = problem->W[(size_t)m * (size_t)row + (size_t)row];
    if (W > 0) h = fmax(h, -problem->u_free[row] / W);
  }
  return h > 0 ? h : 1;
}

bool outcome_options_valid(const crd_outcome_options *o) {
  bool step = o->h >= 0 && isfinite(o->h) && o->steps >= 1;
  bool count = o->samples >= 1 && o->samples <= (uint64_t)1 << 40 && o->first <= (uint64_t)1 << 62;
  bool cone = o->facets >= 4 && o->facets % 2 == 0 && o->facets <= 256;
  bool choice = o->pattern >= CRD_OUTCOME_UNIFORM && o->pattern < CRD_OUTCOME_PATTERNS &&
                o->selection >= CRD_OUTCOME_AUTO && o->selection < CRD_OUTCOME_SELECTIONS;
  return step && count && cone && choice && o->tolerance >= 0 && isfinite(o->tolerance) && o->threads >= 0 &&
         o->max_modes >= 0;
}
