/* Contacts followed along a motion: where their points lie at a neighbouring state, and how fast their rows change. */
#ifndef SRC_SIM_EVENT_SURFACE_H
#define SRC_SIM_EVENT_SURFACE_H

#include <cradle/contact.h>

/* A point of contact and where it lay in the frames of the two geoms when it was last seen: a corner keeps its place in
 * one of them, whatever the number is that the collision gives it. */
typedef struct crd_followed {
  crd_contact_point point;
  double inA[3], inB[3];
} crd_followed;

typedef struct crd_surface {
  const crd_model *model;
  crd_workspace *side; /* for states beside the present one */
  crd_collider *collider;
  crd_arena arena;
  double *pos, *R, *q;      /* ngeom x 3, ngeom x 9, nq */
  crd_contact_point *found; /* of one pair */
  int capacity;
  crd_followed *run, *there; /* points of one pair whose rates are differences, and beside the present state */
  double step;               /* share of a geom's size by which contacts are moved for a difference */
} crd_surface;

crd_status crd_surface_init(crd_surface *surface, const crd_model *model);
void crd_surface_free(crd_surface *surface);

/* Notes where the points lie in their geoms, at the poses of work. */
void crd_surface_remember(const crd_surface *surface, const crd_workspace *work, crd_followed *followed, int count);
/* The same points at the poses of work: gap, point and normal. CRD_UNKNOWN: one of them exists no more within reach (m)
 * of the surfaces. */
crd_status crd_surface_locate(crd_surface *surface, const crd_workspace *work, crd_followed *followed, int count,
                              double reach);

/* Are the rates of this contact's rows exact? Else they are differences, with errors of about 1e-11. */
bool crd_surface_is_exact(const crd_surface *surface, const crd_contact_point *point);

/* bias (nrow + nb) = d/dt(J) qvel, so that the rows of the problem have the accelerations J qacc + bias. point: the
 * points that the assembler made the problem of. After crd_tree_velocity at (qpos, qvel).
 * The normal row's acceleration is the second derivative of the gap. CRD_UNKNOWN: a contact ceases within the
 * difference. */
crd_status crd_surface_bias(crd_surface *surface, const crd_workspace *work, const double *qpos, const double *qvel,
                            const crd_contact_point *point, int npoint, crd_contact_assembler *assembler,
                            const crd_contact_problem *problem, double *bias);

#endif
