/* A trace as the part "run" of a page (docs/viewer.md): frames, contacts of each frame, series over time, events. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "io/json/text.h"
#include "io/trace/run_frames.h"
#include "io/trace/run_signals.h"

enum { MOST_NAMES = 10000, MOST_EVENTS = 20000 };

typedef struct writer {
  crd_text text;
  const crd_trace *trace;
  const crd_model *model; /* NULL: not known */
  const crd_run_inputs *inputs;
  crd_run_frames frames;
  size_t ncontact; /* of all frames */
  double *number;  /* room for 3 ncontact or 1 a frame */
  int *id;         /* room for ncontact, or a frame and one */
  const char **name;
  int nname;
  crd_arena *arena;
} writer;

static const crd_sim_contact *first_contact(const writer *w, size_t frame, size_t *count) {
  const int64_t *offset = w->trace->offset + w->frames.row[frame];
  *count = (size_t)(offset[1] - offset[0]);
  return w->trace->contact + offset[0];
}

/* ------------------------------------------------------------------------------------------------ motion */

static void add_velocities(writer *w) {
  const size_t nv = (size_t)w->trace->nv;
  double *qvel = crd_arena_alloc(w->arena, w->frames.count * nv + 1, sizeof *qvel);
  if (!qvel) {
    w->text.failed = true;
    return;
  }
  for (size_t i = 0; i < w->frames.count; i++) memcpy(qvel + nv * i, w->frames.qvel[i], nv * sizeof *qvel);
  crd_text_add(&w->text, ",\n\"qvel\": ");
  crd_json_add_f32(&w->text, w->frames.count * nv, qvel);
}

static void add_frames(writer *w) {
  const size_t nq = (size_t)w->trace->nq;
  double *qpos = crd_arena_alloc(w->arena, w->frames.count * nq + 1, sizeof *qpos);
  if (!qpos) {
    w->text.failed = true;
    return;
  }
  for (size_t i = 0; i < w->frames.count; i++) memcpy(qpos + nq * i, w->frames.qpos[i], nq * sizeof *qpos);
  add_velocities(w);
  crd_text_add(&w->text, ",\n\"t\": ");
  crd_json_add_f64(&w->text, w->frames.count, w->frames.t);
  crd_text_add(&w->text, ",\n\"qpos\": ");
  crd_json_add_f32(&w->text, w->frames.count * nq, qpos);
}

/* ------------------------------------------------------------------------------------------------ contacts */

static int name_id(writer *w, const char *name) {
  for (int i = 0; i < w->nname; i++)
    if (w->name[i] == name || strcmp(w->name[i], name) == 0) return i;
  if (w->nname == MOST_NAMES) return 0;
  w->name[w->nname] = name;
  return w->nname++;
}

/* The record of a contact: 3 numbers into out. The force is the impulse of the step over its length. */
typedef void (*contact_part)(const writer *w, const crd_sim_contact *contact, double *out);

static void part_point(const writer *w, const crd_sim_contact *c, double *out) {
  (void)w;
  memcpy(out, c->contact.point, 3 * sizeof *out);
}
static void part_normal(const writer *w, const crd_sim_contact *c, double *out) {
  (void)w;
  memcpy(out, c->contact.normal, 3 * sizeof *out);
}
static void part_force(const writer *w, const crd_sim_contact *c, double *out) {
  const double h = w->trace->header.options.timestep;
  for (int i = 0; i < 3; i++)
    out[i] = (c->impulse_n * c->contact.normal[i] + c->impulse_t[0] * c->contact.tangent[0][i] +
              c->impulse_t[1] * c->contact.tangent[1][i]) /
             h;
}
static void part_mu(const writer *w, const crd_sim_contact *c, double *out) {
  (void)w;
  out[0] = c->contact.mu;
}

static void part_gap(const writer *w, const crd_sim_contact *c, double *out) {
  (void)w;
  out[0] = c->contact.gap;
}
static void part_slip(const writer *w, const crd_sim_contact *c, double *out) {
  (void)w;
  out[0] = hypot(c->velocity_t[0], c->velocity_t[1]);
}

