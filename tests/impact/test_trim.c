/* Claims: a trimmed result has the same answers and notes in less memory, and can be used again; a faceted problem that
 * would take gigabytes is refused in words. */
#include <cradle/impact.h>
#include <cradle/io.h>
#include <stdio.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/example_problem.h"

static void a_trimmed_result_has_the_same_answers(void **state) {
  (void)state;
  example_problem example = example_problem_open("compass-gait");
  const crd_impact_options options = crd_impact_default();
  int several = 0;
  const crd_impact_law *law;
  for (int i = 0; (law = crd_impact_law_at(i)); i++) {
    crd_impact_result whole = {0}, trimmed = {0};
    const crd_status status = crd_impact_resolve(law, example.problem, &options, &whole);
    assert_int_equal(crd_impact_resolve(law, example.problem, &options, &trimmed), status);
    const size_t before = trimmed.arena.allocated;
    assert_int_equal(crd_impact_result_trim(&trimmed, example.problem), CRD_OK);
    assert_true(trimmed.arena.allocated <= before);
    assert_null(trimmed.lcp);
    assert_int_equal(trimmed.count, whole.count);
    assert_int_equal(trimmed.nnote, whole.nnote);
    several += whole.count > 1;
    for (int k = 0; k < whole.count; k++) {
      assert_memory_equal(trimmed.solution[k].v_plus, whole.solution[k].v_plus,
                          sizeof(double) * (size_t)example.problem->nv);
      assert_string_equal(trimmed.solution[k].label, whole.solution[k].label);
    }
    for (int k = 0; k < whole.nnote; k++) assert_string_equal(trimmed.note[k], whole.note[k]);
    assert_int_equal(crd_impact_resolve(law, example.problem, &options, &trimmed), status);
    assert_int_equal(trimmed.count, whole.count);
    crd_impact_result_free(&whole), crd_impact_result_free(&trimmed);
  }
  assert_true(several > 0);
  example_problem_close(&example);
}

static void more_facets_than_memory_are_refused(void **state) {
  (void)state;
  enum { BOXES = 6 }; /* four corners each, 256 facets and two rows more a corner */
  char text[4000] = "<mujoco><worldbody><geom type='plane' size='0 0 1'/>";
  for (int i = 0; i < BOXES; i++)
    sprintf(text + strlen(text), "<body pos='%d 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>",
            i);
  strcat(text, "</worldbody></mujoco>");
  crd_model *model;
  assert_int_equal(crd_io_read_model_text(text, strlen(text), "boxes", NULL, &model, NULL, NULL), CRD_OK);
  crd_workspace *work = crd_model_workspace_new(model);
  crd_contact_assembler *assembler = crd_contact_assembler_new(model);
  crd_contact_problem *problem = crd_contact_problem_new();
  double qvel[6 * BOXES] = {0};
  for (int i = 0; i < BOXES; i++) qvel[6 * i + 2] = -1;
  assert_int_equal(crd_contact_at_state(assembler, work, model->qpos0, qvel, NULL, problem), CRD_OK);
  assert_int_equal(problem->nc, 4 * BOXES);
  crd_impact_options options = crd_impact_default();
  crd_impact_result result = {0};
  options.facets = 256;
  assert_int_equal(crd_impact_resolve(crd_impact_find("poisson"), problem, &options, &result), CRD_LIMIT);
  assert_non_null(strstr(result.note[0], "expected at most"));
  crd_impact_result_free(&result);
  /* and before that, too many points for a look */
  crd_contact_options few = crd_contact_default();
  few.max_points = 4 * BOXES - 1;
  assert_int_equal(crd_contact_at_state(assembler, work, model->qpos0, qvel, &few, problem), CRD_LIMIT);
  few.max_points = 4 * BOXES;
  assert_int_equal(crd_contact_at_state(assembler, work, model->qpos0, qvel, &few, problem), CRD_OK);
  crd_contact_problem_free(problem);
  crd_contact_assembler_free(assembler);
  crd_model_workspace_free(work);
  crd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_trimmed_result_has_the_same_answers),
                                     cmocka_unit_test(more_facets_than_memory_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
