/* cradle dynamics: the equation of motion M qacc + bias = tau at a state, its energies, and the contact problem there.
 */
#include <math.h>
#include <string.h>

#include "common.h"
#include "dynamics.h"
#include "table.h"

/* Everything the verb prints; arrays in the arena of the mechanism. */
typedef struct dynamics {
  double *M, *bias, *tau, *qacc; /* M NULL: not asked for */
  double *sensors;               /* nsensordata, without contacts and loops */
  double *length, *rate, *force; /* of the actuators */
  double *act, *act_dot;
  crd_status status;
  const char *singular_joint; /* NULL: none */
  double kinetic, potential;
  crd_contact_problem *problem; /* its contact rows are not filled where M is singular */
} dynamics;

static double *numbers(cli_mechanism *mechanism, size_t rows, size_t columns) {
  if (columns > 0 && rows > SIZE_MAX / columns) return NULL;
  return crd_arena_alloc(&mechanism->arena, rows * columns + 1, sizeof(double));
}

static void compute_motion(const cli_mechanism *mechanism, crd_workspace *work, dynamics *result) {
  const crd_model *model = mechanism->model;
  crd_tree_kinematics(model, work, mechanism->qpos);
  crd_tree_velocity(model, work, mechanism->qvel);
  if (result->M) crd_tree_crba(model, work, result->M);
  crd_tree_rnea(model, work, NULL, NULL, result->bias);
  crd_tree_passive(model, mechanism->qpos, mechanism->qvel, result->tau);
  crd_tree_tendon_forces(model, work, mechanism->qpos, mechanism->qvel, result->tau);
  crd_tree_gravity_compensation(model, work, result->tau);
  crd_tree_medium(model, work, result->tau);
  crd_tree_actuation(model, work, mechanism->qpos, mechanism->qvel, mechanism->act, mechanism->ctrl, result->tau);
  crd_tree_transmissions(model, work, mechanism->qpos, mechanism->qvel, result->length, result->rate);
  crd_tree_actuator_forces(model, work, mechanism->qpos, mechanism->qvel, mechanism->act, mechanism->ctrl,
                           result->force);
  for (int i = 0; mechanism->act && i < model->nact; i++) result->act[i] = mechanism->act[i];
  crd_tree_activation_rate(model, result->act, mechanism->ctrl, result->act_dot, NULL);
  crd_tree_hold_activation(model, result->act, result->act_dot);
  result->kinetic = crd_tree_kinetic_energy(model, work, mechanism->qvel);
  result->potential = crd_tree_potential_energy(model, work, mechanism->qpos);
  result->status = crd_tree_aba(model, work, mechanism->qpos, mechanism->qvel, result->tau, NULL, result->qacc);
  crd_tree_sensors(model, work,
                   &(crd_sensor_state){.qpos = mechanism->qpos,
                                       .qvel = mechanism->qvel,
                                       .act = mechanism->act,
                                       .ctrl = mechanism->ctrl,
                                       .qacc = result->status ? NULL : result->qacc},
                   result->sensors);
  if (result->status) result->singular_joint = model->joint[crd_model_workspace_singular_joint(work)].name;
}

/* CLI_DONE, or the exit code after a message. */
static int compute(cli_mechanism *mechanism, const cli_common *common, bool with_matrix, dynamics *result) {
  const size_t nv = (size_t)mechanism->model->nv, nu = (size_t)mechanism->model->nactuator;
  const size_t nact = (size_t)mechanism->model->nact;
  *result = (dynamics){.bias = numbers(mechanism, nv, 1),
                       .tau = numbers(mechanism, nv, 1),
                       .qacc = numbers(mechanism, nv, 1),
                       .sensors = numbers(mechanism, (size_t)mechanism->model->nsensordata, 1),
                       .length = numbers(mechanism, nu, 1),
                       .rate = numbers(mechanism, nu, 1),
                       .force = numbers(mechanism, nu, 1),
                       .act = numbers(mechanism, nact, 1),
                       .act_dot = numbers(mechanism, nact, 1),
                       .problem = crd_contact_problem_new()};
  if (with_matrix) result->M = numbers(mechanism, nv, nv);
  crd_workspace *work = crd_model_workspace_new(mechanism->model);
  crd_status status = CRD_ERR_MEMORY;
  const bool room = result->length && result->rate && result->force && result->act && result->act_dot;
  if (work && room && result->bias && result->tau && result->qacc && result->sensors && result->problem &&
      (result->M || !with_matrix)) {
    compute_motion(mechanism, work, result);
    status =
        result->status ? CRD_OK : cli_contact_problem(mechanism, common, work, with_matrix, false, result->problem);
  }
  crd_model_workspace_free(work);
  if (status)
    cli_complain("dynamics", "%s with %d velocities: %s", mechanism->input, mechanism->model->nv,
                 crd_status_text(status));
  return cli_exit_code(status);
}

