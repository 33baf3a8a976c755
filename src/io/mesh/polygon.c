/* Triangulation of a polygon in space. Seen along its normal, a convex polygon becomes a fan from its first corner;
 * from any other one ears are cut: corners that point outwards and whose triangle holds no other corner [Meisters 1975:
 * there are always two]. Which diagonals are taken shows in the inertia where the corners do not lie in a plane; the
 * fan is what MuJoCo 2.2.2 takes. O(n) if convex, else O(n^2) as a rule. */
#include "io/mesh/polygon.h"

#include <cradle/linalg.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct projection {
  const double *vert;
  int x, y; /* the coordinates that span the plane of view, ordered so that the polygon runs counter-clockwise */
} projection;

static const double *point(const projection *view, int id) { return view->vert + 3 * (size_t)id; }

/* Newell's normal: the sum of the areas seen along each axis. The polygon is viewed along the largest. */
static projection project(const double *vert, int n, const int *corner) {
  double normal[3] = {0};
  for (int i = 0; i < n; i++) {
    const double *a = vert + 3 * (size_t)corner[i], *b = vert + 3 * (size_t)corner[(i + 1) % n];
    for (int k = 0; k < 3; k++) {
      int u = (k + 1) % 3, v = (k + 2) % 3;
      normal[k] += (a[u] - b[u]) * (a[v] + b[v]);
    }
  }
  int axis = 0;
  for (int k = 1; k < 3; k++)
    if (fabs(normal[k]) > fabs(normal[axis])) axis = k;
  bool ahead = normal[axis] >= 0;
  int u = (axis + 1) % 3, v = (axis + 2) % 3;
  return (projection){vert, ahead ? u : v, ahead ? v : u};
}

/* Twice the area of the triangle as seen, negative if it runs clockwise. */
static double area(const projection *view, int a, int b, int c) {
  const double *p = point(view, a), *q = point(view, b), *r = point(view, c);
  int x = view->x, y = view->y;
  return (q[x] - p[x]) * (r[y] - p[y]) - (q[y] - p[y]) * (r[x] - p[x]);
}

static bool is_convex(const projection *view, int n, const int *corner) {
  for (int i = 0; i < n; i++)
    if (area(view, corner[i], corner[(i + 1) % n], corner[(i + 2) % n]) < 0) return false;
  return true;
}

static void put(int **triangle, int a, int b, int c) {
  (*triangle)[0] = a, (*triangle)[1] = b, (*triangle)[2] = c;
  *triangle += 3;
}

static void cut_fan(int n, const int *corner, int *triangle) {
  for (int i = 2; i < n; i++) put(&triangle, corner[0], corner[i - 1], corner[i]);
}

/* A diagonal from the first corner, unless only the other one lies inside. */
static void cut_quadrilateral(const projection *view, const int c[4], int *triangle) {
  bool inside02 = area(view, c[0], c[1], c[2]) >= 0 && area(view, c[0], c[2], c[3]) >= 0;
  bool inside13 = area(view, c[0], c[1], c[3]) >= 0 && area(view, c[1], c[2], c[3]) >= 0;
  if (inside13 && !inside02) {
    put(&triangle, c[0], c[1], c[3]);
    put(&triangle, c[1], c[2], c[3]);
  } else {
    cut_fan(4, c, triangle);
  }
}

/* Is corner i an ear? */
static bool is_ear(const projection *view, int n, const int *corner, int i) {
  int a = corner[(i + n - 1) % n], b = corner[i], c = corner[(i + 1) % n];
  if (area(view, a, b, c) <= 0) return false;
  for (int k = 0; k < n; k++) {
    int p = corner[k];
    if (p == a || p == b || p == c) continue;
    if (area(view, a, b, p) >= 0 && area(view, b, c, p) >= 0 && area(view, c, a, p) >= 0) return false;
  }
  return true;
}

/* Cuts ears until a triangle is left. A polygon that crosses itself may run out of them: the rest becomes a fan. */
static void cut_ears(const projection *view, int n, int *corner, int *triangle) {
  for (int at = 0; n > 3; n--) {
    int tried = 0;
    while (tried < n && !is_ear(view, n, corner, at)) at = (at + 1) % n, tried++;
    if (tried == n) break;
    put(&triangle, corner[(at + n - 1) % n], corner[at], corner[(at + 1) % n]);
    for (int k = at; k + 1 < n; k++) corner[k] = corner[k + 1];
    if (at == n - 1) at = 0;
  }
  cut_fan(n, corner, triangle);
}

void crd_polygon_cut(const double *vert, int n, int *corner, int *triangle) {
  projection view = project(vert, n, corner);
  if (n == 4) {
    cut_quadrilateral(&view, corner, triangle);
  } else if (n == 3 || n > CRD_POLYGON_LARGEST || is_convex(&view, n, corner)) {
    cut_fan(n, corner, triangle);
  } else {
    cut_ears(&view, n, corner, triangle);
  }
}
