/* A contact problem with Coulomb friction: solved by one method, judged by the residual, compared with others. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "progress.h"
#include "solve.h"

double solve_cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The guess: impulses of the file or none, modes of the file or those that the impulses show. */
static void set_guess(const crd_coulomb_file *file, crd_coulomb_state *state) {
  const crd_coulomb_problem *problem = &file->problem;
  crd_coulomb_residual_parts parts;
  for (int i = 0; i < problem->n; i++) state->p[i] = file->p ? file->p[i] : 0;
  for (int k = 0; k < problem->ncontact; k++) state->mode[k] = file->mode ? file->mode[k] : CRD_MODE_NONE;
  if (!file->mode && crd_coulomb_residual(problem, state->p, state->u, &parts) == CRD_OK)
    crd_coulomb_modes(problem, state->p, state->u, state->mode);
}

crd_status solve_once(crd_coulomb_work *work, const crd_coulomb_file *file, const crd_coulomb_options *options,
                      crd_coulomb_state *state, crd_coulomb_report *report, double *cpu_s) {
  set_guess(file, state);
  const double start = solve_cpu();
  crd_status status = crd_coulomb_solve(work, &file->problem, options, state, report);
  *cpu_s = solve_cpu() - start;
  return status;
}

static bool wants_to_stop(void *context) {
  (void)context;
  return cli_interrupted();
}

/* The method of that name, which the parser has looked at. */
static crd_coulomb_method find_method(const char *name) {
  int method = 0;
  while (method < CRD_COULOMB_METHODS && strcmp(name, crd_coulomb_method_name((crd_coulomb_method)method)) != 0)
    method++;
  return (crd_coulomb_method)method;
}

static bool set_options(const crd_coulomb_file *file, const solve_options *asked, crd_coulomb_options *options) {
  *options = crd_coulomb_default();
  options->method = asked->method ? find_method(asked->method) : CRD_COULOMB_AUTO;
  options->warm = asked->warm, options->stop = wants_to_stop;
  if (!isnan(asked->tolerance)) options->tolerance = options->large_tolerance = asked->tolerance;
  if (asked->warm && !file->p && !file->mode) {
    cli_complain("solve", "--warm: found no guess in the file, expected one (JSON: guess.p, guess.mode)");
    return false;
  }
  return true;
}

/* The verdict, whatever the method said of itself: no `ok` above the tolerance. */
static crd_status run(solve_friction_view *view, const crd_coulomb_options *options) {
  const crd_coulomb_problem *problem = &view->file->problem;
  crd_coulomb_state state = {view->p, view->u, view->mode};
  crd_coulomb_work *work = crd_coulomb_work_new();
  if (!work) return CRD_ERR_MEMORY;
  view->status = solve_once(work, view->file, options, &state, &view->report, &view->cpu_s);
  crd_coulomb_work_free(work);
  if (view->status < 0) return view->status;
  crd_coulomb_residual(problem, view->p, view->u, &view->residual);
  const bool large = problem->ncontact > options->large_contacts;
  const double tolerance = large ? fmax(options->tolerance, options->large_tolerance) : options->tolerance;
  if (view->status == CRD_OK && !(view->residual.worst <= tolerance)) view->status = CRD_LIMIT;
  return CRD_OK;
}

/* A refusal of the solver names the row. */
static int complain(const solve_friction_view *view, crd_status status) {
  if (view->report.row >= 0)
    cli_complain("solve", "%s: %s: row %d", view->input, crd_status_text(status), view->report.row);
  else
    cli_complain("solve", "%s: %s", view->input, crd_status_text(status));
  return cli_exit_code(status);
}

static int print(const solve_friction_view *view, const solve_options *asked) {
  cli_output output;
  bool done = true;
  if (!cli_output_begin(&output)) return CLI_SYSTEM;
  if (asked->json || asked->output)
    done = solve_print_json(output.file, view);
  else
    solve_print_text(output.file, view), cli_output_fit(&output);
  return cli_output_end(&output, asked->output, done ? cli_exit_code(view->status) : CLI_SYSTEM);
}

int solve_friction(const char *input, const crd_coulomb_file *file, const solve_options *asked) {
  const size_t n = (size_t)file->problem.n, contacts = (size_t)file->problem.ncontact;
  solve_friction_view view = {.input = input, .file = file};
  crd_coulomb_options options;
  crd_error err = {0};
  cli_progress interruptible;
  if (!set_options(file, asked, &options)) return CLI_BAD_INPUT;
  if (asked->problem && crd_io_write_coulomb(asked->problem, file, &err)) {
    cli_report(&err);
    return CLI_SYSTEM;
  }
  if (asked->problem) cli_wrote(asked->problem);
  cli_progress_begin(&interruptible, "solve", "iterations", 1);
  view.p = calloc(n, sizeof *view.p), view.u = calloc(n, sizeof *view.u);
  view.mode = calloc(contacts + 1, sizeof *view.mode);
  crd_status status = view.p && view.u && view.mode ? run(&view, &options) : CRD_ERR_MEMORY;
  if (!status && asked->compare) status = solve_compare(&view, &options);
  int code = status ? complain(&view, status) : print(&view, asked);
  free(view.p), free(view.u), free(view.mode);
  return code;
}
