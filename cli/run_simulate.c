/* One run: steps to the end, rows and events to the trace or the comparison, and what is told at the end. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "run.h"

typedef struct runner {
  const run_job *job;
  crd_sim *sim;
  crd_trace_writer *writer;   /* NULL: none */
  run_comparison *comparison; /* NULL: none */
  run_result *result;
  size_t torque_row; /* of the torque file, in force over the present step */
} runner;

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void run_result_free(run_result *result) {
  free(result->event);
  json_decref(result->work);
  crd_arena_free(&result->arena);
  *result = (run_result){0};
}

bool run_complete(const run_result *result) { return result->status == CRD_OK && !result->interrupted; }

/* ------------------------------------------------------------------------------------------------ what drives it */

static void apply_control(void *context, double t, const double *qpos, const double *qvel, double *ctrl, double *tau) {
  const runner *run = context;
  const run_job *job = run->job;
  (void)qpos, (void)qvel;
  for (int i = 0; i < job->header.nctrl; i++) ctrl[i] = job->header.ctrl[i];
  if (job->torque) torque_file_apply(job->torque, run->torque_row, t, ctrl, tau);
}

/* Rows that are held change at their instants only, which steps end at (step_to). */
static double next_row(void *context, double t) {
  const torque_file *torque = ((const runner *)context)->job->torque;
  size_t next =
      torque ? torque_file_row(torque, t + 1e-9 * ((const runner *)context)->job->header.options.timestep) : 0;
  return torque && next < torque->rows ? torque->t[next] : INFINITY;
}

static bool is_interrupted(void *context) {
  (void)context;
  return cli_interrupted();
}

/* ------------------------------------------------------------------------------------------------ comparing */

static void note_difference(run_comparison *comparison, const char *what, double t, double by) {
  if (comparison->differs) return;
  comparison->differs = true, comparison->what = what, comparison->t = t, comparison->by = by;
}

static void compare_numbers(run_comparison *comparison, const char *what, double t, int count, const double *a,
                            const double *b) {
  double by = 0;
  if (count == 0 || memcmp(a, b, (size_t)count * sizeof *a) == 0) return;
  for (int i = 0; i < count; i++) by = fmax(by, fabs(a[i] - b[i]));
  note_difference(comparison, what, t, by);
}

static void compare_contact(run_comparison *comparison, double t, const crd_sim_contact *now,
                            const crd_sim_contact *then) {
  const crd_contact *a = &now->contact, *b = &then->contact;
  if (strcmp(a->name && a->name[0] ? a->name : "?", b->name) != 0 || a->body1 != b->body1 || a->body2 != b->body2 ||
      now->mode != then->mode)
    note_difference(comparison, "the bodies or the mode of a contact", t, 1);
  compare_numbers(comparison, "the gap of a contact", t, 1, &a->gap, &b->gap);
  compare_numbers(comparison, "the friction of a contact", t, 1, &a->mu, &b->mu);
  compare_numbers(comparison, "the restitution of a contact", t, 1, &a->e, &b->e);
  compare_numbers(comparison, "the point of a contact", t, 3, a->point, b->point);
  compare_numbers(comparison, "the normal of a contact", t, 3, a->normal, b->normal);
  compare_numbers(comparison, "a tangent of a contact", t, 6, a->tangent[0], b->tangent[0]);
  compare_numbers(comparison, "a contact's impulse", t, 1, &now->impulse_n, &then->impulse_n);
  compare_numbers(comparison, "a contact's impulse", t, 2, now->impulse_t, then->impulse_t);
  compare_numbers(comparison, "a contact's velocity", t, 1, &now->velocity_n, &then->velocity_n);
  compare_numbers(comparison, "a contact's velocity", t, 2, now->velocity_t, then->velocity_t);
}

