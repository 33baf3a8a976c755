/* The workspace: results of the tree algorithms for one model at one state, one per thread.
 *
 * State 0 is the fixed ground; the state of link i is entry i + 1 and its parent's is entry link.parent + 1, so that no
 * recursion needs a branch for the base.
 */
#ifndef SRC_MODEL_WORKSPACE_H
#define SRC_MODEL_WORKSPACE_H

#include <cradle/model.h>

#include "model/part.h"
#include "spatial/inertia.h"

/* Quantities of a link, world axes, about the link's origin; in brackets the stage that computes them. */
typedef struct crd_link_state {
  v4 R[3];      /* [kinematics] columns: the link's axes */
  v4 p;         /* [kinematics] origin */
  v4 r;         /* [kinematics] origin minus the parent's origin */
  crd_sv V;     /* [velocity] spatial velocity */
  crd_sv c;     /* [velocity] acceleration with zero qacc, beyond the parent's */
  crd_sym6 P;   /* [factor] articulated inertia */
  crd_sv U;     /* [factor] P H* of a hinge or slide */
  double D_inv; /* [factor] 1 / (H P H*) of a hinge or slide */
  double u;     /* [solve] joint force that the subtree leaves unbalanced */
  crd_sv z;     /* [solve, rnea] force collected on the way in */
  crd_sv a;     /* [solve, rnea] acceleration on the way out */
} crd_link_state;

/* The same for joints with three or six velocities: columns of H* and U = P H*, D^-1, K = U D^-1. */
typedef struct crd_multi_state {
  crd_sv H[6], U[6], K[6];
  double D_inv[36];
  double u[6];
} crd_multi_state;

/* Forces on the way in and accelerations on the way out of four solves at once (src/tree/kernel_lanes.c): angular part
 * first, a lane for each solve. */
typedef struct crd_lane_state {
  v4 z[6], a[6];
} crd_lane_state;

/* Composite rigid body: inertia and first moment about the link's origin, mass. */
typedef struct crd_composite {
  v4 I[3], mc;
  double mass;
} crd_composite;

/* Scratch of the operational-space recursion (src/tree/kernel_oscm.c). */
typedef struct crd_oscm_scratch {
  int node_capacity;
  int *children;     /* nlink + 1: children on a path to a node; -1: on no path */
  int *key;          /* nlink + 1: the key at or above the link */
  crd_sym6 *upsilon; /* nlink + 1 */
  crd_sv *transfer;  /* 6 (nlink + 1): columns of psi* from the key above */
  int *key_link;     /* K = min(2 node_capacity, nlink) */
  int *key_parent;   /* K */
  crd_block6 *omega; /* K (K + 1) / 2, lower triangle by rows */
} crd_oscm_scratch;

struct crd_workspace {
  const crd_model *model;
  crd_arena arena, node_arena;
  crd_part whole;           /* the model, */
  const crd_part *part;     /* and what of it the recursions run over */
  crd_link_state *link;     /* nlink + 1 */
  crd_multi_state *multi;   /* one per ball or free joint */
  int *multi_of_link;       /* nlink: index into multi, -1 for hinge and slide */
  crd_composite *composite; /* nlink + 1 */
  crd_lane_state *lane;     /* nlink + 1; a of the ground stays zero */
  double *tau, *actuation;  /* nv: all forces, the actuators' alone */
  double *length, *moment;  /* nactuator, nmoment: of the transmissions (src/tree/transmission.c) */
  double *tendon_length, *tendon_row, *tendon_dense; /* ntendon, ntendon_row, nv (src/tree/tendon.c), */
  double *tendon_qpos;                               /* nq: at this position, */
  bool tendons_known;                                /* of the whole model, */
  bool sites_known;                                  /* and length and moment of what acts on sites */
  double *carried; /* nv: the forces of gravcomp, for joints whose actuators carry them */
  double *sensed;  /* 3 nactuator + nv: lengths, rates, forces of the actuators, and their forces on the joints */
  const double *armature; /* nv: on the joints in the factor; the model's, or what crd_tree_set_armature gave */
  crd_oscm_scratch oscm;
  int singular_joint;
};

#endif
