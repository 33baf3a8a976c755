/* A mechanism with everything a contact test needs, from a scene, MJCF text, a built-in example or a model. */
#ifndef TESTS_MECHANISM_H
#define TESTS_MECHANISM_H

#include <cradle/contact.h>

typedef struct mechanism {
  crd_model *model;
  crd_workspace *work;
  crd_contact_assembler *assembler;
  crd_contact_problem *problem;
  double *qpos, *qvel; /* the first keyframe, or qpos0 and zero */
} mechanism;

/* MJCF text, or a scene with changes (support/scene_text.h) */
mechanism mechanism_from_text(const char *source);
/* "@name" or "@name:n" */
mechanism mechanism_from_example(const char *spec);
/* Takes the model over. */
mechanism mechanism_from_model(crd_model *model);
/* A box of half sizes 0.3 x 0.2 x 0.1 m at rest on a slope that falls along x, gravity 9.81. */
mechanism box_on_slope(double degrees, double mass, double mu);
void mechanism_free(mechanism *m);

/* The problem at m->qpos, m->qvel; asserts CRD_OK. options NULL: the default. */
void mechanism_assemble(mechanism *m, const crd_contact_options *options);
/* Contact by name; asserts that it is there. */
const crd_contact *mechanism_contact(const mechanism *m, const char *name);

#endif
