/* cradle dynamics: the equation of motion M qacc + bias = tau at a state, its energies, and the contacts there. */
#include <cradle/tree.h>
#include <stdlib.h>

#include "common.h"

/* Everything the verb prints, in the arena of the mechanism. */
typedef struct dynamics {
  double *M, *bias, *tau, *qacc; /* M NULL: not asked for */
  crd_status status;             /* of the acceleration */
  const char *singular_joint;    /* NULL: none */
  double kinetic, potential;
} dynamics;

static double *numbers(cli_mechanism *mechanism, size_t rows, size_t columns) {
  if (columns > 0 && rows > SIZE_MAX / columns) return NULL;
  return crd_arena_alloc(&mechanism->arena, rows * columns + 1, sizeof(double));
}

/* false: no memory. */
static bool compute(cli_mechanism *mechanism, bool with_matrix, dynamics *result) {
  const crd_model *model = mechanism->model;
  const size_t nv = (size_t)model->nv;
  crd_workspace *work = crd_workspace_new(model);
  *result = (dynamics){
      .bias = numbers(mechanism, nv, 1), .tau = numbers(mechanism, nv, 1), .qacc = numbers(mechanism, nv, 1)};
  if (with_matrix) result->M = numbers(mechanism, nv, nv);
  bool ready = work && result->bias && result->tau && result->qacc && (result->M || !with_matrix);
  if (ready) {
    crd_tree_kinematics(model, work, mechanism->qpos);
    crd_tree_velocity(model, work, mechanism->qvel);
    if (with_matrix) crd_tree_crba(model, work, result->M);
    crd_tree_rnea(model, work, NULL, NULL, result->bias);
    crd_tree_passive(model, mechanism->qpos, mechanism->qvel, result->tau);
    crd_tree_actuation(model, work, mechanism->qpos, mechanism->qvel, mechanism->ctrl, result->tau);
    result->kinetic = crd_tree_kinetic_energy(model, work, mechanism->qvel);
    result->potential = crd_tree_potential_energy(model, work, mechanism->qpos);
    result->status = crd_tree_aba(model, work, mechanism->qpos, mechanism->qvel, result->tau, NULL, result->qacc);
    if (result->status) result->singular_joint = model->joint[crd_workspace_singular_joint(work)].name;
  }
  crd_workspace_free(work);
  if (!ready) fprintf(stderr, "cradle: no memory for the dynamics of %d velocities\n", model->nv);
  return ready;
}

static bool print_json(FILE *file, const cli_mechanism *mechanism, const dynamics *result) {
  const crd_model *model = mechanism->model;
  json_t *object = json_pack("{s:s, s:s}", "input", mechanism->input, "status", crd_status_text(result->status));
  if (result->singular_joint) json_object_set_new(object, "singular_joint", json_string(result->singular_joint));
  json_object_set_new(object, "qpos", cli_json_vector(model->nq, mechanism->qpos));
  json_object_set_new(object, "qvel", cli_json_vector(model->nv, mechanism->qvel));
  json_object_set_new(object, "M", cli_json_matrix(model->nv, model->nv, result->M));
  json_object_set_new(object, "bias", cli_json_vector(model->nv, result->bias));
  json_object_set_new(object, "tau", cli_json_vector(model->nv, result->tau));
  json_object_set_new(object, "qacc", result->status ? json_null() : cli_json_vector(model->nv, result->qacc));
  json_object_set_new(object, "kinetic", cli_json_number(result->kinetic));
  json_object_set_new(object, "potential", cli_json_number(result->potential));
  return cli_json_print(file, object);
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
}

int cmd_dynamics(int argc, char **argv) {
  const char *input;
  cli_common common = cli_common_default();
  cli_option options[CLI_COMMON_OPTIONS];
  cli_common_options(&common, options);
  const cli_syntax syntax = {
      "dynamics", "INPUT", "Prints M, bias, accelerations, energies, contacts and the Delassus matrix at a state.",
      NULL,       options, CLI_COMMON_OPTIONS};
  cli_parsed parsed = cli_parse(&syntax, argc, argv, &input);
  if (parsed != CLI_PARSED) return cli_parse_exit(parsed);

  cli_mechanism mechanism;
  cli_output output;
  dynamics result;
  int code = cli_mechanism_read(&mechanism, "dynamics", input, &common);
  if (code == CLI_DONE) {
    cli_mechanism_warn(&mechanism);
    const bool with_matrix = common.json || mechanism.model->nv <= CLI_WIDEST;
    if (!compute(&mechanism, with_matrix, &result) || !cli_output_begin(&output)) code = CLI_SYSTEM;
  }
  if (code == CLI_DONE) {
    bool done = true;
    if (common.json)
      done = print_json(output.file, &mechanism, &result);
    else
      print_text(output.file, &mechanism, &result);
    code = done ? cli_output_end(&output, common.output, cli_exit_code(result.status))
                : cli_output_drop(&output, CLI_SYSTEM);
  }
  cli_mechanism_free(&mechanism);
  return code;
}
