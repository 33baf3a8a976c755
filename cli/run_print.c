/* Results of a run, for people (verdict first) and for scripts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "table.h"

/* ------------------------------------------------------------------------------------------------ text */

static void print_verdict(FILE *file, const char *input, const run_result *r) {
  const double factor = r->wall > 0 ? r->t / r->wall : 0;
  if (run_complete(r))
    fprintf(file, "%s: %g s simulated in %.3g s, %.3g times real time\n", input, r->t, r->wall, factor);
  else
    fprintf(file, "%s: ended at t = %g s: %s\n", input, r->t, r->message);
}

static const char *plural(long count) { return count == 1 ? "" : "s"; }

static void print_quality(FILE *file, const run_result *r, double span) {
  const crd_sim_counters *c = &r->counters;
  const double steps = c->steps ? (double)c->steps : 1;
  fprintf(file, "  steps        %ld, %.3g us each, time step %g s\n", c->steps, 1e6 * span / steps, r->timestep);
  if (r->start[0]) fprintf(file, "  start        %s\n", r->start);
  fprintf(file, "  contacts     %.3g on average, %ld impact%s\n", (double)c->contacts / steps, c->impacts,
          plural(c->impacts));
  if (c->drawn_back)
    fprintf(file, "  restitution  lowered in %ld impact%s, where the law would have added energy\n", c->drawn_back,
            plural(c->drawn_back));
  if (c->unresolved)
    fprintf(file, "  law          had no answer in %ld impact%s, see the events `unresolved`\n", c->unresolved,
            plural(c->unresolved));
  fprintf(file, "  penetration  %.2g m at most\n", c->penetration_max + 0.0);
  if (c->loop_max > 0) fprintf(file, "  loops        closed within %.2g\n", c->loop_max);
  fprintf(file, "  problems     %ld solved, %ld failed, residual %.2g at most\n", c->solves, c->failed_solves,
          c->residual_max);
}

static void print_ledger(FILE *file, const crd_sim_energy *e) {
  const struct {
    const char *name;
    double value;
  } line[] = {{"actuators", e->actuation}, {"dampers and joint friction", e->damping},
              {"impacts", e->impact},      {"contacts that persist", e->contact},
              {"loops", e->loop},          {"integration error", e->integration}};
  const double end = e->kinetic + e->potential, scale = fmax(fabs(end), fabs(e->start));
  fprintf(file, "\n  energy (J)\n  %-28s %14.8g\n", "start", e->start);
  for (size_t i = 0; i < sizeof line / sizeof *line; i++)
    if (fabs(line[i].value) > 1e-14 * scale) fprintf(file, "  %-28s %+14.8g\n", line[i].name, line[i].value);
  fprintf(file, "  %-28s %14.8g   kinetic %.6g, potential %.6g\n", "end", end, e->kinetic, e->potential);
  fprintf(file, "  %-28s %14.2g\n", "largest gain by a contact", e->gain_max);
}

/* Work of each contact, the largest loss first. */
typedef struct contact_work {
  const char *name;
  double energy;
} contact_work;

static int by_energy(const void *a, const void *b) {
  const contact_work *x = a, *y = b;
  if (x->energy != y->energy) return x->energy < y->energy ? -1 : 1;
  return strcmp(x->name, y->name);
}

/* All of them, to be freed; NULL where there are none. */
static contact_work *sorted_work(const run_result *r, size_t *count) {
  const char *name;
  json_t *value;
  size_t n = 0;
  contact_work *item = calloc(json_object_size(r->work) + 1, sizeof *item);
  json_object_foreach(r->work, name, value) {
    if (item) item[n++] = (contact_work){name, json_real_value(value)};
  }
  if (item) qsort(item, n, sizeof *item, by_energy);
  *count = n;
  return item;
}

static void print_work(FILE *file, const run_result *r) {
  enum { SHOWN = 6 };
  size_t count;
  contact_work *item = sorted_work(r, &count);
  if (count > 0) fprintf(file, "  by contact\n");
  for (size_t i = 0; i < count && i < SHOWN; i++)
    fprintf(file, "    %-26s %+14.8g\n", item[i].name, item[i].energy + 0.0);
  if (count > SHOWN) fprintf(file, "    ... %zu more, with --json\n", count - SHOWN);
  free(item);
}

static json_t *json_work(const run_result *r) {
  size_t count;
  contact_work *item = sorted_work(r, &count);
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(list,
                          json_pack("{s:s, s:o}", "contact", item[i].name, "energy", cli_json_number(item[i].energy)));
  free(item);
  return list;
}

static size_t total_events(const run_result *r) {
  size_t sum = 0;
  for (int k = 0; k < CRD_EVENT_KINDS; k++) sum += r->counts[k];
  return sum;
}