/* ------------------------------------------------------------------------------------------------ JSON */

static json_t *contacts_json(const crd_model *model, const crd_contact_problem *problem) {
  json_t *list = json_array();
  for (int i = 0; i < problem->nc; i++) {
    const crd_contact *contact = &problem->contact[i];
    const double *rows = problem->J + (size_t)contact->row * (size_t)problem->nv;
    json_t *entry = json_pack("{s:s}", "name", contact->name);
    if (contact->joint >= model->njoint)
      json_object_set_new(entry, "tendon", json_string(model->tendon[contact->joint - model->njoint].name));
    else if (contact->joint >= 0)
      json_object_set_new(entry, "joint", json_string(model->joint[contact->joint].name));
    json_object_set_new(entry, "gap", cli_json_number(contact->gap));
    json_object_set_new(entry, "point", cli_json_vector(3, contact->point));
    json_object_set_new(entry, "normal", cli_json_vector(3, contact->normal));
    json_object_set_new(entry, "tangents", cli_json_matrix(contact->ntangent, 3, contact->tangent[0]));
    json_object_set_new(entry, "Jn", cli_json_vector(problem->nv, rows));
    json_object_set_new(entry, "Jt", cli_json_matrix(contact->ntangent, problem->nv, rows + problem->nv));
    json_object_set_new(entry, "velocity", cli_json_vector(1 + contact->ntangent, problem->u + contact->row));
    json_object_set_new(entry, "mu", cli_json_number(contact->mu));
    json_object_set_new(entry, "e", cli_json_number(contact->e));
    json_array_append_new(list, entry);
  }
  return list;
}

/* The block of the contact rows; bilateral rows follow them in W. */
static json_t *delassus_json(const crd_contact_problem *problem) {
  const size_t all = (size_t)(problem->nrow + problem->nb);
  json_t *matrix = json_array();
  for (int i = 0; i < problem->nrow; i++)
    json_array_append_new(matrix, cli_json_vector(problem->nrow, problem->W + (size_t)i * all));
  return matrix;
}

/* Length, rate and force of each actuator, and the activations with their rates. */
static void set_actuators(json_t *object, const cli_mechanism *mechanism, const dynamics *result) {
  const crd_model *model = mechanism->model;
  if (model->nact > 0) {
    json_object_set_new(object, "act", cli_json_vector(model->nact, result->act));
    json_object_set_new(object, "act_dot", cli_json_vector(model->nact, result->act_dot));
  }
  if (model->nactuator == 0) return;
  json_t *list = json_array();
  for (int a = 0; a < model->nactuator; a++)
    json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:o}", "name", model->actuator[a].name, "length",
                                          cli_json_number(result->length[a]), "rate", cli_json_number(result->rate[a]),
                                          "force", cli_json_number(result->force[a])));
  json_object_set_new(object, "actuators", list);
}

static json_t *sensors_json(const crd_model *model, const double *data) {
  json_t *list = json_array();
  for (int i = 0; i < model->nsensor; i++) {
    const crd_sensor *sensor = &model->sensor[i];
    json_t *entry = json_pack("{s:s, s:s}", "name", sensor->name, "type", crd_model_sensor_type_name(sensor->type));
    json_object_set_new(entry, "value", cli_json_vector(sensor->dim, data + sensor->first));
    json_array_append_new(list, entry);
  }
  return list;
}

static bool print_json(FILE *file, const cli_mechanism *mechanism, const dynamics *result) {
  const crd_model *model = mechanism->model;
  const crd_contact_problem *problem = result->problem;
  json_t *object = json_pack("{s:s, s:s}", "input", mechanism->input, "status", crd_status_text(result->status));
  if (result->singular_joint) json_object_set_new(object, "singular_joint", json_string(result->singular_joint));
  json_object_set_new(object, "qpos", cli_json_vector(model->nq, mechanism->qpos));
  json_object_set_new(object, "qvel", cli_json_vector(model->nv, mechanism->qvel));
  set_actuators(object, mechanism, result);
  json_object_set_new(object, "M", cli_json_matrix(model->nv, model->nv, result->M));
  json_object_set_new(object, "bias", cli_json_vector(model->nv, result->bias));
  json_object_set_new(object, "tau", cli_json_vector(model->nv, result->tau));
  json_object_set_new(object, "qacc", result->status ? json_null() : cli_json_vector(model->nv, result->qacc));
  json_object_set_new(object, "sensors", sensors_json(model, result->sensors));
  json_object_set_new(object, "kinetic", cli_json_number(result->kinetic));
  json_object_set_new(object, "potential", cli_json_number(result->potential));
  json_object_set_new(object, "delassus", result->status ? json_null() : delassus_json(problem));
  json_object_set_new(object, "contacts", result->status ? json_null() : contacts_json(model, problem));
  if (!result->status) {
    json_object_set_new(object, "sets", dynamics_sets_json(problem));
    json_object_set_new(object, "constrained",
                        dynamics_constrained_json(mechanism, problem, result->tau, result->bias));
    json_object_set_new(object, "persistent", dynamics_persistent_json(mechanism, problem));
    json_object_set_new(
        object, "bilateral",
        cli_json_matrix(problem->nb, problem->nv, problem->J + (size_t)problem->nrow * (size_t)problem->nv));
  }
  return cli_json_print(file, object);
}

