/* The options that every verb on a mechanism has, and the reading of mechanism and state they ask for. */
#include "common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

cli_common cli_common_default(void) {
  return (cli_common){.mu = NAN, .e = NAN, .example = crd_io_example_default(), .threads = 1};
}

void cli_common_options(cli_common *common, cli_option *option) {
  const cli_option all[CLI_COMMON_OPTIONS] = {
      {"--json", NULL, CLI_FLAG, &common->json, 0, "print one JSON object"},
      {"-o", "FILE", CLI_OUTPUT, &common->output, 0, "write to FILE instead of standard output"},
      {"--state", "KEY", CLI_TEXT, &common->state, 0, "state: a keyframe of the model (the first)"},
      {"--qpos", "\"...\"", CLI_TEXT, &common->qpos, 0, "positions instead of the keyframe's"},
      {"--qvel", "\"...\"", CLI_TEXT, &common->qvel, 0, "velocities instead of the keyframe's"},
      {"--mu", "X", CLI_NUMBER, &common->mu, 0, "friction of all contacts"},
      {"--e", "X", CLI_NUMBER, &common->e, 0, "restitution of all contacts"},
      {"--base", "Z", CLI_NUMBER, &common->example.base, -HUGE_VAL, "height of the base of @pendulum, m (5.5)"},
      {"--seed", "N", CLI_COUNT, &common->seed, 0, "seed of random numbers (0)"},
      {"--threads", "N", CLI_COUNT, &common->threads, 1, "number of threads (1)"},
      {"--lenient", NULL, CLI_FLAG, &common->lenient, 0, "leave out what is not understood, even where it matters"},
      {"--allow-outside", NULL, CLI_FLAG, &common->allow_outside, 0, "read files outside the model's folder"},
      {"-q", NULL, CLI_FLAG, &common->quiet, 0, "print results and errors only"},
      {"--packages", "DIRS", CLI_TEXT, &common->package_path, 0, "where to search package:// files (a:b:c)"},
  };
  for (int i = 0; i < CLI_COMMON_OPTIONS; i++) option[i] = all[i], option[i].common = true;
}

/* ------------------------------------------------------------------------------------------------ reading */

/* The folders of "a:b:c", in the arena. */
static bool split_path(const char *text, crd_arena *arena, const char *const **folder, int *count) {
  size_t length = strlen(text);
  char *copy = crd_arena_string(arena, text);
  const char **list = crd_arena_alloc(arena, length + 1, sizeof *list);
  if (!copy || !list) return false;
  *count = 0;
  for (char *at = strtok(copy, ":"); at; at = strtok(NULL, ":")) list[(*count)++] = at;
  *folder = list;
  return true;
}

static crd_status read_model(cli_mechanism *mechanism, const cli_common *common, crd_error *err) {
  crd_read_options options = crd_io_read_default();
  options.lenient = common->lenient, options.allow_outside = common->allow_outside;
  if (common->package_path &&
      !split_path(common->package_path, &mechanism->arena, &options.package_path, &options.npackage_path))
    return crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "out of memory");
  mechanism->options = options;
  if (mechanism->input[0] != '@')
    return crd_io_read_model(mechanism->input, &options, &mechanism->model, &mechanism->report, err);
  const char *text;
  crd_status status = crd_io_example_text(mechanism->input, &common->example, &mechanism->arena, &text, err);
  if (status) return status;
  mechanism->text = text;
  return crd_io_read_model_text(text, strlen(text), mechanism->input, &options, &mechanism->model, &mechanism->report,
                                err);
}

/* Exactly `count` numbers from text into value; a message otherwise. */
static bool take_numbers(const char *verb, const char *option, const char *text, int count, double *value) {
  int found = 0;
  for (const char *at = text + strspn(text, " ,\t\n"); *at; at += strspn(at, " ,\t\n")) {
    char *end;
    double number = strtod(at, &end);
    if (end == at || (*end && !strchr(" ,\t\n", *end)) || !isfinite(number)) {
      cli_complain(verb, "%s: found '%.*s', expected a finite number", option, (int)strcspn(at, " ,\t\n"), at);
      return false;
    }
    if (found < count) value[found] = number;
    found++, at = end;
  }
  if (found != count) cli_complain(verb, "%s: found %d numbers, expected %d", option, found, count);
  return found == count;
}

static bool find_key(const char *verb, const crd_model *model, const char *name, int *key) {
  *key = name ? crd_model_find_key(model, name) : model->nkey > 0 ? 0 : -1;
  if (!name || *key >= 0) return true;
  char known[256] = "";
  cli_hint hint = cli_hint_begin(name);
  for (int i = 0; i < model->nkey; i++) cli_hint_add(&hint, model->key[i].name);
  for (int i = 0; i < model->nkey && strlen(known) + strlen(model->key[i].name) + 4 < sizeof known; i++) {
    if (i > 0) strcat(known, ", ");
    strcat(known, model->key[i].name);
  }
  cli_complain(verb, "--state: found '%s', expected a keyframe of the model (%s)%s", name,
               known[0] ? known : "it has none", hint.text);
  return false;
}

