/* Every method on the same friction problem, judged by the one residual. */
#include <math.h>
#include <stdlib.h>

#include "solve.h"

/* One method of cradle. The fastest of several runs counts: the first one takes its memory. */
static void by_cradle(crd_coulomb_work *work, const crd_coulomb_file *file, crd_coulomb_options options,
                      crd_coulomb_method method, crd_coulomb_state *state, solve_rival *rival) {
  crd_coulomb_report report = {0};
  crd_coulomb_residual_parts parts = {0};
  options.method = method;
  *rival = (solve_rival){.name = crd_coulomb_method_name(method), .cpu_s = HUGE_VAL};
  crd_status status = CRD_OK;
  for (int k = 0; k < SOLVE_REPEATS && status >= 0; k++) {
    double once = 0;
    status = solve_once(work, file, &options, state, &report, &once);
    rival->cpu_s = fmin(rival->cpu_s, once);
    if (once > SOLVE_LONG) break;
  }
  rival->status = crd_status_text(status);
  rival->answered = status == CRD_OK || status == CRD_LIMIT;
  for (int k = 0; k < CRD_COULOMB_METHODS; k++) rival->iterations += report.iterations[k];
  crd_coulomb_residual(&file->problem, state->p, state->u, &parts);
  rival->residual = parts.worst;
}

crd_status solve_compare(solve_friction_view *view, const crd_coulomb_options *options) {
  const crd_coulomb_problem *problem = &view->file->problem;
  const size_t n = (size_t)problem->n;
  crd_coulomb_state state = {calloc(n, sizeof(double)), calloc(n, sizeof(double)),
                             calloc((size_t)problem->ncontact + 1, sizeof(crd_mode))};
  crd_coulomb_work *work = crd_coulomb_work_new();
  const bool memory = work && state.p && state.u && state.mode;
  for (int method = CRD_COULOMB_AUTO; method < CRD_COULOMB_METHODS && memory; method++)
    by_cradle(work, view->file, *options, (crd_coulomb_method)method, &state, &view->rival[view->nrival++]);
  for (int which = 0; memory && view->nrival < SOLVE_RIVALS && solve_siconos_name(problem, which); which++) {
    solve_rival *rival = &view->rival[view->nrival++];
    crd_coulomb_residual_parts parts = {0};
    solve_siconos(problem, which, options->tolerance, state.p, rival);
    if (rival->answered) crd_coulomb_residual(problem, state.p, state.u, &parts);
    rival->residual = parts.worst;
  }
  crd_coulomb_work_free(work);
  free(state.p), free(state.u), free(state.mode);
  return memory ? CRD_OK : CRD_ERR_MEMORY;
}
