/* The trees of a model that a computation is about; the others are not looked at.
 *
 * Links, velocities, coordinates, bodies and geoms are in depth-first order, so that those of a tree, and of trees that
 * follow each other, are spans of numbers. A span of bodies or geoms may have fixed ones between its trees.
 */
#ifndef SRC_MODEL_PART_H
#define SRC_MODEL_PART_H

#include <cradle/model.h>

/* Numbers from [0] to [1] - 1; joints have the numbers of their links. */
typedef struct crd_span {
  int link[2], v[2], q[2], body[2], geom[2];
} crd_span;

typedef struct crd_part {
  crd_span *span; /* ascending */
  int nspan;
  int *loop, nloop; /* that are closed */
  int *actuator, nactuator;
  int *limited, nlimited; /* joints with limits, then tendons, which are numbered from njoint on */
  int *rubbing, nrubbing; /* velocities with dry friction; from nv on: tendon number - nv */
} crd_part;

/* For every number of a kind (a member of crd_span) in the part, ascending; or descending. A `break` leaves the span
 * only. */
#define CRD_EACH(part, kind, i)                                                                      \
  for (const crd_span *span_##i = (part)->span; span_##i < (part)->span + (part)->nspan; span_##i++) \
    for (int i = span_##i->kind[0]; i < span_##i->kind[1]; i++)
#define CRD_EACH_BACK(part, kind, i)                                                        \
  for (const crd_span *span_##i = (part)->span + (part)->nspan; span_##i-- > (part)->span;) \
    for (int i = span_##i->kind[1] - 1; i >= span_##i->kind[0]; i--)

/* Room for any part of the model that has at most so many trees, or is the whole model (trees 1: nothing but that),
 * from the arena; it is the whole model. False: memory is out. */
bool crd_part_new(crd_part *part, const crd_model *model, int trees, crd_arena *arena);
void crd_part_set_whole(crd_part *part, const crd_model *model);

/* The numbers of the tree with the links first .. end - 1. */
crd_span crd_part_tree(const crd_model *model, int first, int end);
/* An empty part; then its trees, ascending. Loops and actuators, then tendons, are for the caller to add, who knows which
 * trees they act on. */
void crd_part_begin(crd_part *part);
void crd_part_add_tree(crd_part *part, const crd_model *model, const crd_span *tree);

void crd_part_add_tendon(crd_part *part, const crd_model *model, int tendon);

/* to = from, or 0, for everything with dry friction (nv + ntendon). */
void crd_part_copy_dry(const crd_part *part, double *to, const double *from);
void crd_part_clear_dry(const crd_part *part, double *to);
/* to = from, or 0, for all velocities of the part; and for all coordinates. */
void crd_part_copy_v(const crd_part *part, double *to, const double *from);
void crd_part_clear_v(const crd_part *part, double *to);
void crd_part_copy_q(const crd_part *part, double *to, const double *from);

#endif