static void add_part(writer *w, const char *key, int columns, contact_part part) {
  size_t at = 0, count;
  for (size_t f = 0; f < w->frames.count; f++) {
    const crd_sim_contact *contact = first_contact(w, f, &count);
    for (size_t i = 0; i < count; i++, at += (size_t)columns) part(w, &contact[i], w->number + at);
  }
  crd_text_add(&w->text, ", \"%s\": ", key);
  crd_json_add_f32(&w->text, at, w->number);
}

static void add_contacts(writer *w) {
  size_t at = 0, count;
  unsigned char *mode = crd_arena_alloc(w->arena, w->ncontact + 1, 1);
  if (!mode) {
    w->text.failed = true;
    return;
  }
  for (size_t f = 0; f <= w->frames.count; f++) {
    w->id[f] = (int)at;
    if (f < w->frames.count) first_contact(w, f, &count), at += count;
  }
  crd_text_add(&w->text, ",\n\"contacts\": {\"start\": ");
  crd_json_add_u32(&w->text, w->frames.count + 1, w->id);
  at = 0;
  for (size_t f = 0; f < w->frames.count; f++) {
    const crd_sim_contact *contact = first_contact(w, f, &count);
    for (size_t i = 0; i < count; i++, at++)
      w->id[at] = name_id(w, contact[i].contact.name), mode[at] = (unsigned char)contact[i].mode;
  }
  crd_text_add(&w->text, ", \"name\": ");
  crd_json_add_u32(&w->text, at, w->id);
  crd_text_add(&w->text, ", \"mode\": ");
  crd_json_add_u8(&w->text, at, mode);
  add_part(w, "point", 3, part_point);
  add_part(w, "normal", 3, part_normal);
  add_part(w, "force", 3, part_force);
  add_part(w, "mu", 1, part_mu);
  add_part(w, "gap", 1, part_gap);
  add_part(w, "slip", 1, part_slip);
  crd_text_add(&w->text, "}, \"force_unit\": \"N\",\n\"names\": [");
  for (int i = 0; i < w->nname; i++) {
    if (i) crd_text_add(&w->text, ", ");
    crd_json_add_string(&w->text, w->name[i]);
  }
  crd_text_add(&w->text, "]");
}

/* ------------------------------------------------------------------------------------------------ series */

/* A number of every row. */
typedef double (*row_value)(const crd_trace *trace, size_t row);
#define LEDGER(field) \
  static double value_##field(const crd_trace *trace, size_t row) { return trace->energy[row].field; }
LEDGER(kinetic)
LEDGER(potential)
LEDGER(actuation)
LEDGER(damping)
LEDGER(impact)
LEDGER(contact)
LEDGER(loop)
LEDGER(integration)
static double value_total(const crd_trace *trace, size_t row) {
  return trace->energy[row].kinetic + trace->energy[row].potential;
}
static double value_count(const crd_trace *trace, size_t row) {
  return (double)(trace->offset[row + 1] - trace->offset[row]);
}
static double value_penetration(const crd_trace *trace, size_t row) { return trace->penetration[row]; }
static double value_residual(const crd_trace *trace, size_t row) { return trace->residual[row]; }

typedef struct line {
  const char *group, *unit, *name;
  row_value value;
  bool always; /* shown also where it is zero throughout */
} line;

static const line LINES[] = {
    {"energy", "J", "kinetic", value_kinetic, true},
    {"energy", "J", "potential", value_potential, true},
    {"energy", "J", "sum", value_total, true},
    {"ledger: what changed it", "J", "impacts", value_impact, true},
    {"ledger: what changed it", "J", "friction", value_contact, true},
    {"ledger: what changed it", "J", "joint damping and friction", value_damping, false},
    {"ledger: what changed it", "J", "actuators", value_actuation, false},
    {"ledger: what changed it", "J", "loops and limits", value_loop, false},
    {"ledger: what changed it", "J", "integration error", value_integration, true},
    {"contacts", "", "number", value_count, true},
    {"penetration, largest so far", "m", "penetration", value_penetration, true},
    {"residual of the contact problems, largest so far", "", "residual", value_residual, true},
};

