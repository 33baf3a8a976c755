#include "support/outcome_scene.h"

#include <string.h>

#include "support/cmocka_all.h"

static const struct {
  const char *name;
  double h;
  int steps;
} PAPER[] = {
    {"@rocking-block", 0.3, 10}, {"@compass-gait", 0.25, 5}, {"@box-wall", 2, 5},
    {"@ramone", 1, 10},          {"@disk-stack", 1, 10},
};

outcome_scene outcome_scene_open(const char *name) {
  outcome_scene scene = {.m = mechanism_from_example(name), .options = crd_outcome_default()};
  for (size_t i = 0; i < sizeof PAPER / sizeof PAPER[0]; i++)
    if (strcmp(name, PAPER[i].name) == 0) scene.options.h = PAPER[i].h, scene.options.steps = PAPER[i].steps;
  scene.options.samples = 1 << 14;
  mechanism_assemble(&scene.m, NULL);
  return scene;
}

void outcome_scene_close(outcome_scene *scene) { mechanism_free(&scene->m); }

crd_outcome_set outcome_scene_sample(const outcome_scene *scene, const crd_outcome_options *options) {
  crd_outcome_set set;
  assert_int_equal(crd_outcome_sample(scene->m.problem, options, &set), CRD_OK);
  return set;
}

int outcome_scene_row(const outcome_scene *scene, const char *contact) {
  return mechanism_contact(&scene->m, contact)->row;
}
