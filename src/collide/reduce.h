/* Fewer points for a large patch. */
#ifndef SRC_COLLIDE_REDUCE_H
#define SRC_COLLIDE_REDUCE_H

#include <cradle/collide.h>

/* Points that a pair of geoms may have. */
enum { CRD_PATCH_POINTS = 16 };

/* Keeps at most CRD_PATCH_POINTS of the points of one patch (equal normals), in the order they had: the one with the
 * smallest gap, and those that span the patch. Returns their number. */
int crd_patch_reduce(crd_contact_point *point, int count);

#endif
