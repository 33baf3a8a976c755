/* Angles in radians. */
#ifndef CRD_BASE_ANGLE_H
#define CRD_BASE_ANGLE_H

#define CRD_PI 3.14159265358979323846
#define CRD_TURN (2 * CRD_PI)     /* a full turn */
#define CRD_DEGREE (CRD_PI / 180) /* one degree */

#endif
