/* The set of outcomes of a simultaneous impact: Newton's cradle of three balls, all contacts inelastic.
 *
 * Whatever the order in which the two contacts act, an inelastic contact never separates the balls it joins, and it acts
 * as long as they approach: every order ends with 1/3 m/s for each ball, and with a third of the energy. The set is a point.
 *
 *   prints: K+/K- from 0.333333 to 0.333333
 */
#include <cradle/cradle.h>
#include <stdio.h>

int main(void) {
  crd_model *model;
  crd_error err;
  if (crd_io_example_model("ball-chain:3", NULL, &model, &err)) return puts(err.text), 1;
  crd_workspace *work = crd_model_workspace_new(model);
  crd_contact_assembler *assembler = crd_contact_assembler_new(model);
  crd_contact_problem *problem = crd_contact_problem_new();
  const crd_key *start = &model->key[0];
  crd_status status = crd_contact_at_state(assembler, work, start->qpos, start->qvel, NULL, problem);

  crd_outcome_options options = crd_outcome_default();
  options.samples = 1000;
  crd_outcome_set set = {0};
  if (!status) status = crd_outcome_sample(problem, &options, &set);
  if (status) return puts(crd_status_text(status)), 1;
  printf("K+/K- from %.6f to %.6f\n", set.energy_ratio.min, set.energy_ratio.max);

  crd_outcome_free(&set);
  crd_contact_problem_free(problem);
  crd_contact_assembler_free(assembler);
  crd_model_workspace_free(work);
  crd_model_free(model);
  return 0;
}