/* ------------------------------------------------------------------------------------------------ text */

/* Three numbers of a unit or of metres; no "-0.000". */
static void add_place(cli_table *table, int digits, const double value[3]) {
  double shown[3];
  for (int i = 0; i < 3; i++) shown[i] = fabs(value[i]) < 0.5e-4 ? 0 : value[i];
  cli_table_add(table, "%.*f %.*f %.*f", digits, shown[0], digits, shown[1], digits, shown[2]);
}

static void print_contacts(FILE *file, const crd_contact_problem *problem) {
  enum { SHOWN = 40, DIGITS = 6 };
  static const char *const title[] = {"name", ">gap", ">point", ">normal", ">mu", ">e", ">v_n", ">v_t1", ">v_t2"};
  const double rounding = 1e-14; /* m, m/s */
  fprintf(file, "\n%d contact%s\n", problem->nc, problem->nc == 1 ? "" : "s");
  if (problem->nc == 0) return;
  const int tangents = cli_most_tangents(problem);
  cli_table table;
  cli_table_begin(&table, (int)(sizeof title / sizeof *title) - 2 + tangents, title);
  for (int i = 0; i < problem->nc && i < SHOWN; i++) {
    const crd_contact *contact = &problem->contact[i];
    cli_table_add(&table, "%s", contact->name);
    cli_table_add_number(&table, contact->gap, 3, rounding);
    add_place(&table, 4, contact->point);
    add_place(&table, 3, contact->normal);
    cli_table_add_number(&table, contact->mu, 4, 0), cli_table_add_number(&table, contact->e, 3, 0);
    for (int k = 0; k <= tangents; k++)
      cli_table_add_number(&table, k > contact->ntangent ? NAN : problem->u[contact->row + k], DIGITS, rounding);
  }
  cli_table_print(file, &table, 2);
  if (problem->nc > SHOWN) fprintf(file, "  ... and %d more (--json prints them)\n", problem->nc - SHOWN);
}

static void print_delassus(FILE *file, const crd_contact_problem *problem) {
  if (problem->nrow == 0) return;
  enum { NAMES = 512 };
  char text[NAMES] = "Delassus matrix W = J M^-1 J', the velocity that each contact gains from a unit impulse at each";
  size_t used = strlen(text);
  for (int i = 0; i < problem->nc && problem->nrow <= CLI_WIDEST; i++)
    for (int k = 0; k <= problem->contact[i].ntangent && used < NAMES; k++)
      used += (size_t)snprintf(text + used, NAMES - used, "%s %s.%s", i + k ? "" : "; rows", problem->contact[i].name,
                               k == 0   ? "n"
                               : k == 1 ? "t"
                                        : "t2");
  fputc('\n', file);
  cli_print_wrapped(file, text, 0, 2, cli_columns());
  if (problem->nb == 0 || problem->nrow > CLI_WIDEST) {
    cli_print_matrix(file, "W", problem->nrow, problem->nrow, problem->W);
    return;
  }
  for (int i = 0; i < problem->nrow; i++)
    cli_print_vector(file, i == 0 ? "W" : "", problem->nrow,
                     problem->W + (size_t)i * (size_t)(problem->nrow + problem->nb));
}

static void print_text(FILE *file, const cli_mechanism *mechanism, const dynamics *result) {
  const crd_model *model = mechanism->model;
  fprintf(file, "%s%s%s\n", mechanism->input, mechanism->key ? " at " : "", mechanism->key ? mechanism->key : "");
  cli_print_vector(file, "qpos", model->nq, mechanism->qpos);
  cli_print_vector(file, "qvel", model->nv, mechanism->qvel);
  cli_print_matrix(file, "M", model->nv, model->nv, result->M);
  cli_print_vector(file, "bias", model->nv, result->bias);
  if (result->status)
    fprintf(file, "  qacc      none: M is singular, joint '%s' has no inertia to move\n", result->singular_joint);
  else
    cli_print_vector(file, "qacc", model->nv, result->qacc);
  fprintf(file, "  energy    kinetic %.10g J, potential %.10g J\n", result->kinetic, result->potential);
  if (result->status) return;
  print_contacts(file, result->problem);
  print_delassus(file, result->problem);
}

