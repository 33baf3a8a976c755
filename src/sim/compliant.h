/* Kelvin-Voigt contact at a state, for the integration in compliant.c. */
#ifndef SRC_SIM_COMPLIANT_H
#define SRC_SIM_COMPLIANT_H

#include <cradle/sim.h>

/* What an integration carries along. State y = (xi, v): xi the displacement from qpos0 in the tangent space, qpos =
 * qpos0 + xi joint by joint. */
typedef struct compliant {
  const crd_model *model;
  crd_compliant_options options;
  const double *qpos0;
  crd_workspace *work;
  crd_contact_assembler *assembler;
  crd_contact_problem *problem; /* at the last evaluation */
  crd_contact_problem *start;   /* at the start */
  double *qpos, *qacc;          /* nq, nv: of the last evaluation */
  double *k;                    /* start->nc: stiffness */
  double *needed;               /* start->nc: impulse before the end, 0 where the contact did not approach */
  int *identity;                /* room for contacts: number at the start, -1: a contact that came later */
  int identities;
  double *force; /* room for rows: of the last evaluation */
  int forces;
  crd_status status; /* of the last evaluation */
  crd_arena arena;
} compliant;

crd_status crd_compliant_begin(compliant *c, const crd_model *model, const double *qpos, const double *qvel,
                               const crd_compliant_options *options);
void crd_compliant_end(compliant *c);

/* y' (2 nv) at y; c->problem, c->force and c->identity belong to it afterwards. */
crd_status crd_compliant_rate(compliant *c, const double *y, double *rate);
/* The derivative of the rate by y (2 nv x 2 nv, column after column) at the last evaluation, through the contact forces
 * alone: what else depends on y is not stiff. */
void crd_compliant_jacobian(const compliant *c, double *columns);
/* Does no touching contact approach at the last evaluation? */
bool crd_compliant_resolved(const compliant *c);

#endif
