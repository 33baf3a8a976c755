/* The same calls as from Python, repeated in C: what `make bench python` compares with. */
#include "internal.h"

crd_status crdpy_bench_problem(crdpy_model *model, const double *qpos, const double *qvel, long count) {
  crd_workspace *work = crd_model_workspace_new(model->model);
  crd_contact_assembler *assembler = crd_contact_assembler_new(model->model);
  crd_contact_problem *problem = crd_contact_problem_new();
  crd_status status = work && assembler && problem ? CRD_OK : CRD_ERR_MEMORY;
  for (long i = 0; i < count && !status; i++) status = crd_contact_at_state(assembler, work, qpos, qvel, NULL, problem);
  crd_contact_problem_free(problem);
  crd_contact_assembler_free(assembler), crd_model_workspace_free(work);
  return status;
}

crd_status crdpy_bench_resolve(const crd_impact_law *law, const crdpy_problem *problem, long count) {
  crd_impact_result result = {0};
  const crd_impact_options options = crd_impact_default();
  crd_status status = CRD_OK;
  for (long i = 0; i < count && !status; i++) status = crd_impact_resolve(law, problem->problem, &options, &result);
  crd_impact_result_free(&result);
  return status;
}
