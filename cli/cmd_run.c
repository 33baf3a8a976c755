/* cradle run: simulates a mechanism through contact, collision and friction. */
#define _POSIX_C_SOURCE 200809L
#include <cradle/tree.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "run.h"
#include "view.h"

typedef struct run_settings {
  cli_common common;
  double time, dt, rtol, atol, accuracy;
  const char *integrator, *law, *formulation, *torque, *hold, *repeat, *from, *html;
  view_picture picture;
  uint64_t steps, every, runs, facets, max_impacts;
  bool strict_start, ignore_overlaps, as_stated;
} run_settings;

/* ------------------------------------------------------------------------------------------------ options */

/* The parser has seen to it that the name is one of the table's. */
static crd_sim_integrator find_integrator(const char *name) {
  int i = CRD_SIM_RK4;
  while (i < CRD_SIM_MOREAU && strcmp(name, crd_sim_integrator_name((crd_sim_integrator)i)) != 0) i++;
  return (crd_sim_integrator)i;
}

/* false after a message. */
static bool check_settings(const run_settings *s) {
  int wrong = 0;
  if (!isnan(s->time) && s->steps > 0) {
    wrong = cli_complain("run", "found --time and --steps, expected one of them");
  } else if (s->torque && strcmp(s->formulation, "full") == 0) {
    wrong =
        cli_complain("run", "--torque: found it with --formulation full, where joints are constraints, expected tree");
  } else if (s->runs > 1 && strcmp(s->law, "routh") != 0) {
    wrong = cli_complain(
        "run", "--runs: found the law %s, which gives the same motion every time, expected --law routh", s->law);
  } else if (s->runs > 1000000 || s->facets > 1024 || s->max_impacts > 1000000 || s->common.threads > 1024) {
    wrong = cli_complain("run", "expected at most 1000000 --runs and --max-impacts, 1024 --facets and --threads");
  } else if (s->steps > INT64_MAX / 2 || s->every > INT64_MAX / 2) {
    wrong = cli_complain("run", "--steps, --every: expected fewer");
  }
  return !wrong;
}

/* The options of the simulation, complete: what is said nowhere comes from the model. */
static bool set_options(const run_settings *s, const crd_model *model, crd_trace_header *header) {
  crd_sim_options *o = &header->options;
  *o = crd_sim_default();
  o->timestep = isnan(s->dt) ? model->timestep : s->dt;
  o->mu = s->common.mu, o->e = s->common.e, o->seed = s->common.seed;
  o->facets = (int)s->facets, o->max_impacts = (int)s->max_impacts;
  if (s->runs <= 1) o->threads = (int)s->common.threads;
  o->clear_start = !s->strict_start, o->ignore_torsion = s->common.lenient;
  o->ignore_overlaps = s->ignore_overlaps || s->common.lenient;
  o->as_stated = s->as_stated;
  o->relative_tolerance = s->rtol, o->absolute_tolerance = s->atol, o->accuracy = s->accuracy;
  header->time = s->steps > 0 ? (double)s->steps * o->timestep : isnan(s->time) ? 1 : s->time;
  header->every = (int64_t)s->every, header->lenient = s->common.lenient, header->formulation = s->formulation;
  o->integrator = find_integrator(s->integrator), o->law = crd_impact_find(s->law);
  if (o->timestep > 0 && header->time / o->timestep < 9e15) return true;
  cli_complain("run", "found %g s in steps of %g s, expected a positive step and fewer than 9e15 of them", header->time,
               o->timestep);
  return false;
}

/* ------------------------------------------------------------------------------------------------ what a trace keeps
 */

static crd_status take_files(const cli_mechanism *mechanism, crd_arena *arena, crd_trace_header *header,
                             crd_error *err) {
  if (!mechanism->text) {
    header->nfile = mechanism->report.nfile;
    return crd_io_source_files(header->nfile, mechanism->report.file, arena, &header->file, err);
  }
  crd_source_file *file = crd_arena_alloc(arena, 1, sizeof *file);
  if (!file) return crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "no memory");
  *file = (crd_source_file){"model.xml", mechanism->text, strlen(mechanism->text)};
  header->file = file, header->nfile = 1;
  return CRD_OK;
}