static size_t take_series(writer *w, row_value value) {
  size_t count = 0;
  for (size_t f = 0; f < w->frames.count; f++)
    if (w->frames.is_row[f]) w->number[count++] = value(w->trace, w->frames.row[f]);
  return count;
}

static bool is_zero(size_t count, const double *value) {
  for (size_t i = 0; i < count; i++)
    if (value[i] != 0) return false;
  return true;
}

static double value_time(const crd_trace *trace, size_t row) { return trace->t[row]; }

/* The beginning of a line, and of its group where that is another than the last one's. */
static void begin_line(writer *w, const char **group, const char *title, const char *unit, const char *name) {
  if (strcmp(title, *group) != 0) {
    crd_text_add(&w->text, "%s\n{\"title\": \"%s\", \"unit\": \"%s\", \"lines\": [", **group ? "]}," : "", title, unit);
  } else {
    crd_text_add(&w->text, ", ");
  }
  *group = title;
  crd_text_add(&w->text, "{\"name\": ");
  crd_json_add_string(&w->text, name);
}

static bool is_constant(size_t count, const double *value) {
  for (size_t i = 1; i < count; i++)
    if (!(value[i] == value[0])) return false;
  return count > 0 && isfinite(value[0]);
}

/* Controls, forces, sensors: what stays the same is one number. */
static void add_signals(writer *w, size_t count, const char **group) {
  const crd_run_signal *signal;
  int nsignal;
  size_t *row = crd_arena_alloc(w->arena, count + 1, sizeof *row), n = 0;
  for (size_t f = 0; row && f < w->frames.count; f++)
    if (w->frames.is_row[f]) row[n++] = w->frames.row[f];
  if (!row || crd_run_signals(w->trace, w->model, w->inputs, count, row, w->arena, &signal, &nsignal) != CRD_OK) {
    w->text.failed = true;
    return;
  }
  for (int i = 0; i < nsignal; i++) {
    begin_line(w, group, signal[i].group, signal[i].unit, signal[i].name);
    if (is_constant(count, signal[i].value)) {
      crd_text_add(&w->text, ", \"constant\": ");
      crd_json_add_number(&w->text, signal[i].value[0]);
    } else {
      crd_text_add(&w->text, ", \"y\": ");
      crd_json_add_f32(&w->text, count, signal[i].value);
    }
    crd_text_add(&w->text, "}");
  }
}

static void add_series(writer *w) {
  const char *group = "";
  const size_t count = take_series(w, value_time);
  crd_text_add(&w->text, ",\n\"series\": {\"t\": ");
  crd_json_add_f64(&w->text, count, w->number);
  crd_text_add(&w->text, ", \"groups\": [");
  for (size_t i = 0; i < sizeof LINES / sizeof LINES[0]; i++) {
    const line *l = &LINES[i];
    take_series(w, l->value);
    if (!l->always && is_zero(count, w->number)) continue;
    begin_line(w, &group, l->group, l->unit, l->name);
    crd_text_add(&w->text, ", \"y\": ");
    crd_json_add_f32(&w->text, count, w->number);
    crd_text_add(&w->text, "}");
  }
  if (w->model) add_signals(w, count, &group);
  crd_text_add(&w->text, "]}]}");
}

/* ------------------------------------------------------------------------------------------------ words */

static void add_events(writer *w) {
  const crd_trace *trace = w->trace;
  crd_text_add(&w->text, ",\n\"events\": [");
  for (size_t i = 0; i < trace->nevent && i < MOST_EVENTS; i++) {
    const crd_sim_event *event = &trace->event[i];
    crd_text_add(&w->text, "%s{\"t\": ", i ? ",\n" : "\n");
    crd_json_add_number(&w->text, event->t);
    crd_text_add(&w->text, ", \"kind\": \"%s\", \"contact\": ", crd_sim_event_name(event->kind));
    crd_json_add_string(&w->text, event->contact ? event->contact : "");
    crd_text_add(&w->text, ", \"text\": \"");
    if (event->count > 1) crd_text_add(&w->text, "%d contacts", event->count);
    if (event->kind == CRD_EVENT_IMPACT)
      crd_text_add(&w->text, "%sapproach %.4g m/s, impulse %.4g N s, energy %+.4g J", event->count > 1 ? ", " : "",
                   event->approach, event->impulse, event->energy);
    crd_text_add(&w->text, "\"}");
  }
  crd_text_add(&w->text, "]");
}

