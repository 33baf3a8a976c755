#include "problem_input.h"

#include <math.h>

static int read_file(cli_problem *input, const cli_common *common, bool allow) {
  crd_error err;
  const crd_problem_read_options options = {.any_restitution = allow};
  crd_status status = crd_io_read_problem(input->input, &options, &input->problem, &err);
  if (status) return cli_report(&err);
  for (int c = 0; c < input->problem->nc; c++) {
    crd_contact *contact = &input->problem->contact[c];
    if (!isnan(common->mu)) contact->mu = contact->mu_static = common->mu;
    if (!isnan(common->e)) contact->e = common->e;
  }
  return CLI_DONE;
}

static int read_model(cli_problem *input, const char *verb, const cli_common *common) {
  input->from_model = true;
  int code = cli_mechanism_read(&input->mechanism, verb, input->input, common);
  if (code != CLI_DONE) return code;
  cli_mechanism_warn(&input->mechanism);
  input->work = crd_workspace_new(input->mechanism.model);
  input->problem = crd_problem_new();
  crd_status status = CRD_ERR_MEMORY;
  if (input->work && input->problem)
    status = cli_contact_problem(&input->mechanism, common, input->work, true, input->problem);
  if (status == CRD_OK) return CLI_DONE;
  int joint = input->work ? crd_workspace_singular_joint(input->work) : -1;
  if (status == CRD_SINGULAR && joint >= 0)
    fprintf(stderr, "cradle %s: M is singular: joint '%s' has no inertia to move\n", verb,
            input->mechanism.model->joint[joint].name);
  else
    fprintf(stderr, "cradle %s: the contact problem of '%s': %s\n", verb, input->input, crd_status_text(status));
  return cli_exit_code(status);
}

int cli_problem_read(cli_problem *input, const char *verb, const char *name, const cli_common *common, bool allow) {
  *input = (cli_problem){.input = name};
  if (!allow && !isnan(common->e) && !(common->e >= 0 && common->e <= 1))
    return cli_complain(verb, "--e: found %g, expected 0 to 1 (--allow takes any)", common->e);
  return cli_is_problem(name) ? read_file(input, common, allow) : read_model(input, verb, common);
}

void cli_problem_free(cli_problem *input) {
  crd_problem_free(input->problem);
  crd_workspace_free(input->work);
  if (input->from_model) cli_mechanism_free(&input->mechanism);
}