static void print_event(FILE *file, const crd_sim_event *e) {
  fprintf(file, "  %12.9g  %-8s  %s", e->t, crd_sim_event_name(e->kind), e->contact);
  if (e->kind == CRD_EVENT_IMPACT || e->kind == CRD_EVENT_PAINLEVE || e->kind == CRD_EVENT_LIMIT ||
      e->kind == CRD_EVENT_UNRESOLVED) {
    if (e->count > 1) fprintf(file, " and %d more", e->count - 1);
    fprintf(file, "  at %.4g m/s, impulse %.4g N s, energy %+.4g J", e->approach, e->impulse, e->energy);
  }
  fputc('\n', file);
}

static void print_events(FILE *file, const run_result *r) {
  enum { FIRST = 8, LAST = 4 };
  const size_t all = total_events(r);
  if (all == 0) return;
  fprintf(file, "\n  events: %zu (", all);
  bool behind = false;
  for (int k = 0; k < CRD_EVENT_KINDS; k++) {
    if (r->counts[k] == 0) continue;
    fprintf(file, "%s%s %zu", behind ? ", " : "", crd_sim_event_name((crd_sim_event_kind)k), r->counts[k]);
    behind = true;
  }
  fprintf(file, ")\n");
  for (size_t i = 0; i < r->nevent; i++) {
    if (i == FIRST && r->nevent > FIRST + LAST) {
      fprintf(file, "  ... %zu more\n", r->nevent - FIRST - LAST);
      i = r->nevent - LAST;
    }
    print_event(file, &r->event[i]);
  }
  if (all > r->nevent) fprintf(file, "  ... and %zu later ones (a trace has them all)\n", all - r->nevent);
}

static void print_many(FILE *file, const run_view *view) {
  int complete = 0;
  for (int i = 0; i < view->count; i++) complete += run_complete(&view->result[i]);
  fprintf(file, "%s: %d of %d runs reached %g s, in %.3g s\n\n", view->input, complete, view->count,
          view->job->header.time, view->wall);
  static const char *const title[] = {">seed",    ">t (s)",        ">impacts", ">penetration",
                                      ">end (J)", ">largest gain", "trace"};
  cli_table table;
  cli_table_begin(&table, sizeof title / sizeof *title, title);
  for (int i = 0; i < view->count; i++) {
    const run_result *r = &view->result[i];
    cli_table_add(&table, "%llu", (unsigned long long)r->seed);
    cli_table_add_number(&table, r->t, 6, 0);
    cli_table_add(&table, "%ld", r->counters.impacts);
    cli_table_add_number(&table, r->counters.penetration_max, 2, 0);
    cli_table_add_number(&table, r->energy.kinetic + r->energy.potential, 8, 0);
    cli_table_add_number(&table, r->energy.gain_max, 2, 0);
    cli_table_add(&table, "%s%s%s", r->trace ? r->trace : "", r->trace && r->message[0] ? " " : "", r->message);
  }
  cli_table_print(file, &table, 2);
}

void run_print_text(FILE *file, const run_view *view) {
  if (view->count > 1) {
    print_many(file, view);
    return;
  }
  const run_result *r = view->result;
  print_verdict(file, view->input, r);
  print_quality(file, r, r->wall);
  print_ledger(file, &r->energy);
  print_work(file, r);
  print_events(file, r);
  if (r->trace) fprintf(file, "\n  trace: %s\n", r->trace);
}

/* ------------------------------------------------------------------------------------------------ JSON */

static json_t *json_energy(const crd_sim_energy *e) {
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "start",
                   cli_json_number(e->start), "end", cli_json_number(e->kinetic + e->potential), "kinetic",
                   cli_json_number(e->kinetic), "potential", cli_json_number(e->potential), "actuation",
                   cli_json_number(e->actuation), "damping", cli_json_number(e->damping), "impact",
                   cli_json_number(e->impact), "contact", cli_json_number(e->contact), "loop", cli_json_number(e->loop),
                   "integration", cli_json_number(e->integration), "gain_max", cli_json_number(e->gain_max), "gain_sum",
                   cli_json_number(e->gain_sum), "law_gain_max", cli_json_number(e->law_gain_max));
}

static json_t *json_events(const run_result *r) {
  json_t *list = json_array();
  for (size_t i = 0; i < r->nevent; i++) {
    const crd_sim_event *e = &r->event[i];
    json_array_append_new(
        list, json_pack("{s:o, s:o, s:s, s:s, s:i, s:o, s:o, s:o}", "t", cli_json_number(e->t), "s",
                        cli_json_number(e->s), "kind", crd_sim_event_name(e->kind), "contact", e->contact, "count",
                        e->count, "approach", cli_json_number(e->approach), "impulse", cli_json_number(e->impulse),
                        "energy", cli_json_number(e->energy)));
  }
  return list;
}

