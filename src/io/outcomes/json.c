/* Sets of outcomes as the part "outcomes" of a page (docs/viewer.md): samples, the outcomes of the sequential and the
 * simultaneous law as marks [Halm & Posa, Figures 9-14], and the first samples' paths through velocity space. */
#include <math.h>
#include <string.h>

#include <cradle/io.h>
#include <cradle/outcome.h>
#include "io/json/text.h"

/* Points and paths of all sets together; each has at least the fewest. */
enum { MOST_POINTS = 20000, FEWEST_POINTS = 200, MOST_PATHS = 24, FEWEST_PATHS = 2, MOST_MARKS = 64, MOST_SETS = 100 };

typedef struct writer {
  crd_text text;
  const crd_outcome_record *record; /* the set that is written */
  const crd_contact_problem *problem;
  const crd_outcome_set *set;
  uint64_t points, paths; /* room that it has */
  crd_arena *arena;
} writer;

static double share(uint64_t part, uint64_t whole) { return whole ? (double)part / (double)whole : 0; }

static void add_summary(writer *w) {
  const crd_outcome_set *set = w->set;
  const crd_outcome_options *o = &set->options;
  const uint64_t computed = set->samples - set->ended[CRD_OUTCOME_MISSING], done = set->ended[CRD_OUTCOME_DONE];
  crd_text *text = &w->text;
  crd_text_add(text, "\"claim\": \"%s\", \"samples\": %llu, \"terminated\": %llu", crd_outcome_claim_name(set->claim),
               (unsigned long long)computed, (unsigned long long)done);
  crd_text_add(text, ",\n\"summary\": {\"h\": \"%.4g N s\", \"pattern\": \"%s\", \"selection\": \"%s\", \"seed\": %llu",
               o->h, crd_outcome_pattern_name(o->pattern), crd_outcome_selection_name(o->selection),
               (unsigned long long)o->seed);
  crd_text_add(text, ", \"steps a sample\": \"%.4g\", \"at rest\": \"%.4g %%\"", share(set->total_lcps, computed),
               100 * share(set->at_rest, done));
  const crd_outcome_box *box = w->record->box;
  if (box)
    crd_text_add(text, ", \"uncertain\": \"\\u03bc \\u00b1 %.4g, e \\u00b1 %.4g, v \\u00b1 %.4g; %d problems drawn\"",
                 box->mu, box->e, box->v, box->draws);
  if (done) crd_text_add(text, ", \"K+/K-\": \"%.4g to %.4g\"", fmax(0, set->energy_ratio.min), set->energy_ratio.max);
  crd_text_add(text, ", \"steps with several solutions\": \"%.3g %%\"}",
               100 * share(set->ambiguous_lcps, set->total_lcps));
}

static void add_axis(writer *w, bool first, const crd_contact *contact, const char *letter, int row) {
  const int nv = w->problem->nv;
  crd_text_add(&w->text, first ? "\n" : ",\n");
  crd_text_add(&w->text, "{\"name\": ");
  size_t length = strlen(contact->name) + 8;
  char *name = crd_arena_alloc(w->arena, length, 1);
  if (!name) {
    w->text.failed = true;
    return;
  }
  strcat(strcat(strcpy(name, contact->name), " "), letter);
  crd_json_add_string(&w->text, name);
  crd_text_add(&w->text, ", \"unit\": \"m/s\", \"row\": ");
  crd_json_add_vector(&w->text, nv, w->problem->J + (size_t)nv * (size_t)row);
  crd_text_add(&w->text, "}");
}

static void add_axes(writer *w) {
  static const char *const LETTER[2][3] = {{"n", "t", ""}, {"n", "t1", "t2"}};
  crd_text_add(&w->text, ",\n\"axes\": [");
  for (int c = 0; c < w->problem->nc; c++) {
    const crd_contact *contact = &w->problem->contact[c];
    for (int k = 0; k <= contact->ntangent; k++)
      add_axis(w, c == 0 && k == 0, contact, LETTER[contact->ntangent == 2][k], contact->row + k);
  }
  crd_text_add(&w->text, "],\n\"v_minus\": ");
  crd_json_add_vector(&w->text, w->problem->nv, w->problem->v);
}

/* Every so many of the samples that are outcomes, so that they come from all over the set. */
static void add_samples(writer *w) {
  const crd_outcome_set *set = w->set;
  const size_t nv = (size_t)set->nv;
  const uint64_t done = set->ended[CRD_OUTCOME_DONE],
                 stride = done > w->points ? (done + w->points - 1) / w->points : 1;
  double *shown = crd_arena_alloc(w->arena, (size_t)(done / stride + 1) * nv + 1, sizeof *shown);
  size_t count = 0;
  uint64_t seen = 0;
  if (!shown) {
    w->text.failed = true;
    return;
  }
  for (uint64_t i = 0; i < set->samples; i++)
    if (set->ending[i] == CRD_OUTCOME_DONE && seen++ % stride == 0)
      memcpy(shown + nv * count++, set->v_plus + nv * i, nv * sizeof *shown);
  crd_text_add(&w->text, ",\n\"v_plus\": ");
  crd_json_add_f32(&w->text, nv * count, shown);
}

static void add_mark(writer *w, int index, const char *law, const char *label, const double *v_plus) {
  crd_text_add(&w->text, "%s{\"law\": ", index ? ",\n" : "\n");
  crd_json_add_string(&w->text, law);
  crd_text_add(&w->text, ", \"label\": ");
  crd_json_add_string(&w->text, label);
  crd_text_add(&w->text, ", \"v_plus\": ");
  crd_json_add_vector(&w->text, w->problem->nv, v_plus);
  crd_text_add(&w->text, "}");
}

