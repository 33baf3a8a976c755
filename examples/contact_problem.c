/* From a mechanism to the contact problem: which contacts there are, how fast they approach, how they are coupled.
 *
 * Newton's cradle of three balls of 1 kg: the first contact approaches with 1 m/s, an impulse at one contact opens it
 * with 1/m + 1/m = 2 and closes its neighbour with 1/m = 1.
 *
 *   prints: 1-2 approaches with 1 m/s, 2-3 with 0 m/s
 *   prints: W =  2 -1
 *   prints:     -1  2
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
  if (status) return puts(crd_status_text(status)), 1;
  const crd_contact *a = &problem->contact[0], *b = &problem->contact[1];
  printf("%s approaches with %g m/s, %s with %g m/s\n", a->name, -problem->u[a->row], b->name, 0 - problem->u[b->row]);
  printf("W = %2g %2g\n", problem->W[0], problem->W[1]);
  printf("    %2g %2g\n", problem->W[2], problem->W[3]);

  crd_contact_problem_free(problem);
  crd_contact_assembler_free(assembler);
  crd_model_workspace_free(work);
  crd_model_free(model);
  return 0;
}
