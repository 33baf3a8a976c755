#include "support/example_problem.h"

#include <cradle/io.h>
#include <cradle/tree.h>
#include <string.h>

#include "support/cmocka_all.h"

example_problem example_problem_open(const char *name) {
  example_problem example = {0};
  crd_error err = {0};
  if (crd_io_example_model(name, NULL, &example.model, &err)) fail_msg("%s: %s", name, err.text);
  example.work = crd_model_workspace_new(example.model);
  example.assembler = crd_contact_assembler_new(example.model);
  example.problem = crd_contact_problem_new();
  const crd_key *key = &example.model->key[0];
  assert_int_equal(crd_contact_at_state(example.assembler, example.work, key->qpos, key->qvel, NULL, example.problem),
                   CRD_OK);
  return example;
}

void example_problem_close(example_problem *example) {
  crd_contact_problem_free(example->problem);
  crd_contact_assembler_free(example->assembler);
  crd_model_workspace_free(example->work);
  crd_model_free(example->model);
}

int example_contact(const crd_contact_problem *problem, const char *name) {
  for (int c = 0; c < problem->nc; c++)
    if (strcmp(problem->contact[c].name, name) == 0) return c;
  fail_msg("no contact %s", name);
  return -1;
}
