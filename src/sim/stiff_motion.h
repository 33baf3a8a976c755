/* The free motion where joint forces are too steep for an explicit integrator (src/sim/stiff_motion.c). */
#ifndef SRC_SIM_STIFF_MOTION_H
#define SRC_SIM_STIFF_MOTION_H

#include "sim/group.h"
#include "tree/parts.h"
#include "tree/slopes.h"

/* Butcher's tables of the method: stages at y0 + sum_j a[i][j] k_j, c their times; with s_i = sum_j<=i g[i][j] k_j
 * (g[i][i] = CRD_STIFF_GAMMA) and A the slopes, k_i = h f(stage i) + h A s_i; y1 = y0 + sum_i b[i] k_i. */
enum { CRD_STIFF_STAGES = 4 };
typedef struct crd_stiff_table {
  double a[CRD_STIFF_STAGES][CRD_STIFF_STAGES], g[CRD_STIFF_STAGES][CRD_STIFF_STAGES], b[CRD_STIFF_STAGES];
} crd_stiff_table;
extern const crd_stiff_table crd_stiff_method;

typedef struct crd_stiff {
  crd_arena arena;
  crd_workspace *work;              /* poses at the start of the step, factor of M + gamma h D + gamma^2 h^2 K */
  crd_contact_assembler *assembler; /* of the loops there, */
  crd_contact_problem *loops;       /* with the same factor */
  crd_slopes slopes;
  double *armature;                      /* nv: of that factor, without the couplings */
  double *mobility;                      /* nv: diagonal of M^-1 */
  double *coupled_q, *coupled_v, *rhs;   /* nv: scratch of a stage */
  double *rate, *acc;                    /* nv: f at the stage */
  double *rest;                          /* nv: zero */
  double *driven, *drag;                 /* nv: forces of actuators and control, and of the medium, at the stage */
  double *driven_impulse, *drag_impulse; /* nv: of these over the motion */
  double *damped_impulse;                /* nv: of dampers and the medium */
  double *coupled;                       /* room x nv: factor^-1 g_t */
  double *capacitance;                   /* ncoupling^2: Cholesky factor of S (solve) */
  double *share, *pull;                  /* ncoupling: root of the slope, scratch */
} crd_stiff;

/* NULL where the model has no steep forces at all; *done false: out of memory. */
crd_stiff *crd_stiff_new(const crd_model *model, bool *done);
void crd_stiff_free(crd_stiff *stiff);

/* How steep the forces at (now) are for a step: its length times the rate of the dampers and the frequency of the
 * springs, an upper bound. qacc: accelerations there, after
 * crd_sim_begin_piece has evaluated the forces. Sets the slopes. *oscillates: springs outweigh dampers. */
double crd_stiff_steepness(crd_group *group, const double *qacc, bool *oscillates);
/* Free motion over dt from (now) to (trial), as crd_sim_free_motion. stiff->armature is then that of Mh, whose inverse
 * is the compliance of contacts. */
crd_status crd_stiff_motion(crd_group *group, double dt);
/* What is held has changed the velocity by group->stage->dv from that of the free motion: work of actuators and dampers. */
void crd_stiff_book_change(crd_group *group, double dt);

#endif
