/* Texts, JSON objects and pages, by the program's own printers (cli/). */
#define _POSIX_C_SOURCE 200809L
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check_region.h"
#include "impact_print.h"
#include "info.h"
#include "internal.h"
#include "outcomes.h"
#include "page.h"
#include "run.h"
#include "view.h"

void crdpy_view_input(const crdpy_problem *problem, cli_problem *input) {
  *input = (cli_problem){.input = problem->input, .problem = problem->problem};
  if (!problem->model) return;
  input->from_model = true;
  input->mechanism = (cli_mechanism){
      .input = problem->model->input, .model = problem->model->model, .qpos = problem->qpos, .qvel = problem->qvel};
}

/* ------------------------------------------------------------------------------------------------ texts */

/* The program prints in the C locale; whoever called may have set another one, with a decimal comma. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t of_program;
static _Thread_local locale_t of_caller;

static void make_locale(void) { of_program = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

bool crdpy_print_begin(cli_output *w) {
  pthread_once(&once, make_locale);
  if (!of_program || !cli_output_begin(w)) return false;
  of_caller = uselocale(of_program);
  return true;
}

char *crdpy_print_end(cli_output *w, bool good) {
  uselocale(of_caller);
  if (fclose(w->file) == 0 && good) return w->text;
  free(w->text);
  return NULL;
}

/* count numbers of one's own, zero where there are none. */
static double *copied(crd_arena *arena, int count, const double *from) {
  double *to = crd_arena_alloc(arena, (size_t)count + 1, sizeof *to);
  if (to && from) memcpy(to, from, sizeof *to * (size_t)count);
  return to;
}

char *crdpy_model_print(const crdpy_model *model) {
  cli_output w;
  if (!crdpy_print_begin(&w)) return NULL;
  const crd_model *m = model->model;
  const crd_key *key = m->nkey > 0 ? &m->key[0] : NULL;
  crd_arena arena = {0};
  cli_mechanism mechanism = {.input = model->input, .model = model->model, .report = model->report};
  mechanism.qpos = copied(&arena, m->nq, key && key->qpos ? key->qpos : m->qpos0);
  mechanism.qvel = copied(&arena, m->nv, key ? key->qvel : NULL);
  mechanism.key = key ? key->name : NULL;
  crd_workspace *work = crd_model_workspace_new(m);
  crd_contact_problem *problem = crd_contact_problem_new();
  const cli_common common = cli_common_default();
  int contacts = -1;
  if (mechanism.qpos && mechanism.qvel && work && problem &&
      cli_contact_problem(&mechanism, &common, work, false, false, problem) == CRD_OK)
    contacts = problem->nc;
  info_print_text(w.file, &mechanism, contacts, false), cli_output_fit(&w);
  crd_contact_problem_free(problem), crd_model_workspace_free(work), crd_arena_free(&arena);
  return crdpy_print_end(&w, true);
}

char *crdpy_problem_print(const crdpy_problem *problem) {
  cli_output w;
  if (!crdpy_print_begin(&w)) return NULL;
  info_print_problem(w.file, problem->input, problem->problem), cli_output_fit(&w);
  return crdpy_print_end(&w, true);
}

/* Results side by side as the program keeps them: structs, whose arrays stay where they are. */
static crd_impact_result *side_by_side(int count, crdpy_result *const *result) {
  crd_impact_result *row = calloc((size_t)count + 1, sizeof *row);
  for (int i = 0; row && i < count; i++) row[i] = result[i]->result;
  return row;
}

char *crdpy_impact_print(const crdpy_problem *problem, const crd_impact_options *options, int count,
                         const crd_impact_law *const *law, crdpy_result *const *result, bool json) {
  cli_output w;
  cli_problem input;
  crd_impact_result *row = side_by_side(count, result);
  if (!row || !crdpy_print_begin(&w)) {
    free(row);
    return NULL;
  }
  crdpy_view_input(problem, &input);
  const impact_view view = {.input = &input, .law = law, .result = row, .count = count, .options = options};
  bool good = true;
  if (json)
    good = cli_json_print(w.file, impact_json(&view));
  else
    impact_print_text(w.file, &view), cli_output_fit(&w);
  free(row);
  return crdpy_print_end(&w, good);
}

