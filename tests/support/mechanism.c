#include "support/mechanism.h"

#include <cradle/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/random_tree.h"
#include "support/scene_text.h"

mechanism mechanism_from_model(crd_model *model) {
  mechanism m = {.model = model};
  m.work = crd_model_workspace_new(model);
  m.assembler = crd_contact_assembler_new(model);
  m.problem = crd_contact_problem_new();
  assert_true(m.work && m.assembler && m.problem);
  m.qpos = new_vector(model->nq), m.qvel = new_vector(model->nv);
  const double *qpos = model->nkey ? model->key[0].qpos : model->qpos0;
  memcpy(m.qpos, qpos, sizeof(double) * (size_t)model->nq);
  if (model->nkey) memcpy(m.qvel, model->key[0].qvel, sizeof(double) * (size_t)model->nv);
  return m;
}

mechanism mechanism_from_text(const char *source) { return mechanism_from_model(model_from_text(source)); }

mechanism mechanism_from_example(const char *spec) {
  crd_arena arena = {0};
  const char *text;
  crd_error err = {0};
  if (crd_io_example_text(spec, NULL, &arena, &text, &err) != CRD_OK) fail_msg("%s", err.text);
  mechanism m = mechanism_from_text(text);
  crd_arena_free(&arena);
  return m;
}

void mechanism_free(mechanism *m) {
  free(m->qpos), free(m->qvel);
  crd_contact_problem_free(m->problem);
  crd_contact_assembler_free(m->assembler);
  crd_model_workspace_free(m->work);
  crd_model_free(m->model);
}

void mechanism_assemble(mechanism *m, const crd_contact_options *options) {
  assert_int_equal(crd_contact_at_state(m->assembler, m->work, m->qpos, m->qvel, options, m->problem), CRD_OK);
}

const crd_contact *mechanism_contact(const mechanism *m, const char *name) {
  for (int i = 0; i < m->problem->nc; i++)
    if (strcmp(m->problem->contact[i].name, name) == 0) return &m->problem->contact[i];
  for (int i = 0; i < m->problem->nc; i++) print_message("there is: %s\n", m->problem->contact[i].name);
  fail_msg("no contact %s", name);
  return NULL;
}

mechanism box_on_slope(double degrees, double mass, double mu) {
  const double G = 9.81, a = degrees * 0.017453292519943295;
  char text[600];
  snprintf(text, sizeof text,
           "box_on_floor: option.gravity=%.17g 0 %.17g; floor.friction=%.17g; box.mass=%.17g; box.friction=%.17g",
           G * sin(a), -G * cos(a), mu, mass, mu);
  return mechanism_from_text(text);
}