/* The text of a file, in the arena; NULL after a message. */
static char *read_text(const char *path, crd_arena *arena) {
  const crd_source_file *file;
  crd_error err = {0};
  if (crd_io_source_files(1, &path, arena, &file, &err)) return cli_report(&err), NULL;
  if (memchr(file->data, 0, file->size)) return cli_complain("run", "%s: found a zero byte, expected text", path), NULL;
  char *text = crd_arena_alloc(arena, file->size + 1, 1);
  if (!text) return cli_complain("run", "no memory"), NULL;
  memcpy(text, file->data, file->size);
  return text;
}

static int prepare(const run_settings *s, const cli_mechanism *mechanism, crd_arena *arena, torque_file *torque,
                   run_job *job) {
  crd_error err = {0};
  crd_trace_header *header = &job->header;
  *job = (run_job){.model = mechanism->model, .qpos = mechanism->qpos, .qvel = mechanism->qvel, .act = mechanism->act};
  double t[VIEW_MOST_TIMES];
  if (!set_options(s, mechanism->model, header)) return CLI_BAD_INPUT;
  if (s->picture.at && view_times(&s->picture, 0, header->time, t) < 0) return CLI_BAD_INPUT;
  header->input = mechanism->input, header->nact = mechanism->model->nact;
  header->nsensordata = mechanism->model->nsensordata;
  if (header->nsensordata > 0 && !(header->sensors = crd_io_sensor_columns(mechanism->model, arena)))
    return cli_complain("run", "no memory"), CLI_SYSTEM;
  if (take_files(mechanism, arena, header, &err)) return cli_report(&err);
  if (mechanism->ctrl) header->ctrl = mechanism->ctrl, header->nctrl = mechanism->model->nactuator;
  if (!s->torque) return CLI_DONE;
  header->torque = read_text(s->torque, arena), header->torque_input = s->torque, header->torque_hold = s->hold;
  if (!header->torque) return CLI_BAD_INPUT;
  if (torque_file_read(torque, header->torque, s->torque, mechanism->model, &err)) return cli_report(&err);
  torque->linear = strcmp(s->hold, "linear") == 0;
  job->torque = torque;
  return CLI_DONE;
}

/* ------------------------------------------------------------------------------------------------ running */

static void report_time(void *context, double t, int contacts) {
  cli_progress *progress = context;
  if (!progress->visible) return;
  snprintf(progress->note, sizeof progress->note, "t = %.4g s, %d contacts", t, contacts);
  cli_progress_show(progress, t);
}

/* Run i of several writes to name-i.ending. */
static char *numbered(crd_arena *arena, const char *path, int number) {
  char *made = crd_arena_alloc(arena, strlen(path) + 16, 1);
  const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
  if (!dot || (slash && dot < slash)) dot = path + strlen(path);
  if (made) sprintf(made, "%.*s-%d%s", (int)(dot - path), path, number, dot);
  return made;
}

/* Runs with seeds s, s + 1, ..: each depends on its own seed only, whichever thread takes it. */
static int run_many(const run_job *job, const run_settings *s, crd_arena *arena, run_result *result) {
  const int count = (int)s->runs;
  int worst = CLI_DONE, done = 0;
  char **path = crd_arena_alloc(arena, (size_t)count, sizeof *path);
  for (int i = 0; path && s->common.output && i < count; i++)
    if (!(path[i] = numbered(arena, s->common.output, i))) path = NULL;
  if (!path) return CLI_SYSTEM;
  cli_progress progress;
  cli_progress_begin(&progress, "run", "runs", count);
#pragma omp parallel for schedule(dynamic) num_threads((int)s->common.threads)
  for (int i = 0; i < count; i++) {
    run_job own = *job;
    own.header.options.seed += (uint64_t)i;
    int code = run_execute(&own, path[i], NULL, NULL, NULL, NULL, &result[i]);
#pragma omp critical(progress)
    {
      worst = code > worst ? code : worst;
      cli_progress_show(&progress, ++done);
    }
  }
  cli_progress_end(&progress);
  return worst;
}