static void add_summary(writer *w) {
  const crd_trace *trace = w->trace;
  const crd_sim_counters *c = &trace->end.counters;
  const crd_sim_options *o = &trace->header.options;
  crd_text *text = &w->text;
  crd_text_add(text, ", \"summary\": {\"integrator\": \"%s\", \"law\": \"%s\"", crd_sim_integrator_name(o->integrator),
               o->law ? o->law->name : "poisson");
  crd_text_add(text, ", \"step\": \"%.4g s\", \"steps\": %ld, \"impacts\": %ld", o->timestep, c->steps, c->impacts);
  crd_text_add(text, ", \"contacts in the mean\": \"%.3g\"", c->steps ? (double)c->contacts / (double)c->steps : 0);
  crd_text_add(text, ", \"penetration at most\": \"%.2g m\", \"residual at most\": \"%.2g\"", c->penetration_max,
               c->residual_max);
  if (trace->nrow) {
    const crd_sim_energy *last = &trace->energy[trace->nrow - 1];
    crd_text_add(text, ", \"energy\": \"%.6g J to %.6g J\"", last->start, last->kinetic + last->potential);
    crd_text_add(text, ", \"largest gain by contact\": \"%.2g J\"", last->gain_max);
  }
  if (trace->end.truncated) {
    crd_text_add(text, ", \"ended early\": ");
    crd_json_add_string(text, trace->end.status);
  }
  crd_text_add(text, "}");
}

/* ------------------------------------------------------------------------------------------------ all of it */

static crd_status prepare(writer *w) {
  if (crd_run_frames_choose(w->trace, w->arena, &w->frames) != CRD_OK) return CRD_ERR_MEMORY;
  size_t count;
  for (size_t f = 0; f < w->frames.count; f++) first_contact(w, f, &count), w->ncontact += count;
  const size_t room = w->ncontact + w->frames.count + 1;
  w->number = crd_arena_alloc(w->arena, 3 * room, sizeof *w->number);
  w->id = crd_arena_alloc(w->arena, room, sizeof *w->id);
  w->name = crd_arena_alloc(w->arena, MOST_NAMES, sizeof *w->name);
  return w->number && w->id && w->name ? CRD_OK : CRD_ERR_MEMORY;
}

crd_status crd_io_run_text(const crd_trace *trace, const crd_model *model, const crd_run_inputs *inputs,
                           crd_arena *arena, const char **text, crd_error *err) {
  writer w = {.trace = trace, .model = model, .inputs = inputs, .arena = arena};
  *text = NULL;
  const int nact = trace->act ? trace->header.nact : 0;
  if (model && (model->nq != trace->nq || model->nv != trace->nv || model->nact != nact))
    return crd_error_set(
        err, CRD_ERR_MODEL, NULL, 0,
        "found %d positions, %d velocities and %d activations in the trace, expected the %d, %d and %d "
        "of its mechanism",
        trace->nq, trace->nv, nact, model->nq, model->nv, model->nact);
  if (prepare(&w) == CRD_OK) {
    crd_text_add(&w.text, "{\"input\": ");
    crd_json_add_string(&w.text, trace->header.input);
    add_summary(&w);
    add_frames(&w);
    add_series(&w);
    add_contacts(&w);
    add_events(&w);
    crd_text_add(&w.text, "}");
    if (!w.text.failed) *text = crd_arena_string(arena, w.text.data);
    crd_text_free(&w.text);
  }
  return *text ? CRD_OK : crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "out of memory");
}