static void add_marks(writer *w) {
  static const char *const LAWS[] = {"sequential", "anitescu-potra"};
  crd_impact_options options = crd_impact_default();
  int marks = 0;
  options.facets = w->set->options.facets;
  crd_text_add(&w->text, ",\n\"marks\": [");
  for (int i = 0; i < 2; i++) {
    crd_impact_result result = {0};
    const crd_impact_law *law = crd_impact_find(LAWS[i]);
    crd_status status = law ? crd_impact_resolve(law, w->problem, &options, &result) : CRD_ERR_ARGUMENT;
    if (status == CRD_ERR_MEMORY) w->text.failed = true;
    for (int k = 0; status != CRD_ERR_MEMORY && k < result.count && marks < MOST_MARKS; k++)
      add_mark(w, marks++, law->name, result.solution[k].label, result.solution[k].v_plus);
    crd_impact_result_free(&result);
  }
  for (int k = 0; k < w->record->nmark; k++) {
    const crd_outcome_mark *mark = &w->record->mark[k];
    add_mark(w, marks++, mark->law, mark->label, mark->v_plus);
  }
  crd_text_add(&w->text, "]");
}

static void add_path(writer *w, crd_outcome_stepper *stepper, uint64_t sample, double *v, int capacity, bool first) {
  int count = 0;
  crd_outcome_end ending;
  const size_t nv = (size_t)w->problem->nv;
  if (crd_outcome_path(stepper, sample, v, NULL, capacity, &count, &ending) != CRD_OK) return;
  crd_text_add(&w->text, "%s{\"label\": \"sample %llu\", \"v\": ", first ? "\n" : ",\n", (unsigned long long)sample);
  crd_json_add_f32(&w->text, nv * (size_t)count, v);
  crd_text_add(&w->text, "}");
}

/* Samples of a box have problems of their own, whose paths are not those of its middle. */
static void add_paths(writer *w) {
  const crd_outcome_set *set = w->set;
  const int capacity = set->options.steps + 1;
  crd_outcome_stepper *stepper = NULL;
  double *v = crd_arena_alloc(w->arena, (size_t)capacity * (size_t)w->problem->nv + 1, sizeof *v);
  uint64_t paths = 0;
  const uint64_t most = w->record->box ? 0 : w->paths;
  crd_text_add(&w->text, ",\n\"paths\": [");
  if (v && crd_outcome_stepper_new(w->problem, &set->options, &stepper) == CRD_OK)
    for (uint64_t i = 0; i < set->samples && paths < most; i++)
      if (set->ending[i] == CRD_OUTCOME_DONE)
        add_path(w, stepper, set->number ? set->number[i] : set->options.first + i, v, capacity, paths == 0), paths++;
  crd_outcome_stepper_free(stepper);
  crd_text_add(&w->text, "]");
}

/* Where the contacts are at this set's state; a sweep over a joint moves them. */
static void add_contacts(writer *w) {
  crd_text_add(&w->text, ",\n\"contacts\": [");
  for (int c = 0; c < w->problem->nc; c++) {
    const crd_contact *contact = &w->problem->contact[c];
    crd_text_add(&w->text, "%s{\"point\": ", c ? ", " : "");
    crd_json_add_vector(&w->text, 3, contact->point);
    crd_text_add(&w->text, ", \"normal\": ");
    crd_json_add_vector(&w->text, 3, contact->normal);
    crd_text_add(&w->text, ", \"mu\": ");
    crd_json_add_number(&w->text, contact->mu);
    crd_text_add(&w->text, "}");
  }
  crd_text_add(&w->text, "]");
}

static void add_set(writer *w, const crd_outcome_record *record) {
  w->record = record, w->problem = record->problem, w->set = record->set;
  crd_text_add(&w->text, "{\"value\": ");
  crd_json_add_number(&w->text, record->value);
  crd_text_add(&w->text, ", ");
  add_summary(w);
  add_contacts(w);
  add_axes(w);
  add_samples(w);
  add_marks(w);
  add_paths(w);
  crd_text_add(&w->text, "}");
}

static uint64_t each(uint64_t all, uint64_t fewest, int sets) {
  const uint64_t own = sets ? all / (uint64_t)sets : all;
  return own > fewest ? own : fewest;
}

crd_status crd_io_outcomes_text(const char *input, const char *parameter, int count, const crd_outcome_record *record,
                                crd_arena *arena, const char **text, crd_error *err) {
  const int shown = count < MOST_SETS ? count : MOST_SETS;
  writer w = {.arena = arena,
              .points = each(MOST_POINTS, FEWEST_POINTS, shown),
              .paths = each(MOST_PATHS, FEWEST_PATHS, shown)};
  crd_text_add(&w.text, "{\"input\": ");
  crd_json_add_string(&w.text, input);
  crd_text_add(&w.text, ", \"parameter\": ");
  if (parameter)
    crd_json_add_string(&w.text, parameter);
  else
    crd_text_add(&w.text, "null");
  crd_text_add(&w.text, ", \"sets\": [");
  for (int i = 0; i < shown; i++) {
    if (i) crd_text_add(&w.text, ",\n");
    add_set(&w, &record[shown > 1 ? (int64_t)i * (count - 1) / (shown - 1) : 0]);
  }
  crd_text_add(&w.text, "]}");
  *text = w.text.failed ? NULL : crd_arena_string(arena, w.text.data);
  crd_text_free(&w.text);
  return *text ? CRD_OK : crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "out of memory");
}
