/* cradle info: what was read, its sizes, and everything in the file that the model does not contain. */
#include <string.h>

#include "info.h"
#include "table.h"

static json_t *ignored_json(const crd_read_report *report) {
  static const char *const kind[] = {"no effect", "left out", "unknown"};
  json_t *list = json_array();
  for (int i = 0; i < report->count; i++) {
    const crd_ignored *item = &report->item[i];
    json_t *entry = json_pack("{s:s, s:i, s:s, s:s, s:s}", "element", item->element, "line", item->line, "reason",
                              item->reason, "file", item->file, "kind", kind[item->kind]);
    if (item->attribute) json_object_set_new(entry, "attribute", json_string(item->attribute));
    if (item->name && item->name[0]) json_object_set_new(entry, "name", json_string(item->name));
    json_array_append_new(list, entry);
  }
  return list;
}

static json_t *names_json(const crd_model *model) {
  json_t *keys = json_array();
  for (int i = 0; i < model->nkey; i++) json_array_append_new(keys, json_string(model->key[i].name));
  return keys;
}

/* In place of the number of contacts. */
enum { SINGULAR = -1, TOO_MANY = -2 };

static bool print_json(FILE *file, const cli_mechanism *mechanism, int contacts) {
  const crd_model *model = mechanism->model;
  json_t *object =
      json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "input", mechanism->input, "name", model->name, "nq",
                model->nq, "nv", model->nv, "bodies", model->nbody - 1, "joints", model->njoint, "geoms", model->ngeom,
                "loops", model->nloop, "actuators", model->nactuator);
  json_object_set_new(object, "mass", cli_json_number(model->mass));
  json_object_set_new(object, "contacts", contacts < 0 ? json_null() : json_integer(contacts));
  json_object_set_new(object, "keyframes", names_json(model));
  json_object_set_new(object, "ignored", ignored_json(&mechanism->report));
  return cli_json_print(file, object);
}

/* "3", or "3..6" of several. */
static void add_places(cli_table *table, int first, int count) {
  if (count > 1)
    cli_table_add(table, "%d..%d", first, first + count - 1);
  else
    cli_table_add(table, "%d", first);
}

static void print_joints(FILE *file, const crd_model *model) {
  enum { SHOWN = 40 };
  static const char *const title[] = {"joint", "type", "body", "qpos", "qvel", "range"};
  cli_table table;
  cli_table_begin(&table, sizeof title / sizeof *title, title);
  for (int i = 0; i < model->njoint && i < SHOWN; i++) {
    const crd_joint *joint = &model->joint[i];
    const char *body = model->body[joint->body].name;
    cli_table_add(&table, "%s", joint->name[0] ? joint->name : "-");
    cli_table_add(&table, "%s", crd_model_joint_type_name(joint->type));
    cli_table_add(&table, "%s", body[0] ? body : "-");
    add_places(&table, joint->q, joint->nq), add_places(&table, joint->v, joint->nv);
    if (joint->limited)
      cli_table_add(&table, "%g to %g", joint->range[0], joint->range[1]);
    else
      cli_table_add(&table, "%s", "");
  }
  fputc('\n', file);
  if (model->njoint > 0)
    cli_table_print(file, &table, 2);
  else
    cli_table_free(&table), fprintf(file, "  no joints\n");
  if (model->njoint > SHOWN) fprintf(file, "  ... and %d more\n", model->njoint - SHOWN);
}

void info_print_text(FILE *file, const cli_mechanism *mechanism, int contacts, bool quiet) {
  const crd_model *model = mechanism->model;
  const crd_read_report *report = &mechanism->report;
  fprintf(file, "%s%s%s\n", mechanism->input, model->name[0] ? ": " : "", model->name);
  fprintf(file, "  nq %d, nv %d, bodies %d, joints %d, geoms %d, loops %d, actuators %d\n", model->nq, model->nv,
          model->nbody - 1, model->njoint, model->ngeom, model->nloop, model->nactuator);
  fprintf(file, "  mass %.10g kg, gravity %g %g %g m/s^2, timestep %g s\n", model->mass, model->gravity[0],
          model->gravity[1], model->gravity[2], model->timestep);
  if (contacts == TOO_MANY)
    fprintf(file, "  contacts unknown: more than %d points\n", CLI_MOST_POINTS);
  else if (contacts < 0)
    fprintf(file, "  contacts unknown: the mass matrix is singular at this state\n");
  else
    fprintf(file, "  contacts %d%s%s\n", contacts, mechanism->key ? " at " : "", mechanism->key ? mechanism->key : "");
  if (model->nkey > 0) {
    fprintf(file, "  keyframes:");
    for (int i = 0; i < model->nkey; i++) fprintf(file, " %s", model->key[i].name[0] ? model->key[i].name : "-");
    fputc('\n', file);
  }
  print_joints(file, model);
  const int others = report->count - report->nwarning;
  if (report->nwarning > 0) fprintf(file, "\nwarning:\n");
  for (int i = 0; i < report->nwarning; i++) cli_print_ignored(file, "  ", &report->item[i]);
  if (quiet) return;
  fprintf(file, others > 0 ? "\nignored, without effect on the motion:\n" : "\nignored: nothing\n");
  for (int i = report->nwarning; i < report->count; i++) cli_print_ignored(file, "  ", &report->item[i]);
}