static void compare_row(run_comparison *comparison, const crd_trace_row *row) {
  const crd_trace *trace = comparison->with;
  const size_t i = comparison->row++;
  if (i >= trace->nrow) {
    note_difference(comparison, "the number of rows", row->t, 1);
    return;
  }
  compare_numbers(comparison, "time", row->t, 1, &row->t, &trace->t[i]);
  compare_numbers(comparison, "qpos", row->t, trace->nq, row->qpos, trace->qpos + i * (size_t)trace->nq);
  compare_numbers(comparison, "qvel", row->t, trace->nv, row->qvel, trace->qvel + i * (size_t)trace->nv);
  compare_numbers(comparison, "act", row->t, trace->header.nact, row->act, trace->act + i * (size_t)trace->header.nact);
  if (trace->sensor)
    compare_numbers(comparison, "a sensor", row->t, trace->header.nsensordata, row->sensor,
                    trace->sensor + i * (size_t)trace->header.nsensordata);
  const int energies = offsetof(crd_sim_energy, gain_sum) / sizeof(double); /* the others are in no trace */
  compare_numbers(comparison, "the ledger of energy", row->t, energies, &row->energy.kinetic,
                  &trace->energy[i].kinetic);
  compare_numbers(comparison, "penetration", row->t, 1, &row->penetration, &trace->penetration[i]);
  compare_numbers(comparison, "residual", row->t, 1, &row->residual, &trace->residual[i]);
  if (trace->s) compare_numbers(comparison, "s", row->t, 1, &row->s, &trace->s[i]);
  const int contacts = (int)(trace->offset[i + 1] - trace->offset[i]);
  if (contacts != row->ncontact) note_difference(comparison, "contacts", row->t, abs(contacts - row->ncontact));
  for (int c = 0; c < contacts && !comparison->differs; c++)
    compare_contact(comparison, row->t, &row->contact[c], &trace->contact[trace->offset[i] + c]);
}

static void compare_event(run_comparison *comparison, const crd_sim_event *event, const double *qpos,
                          const double *qvel) {
  const crd_trace *trace = comparison->with;
  const size_t i = comparison->event++;
  if (i >= trace->nevent) {
    note_difference(comparison, "the number of events", event->t, 1);
    return;
  }
  const crd_sim_event *then = &trace->event[i];
  const double now[] = {event->t, event->approach, event->impulse, event->energy};
  const double stored[] = {then->t, then->approach, then->impulse, then->energy};
  if (then->kind != event->kind || then->count != event->count ||
      strcmp(event->contact && event->contact[0] ? event->contact : "?", then->contact) != 0)
    note_difference(comparison, "an event", event->t, fabs(then->t - event->t));
  compare_numbers(comparison, "an event", event->t, sizeof now / sizeof *now, now, stored);
  compare_numbers(comparison, "qpos of an event", event->t, trace->nq, qpos, trace->event_qpos + i * (size_t)trace->nq);
  compare_numbers(comparison, "qvel of an event", event->t, trace->nv, qvel, trace->event_qvel + i * (size_t)trace->nv);
}

/* ------------------------------------------------------------------------------------------------ recording */

/* The HDF5 library is not safe for threads, and several runs may write at once. */
static void put_row(runner *run) {
  if (!run->writer && !run->comparison) return; /* nobody asks for the energies of the state */
  const crd_trace_row row = crd_io_trace_row(run->sim);
  if (run->comparison) compare_row(run->comparison, &row);
  if (!run->writer) return;
#pragma omp critical(trace)
  crd_io_trace_add(run->writer, &row);
}

static void keep_event(run_result *result, const crd_sim_event *event) {
  if (result->nevent == RUN_EVENTS_KEPT) return;
  if (result->nevent == result->event_room) {
    const size_t room = result->event_room ? 2 * result->event_room : 64;
    crd_sim_event *grown = realloc(result->event, room * sizeof *grown);
    if (!grown) return;
    result->event = grown, result->event_room = room;
  }
  crd_sim_event *kept = &result->event[result->nevent];
  *kept = *event;
  kept->contact = crd_arena_string(&result->arena, event->contact), kept->v_minus = NULL;
  if (kept->contact) result->nevent++;
}

