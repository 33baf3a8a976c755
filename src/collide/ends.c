/* The end caps of capsules as contacts of their own.
 *
 * The gap along a capsule that lies askew on another body has one minimum, which runs from one end to the other while
 * it rocks through the parallel: what closes there is another contact, with a velocity of its own, and has to be seen
 * before it closes. So each end, a ball, stands beside the nearest point where it is near enough by itself.
 */
#include <cradle/linalg.h>
#include <math.h>

#include "collide/collider.h"
#include "collide/direction.h"

/* Of the capsule's radius: two points nearer than this are one. */
static const double SAME = 5e-2;
/* The capsule lies along the other body where its end is further off than the nearest point by no more than this share
 * of the way between them. */
static const double SLOPE = 0.1;

static bool is_known(const crd_contact_point *found, int count, const double point[3], double same) {
  for (int i = 0; i < count; i++) {
    double d[3];
    crd_vec3_sub(d, found[i].point, point);
    if (crd_vec3_norm(d) <= same) return true;
  }
  return false;
}

static bool lies_along(const crd_contact_point *nearest, const double point[3], double gap) {
  double d[3];
  crd_vec3_sub(d, nearest->point, point);
  return gap - nearest->gap <= SLOPE * crd_vec3_norm(d);
}

static const crd_contact_point *nearest_of(const crd_contact_point *found, int count) {
  const crd_contact_point *nearest = found;
  for (int i = 1; i < count; i++)
    if (found[i].gap < nearest->gap) nearest = &found[i];
  return nearest;
}

/* sign: the normal points from `other` to the capsule (1), or the other way (-1). */
static int add_ends(crd_collider *collider, int count, const crd_solid *capsule, const crd_solid *other, double sign,
                    double distance) {
  double axis[3], limit = distance + capsule->radius + other->radius;
  crd_solid_axis(capsule, 2, axis);
  for (int side = -1; side <= 1 && count < collider->patch.capacity; side += 2) {
    crd_solid ball = *capsule;
    double n[3], point[3];
    ball.core = CRD_CORE_POINT, ball.size[2] = 0, ball.extent = capsule->radius;
    crd_vec3_axpy(ball.pos, side * capsule->size[2], axis);
    double s = crd_direction(&ball, other, limit, n, &collider->patch), gap = s - capsule->radius - other->radius;
    if (!(gap <= distance)) continue;
    crd_vec3_copy(point, ball.pos);
    crd_vec3_axpy(point, -capsule->radius - 0.5 * gap, n);
    if (is_known(collider->found, count, point, SAME * capsule->radius)) continue;
    if (!lies_along(nearest_of(collider->found, count), point, gap)) continue;
    crd_contact_point *c = &collider->found[count++];
    c->gap = gap;
    crd_vec3_copy(c->point, point);
    crd_vec3_scale(c->normal, sign, n);
  }
  return count;
}

int crd_capsule_ends(crd_collider *collider, int count, const crd_solid *A, const crd_solid *B, double distance) {
  if (count == 0 || A->core == CRD_CORE_POINT || B->core == CRD_CORE_POINT) return count;
  if (A->core == CRD_CORE_SEGMENT) count = add_ends(collider, count, A, B, 1, distance);
  if (B->core == CRD_CORE_SEGMENT) count = add_ends(collider, count, B, A, -1, distance);
  return count;
}