static int choose_state(cli_mechanism *mechanism, const char *verb, const cli_common *common) {
  const crd_model *model = mechanism->model;
  int key;
  if (!find_key(verb, model, common->state, &key)) return CLI_BAD_INPUT;
  mechanism->qpos = crd_arena_alloc(&mechanism->arena, (size_t)model->nq + 1, sizeof(double));
  mechanism->qvel = crd_arena_alloc(&mechanism->arena, (size_t)model->nv + 1, sizeof(double));
  if (!mechanism->qpos || !mechanism->qvel) {
    cli_complain(verb, "no memory for the state");
    return CLI_SYSTEM;
  }
  const double *qpos = key >= 0 && model->key[key].qpos ? model->key[key].qpos : model->qpos0;
  if (model->nq > 0) memcpy(mechanism->qpos, qpos, (size_t)model->nq * sizeof(double));
  if (key >= 0) {
    mechanism->key = model->key[key].name, mechanism->ctrl = model->key[key].ctrl;
    mechanism->act = model->key[key].act;
    if (model->key[key].qvel && model->nv > 0)
      memcpy(mechanism->qvel, model->key[key].qvel, (size_t)model->nv * sizeof(double));
  }
  if (common->qpos && !take_numbers(verb, "--qpos", common->qpos, model->nq, mechanism->qpos)) return CLI_BAD_INPUT;
  if (common->qvel && !take_numbers(verb, "--qvel", common->qvel, model->nv, mechanism->qvel)) return CLI_BAD_INPUT;
  return CLI_DONE;
}

bool cli_is_problem(const char *input) {
  const size_t length = strlen(input);
  return length > 5 && strcmp(input + length - 5, ".json") == 0;
}

int cli_mechanism_read(cli_mechanism *mechanism, const char *verb, const char *input, const cli_common *common) {
  crd_error err = {0};
  *mechanism = (cli_mechanism){.input = input};
  if (cli_is_problem(input))
    return cli_complain(verb, "found the impact problem '%s', expected a mechanism (MJCF, URDF or @name)", input);
  if (read_model(mechanism, common, &err)) return cli_report(&err);
  for (int i = 0; i < mechanism->report.nfile; i++)
    if (!cli_spares(verb, mechanism->report.file[i])) return CLI_BAD_INPUT;
  return choose_state(mechanism, verb, common);
}

crd_status cli_contact_problem(const cli_mechanism *mechanism, const cli_common *common, crd_workspace *work,
                               bool with_matrix, bool turning, crd_contact_problem *problem) {
  crd_contact_options options = crd_contact_default();
  options.torsion = turning;
  options.mu = common->mu, options.e = common->e, options.mass_matrix = with_matrix;
  options.max_points = CLI_MOST_POINTS;
  crd_contact_assembler *assembler = crd_contact_assembler_new(mechanism->model);
  if (!assembler) return CRD_ERR_MEMORY;
  crd_status status = crd_contact_at_state(assembler, work, mechanism->qpos, mechanism->qvel, &options, problem);
  crd_contact_assembler_free(assembler);
  if (status == CRD_LIMIT)
    fprintf(stderr, "cradle: '%s': found more than %d points of contact, expected fewer: do bodies overlap?\n",
            mechanism->input, CLI_MOST_POINTS);
  return status;
}

void cli_mechanism_visuals(const cli_mechanism *mechanism, crd_visuals *visuals) {
  const char *text = mechanism->text, *input = mechanism->input;
  if (text)
    crd_io_read_visuals_text(text, strlen(text), input, &mechanism->options, visuals, NULL);
  else
    crd_io_read_visuals(input, &mechanism->options, visuals, NULL);
}

void cli_mechanism_free(cli_mechanism *mechanism) {
  crd_model_free(mechanism->model);
  crd_io_read_report_free(&mechanism->report);
  crd_arena_free(&mechanism->arena);
  *mechanism = (cli_mechanism){0};
}

void cli_print_ignored(FILE *file, const char *before, const crd_ignored *item) {
  fprintf(file, "%s%s:%d: %s%s%s: %s\n", before, item->file, item->line, item->element, item->attribute ? " " : "",
          item->attribute ? item->attribute : "", item->reason);
}

void cli_mechanism_warn(const cli_mechanism *mechanism, const cli_common *common) {
  const crd_read_report *report = &mechanism->report;
  const int others = report->count - report->nwarning;
  for (int i = 0; i < report->nwarning; i++) cli_print_ignored(stderr, "cradle: warning: ", &report->item[i]);
  if (others > 0 && !common->quiet)
    fprintf(stderr, "cradle: %d thing%s without effect on the motion (`cradle info %s` lists %s)\n", others,
            others == 1 ? "" : "s", mechanism->input, others == 1 ? "it" : "them");
}

int cli_most_tangents(const crd_contact_problem *problem) {
  int most = 0;
  for (int c = 0; c < problem->nc; c++)
    if (problem->contact[c].ntangent > most) most = problem->contact[c].ntangent;
  return most;
}
