/* The examples of Halm & Posa with the step size, steps and figures of EXAMPLES.md, for tests of the outcome layer. */
#ifndef TESTS_OUTCOME_SCENE_H
#define TESTS_OUTCOME_SCENE_H

#include <cradle/outcome.h>

#include "support/mechanism.h"

typedef struct outcome_scene {
  mechanism m;
  crd_outcome_options options; /* h and steps of the paper's tables, 2^14 samples, seed 1 */
} outcome_scene;

/* "@rocking-block", ... */
outcome_scene outcome_scene_open(const char *name);
void outcome_scene_close(outcome_scene *scene);

/* Samples; fails the test unless CRD_OK. */
crd_outcome_set outcome_scene_sample(const outcome_scene *scene, const crd_outcome_options *options);

/* Row of the contact's normal; fails where there is no such contact. */
int outcome_scene_row(const outcome_scene *scene, const char *contact);

#endif
