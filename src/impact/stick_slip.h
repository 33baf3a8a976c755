/* Stick, slip or neither: the impact of one contact with Newton's restitution and Coulomb friction. */
#ifndef SRC_IMPACT_STICK_SLIP_H
#define SRC_IMPACT_STICK_SLIP_H

#include "coulomb/slip_direction.h"
#include "impact/impact.h"
#include "impact/oblique.h"

typedef enum crd_slip_kind { CRD_KIND_STICK, CRD_KIND_SLIP, CRD_KIND_MEAN_ZERO } crd_slip_kind;

/* Vectors have the order of the contact's rows: normal, tangent, second tangent. */
typedef struct crd_slip_outcome {
  crd_slip_kind kind;
  double i[3];         /* impulse */
  double direction[2]; /* of slip: unit vector of the average tangential velocity */
  double kappa;        /* of slip: |average tangential velocity| / g */
} crd_slip_outcome;

typedef struct crd_stick_slip {
  bool singular;        /* the contact's rows depend on each other and on bilateral rows: no impulse is unique */
  bool stick_exists;    /* some impulse makes the contact stick, in the cone or not */
  double stick[3];      /* that impulse (11a) */
  double discriminator; /* sigma = mu_static^2 i_n^2 - |i_t|^2 of it (errata B-01) */
  int slips;            /* slip directions found */
  bool mean_zero;       /* the outcome with zero average tangential velocity is inside the cone */
  int count;            /* outcomes: the sticking one alone, or slips by decreasing kappa and then mean-zero */
  crd_slip_outcome outcome[CRD_SLIP_MAX + 1];
} crd_stick_slip;

/* How hard a contact is hit: the change of normal velocity that restitution asks for, -(u_free + e min(u, 0)) with
 * u_free of the system that obeys its bilateral rows; at most zero where nothing has to happen. */
double crd_stick_slip_demand(const crd_contact_problem *problem, const crd_impact_options *options,
                             const crd_bilateral *bilateral, int contact);

/* Is it hit, beyond rounding? */
bool crd_stick_slip_hits(const crd_contact_problem *problem, const crd_impact_options *options,
                         const crd_bilateral *bilateral, int contact);

/* All outcomes for a contact that is hit (demand > 0), the others left alone. No outcome is a possible answer.
 * CRD_SINGULAR: no impulse moves the normal. Scratch memory comes from the arena. */
crd_status crd_stick_slip_resolve(crd_stick_slip *result, const crd_contact_problem *problem,
                                  const crd_impact_options *options, const crd_bilateral *bilateral, int contact,
                                  crd_arena *arena);

#endif