static void on_event(void *context, const crd_sim *sim, const crd_sim_event *event) {
  runner *run = context;
  run->result->counts[event->kind]++;
  keep_event(run->result, event);
  if (run->comparison) compare_event(run->comparison, event, crd_sim_qpos(sim), crd_sim_qvel(sim));
  if (!run->writer) return;
#pragma omp critical(trace)
  crd_io_trace_event(run->writer, event, crd_sim_qpos(sim), crd_sim_qvel(sim));
}

static void take_results(runner *run) {
  run_result *result = run->result;
  const crd_model *model = run->job->model;
  result->t = crd_sim_time(run->sim);
  result->energy = crd_sim_energy_now(run->sim);
  result->counters = crd_sim_counters_now(run->sim);
  result->qpos = crd_arena_alloc(&result->arena, (size_t)model->nq + 1, sizeof(double));
  result->qvel = crd_arena_alloc(&result->arena, (size_t)model->nv + 1, sizeof(double));
  result->act = crd_arena_alloc(&result->arena, (size_t)model->nact + 1, sizeof(double));
  if (result->act && model->nact) memcpy(result->act, crd_sim_act(run->sim), (size_t)model->nact * sizeof(double));
  if (result->qpos && model->nq) memcpy(result->qpos, crd_sim_qpos(run->sim), (size_t)model->nq * sizeof(double));
  if (result->qvel && model->nv) memcpy(result->qvel, crd_sim_qvel(run->sim), (size_t)model->nv * sizeof(double));
  if (result->status) {
    const char *why = crd_sim_message(run->sim);
    snprintf(result->message, sizeof result->message, "%s", why[0] ? why : crd_status_text(result->status));
  } else if (result->interrupted) {
    snprintf(result->message, sizeof result->message, "%s", cli_interrupt_text());
  }
}

/* ------------------------------------------------------------------------------------------------ the run */

static bool trace_failed(const runner *run) { return run->writer && crd_io_trace_failed(run->writer); }

/* What each contact brought in the step, added to what it did before; how many contacts there are. */
static int add_work(json_t *work, const crd_sim *sim) {
  int count;
  const crd_sim_contact *contact = crd_sim_contacts(sim, &count);
  for (int i = 0; work && i < count; i++) {
    json_t *sum = json_object_get(work, contact[i].contact.name);
    if (sum)
      json_real_set(sum, json_real_value(sum) + contact[i].work);
    else
      json_object_set_new(work, contact[i].contact.name, json_real(contact[i].work));
  }
  return count;
}

/* A step to `end`, a whole one or not, cut where a row of the torque file begins. Instants that differ from the ends of
 * the step by rounding are those ends. */
static crd_status step_to(runner *run, double end, bool whole) {
  const torque_file *torque = run->job->torque;
  const double slack = 1e-9 * run->job->header.options.timestep;
  for (;;) {
    if (torque) run->torque_row = torque_file_row(torque, crd_sim_time(run->sim) + slack);
    if (!torque || run->torque_row == torque->rows || torque->t[run->torque_row] >= end - slack) break;
    crd_status status = crd_sim_run(run->sim, torque->t[run->torque_row]);
    if (status) return status;
    add_work(run->result->work, run->sim);
    whole = false;
  }
  return whole ? crd_sim_step(run->sim) : crd_sim_run(run->sim, end);
}

/* Whole steps as far as they go, then a shorter one to the very end. */
static void advance(runner *run, run_report report, void *context) {
  const run_job *job = run->job;
  run_result *result = run->result;
  const double h = job->header.options.timestep, end = job->header.time, length = end - job->start;
  const int64_t whole = (int64_t)floor(length / h + 1e-6);
  int64_t steps = 0, written = 0;
  put_row(run);
  for (; steps < whole && !result->status && !trace_failed(run); steps++) {
    if (cli_interrupted()) {
      result->interrupted = true;
      break;
    }
    crd_interrupt_restart(); /* the limit is one of a step */
    result->status = step_to(run, crd_sim_time(run->sim) + h, true);
    if (result->status == CRD_STOPPED) result->status = CRD_OK, result->interrupted = true;
    if (result->status || result->interrupted) break;
    if ((steps + 1) % job->header.every == 0) put_row(run), written = steps + 1;
    int contacts = add_work(result->work, run->sim);
    if (report) report(context, crd_sim_time(run->sim), contacts);
  }
  const double left = length - (double)whole * h;
  if (steps == whole && !result->status && !result->interrupted && left > 1e-6 * fmin(h, length)) {
    result->status = step_to(run, end, false);
    if (result->status == CRD_STOPPED)
      result->status = CRD_OK, result->interrupted = true;
    else if (!result->status)
      steps++, add_work(result->work, run->sim);
  }
  if (written != steps) put_row(run);
}