static void set_totals(json_t *object, const crd_sim_counters *c, double wall) {
  json_object_set_new(object, "steps", json_integer(c->steps));
  json_object_set_new(object, "wall_s", cli_json_number(wall));
  json_object_set_new(object, "contacts_mean", cli_json_number(c->steps ? (double)c->contacts / (double)c->steps : 0));
  json_object_set_new(object, "penetration_max", cli_json_number(c->penetration_max));
  json_object_set_new(object, "loop_max", cli_json_number(c->loop_max));
  json_object_set_new(object, "impacts", json_integer(c->impacts));
  json_object_set_new(object, "drawn_back", json_integer(c->drawn_back));
  json_object_set_new(object, "unresolved", json_integer(c->unresolved));
  json_object_set_new(object, "solves", json_integer(c->solves));
  json_object_set_new(object, "failed_solves", json_integer(c->failed_solves));
  json_object_set_new(object, "residual_max", cli_json_number(c->residual_max));
  json_t *ways = json_object();
  for (int k = CRD_COULOMB_NEWTON; k < CRD_COULOMB_METHODS; k++)
    json_object_set_new(ways, crd_coulomb_method_name((crd_coulomb_method)k), json_integer(c->settled[k]));
  json_object_set_new(object, "settled", ways);
  json_object_set_new(object, "normal_impulse", cli_json_number(c->normal_impulse));
  json_object_set_new(object, "groups_mean", cli_json_number(c->steps ? (double)c->groups / (double)c->steps : 0));
  json_object_set_new(object, "trials", json_integer(c->trials));
  json_object_set_new(object, "trees_moved", json_integer(c->moved));
  json_t *retries = json_object();
  for (int k = 0; k < CRD_RETRIES; k++)
    json_object_set_new(retries, crd_sim_retry_name(k), json_integer(c->retries[k]));
  json_object_set_new(object, "retries", retries);
}

static void set_result(json_t *object, const run_job *job, const run_result *r) {
  json_object_set_new(object, "status", json_string(run_complete(r) ? "ok" : r->message));
  json_object_set_new(object, "truncated", json_boolean(!run_complete(r)));
  json_object_set_new(object, "seed", json_integer((json_int_t)r->seed));
  json_object_set_new(object, "t", cli_json_number(r->t));
  set_totals(object, &r->counters, r->wall);
  json_object_set_new(object, "energy", json_energy(&r->energy));
  json_object_set_new(object, "energy_by_contact", json_work(r));
  json_object_set_new(object, "events_total", json_integer((json_int_t)total_events(r)));
  json_object_set_new(object, "events", json_events(r));
  json_object_set_new(object, "qpos", cli_json_vector(job->model->nq, r->qpos));
  json_object_set_new(object, "qvel", cli_json_vector(job->model->nv, r->qvel));
  if (job->model->nact > 0) json_object_set_new(object, "act", cli_json_vector(job->model->nact, r->act));
  if (r->start[0]) json_object_set_new(object, "start", json_string(r->start));
  if (r->trace) json_object_set_new(object, "trace", json_string(r->trace));
}

static json_t *json_options(const run_job *job) {
  const crd_sim_options *o = &job->header.options;
  return json_pack("{s:o, s:o, s:s, s:s, s:b, s:s, s:o, s:o, s:i}", "time", cli_json_number(job->header.time),
                   "timestep", cli_json_number(o->timestep), "integrator", crd_sim_integrator_name(o->integrator),
                   "law", o->law->name, "as_stated", o->as_stated, "formulation", job->header.formulation, "mu",
                   cli_json_number(o->mu), "e", cli_json_number(o->e), "facets", o->facets);
}

/* Sums and extremes over all runs, and each run by itself. */
static void set_many(json_t *object, const run_view *view) {
  crd_sim_counters all = {0};
  json_t *list = json_array();
  for (int i = 0; i < view->count; i++) {
    const crd_sim_counters *c = &view->result[i].counters;
    all.steps += c->steps, all.contacts += c->contacts, all.impacts += c->impacts;
    all.drawn_back += c->drawn_back, all.unresolved += c->unresolved, all.normal_impulse += c->normal_impulse;
    all.solves += c->solves, all.failed_solves += c->failed_solves, all.trials += c->trials;
    all.groups += c->groups, all.moved += c->moved;
    for (int k = 0; k < CRD_RETRIES; k++) all.retries[k] += c->retries[k];
    for (int k = 0; k < CRD_COULOMB_METHODS; k++) all.settled[k] += c->settled[k];
    all.penetration_max = fmax(all.penetration_max, c->penetration_max);
    all.loop_max = fmax(all.loop_max, c->loop_max), all.residual_max = fmax(all.residual_max, c->residual_max);
    json_t *one = json_object();
    set_result(one, view->job, &view->result[i]);
    json_array_append_new(list, one);
  }
  set_totals(object, &all, view->wall);
  json_object_set_new(object, "runs", list);
}

bool run_print_json(FILE *file, const run_view *view) {
  json_t *object = json_object();
  json_object_set_new(object, "input", json_string(view->input));
  json_object_set_new(object, "options", json_options(view->job));
  if (view->count > 1) {
    set_many(object, view);
  } else {
    set_result(object, view->job, view->result);
  }
  return cli_json_print(file, object);
}
