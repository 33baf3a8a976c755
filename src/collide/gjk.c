/* Distance of two convex cores by the algorithm of Gilbert, Johnson and Keerthi (1988).
 *
 * The set A - B is explored by support points w = a - b; the simplex of at most four of them is reduced after each to
 * the face nearest to the origin. v, the point of that face nearest to the origin, tends to a - b of the nearest
 * points, and s(v/|v|) <= distance <= |v| at all times: the iteration ends when the two bounds agree to rounding.
 * Polytopes end after finitely many steps; the normal of a triangle is taken from its edges, which keeps it exact
 * however small the distance.
 *
 * It stands here because libccd's public interface answers for overlapping bodies only (and its penetration depth fails
 * on curved ones, see tests/collide/test_libccd.c).
 */
#include <cradle/linalg.h>
#include <string.h>

#include "collide/direction.h"

static const double FLAT_SQUARED = 1e-28; /* squared sine of 1e-14: the triangle is a line */
static const double CLOSED = 0.1;         /* of the rounding of a support: the bounds cannot come closer */

enum { MAX_ITERATIONS = 128, WHOLE = 15 }; /* all four corners of a tetrahedron, which then contains the origin */

typedef struct simplex {
  int count;
  double w[4][3];
} simplex;

typedef struct nearest {
  unsigned mask; /* vertices of the face that holds the nearest point in its interior */
  double v[3], square;
} nearest;

static bool nearest_of_line(const double a[3], const double b[3], double v[3]) {
  double e[3];
  crd_vec3_sub(e, b, a);
  double ee = crd_vec3_dot(e, e), t = -crd_vec3_dot(a, e);
  if (!(t > 0 && t < ee)) return false;
  for (int i = 0; i < 3; i++) v[i] = a[i] + t / ee * e[i];
  crd_vec3_axpy(v, -crd_vec3_dot(v, e) / ee, e);
  return true;
}

static bool nearest_of_triangle(const double a[3], const double b[3], const double c[3], double v[3]) {
  double ab[3], ac[3], n[3], p[3][3], side[3];
  crd_vec3_sub(ab, b, a);
  crd_vec3_sub(ac, c, a);
  crd_vec3_cross(n, ab, ac);
  double nn = crd_vec3_dot(n, n);
  if (nn <= FLAT_SQUARED * crd_vec3_dot(ab, ab) * crd_vec3_dot(ac, ac)) return false;
  crd_vec3_scale(v, crd_vec3_dot(n, a) / nn, n);
  crd_vec3_sub(p[0], a, v);
  crd_vec3_sub(p[1], b, v);
  crd_vec3_sub(p[2], c, v);
  for (int i = 0; i < 3; i++) {
    crd_vec3_cross(side, p[i], p[(i + 1) % 3]);
    if (!(crd_vec3_dot(side, n) > 0)) return false;
  }
  return true;
}

/* Does the tetrahedron hold the origin? Each face must have the origin and the fourth vertex on the same side. */
static bool holds_origin(double w[4][3]) {
  static const int face[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
  for (int f = 0; f < 4; f++) {
    double ab[3], ac[3], n[3], ad[3];
    crd_vec3_sub(ab, w[face[f][1]], w[face[f][0]]);
    crd_vec3_sub(ac, w[face[f][2]], w[face[f][0]]);
    crd_vec3_sub(ad, w[face[f][3]], w[face[f][0]]);
    crd_vec3_cross(n, ab, ac);
    double apex = crd_vec3_dot(n, ad), origin = -crd_vec3_dot(n, w[face[f][0]]);
    if (apex == 0 || apex * origin < 0) return false;
  }
  return true;
}

static void keep_nearer(nearest *best, unsigned mask, const double v[3]) {
  double square = crd_vec3_dot(v, v);
  if (!(square < best->square)) return;
  best->square = square, best->mask = mask;
  crd_vec3_copy(best->v, v);
}

/* Compares the faces of the simplex that have the last vertex, which is nearer than all others could bring the origin:
 * each is a candidate if the projection of the origin lies in its interior. */
static void find_nearest(simplex *S, nearest *best) {
  const int last = S->count - 1;
  const double *w = S->w[last];
  double v[3];
  best->square = INFINITY;
  if (S->count == 4 && holds_origin(S->w)) {
    *best = (nearest){.mask = 15};
    return;
  }
  keep_nearer(best, 1u << last, w);
  for (int i = 0; i < last; i++)
    if (nearest_of_line(S->w[i], w, v)) keep_nearer(best, 1u << last | 1u << i, v);
  for (int i = 0; i < last; i++)
    for (int j = i + 1; j < last; j++)
      if (nearest_of_triangle(S->w[i], S->w[j], w, v)) keep_nearer(best, 1u << last | 1u << i | 1u << j, v);
}

static void keep_face(simplex *S, unsigned mask) {
  int kept = 0;
  for (int i = 0; i < S->count; i++)
    if (mask >> i & 1) memmove(S->w[kept++], S->w[i], sizeof S->w[0]);
  S->count = kept;
}

static bool is_vertex(const simplex *S, const double w[3]) {
  for (int i = 0; i < S->count; i++)
    if (memcmp(S->w[i], w, sizeof S->w[i]) == 0) return true;
  return false;
}

void crd_gjk_distance(const crd_solid *A, const crd_solid *B, const double shift[3], const double start[3],
                      double limit, crd_gjk *result) {
  double scale = A->extent + B->extent + crd_vec3_norm(shift), rounding = CRD_COLLIDE_ROUNDING * scale;
  simplex S = {0};
  nearest now = {.square = INFINITY};
  double a[3], b[3], n[3];
  *result = (crd_gjk){0};
  crd_vec3_copy(n, start);
  if (!(crd_vec3_normalize(n) > 0)) n[2] = 1;
  for (int iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
    double *w = S.w[S.count], distance = sqrt(now.square);
    crd_solid_separation(A, B, n, a, b);
    for (int i = 0; i < 3; i++) w[i] = a[i] + shift[i] - b[i];
    result->iterations = iteration + 1;
    double bound = crd_vec3_dot(n, w);
    if (bound > limit) {
      result->distance = bound;
      crd_vec3_copy(result->n, n);
      return;
    }
    if (iteration > 0 && (distance - bound <= CLOSED * rounding || is_vertex(&S, w))) break;
    S.count++;
    nearest next = {0};
    find_nearest(&S, &next);
    if (!(next.square < now.square)) break;
    now = next;
    if (now.mask == WHOLE || sqrt(now.square) <= rounding) return;
    keep_face(&S, now.mask);
    crd_vec3_copy(n, now.v);
    crd_vec3_normalize(n);
  }
  result->distance = sqrt(now.square);
  crd_vec3_copy(result->n, n);
}