/* Whether path names an HDF5 trace. */
static bool is_h5(const char *path) {
  size_t length = path ? strlen(path) : 0;
  return length > 3 && strcmp(path + length - 3, ".h5") == 0;
}

static bool is_shown(const run_settings *s) { return s->html || picture_wanted(&s->picture.files); }

/* Page and pictures of a run are made from its trace: the one asked for, or one in memory. */
static int run_and_show(const run_job *job, const run_settings *s, run_report report, void *context,
                        run_result *result) {
  const char *path = is_h5(s->common.output) ? s->common.output : NULL;
  crd_trace trace = {0};
  crd_error err = {0};
  int code = run_execute(job, path, path ? NULL : &trace, NULL, report, context, result);
  if (code == CLI_DONE || code == CLI_VERDICT) {
    int shown = path && crd_io_read_trace(path, &trace, &err) != CRD_OK ? cli_report(&err) : CLI_DONE;
    if (shown == CLI_DONE) shown = view_trace(&trace, s->html, &s->picture, true);
    if (shown != CLI_DONE) code = shown;
  }
  crd_io_trace_free(&trace);
  return code;
}

static int run_one(const run_job *job, const run_settings *s, run_result *result) {
  cli_progress progress;
  cli_progress_begin(&progress, "run", "simulated s", job->header.time);
  int code = is_shown(s) ? run_and_show(job, s, report_time, &progress, result)
                         : run_execute(job, s->common.output, NULL, NULL, report_time, &progress, result);
  cli_progress_end(&progress);
  return code;
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int simulate(const run_job *job, const run_settings *s, crd_arena *arena) {
  const int count = (int)s->runs;
  run_result *result = calloc((size_t)count, sizeof *result);
  cli_output output;
  if (!result) return cli_complain("run", "no memory"), CLI_SYSTEM;
  const double start = seconds();
  int code = count > 1 ? run_many(job, s, arena, result) : run_one(job, s, result);
  const run_view view = {job->header.input, job, result, count, seconds() - start};
  for (int i = 0; i < count; i++)
    if (result[i].trace) cli_wrote(result[i].trace);
  /* a run that could not begin or whose disk failed has told so and has no result */
  const bool has_result = code == CLI_DONE || code == CLI_VERDICT;
  if (has_result && !cli_output_begin(&output)) {
    code = CLI_SYSTEM;
  } else if (has_result) {
    bool done = true;
    if (s->common.json)
      done = run_print_json(output.file, &view);
    else
      run_print_text(output.file, &view), cli_output_fit(&output);
    code = cli_output_end(&output, NULL, done ? code : CLI_SYSTEM);
  }
  for (int i = 0; i < count; i++) run_result_free(&result[i]);
  free(result);
  return code;
}

/* The job in maximal coordinates; *full is the caller's to free. */
static int use_full(run_job *job, crd_arena *arena, crd_model **full) {
  const crd_model *model = job->model;
  crd_error err = {0};
  if (crd_model_maximal(model, full, &err)) return cli_report(&err);
  double *qpos = crd_arena_alloc(arena, (size_t)(*full)->nq + 1, sizeof *qpos);
  double *qvel = crd_arena_alloc(arena, (size_t)(*full)->nv + 1, sizeof *qvel);
  crd_workspace *work = crd_model_workspace_new(model);
  bool done = qpos && qvel && work && !crd_tree_to_maximal(model, work, job->qpos, job->qvel, *full, qpos, qvel);
  crd_model_workspace_free(work);
  job->model = *full, job->qpos = qpos, job->qvel = qvel;
  return done ? CLI_DONE : (cli_complain("run", "no memory"), CLI_SYSTEM);
}

static int run_input(const run_settings *s, const char *input) {
  cli_mechanism mechanism;
  run_job job;
  crd_model *full = NULL;
  torque_file torque = {0};
  crd_arena arena = {0};
  int code = cli_mechanism_read(&mechanism, "run", input, &s->common);
  if (code == CLI_DONE) {
    cli_mechanism_warn(&mechanism, &s->common);
    code = prepare(s, &mechanism, &arena, &torque, &job);
  }
  if (code == CLI_DONE && strcmp(s->formulation, "full") == 0) code = use_full(&job, &arena, &full);
  if (code == CLI_DONE) code = simulate(&job, s, &arena);
  crd_model_free(full);
  torque_file_free(&torque);
  crd_arena_free(&arena);
  cli_mechanism_free(&mechanism);
  return code;
}

/* Options given by a trace must not be repeated. */
static const char *said_twice(const run_settings *s) {
  const cli_common *c = &s->common;
  if (!isnan(s->dt)) return "--dt";
  if (s->steps > 0) return "--steps";
  if (s->torque) return "--torque";
  if (s->runs > 1) return "--runs";
  if (c->state || c->qpos || c->qvel) return "a state";
  return isnan(c->mu) && isnan(c->e) ? NULL : "--mu or --e";
}

static int go_on_from(run_settings *s, const crd_trace *trace, const crd_model *model, crd_arena *arena) {
  static const double ROUNDING = 1e-6; /* of a step: times of steps are sums */
  run_job job;
  torque_file torque = {0};
  crd_error err = {0};
  int code = CLI_DONE;
  if (!run_job_of_trace(trace, trace->nrow - 1, model, &torque, &job, &err)) {
    code = cli_report(&err);
  } else {
    const bool stated = !isnan(s->time);
    if (stated) job.header.time = s->time;
    if (job.header.time - job.start > ROUNDING * job.header.options.timestep)
      code = simulate(&job, s, arena);
    else if (stated)
      code = cli_complain("run", "--time: found %g s, expected more than the %g s at which the trace ends", s->time,
                          job.start);
    else
      code = cli_complain("run", "--continue: found a trace that reached its %g s, expected --time beyond", job.start);
  }
  torque_file_free(&torque);
  return code;
}

/* --continue: the last row of the trace is the first of the new run. What a row does not hold, what the solvers guess by,
 * begins anew. */
static int go_on(run_settings *s) {
  crd_trace trace = {0};
  crd_model *model = NULL;
  crd_arena arena = {0};
  crd_error err = {0};
  const char *twice = said_twice(s);
  int code;
  if (twice) return cli_complain("run", "--continue: found %s beside it, expected --time and outputs", twice);
  if (!cli_recover(s->from)) return CLI_BAD_INPUT;
  if (crd_io_read_trace(s->from, &trace, &err) || crd_io_trace_model(&trace, &model, &err))
    code = cli_report(&err);
  else
    code = go_on_from(s, &trace, model, &arena);
  crd_model_free(model);
  crd_io_trace_free(&trace);
  crd_arena_free(&arena);
  return code;
}

int cmd_run(int argc, char **argv) {
  const char *input;
  const crd_sim_options defaults = crd_sim_default();
  run_settings s = {.common = cli_common_default(),
                    .time = NAN,
                    .dt = NAN,
                    .rtol = defaults.relative_tolerance,
                    .atol = defaults.absolute_tolerance,
                    .accuracy = defaults.accuracy,
                    .integrator = "rk4",
                    .law = "poisson",
                    .formulation = "tree",
                    .hold = "zero",
                    .picture = {.verb = "run", .look = "oblique"},
                    .every = 1,
                    .runs = 1,
                    .facets = (uint64_t)defaults.facets,
                    .max_impacts = (uint64_t)defaults.max_impacts};
  enum { OWN = 21 };
  cli_option table[CLI_COMMON_OPTIONS + OWN + VIEW_PICTURE_OPTIONS];
  cli_common_options(&s.common, table);
  const cli_option own[OWN] = {
      {"--time", "T", CLI_NUMBER, &s.time, 0, "simulated time, s (1)"},
      {"--steps", "N", CLI_COUNT, &s.steps, 1, "number of steps instead of the time"},
      {"--dt", "H", CLI_NUMBER, &s.dt, 0, "time step, s (the model's)"},
      {"--integrator", "NAME", CLI_TEXT, &s.integrator, 0, "rk4, euler, midpoint, event or moreau (rk4)",
       "rk4 euler midpoint event moreau"},
      {"--law", "NAME", CLI_TEXT, &s.law, 0, "impact law at collisions (poisson)", cli_law_names(false)},
      {"--as-stated", NULL, CLI_FLAG, &s.as_stated, 0,
       "apply a law that adds energy as it is stated; without this, restitution is lowered"},
      {"--formulation", "F", CLI_TEXT, &s.formulation, 0,
       "tree, or full: every body free, joints as constraints (tree)", "tree full"},
      {"--facets", "K", CLI_COUNT, &s.facets, 4, "facets of the friction cone of a spatial contact, even (8)"},
      {"--max-impacts", "N", CLI_COUNT, &s.max_impacts, 1, "impacts in one step at their own instants (8)"},
      {"--strict-start", NULL, CLI_FLAG, &s.strict_start, 0,
       "refuse a start with overlaps, exceeded limits or open loops, instead of correcting it"},
      {"--ignore-overlaps", NULL, CLI_FLAG, &s.ignore_overlaps, 0,
       "bodies that overlap at the start, and that no motion parts, do not touch in this run"},
      {"--rtol", "X", CLI_NUMBER, &s.rtol, 0, "event: relative tolerance (1e-12)"},
      {"--atol", "X", CLI_NUMBER, &s.atol, 0, "event: absolute tolerance (1e-14)"},
      {"--accuracy", "X", CLI_NUMBER, &s.accuracy, 0, "moreau: residual demanded of more than 80 contacts (1e-4)"},
      {"--torque", "FILE", CLI_INPUT, &s.torque, 0, "controls and joint forces over time, CSV"},
      {"--torque-hold", "H", CLI_TEXT, &s.hold, 0, "between its rows: zero or linear (zero)", "zero linear"},
      {"--every", "N", CLI_COUNT, &s.every, 1, "a row in the trace every N steps (1)"},
      {"--runs", "K", CLI_COUNT, &s.runs, 1, "K runs with seeds N, N+1, ... (law routh)"},
      {"--html", "FILE", CLI_OUTPUT, &s.html, 0, "write a page that plays the run"},
      {"--repeat", "FILE.h5", CLI_INPUT, &s.repeat, 0, "simulate a trace again and compare every bit"},
      {"--continue", "FILE.h5", CLI_INPUT, &s.from, 0,
       "go on where a trace ends, to --time (the time that it was to reach); all else is the trace's"}};
  memcpy(table + CLI_COMMON_OPTIONS, own, sizeof own);
  view_picture_options(&s.picture, table + CLI_COMMON_OPTIONS + OWN);
  const cli_syntax syntax = {"run",
                             "[INPUT]",
                             "Simulates a mechanism through contact, collision and friction.",
                             "-o FILE.h5 or FILE.csv writes the trace.\n",
                             table,
                             CLI_COMMON_OPTIONS + OWN + VIEW_PICTURE_OPTIONS,
                             "@rocking-block --time 2 --law newton -o block.h5"};
  cli_parsed parsed = cli_parse(&syntax, argc, argv, &input);
  if (parsed != CLI_PARSED) return cli_parse_exit(parsed);
  if (s.repeat && (input || s.common.output))
    return cli_complain("run", "--repeat: found an input or output beside it, expected the trace alone");
  if (!view_picture_possible(&s.picture)) return CLI_BAD_INPUT;
  if (is_shown(&s) && (s.runs > 1 || (s.common.output && !is_h5(s.common.output))))
    return cli_complain(
        "run", "--html, --svg, --png: found several runs or a trace that is not .h5 beside it, expected one run");
  if (s.repeat) return run_repeat(s.repeat, s.common.json);
  if (s.from)
    return input ? cli_complain("run", "--continue: found an input beside it, expected the trace alone") : go_on(&s);
  if (!input) return cli_complain("run", "found no input, expected INPUT (`cradle run --help` tells more)");
  return check_settings(&s) ? run_input(&s, input) : CLI_BAD_INPUT;
}
