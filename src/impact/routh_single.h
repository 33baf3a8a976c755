/* Routh's incremental impact of a single contact, exactly. */
#ifndef SRC_IMPACT_ROUTH_SINGLE_H
#define SRC_IMPACT_ROUTH_SINGLE_H

#include <cradle/base.h>

/* When restitution is over: Stronge, when the normal impulse has given back e^2 of the work of compression; Poisson, when
 * it has grown by e times the impulse of compression. */
typedef enum crd_restitution_end { CRD_END_STRONGE, CRD_END_POISSON } crd_restitution_end;

/* A contact on its own: rows are normal, tangent, second tangent. */
typedef struct crd_single_contact {
  int ntangent;
  double A[9]; /* Delassus matrix, 3x3 row-major (rows beyond 1 + ntangent unused), positive definite */
  double u[3]; /* velocity before */
  double mu;
  double e; /* in the meaning of `end` */
  crd_restitution_end end;
} crd_single_contact;

/* How the impact went. */
typedef struct crd_routh_path {
  double p[3];                               /* impulse */
  double work_compression, work_restitution; /* of the normal impulse; Stronge: restitution = -e^2 compression */
  bool stuck, reversed;                      /* sliding stopped; sliding started (again) from rest */
} crd_routh_path;

/* CRD_OK; CRD_LIMIT: sliding does not come to its end within the step limit; CRD_SINGULAR: the normal cannot be stopped
 * (A not positive definite). Nothing to do (u_n >= 0) gives zero impulse. */
crd_status crd_routh_single(const crd_single_contact *contact, crd_routh_path *path);

#endif
