/* How steeply the forces of springs, dampers and actuators fall with position and velocity: the Jacobian that a
 * linearly implicit integrator needs (src/sim/stiff_motion.c).
 *
 *   tau(q + dq, v + dv) = tau - (K dq + D dv),   K = diag(k) + sum_t k_t g_t g_t',   D = diag(d) + sum_t d_t g_t g_t'
 *
 * g_t: velocities on which one actuator acts together (a tendon, a site, several axes of a ball or free joint), or a
 * tendon with spring or damper. Slopes
 * that would drive the motion apart count as zero.
 */
#ifndef SRC_TREE_SLOPES_H
#define SRC_TREE_SLOPES_H

#include <cradle/tree.h>

#include "model/part.h"

typedef struct crd_slopes {
  double *k, *d;                 /* nv: joints and actuators together */
  double *driven_k, *driven_d;   /* nv: the actuators' share */
  int nv, room;                  /* couplings of the model, */
  double *g;                     /* room x nv, */
  int *coupling;                 /* nactuator: which one it is, where it is one */
  int ncoupling;                 /* those of the part that the slopes are of, */
  int *active;                   /* ncoupling: their number in g, */
  double *coupled_k, *coupled_d; /* ncoupling: and slopes */
  bool *driven;                  /* ncoupling: it is of an actuator, else of a tendon's own spring and damper */
  int *tendon_coupling;          /* ntendon: as `coupling` */
  double *length1, *rate1;       /* nactuator: at the end of the motion ahead */
} crd_slopes;

/* Has the model any force with a slope? */
bool crd_slopes_exist(const crd_model *model);
/* Memory for a model, from the arena. False: there is none. */
bool crd_slopes_reserve(crd_slopes *slopes, const crd_model *model, crd_arena *arena);
/* Slopes at (q, v) of the workspace's part. A force that is at a bound there and still at the end (q1, v1) of the motion ahead has none. */
void crd_slopes_at(crd_slopes *slopes, const crd_model *model, crd_workspace *work, const double *act,
                   const double *ctrl, const double *q, const double *v, const double *q1, const double *v1);
/* g_t (nv) of the part's coupling t. */
const double *crd_slopes_coupling(const crd_slopes *slopes, int t);
/* f += factor (K dq + D dv); of the actuators alone where driven. */
void crd_slopes_apply(const crd_slopes *slopes, const crd_part *part, bool driven, double factor, const double *dq,
                      const double *dv, double *f);
/* f += factor D_t way, D_t the dampers of tendons. */
void crd_slopes_damp(const crd_slopes *slopes, const crd_part *part, double factor, const double *way, double *f);

#endif