char *crdpy_outcomes_print(const crdpy_problem *problem, const crd_outcome_set *set, const char *axes, bool json) {
  cli_output w;
  cli_problem input;
  outcomes_result result = {.problem = problem->problem, .set = *set};
  if (!crdpy_print_begin(&w)) return NULL;
  crdpy_view_input(problem, &input);
  bool good = outcomes_shape_find(problem->problem, set, axes, &result.shape) == CRD_OK;
  const outcomes_view view = {.input = &input, .result = &result, .count = 1};
  if (good && json)
    good = cli_json_print(w.file, outcomes_json(&view));
  else if (good)
    outcomes_print_text(w.file, &view), cli_output_fit(&w);
  outcomes_shape_free(&result.shape);
  return crdpy_print_end(&w, good);
}

char *crdpy_check_print(const crdpy_problem *problem, const crdpy_check *check, bool json) {
  cli_output w;
  cli_problem input;
  check_view view;
  if (!crdpy_print_begin(&w)) return NULL;
  crdpy_view_input(problem, &input);
  crdpy_view_check(check, &input, &view);
  bool good = true;
  if (json)
    good = cli_json_print(w.file, check_json(&view));
  else
    check_print_text(w.file, &view, false), cli_output_fit(&w);
  return crdpy_print_end(&w, good);
}

/* ------------------------------------------------------------------------------------------------ runs */

/* Work of each contact over the rows of a trace. */
static json_t *work_by_contact(const crd_trace *trace) {
  json_t *work = json_object();
  for (int64_t i = 0; trace->nrow > 0 && i < trace->offset[trace->nrow]; i++) {
    const crd_sim_contact *contact = &trace->contact[i];
    json_t *sum = json_object_get(work, contact->contact.name);
    if (sum)
      json_real_set(sum, json_real_value(sum) + contact->work);
    else
      json_object_set_new(work, contact->contact.name, json_real(contact->work));
  }
  return work;
}

char *crdpy_trace_print(const crdpy_trace *own, bool json) {
  const crd_trace *trace = &own->trace;
  cli_output w;
  if (trace->nrow == 0 || !crdpy_print_begin(&w)) return NULL;
  const size_t last = trace->nrow - 1;
  const crd_model sizes = {.nq = trace->nq, .nv = trace->nv, .nact = trace->header.nact};
  const run_job job = {.model = &sizes, .header = trace->header};
  run_result result = {.status = trace->end.truncated ? CRD_UNKNOWN : CRD_OK,
                       .t = isnan(own->wall) ? trace->t[last] : trace->t[last] - trace->t[0],
                       .wall = isnan(own->wall) ? 0 : own->wall,
                       .timestep = trace->header.options.timestep,
                       .energy = trace->energy[last],
                       .counters = trace->end.counters,
                       .nevent = trace->nevent,
                       .work = trace->header.every == 1 && !isnan(own->wall) ? work_by_contact(trace) : json_object(),
                       .seed = trace->header.options.seed};
  const size_t events = trace->nevent * sizeof *result.event;
  result.qpos = copied(&result.arena, trace->nq, trace->qpos + last * (size_t)trace->nq);
  result.qvel = copied(&result.arena, trace->nv, trace->qvel + last * (size_t)trace->nv);
  const double *act = trace->act ? trace->act + last * (size_t)trace->header.nact : NULL;
  result.act = copied(&result.arena, trace->header.nact, act);
  result.event = malloc(events + 1);
  if (result.event && events) memcpy(result.event, trace->event, events);
  if (!result.event) result.nevent = 0;
  snprintf(result.message, sizeof result.message, "%s", trace->end.truncated ? trace->end.status : "");
  for (size_t i = 0; i < trace->nevent; i++) result.counts[trace->event[i].kind]++;
  const run_view view = {.input = trace->header.input, .job = &job, .result = &result, .count = 1, .wall = result.wall};
  bool good = result.qpos && result.qvel && result.act && result.event;
  if (good && json)
    good = run_print_json(w.file, &view);
  else if (good)
    run_print_text(w.file, &view), cli_output_fit(&w);
  run_result_free(&result);
  return crdpy_print_end(&w, good);
}