/* The number of contacts at the state, SINGULAR where M is, TOO_MANY for a look; CLI_SYSTEM: no memory. */
static int count_contacts(const cli_mechanism *mechanism, const cli_common *common, int *contacts) {
  crd_workspace *work = crd_model_workspace_new(mechanism->model);
  crd_contact_problem *problem = crd_contact_problem_new();
  crd_status status = CRD_ERR_MEMORY;
  if (work && problem) status = cli_contact_problem(mechanism, common, work, false, false, problem);
  *contacts = status == CRD_LIMIT ? TOO_MANY : status ? SINGULAR : problem->nc;
  crd_contact_problem_free(problem);
  crd_model_workspace_free(work);
  if (status >= 0) return CLI_DONE;
  cli_complain("info", "contacts of %s: %s", mechanism->input, crd_status_text(status));
  return cli_exit_code(status);
}

void info_print_problem(FILE *file, const char *input, const crd_contact_problem *problem) {
  fprintf(file, "%s: impact problem\n  nv %d, contacts %d, bilateral rows %d, kinetic energy %.10g J\n", input,
          problem->nv, problem->nc, problem->nb, problem->kinetic);
  for (int i = 0; i < problem->nc; i++) {
    const crd_contact *contact = &problem->contact[i];
    fprintf(file, "  %-12s %d tangent%s, mu %g, e %g", contact->name, contact->ntangent,
            contact->ntangent == 1 ? "" : "s", contact->mu, contact->e);
    if (contact->nspin) fprintf(file, ", mu_spin %g m", contact->mu_spin);
    if (contact->nroll) fprintf(file, ", mu_roll %g m", contact->mu_roll);
    fputc('\n', file);
  }
}

static bool print_problem(FILE *file, const char *input, const crd_contact_problem *problem, bool json) {
  if (json)
    return cli_json_print(file, json_pack("{s:s, s:i, s:i, s:i, s:[]}", "input", input, "nv", problem->nv, "contacts",
                                          problem->nc, "bilateral", problem->nb, "ignored"));
  info_print_problem(file, input, problem);
  return true;
}

static int info_problem(const char *input, const cli_common *common) {
  crd_contact_problem *problem;
  crd_error err = {0};
  cli_output output;
  if (crd_io_read_problem(input, NULL, &problem, &err)) return cli_report(&err);
  int code = CLI_SYSTEM;
  if (cli_output_begin(&output)) {
    const bool done = print_problem(output.file, input, problem, common->json);
    if (!common->json) cli_output_fit(&output);
    code = cli_output_end(&output, common->output, done ? CLI_DONE : CLI_SYSTEM);
  }
  crd_contact_problem_free(problem);
  return code;
}

/* The table of a format. */
static int info_format(const char *format, const cli_common *common) {
  crd_arena arena = {0};
  cli_output output;
  int code = CLI_SYSTEM;
  const char *text = crd_io_format_text(format, &arena);
  if (text && cli_output_begin(&output)) {
    fputs(text, output.file);
    code = cli_output_end(&output, common->output, CLI_DONE);
  }
  crd_arena_free(&arena);
  return code;
}

int cmd_info(int argc, char **argv) {
  const char *input, *format = NULL;
  cli_common common = cli_common_default();
  enum { OPTIONS = CLI_COMMON_OPTIONS + 1 };
  cli_option options[OPTIONS];
  cli_common_options(&common, options);
  options[CLI_COMMON_OPTIONS] = (cli_option){
      "--format", "NAME", CLI_TEXT, &format, 0, "MJCF or URDF: what is read of it, as a table; no INPUT", "MJCF URDF"};
  const cli_syntax syntax = {
      "info",         "[INPUT]", "Prints what was read, its sizes, and everything in the file that was ignored.",
      NULL,           options,   OPTIONS,
      "@compass-gait"};
  cli_parsed parsed = cli_parse(&syntax, argc, argv, &input);
  if (parsed != CLI_PARSED) return cli_parse_exit(parsed);
  if (format && !input) return info_format(format, &common);
  if (!input || format)
    return cli_complain("info", "found %s, expected INPUT or --format (`cradle info --help` tells more)",
                        input ? "both INPUT and --format" : "no input");
  if (cli_is_problem(input)) return info_problem(input, &common);

  cli_mechanism mechanism;
  cli_output output;
  int contacts;
  int code = cli_mechanism_read(&mechanism, "info", input, &common);
  if (code == CLI_DONE) code = count_contacts(&mechanism, &common, &contacts);
  if (code == CLI_DONE && !cli_output_begin(&output)) code = CLI_SYSTEM;
  if (code == CLI_DONE) {
    bool done = true;
    if (common.json)
      done = print_json(output.file, &mechanism, contacts);
    else
      info_print_text(output.file, &mechanism, contacts, common.quiet), cli_output_fit(&output);
    code = cli_output_end(&output, common.output, done ? CLI_DONE : CLI_SYSTEM);
  }
  cli_mechanism_free(&mechanism);
  return code;
}