static crd_status open_trace(runner *run, const char *path, bool in_memory, crd_error *err) {
  const crd_model *model = run->job->model;
  crd_status status = CRD_OK;
  if (in_memory) return crd_io_trace_collect(&run->job->header, model->nq, model->nv, &run->writer, err);
  if (!path) return status;
#pragma omp critical(trace)
  status = crd_io_trace_create(path, &run->job->header, model->nq, model->nv, &run->writer, err);
  return status;
}

/* The trace gets its name or is handed over, or is given up where the system failed. */
static crd_status close_trace(runner *run, const char *path, crd_trace *trace, crd_error *err) {
  run_result *result = run->result;
  crd_status status = CRD_OK;
  if (!run->writer) return status;
  const crd_trace_end end = {.truncated = !run_complete(result),
                             .status = run_complete(result) ? "ok" : result->message,
                             .counters = result->counters};
#pragma omp critical(trace)
  {
    cli_writes(true);
    if (result->status < 0) {
      crd_io_trace_discard(run->writer);
    } else {
      status = trace ? crd_io_trace_take(run->writer, &end, trace, err) : crd_io_trace_commit(run->writer, &end, err);
    }
    cli_writes(false);
  }
  if (!status && result->status >= 0) result->trace = path;
  return status;
}

static int exit_code(const run_result *result) {
  if (result->status < 0) return cli_exit_code(result->status);
  return run_complete(result) ? CLI_DONE : CLI_VERDICT;
}

int run_execute(const run_job *job, const char *path, crd_trace *trace, run_comparison *comparison, run_report report,
                void *context, run_result *result) {
  runner run = {.job = job, .comparison = comparison, .result = result};
  crd_sim_options options = job->header.options;
  crd_error err = {0};
  if (job->header.nctrl || job->torque) {
    options.control = apply_control, options.control_apart = true;
    options.control_context = &run;
    if (!job->torque || !job->torque->linear) options.control_next = next_row;
  }
  options.stop = is_interrupted;
  options.observer = (crd_sim_observer){.context = &run, .event = on_event};
  *result = (run_result){.seed = options.seed, .timestep = options.timestep, .work = json_object()};
  crd_status status = crd_sim_new(job->model, &options, &run.sim, &err);
  if (!status) status = crd_sim_reset(run.sim, job->start, job->qpos, job->qvel, &err);
  if (!status && job->model->nact > 0) status = crd_sim_set_act(run.sim, job->act, &err);
  if (status) { /* it could not begin: there is no result, whatever the reason */
    int code = cli_report(&err);
    crd_sim_free(run.sim);
    return code == CLI_VERDICT ? CLI_BAD_INPUT : code;
  }
  snprintf(result->start, sizeof result->start, "%s", crd_sim_message(run.sim));
  status = open_trace(&run, path, trace != NULL, &err);
  int code = CLI_DONE;
  if (status) {
    code = status == CRD_ERR_ARGUMENT ? cli_report(&err) : (cli_report(&err), CLI_SYSTEM);
  } else {
    const double start = seconds();
    advance(&run, report, context);
    take_results(&run);
    result->wall = seconds() - start;
    code = exit_code(result);
    if (result->status < 0) fprintf(stderr, "cradle run: t = %.6g s: %s\n", result->t, result->message);
    if (close_trace(&run, path, trace, &err)) cli_report(&err), code = CLI_SYSTEM, result->disk_failed = true;
  }
  crd_sim_free(run.sim);
  return code;
}
