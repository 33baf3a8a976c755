/* Free bodies in space that touch in points, as contact problems in world axes: the same scene can be stated turned,
 * and with other tangents. */
#ifndef TESTS_SPACE_IMPACT_H
#define TESTS_SPACE_IMPACT_H

#include <cradle/impact.h>

#include "support/random_tree.h"

enum { SPACE_BODIES = 3, SPACE_CONTACTS = 6 };

typedef struct space_contact {
  int body1, body2; /* the normal points to body1; body2 -1: the world */
  double point[3], normal[3];
} space_contact;

typedef struct space_impact {
  int nbody, nc;
  double mass[SPACE_BODIES], inertia[SPACE_BODIES][9]; /* world axes */
  double center[SPACE_BODIES][3];
  double velocity[SPACE_BODIES][6]; /* of the centre, then angular; world axes */
  space_contact contact[SPACE_CONTACTS];
  double mu, e;
} space_impact;

/* Bodies of random inertia and motion, contacts between them and with the world at random points, all approaching. */
space_impact random_space_impact(random_stream *stream, int nbody, int nc);

/* The scene turned by R (row-major); its problem with every contact's tangents turned by an angle about its normal.
 * Generalised velocities are `velocity`, body by body. The caller frees the problem. */
space_impact turned_space_impact(const space_impact *scene, const double R[9]);
crd_contact_problem *space_impact_problem(const space_impact *scene, const double *tangent_angle);

/* Momentum of all bodies with velocities v: linear, then angular about the origin. */
void space_impact_momentum(const space_impact *scene, const double *v, double momentum[6]);

#endif