/* The problem with the rows of torsional and rolling friction that impact laws may carry, without a load: contacts that
 * last are judged by those that slide alone. */
static int write_turning(const cli_mechanism *mechanism, const cli_common *common, const char *path) {
  crd_error err = {0};
  crd_workspace *work = crd_model_workspace_new(mechanism->model);
  crd_contact_problem *problem = crd_contact_problem_new();
  crd_status status = CRD_ERR_MEMORY;
  if (work && problem) status = cli_contact_problem(mechanism, common, work, true, true, problem);
  int code = CLI_DONE;
  if (status != CRD_OK)
    code = (cli_complain("dynamics", "%s: %s", path, crd_status_text(status)), CLI_SYSTEM);
  else if (crd_io_write_problem(path, problem, &err))
    code = (cli_report(&err), CLI_SYSTEM);
  crd_contact_problem_free(problem);
  crd_model_workspace_free(work);
  return code;
}

/* A singular mechanism has no contact problem; that verdict comes with the result. */
static int write_problem(const cli_mechanism *mechanism, const cli_common *common, const dynamics *result,
                         const char *path) {
  crd_error err = {0};
  if (result->status) {
    fprintf(stderr, "cradle: %s: not written, M is singular\n", path);
    return CLI_DONE;
  }
  if (!common->lenient && crd_model_has_torsion(mechanism->model)) {
    int code = write_turning(mechanism, common, path);
    if (code == CLI_DONE) cli_wrote(path);
    return code;
  }
  crd_status status = dynamics_add_load(mechanism, result->tau, result->qacc, result->problem);
  if (status != CRD_OK) return cli_complain("dynamics", "%s: %s", path, crd_status_text(status)), CLI_SYSTEM;
  if (crd_io_write_problem(path, result->problem, &err)) return cli_report(&err), CLI_SYSTEM;
  cli_wrote(path);
  return CLI_DONE;
}

/* M is written number by number: of more velocities than these it is some gigabytes. */
static int check_width(const cli_mechanism *mechanism, bool written) {
  enum { MOST_VELOCITIES = 5000 };
  if (!written || mechanism->model->nv <= MOST_VELOCITIES) return CLI_DONE;
  return cli_complain("dynamics", "--json, --problem: found %d velocities, expected at most %d for M in a file",
                      mechanism->model->nv, MOST_VELOCITIES);
}

int cmd_dynamics(int argc, char **argv) {
  const char *input, *problem_file = NULL;
  cli_common common = cli_common_default();
  cli_option options[CLI_COMMON_OPTIONS + 1];
  cli_common_options(&common, options);
  options[CLI_COMMON_OPTIONS] =
      (cli_option){"--problem", "FILE", CLI_OUTPUT, &problem_file, 0, "also write the impact problem (JSON) to FILE"};
  const cli_syntax syntax = {"dynamics",
                             "INPUT",
                             "Prints M, bias, accelerations, energies, contacts and the Delassus matrix at a state.",
                             NULL,
                             options,
                             CLI_COMMON_OPTIONS + 1,
                             "@compass-gait --problem gait.json"};
  cli_parsed parsed = cli_parse(&syntax, argc, argv, &input);
  if (parsed != CLI_PARSED) return cli_parse_exit(parsed);

  cli_mechanism mechanism;
  cli_output output;
  dynamics result = {0};
  int code = cli_mechanism_read(&mechanism, "dynamics", input, &common);
  if (code == CLI_DONE) {
    cli_mechanism_warn(&mechanism, &common);
    code = check_width(&mechanism, common.json || problem_file);
  }
  if (code == CLI_DONE) {
    const bool with_matrix = common.json || problem_file || mechanism.model->nv <= CLI_WIDEST;
    code = compute(&mechanism, &common, with_matrix, &result);
  }
  if (code == CLI_DONE && problem_file) code = write_problem(&mechanism, &common, &result, problem_file);
  if (code == CLI_DONE && !cli_output_begin(&output)) code = CLI_SYSTEM;
  if (code == CLI_DONE) {
    bool done = true;
    if (common.json)
      done = print_json(output.file, &mechanism, &result);
    else
      print_text(output.file, &mechanism, &result), cli_output_fit(&output);
    code = cli_output_end(&output, common.output, done ? cli_exit_code(result.status) : CLI_SYSTEM);
  }
  crd_contact_problem_free(result.problem);
  cli_mechanism_free(&mechanism);
  return code;
}
