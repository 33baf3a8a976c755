/* One impact by every law, from C: how much of its energy a walker keeps when its foot strikes the ground.
 *
 * Halm and Posa find three answers of Anitescu and Potra's law for this walker, with K+/K- = 0.601779, 0.371213 and 0.
 *
 *   prints: anitescu-potra   0.601779 0.000000 0.371213
 */
#include <cradle/cradle.h>
#include <stdio.h>

int main(void) {
  crd_model *model;
  crd_error err;
  if (crd_io_example_model("compass-gait", NULL, &model, &err)) return puts(err.text), 1;
  crd_workspace *work = crd_model_workspace_new(model);
  crd_contact_assembler *assembler = crd_contact_assembler_new(model);
  crd_contact_problem *problem = crd_contact_problem_new();
  const crd_key *strike = &model->key[0];
  crd_status status = crd_contact_at_state(assembler, work, strike->qpos, strike->qvel, NULL, problem);
  if (status) return puts(crd_status_text(status)), 1;

  crd_impact_options options = crd_impact_default();
  crd_impact_result result = {0};
  for (int i = 0; crd_impact_law_at(i); i++) {
    const crd_impact_law *law = crd_impact_law_at(i);
    status = crd_impact_resolve(law, problem, &options, &result);
    printf("%-16s", law->name);
    if (status) printf(" %s", crd_status_text(status));
    for (int k = 0; k < result.count; k++) {
      const crd_impact_solution *answer = &result.solution[k];
      printf(" %.6f%s", answer->kinetic_after / answer->kinetic_before, answer->check.pulls ? " (pulls)" : "");
    }
    putchar('\n');
  }

  crd_impact_result_free(&result);
  crd_contact_problem_free(problem);
  crd_contact_assembler_free(assembler);
  crd_model_workspace_free(work);
  crd_model_free(model);
  return 0;
}