/* ------------------------------------------------------------------------------------------------ pages */

static crd_status write_page(cli_page *page, const char *path, const char *kind, crd_error *err) {
  crd_status status = page->failed ? crd_error_set(err, CRD_ERR_MEMORY, path, 0, "out of memory")
                                   : crd_io_write_page(path, kind, page->part, page->count, err);
  crd_arena_free(&page->arena);
  return status;
}

/* The mechanism with what its file shows. What cannot be shown is left out without a word. */
static void add_scene(cli_page *page, const crdpy_model *model, const double *qpos, const double *qvel,
                      const crd_contact_problem *problem) {
  if (!model) return;
  crd_visuals visuals = {0};
  const char *text = NULL;
  const crd_trace holder = {.header = {.input = model->input,
                                       .nfile = model->nfile,
                                       .file = model->file,
                                       .lenient = model->lenient,
                                       .formulation = "tree"}};
  crd_io_trace_visuals(&holder, &visuals, NULL);
  crd_io_scene_text(model->model, qpos, qvel, problem, &visuals, &page->arena, &text, NULL);
  crd_io_visuals_free(&visuals);
  cli_page_add_text(page, "scene", text);
}

static void add_scene_of(cli_page *page, const crdpy_problem *problem) {
  add_scene(page, problem->model, problem->qpos, problem->qvel, problem->problem);
}

crd_status crdpy_impact_page(const char *path, const crdpy_problem *problem, const crd_impact_options *options,
                             int count, const crd_impact_law *const *law, crdpy_result *const *result, crd_error *err) {
  cli_page page = {0};
  cli_problem input;
  crd_impact_result *row = side_by_side(count, result);
  if (!row) return CRD_ERR_MEMORY;
  crdpy_view_input(problem, &input);
  const impact_view view = {.input = &input, .law = law, .result = row, .count = count, .options = options};
  cli_page_add(&page, "impact", impact_json(&view));
  add_scene_of(&page, problem);
  free(row);
  return write_page(&page, path, "impact", err);
}

crd_status crdpy_outcomes_page(const char *path, const crdpy_problem *problem, const crd_outcome_set *set,
                               crd_error *err) {
  cli_page page = {0};
  cli_problem input;
  const char *text = NULL;
  const crd_outcome_record record = {.problem = problem->problem, .set = set};
  crdpy_view_input(problem, &input);
  crd_status status = crd_io_outcomes_text(input.input, NULL, 1, &record, &page.arena, &text, err);
  if (status) {
    crd_arena_free(&page.arena);
    return status;
  }
  cli_page_add_text(&page, "outcomes", text);
  add_scene_of(&page, problem);
  return write_page(&page, path, "outcomes", err);
}

enum { PAGE_STEPS = 120 }; /* of the region in a page, as `cradle check --html` */

crd_status crdpy_check_page(const char *path, const crdpy_problem *problem, const crdpy_check *check, crd_error *err) {
  cli_page page = {0};
  cli_problem input;
  check_view view;
  crdpy_view_input(problem, &input);
  crdpy_view_check(check, &input, &view);
  cli_page_add(&page, "check", check_json(&view));
  cli_page_add(&page, "region", check_region_page(&view, PAGE_STEPS));
  add_scene_of(&page, problem);
  return write_page(&page, path, "check", err);
}

crd_status crdpy_trace_page(const char *path, crdpy_trace *own, crd_error *err) {
  cli_page page = {0};
  crdpy_model *model;
  const char *run = NULL;
  const crd_trace *trace = &own->trace;
  crd_status status = crdpy_trace_model(own, &model, err);
  if (status == CRD_OK && trace->nrow == 0)
    status = crd_error_set(err, CRD_ERR_ARGUMENT, NULL, 0, "the trace has no rows");
  if (status == CRD_OK) status = crd_io_run_text(trace, NULL, NULL, &page.arena, &run, err);
  if (status) {
    crd_arena_free(&page.arena);
    return status;
  }
  cli_page_add_text(&page, "run", run);
  add_scene(&page, model, trace->qpos, trace->qvel, NULL);
  return write_page(&page, path, "run", err);
}
