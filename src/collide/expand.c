/* Nearest way out of an overlap: expanding polytope [van den Bergen 2001] on the set W = A - B.
 *
 * A polytope inside W, spanned by support points, is grown at the face whose plane is nearest to the origin (planes
 * that have the origin on their outer side count as nearer still, so the origin need not be inside at first) until that
 * face lies on the boundary of W. Every other face then is farther, and so are the parts of W behind them: the face
 * normal -n is the best of all directions. Exact for polytopes; for curved bodies the search stops at `tolerance` and n
 * is polished later.
 *
 * All storage is on the stack; when it is full, or rounding breaks the surface, the best direction so far is returned.
 */
#include <cradle/linalg.h>
#include <string.h>

#include "collide/direction.h"

static const double FLAT_FACE = 1e-14; /* sine between two edges below which three points lie on a line */
static const double SEEN = 0.01;       /* of the rounding of a support: a vertex less far above a face lies in it */

enum { MAX_VERTEX = 100, MAX_FACE = 2 * MAX_VERTEX, MAX_HORIZON = MAX_FACE };

typedef struct face {
  int v[3];
  double N[3], offset; /* outward unit normal; the plane is N.x = offset */
} face;

typedef struct polytope {
  const crd_solid *A, *B;
  double rounding;
  int nvertex, nface;
  double w[MAX_VERTEX][3];
  face face[MAX_FACE];
} polytope;

static double support(const polytope *P, const double N[3], double w[3]) {
  double n[3] = {-N[0], -N[1], -N[2]}, a[3], b[3];
  double s = crd_solid_separation(P->A, P->B, n, a, b);
  crd_vec3_sub(w, a, b);
  return -s;
}

/* False: no room, or a face without area. */
static bool add_face(polytope *P, int i, int j, int k) {
  if (P->nface == MAX_FACE) return false;
  face *f = &P->face[P->nface];
  double e1[3], e2[3];
  crd_vec3_sub(e1, P->w[j], P->w[i]);
  crd_vec3_sub(e2, P->w[k], P->w[i]);
  crd_vec3_cross(f->N, e1, e2);
  double longest = crd_vec3_norm(e1) * crd_vec3_norm(e2);
  if (!(crd_vec3_normalize(f->N) > FLAT_FACE * longest)) return false;
  f->v[0] = i, f->v[1] = j, f->v[2] = k;
  f->offset = crd_vec3_dot(f->N, P->w[i]);
  P->nface++;
  return true;
}

/* Distance of the support point in direction d (made a unit vector), in front of the point w0; the better of d and -d.
 */
static bool add_farthest(polytope *P, double d[3], const double w0[3]) {
  if (!(crd_vec3_normalize(d) > 0)) return false;
  double back[3] = {-d[0], -d[1], -d[2]}, ahead[3], behind[3];
  support(P, d, ahead);
  support(P, back, behind);
  double forward[3], backward[3];
  crd_vec3_sub(forward, ahead, w0);
  crd_vec3_sub(backward, behind, w0);
  bool better = crd_vec3_dot(forward, d) >= crd_vec3_dot(backward, back);
  crd_vec3_copy(P->w[P->nvertex++], better ? ahead : behind);
  return fmax(crd_vec3_dot(forward, d), crd_vec3_dot(backward, back)) > P->rounding;
}

/* Four support points, each as far as possible from those before it. */
static bool first_tetrahedron(polytope *P) {
  double d[3] = {1, 0, 0}, e1[3], e2[3], n[3];
  support(P, d, P->w[0]);
  P->nvertex = 1;
  if (!add_farthest(P, d, P->w[0])) return false;
  crd_vec3_sub(e1, P->w[1], P->w[0]);
  int k = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(e1[i]) < fabs(e1[k])) k = i;
  double axis[3] = {k == 0, k == 1, k == 2};
  crd_vec3_cross(d, e1, axis);
  if (!add_farthest(P, d, P->w[0])) return false;
  crd_vec3_sub(e2, P->w[2], P->w[0]);
  crd_vec3_cross(d, e1, e2);
  if (!add_farthest(P, d, P->w[0])) return false;
  crd_vec3_cross(n, e1, e2);
  crd_vec3_sub(d, P->w[3], P->w[0]);
  bool above = crd_vec3_dot(n, d) > 0;
  int i = above ? 2 : 1, j = above ? 1 : 2;
  return add_face(P, 0, i, j) && add_face(P, 0, j, 3) && add_face(P, j, i, 3) && add_face(P, i, 0, 3);
}

/* Removes the faces that the new vertex sees and closes the hole with a cone from it. */
static bool expand(polytope *P, const double w[3]) {
  int edge[MAX_HORIZON][2], nedge = 0, kept = 0;
  if (P->nvertex == MAX_VERTEX) return false;
  crd_vec3_copy(P->w[P->nvertex], w);
  for (int f = 0; f < P->nface; f++) {
    face *F = &P->face[f];
    if (crd_vec3_dot(F->N, w) <= F->offset + SEEN * P->rounding) {
      P->face[kept++] = *F;
      continue;
    }
    for (int k = 0; k < 3; k++) {
      /* an edge between two removed faces appears once in each direction and cancels */
      int from = F->v[k], to = F->v[(k + 1) % 3], twin = 0;
      while (twin < nedge && !(edge[twin][0] == to && edge[twin][1] == from)) twin++;
      if (twin < nedge) {
        memmove(edge[twin], edge[--nedge], sizeof edge[0]);
      } else {
        if (nedge == MAX_HORIZON) return false;
        edge[nedge][0] = from, edge[nedge][1] = to, nedge++;
      }
    }
  }
  P->nface = kept;
  int apex = P->nvertex++;
  for (int e = 0; e < nedge; e++)
    if (!add_face(P, edge[e][0], edge[e][1], apex)) return false;
  return nedge > 0;
}

double crd_direction_expand(const crd_solid *A, const crd_solid *B, double tolerance, double n[3]) {
  polytope P; /* not cleared: it is large, and most of it is never used */
  double best = -INFINITY;
  P.A = A, P.B = B, P.nvertex = P.nface = 0;
  P.rounding = CRD_COLLIDE_ROUNDING * (A->extent + B->extent);
  if (!first_tetrahedron(&P)) return best;
  while (P.nface > 0) {
    const face *nearest = &P.face[0];
    for (int f = 1; f < P.nface; f++)
      if (P.face[f].offset < nearest->offset) nearest = &P.face[f];
    double N[3], w[3], offset = nearest->offset, reach;
    crd_vec3_copy(N, nearest->N);
    reach = support(&P, N, w);
    if (-reach > best) best = -reach, crd_vec3_scale(n, -1, N);
    if (reach - offset <= fmax(P.rounding, tolerance)) break;
    /* no face can be nearer than the best direction found, up to the tolerance */
    if (-best - offset <= tolerance) break;
    if (!expand(&P, w)) break;
  }
  return best;
}
