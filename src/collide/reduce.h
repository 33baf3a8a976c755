/* Fewer points for a large patch. */
#ifndef SRC_COLLIDE_REDUCE_H
#define SRC_COLLIDE_REDUCE_H

#include <cradle/collide.h>
#include <stdbool.h>

/* Points that a pair of geoms may have. */
enum { CRD_PATCH_POINTS = 16 };

/* Which of the `count` points of one patch (equal normals) to keep, CRD_PATCH_POINTS at most: all where they are no
 * more; else those known already (no more than that many), the deepest one where it lies deeper than all of these by
 * more than `deeper` (the nearest known one gives way if they are too many), and those that span the patch best. known
 * is left with those that stay and the deepest one. */
void crd_patch_choose(const crd_contact_point *point, int count, double deeper, bool *known, bool *kept);

/* The corners of a flat patch, CRD_PATCH_POINTS at most, and its deepest point where no corner lies as deep; points within
 * `same` (m) of a corner or an edge are none. */
void crd_patch_corners(const crd_contact_point *point, int count, double same, bool *kept);

#endif
