/* The faces of a convex hull, from its triangles.
 *
 * Files give vertices in single precision, so that the corners of a flat face lie in a plane to about 1e-7 of the body
 * only, and its triangles look in directions of their own. Triangles whose corners all lie within FLAT of the plane of
 * a large one belong to its face: they are added from neighbour to neighbour, beginning with the largest triangle.
 * The face is the convex polygon of their corners, without those that lie on its edges. O(n log n).
 */
#include "model/facets.h"

#include <cradle/linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/layout.h"

/* Of the distance of the farthest vertex from the mesh's origin. */
static const double FLAT = 2e-7;
static const double OBLIQUE = 0.6; /* a unit vector with a smaller component along x is well away from the x axis */

typedef struct triangle {
  double normal[3], area;
  int id, next[3]; /* number; triangles across the edges 0-1, 1-2, 2-0 */
  int face;        /* that it belongs to, -1: none yet */
} triangle;

typedef struct edge {
  int low, high, triangle, side;
} edge;

typedef struct flat_corner {
  double x, y;
  int vertex;
} flat_corner;

typedef struct surface {
  const double *vert;
  const int *corner; /* of the triangles */
  triangle *tri;
  int count;
  double flat; /* m */
  int *stack, *member;
  flat_corner *flat_of; /* room for three times the vertices of a face */
} surface;

static const double *corner_of(const surface *s, int t, int k) { return s->vert + 3 * (size_t)s->corner[3 * t + k]; }

/* ------------------------------------------------------------------------------------------------ triangles */

static int by_vertices(const void *a, const void *b) {
  const edge *p = a, *q = b;
  if (p->low != q->low) return p->low < q->low ? -1 : 1;
  if (p->high != q->high) return p->high < q->high ? -1 : 1;
  return p->triangle < q->triangle ? -1 : 1;
}

/* The largest first. */
static int by_area(const void *a, const void *b) {
  const triangle *const *p = a, *const *q = b;
  if ((*p)->area != (*q)->area) return (*p)->area > (*q)->area ? -1 : 1;
  return (*p)->id < (*q)->id ? -1 : 1;
}

static void set_triangles(surface *s) {
  for (int t = 0; t < s->count; t++) {
    triangle *tri = &s->tri[t];
    double e1[3], e2[3];
    crd_vec3_sub(e1, corner_of(s, t, 1), corner_of(s, t, 0));
    crd_vec3_sub(e2, corner_of(s, t, 2), corner_of(s, t, 0));
    crd_vec3_cross(tri->normal, e1, e2);
    tri->area = crd_vec3_normalize(tri->normal);
    tri->id = t, tri->face = tri->next[0] = tri->next[1] = tri->next[2] = -1;
  }
}

static void connect(surface *s, edge *edges) {
  for (int i = 0; i < 3 * s->count; i++) {
    int t = i / 3, a = s->corner[i], b = s->corner[3 * t + (i - 3 * t + 1) % 3];
    edges[i] = (edge){a < b ? a : b, a < b ? b : a, t, i - 3 * t};
  }
  qsort(edges, 3 * (size_t)s->count, sizeof *edges, by_vertices);
  for (int i = 0; i + 1 < 3 * s->count; i++) {
    edge *p = &edges[i], *q = &edges[i + 1];
    if (p->low != q->low || p->high != q->high) continue;
    s->tri[p->triangle].next[p->side] = q->triangle, s->tri[q->triangle].next[q->side] = p->triangle;
  }
}

/* ------------------------------------------------------------------------------------------------ one face */

static bool lies_in(const surface *s, int t, const double n[3], double offset) {
  for (int k = 0; k < 3; k++)
    if (fabs(crd_vec3_dot(n, corner_of(s, t, k)) - offset) > s->flat) return false;
  return true;
}

/* The triangles that lie in the plane of `seed`, from neighbour to neighbour, into s->member; they are marked with the
 * face's number. Returns how many. */
static int gather(surface *s, int seed, int face) {
  const double *n = s->tri[seed].normal;
  double offset = crd_vec3_dot(n, corner_of(s, seed, 0));
  int count = 0, waiting = 1;
  s->stack[0] = seed, s->tri[seed].face = face;
  while (waiting > 0) {
    int t = s->stack[--waiting];
    s->member[count++] = t;
    for (int k = 0; k < 3; k++) {
      int next = s->tri[t].next[k];
      if (next < 0 || s->tri[next].face >= 0 || !lies_in(s, next, n, offset)) continue;
      s->tri[next].face = face;
      s->stack[waiting++] = next;
    }
  }
  return count;
}

static int from_left(const void *a, const void *b) {
  const flat_corner *p = a, *q = b;
  if (p->x != q->x) return p->x < q->x ? -1 : 1;
  if (p->y != q->y) return p->y < q->y ? -1 : 1;
  return p->vertex < q->vertex ? -1 : p->vertex > q->vertex;
}

static double turn(const flat_corner *a, const flat_corner *b, const flat_corner *c) {
  return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

/* The corners of the convex hull of c[0 .. n-1], counter-clockwise, to the front: Andrew's monotone chain, both halves
 * built one behind the other in the spare part of the array. Corners nearer than `flat` to an edge go. */
static int convex_corners(flat_corner *c, int n, double flat) {
  int lower = 0, upper = 0;
  qsort(c, (size_t)n, sizeof *c, from_left);
  flat_corner *chain = c + n;
  for (int i = 0; i < n; i++) {
    while (lower >= 2 && turn(&chain[lower - 2], &chain[lower - 1], &c[i]) <=
                             flat * hypot(c[i].x - chain[lower - 2].x, c[i].y - chain[lower - 2].y))
      lower--;
    chain[lower++] = c[i];
  }
  flat_corner *back = chain + lower - 1;
  for (int i = n - 1; i >= 0; i--) {
    while (upper >= 2 && turn(&back[upper - 2], &back[upper - 1], &c[i]) <=
                             flat * hypot(c[i].x - back[upper - 2].x, c[i].y - back[upper - 2].y))
      upper--;
    back[upper++] = c[i];
  }
  int count = lower + upper - 2; /* both chains share their ends */
  memmove(c, chain, (size_t)count * sizeof *c);
  return count;
}

/* The polygon of the triangles s->member[0 .. count-1] whose plane has the normal n: its corners into `corner`. Returns
 * their number. */
static int make_polygon(surface *s, int count, const double n[3], int *corner) {
  double e1[3], e2[3], axis[3] = {0, 0, 0};
  axis[fabs(n[0]) < OBLIQUE ? 0 : 1] = 1;
  crd_vec3_cross(e1, n, axis);
  crd_vec3_normalize(e1);
  crd_vec3_cross(e2, n, e1);
  int points = 0;
  for (int i = 0; i < 3 * count; i++) {
    int vertex = s->corner[3 * s->member[i / 3] + i % 3];
    const double *v = s->vert + 3 * (size_t)vertex;
    s->flat_of[points++] = (flat_corner){crd_vec3_dot(v, e1), crd_vec3_dot(v, e2), vertex};
  }
  points = convex_corners(s->flat_of, points, s->flat);
  for (int i = 0; i < points; i++) corner[i] = s->flat_of[i].vertex;
  return points;
}

/* The normal of a polygon, by Newell's formula. */
static void polygon_normal(const double *vert, const int *corner, int count, double n[3]) {
  n[0] = n[1] = n[2] = 0;
  const double *base = vert + 3 * (size_t)corner[0];
  for (int i = 1; i + 1 < count; i++) {
    double e1[3], e2[3], area[3];
    crd_vec3_sub(e1, vert + 3 * (size_t)corner[i], base);
    crd_vec3_sub(e2, vert + 3 * (size_t)corner[i + 1], base);
    crd_vec3_cross(area, e1, e2);
    crd_vec3_add(n, n, area);
  }
  crd_vec3_normalize(n);
}

/* How far the triangles s->member[0 .. count-1] lie off the plane through the middle of the polygon, at most. */
static double unevenness(const surface *s, int count, const int *corner, int corners, const double n[3]) {
  double middle = 0, most = 0;
  for (int i = 0; i < corners; i++) middle += crd_vec3_dot(n, s->vert + 3 * (size_t)corner[i]) / corners;
  for (int i = 0; i < 3 * count; i++)
    most = fmax(most, fabs(crd_vec3_dot(n, corner_of(s, s->member[i / 3], i % 3)) - middle));
  return most;
}

/* ------------------------------------------------------------------------------------------------ all */

/* The faces at each vertex of the hull, from the triangles there. */
static bool list_by_vertex(const surface *s, const crd_hull *hull, int nvert, crd_hull_faces *faces, crd_arena *arena,
                           crd_arena *scratch) {
  int *place, *at_first, *room, *at, *count, *list;
  if (CRD_TAKE(arena, CRD_ARRAY(at_first, hull->nvert + 2), CRD_MATRIX(at, s->count, 3)) ||
      CRD_TAKE(scratch, CRD_ARRAY(place, nvert), CRD_ARRAY(room, hull->nvert + 1), CRD_ARRAY(count, hull->nvert),
               CRD_MATRIX(list, s->count, 3)))
    return false;
  for (int i = 0; i < hull->nvert; i++) place[hull->vert[i]] = i;
  for (int i = 0; i < 3 * s->count; i++) room[place[s->corner[i]] + 1]++;
  for (int i = 0; i < hull->nvert; i++) room[i + 1] += room[i];
  for (int i = 0; i < 3 * s->count; i++) {
    int v = place[s->corner[i]], face = s->tri[i / 3].face, k = 0;
    if (face < 0) continue;
    while (k < count[v] && list[room[v] + k] != face) k++;
    if (k == count[v]) list[room[v] + count[v]++] = face;
  }
  for (int v = 0; v < hull->nvert; v++) {
    memcpy(at + at_first[v], list + room[v], (size_t)count[v] * sizeof *at);
    at_first[v + 1] = at_first[v] + count[v];
  }
  faces->at_first = at_first, faces->at = at;
  return true;
}

/* Leaves out a face that has become a line: its triangles, which are as thin, belong to none. */
static void leave_out(surface *s, int count) {
  for (int i = 0; i < count; i++) s->tri[s->member[i]].face = -2;
}

crd_status crd_facets_make(crd_mesh *mesh, const crd_hull *hull, crd_arena *arena, crd_arena *scratch) {
  size_t n = (size_t)hull->nface;
  surface s = {.vert = mesh->vert, .corner = hull->face, .count = hull->nface};
  for (int i = 0; i < hull->nvert; i++)
    s.flat = fmax(s.flat, FLAT * crd_vec3_norm(mesh->vert + 3 * (size_t)hull->vert[i]));
  edge *edges;
  triangle **order;
  int *first, *corner;
  double *normal;
  if (CRD_TAKE(scratch, CRD_ARRAY(s.tri, n), CRD_ARRAY(s.stack, n), CRD_ARRAY(s.member, n),
               CRD_ARRAY(s.flat_of, 9 * n + 3), CRD_ARRAY(edges, 3 * n), CRD_ARRAY(order, n)) ||
      CRD_TAKE(arena, CRD_ARRAY(first, n + 1), CRD_ARRAY(corner, 3 * n), CRD_MATRIX(normal, n, 3)))
    return CRD_ERR_MEMORY;
  set_triangles(&s);
  connect(&s, edges);
  for (int t = 0; t < s.count; t++) order[t] = &s.tri[t];
  qsort(order, n, sizeof *order, by_area);
  crd_hull_faces *faces = &mesh->faces;
  for (int i = 0; i < s.count; i++) {
    if (order[i]->face != -1 || !(order[i]->area > 0)) continue;
    int f = faces->count, members = gather(&s, order[i]->id, f);
    int corners = make_polygon(&s, members, order[i]->normal, corner + first[f]);
    if (corners < 3) {
      leave_out(&s, members);
      continue;
    }
    polygon_normal(mesh->vert, corner + first[f], corners, normal + 3 * f);
    faces->uneven = fmax(faces->uneven, unevenness(&s, members, corner + first[f], corners, normal + 3 * f));
    first[f + 1] = first[f] + corners, faces->count++;
  }
  faces->first = first, faces->corner = corner, faces->normal = normal;
  return list_by_vertex(&s, hull, mesh->nvert, faces, arena, scratch) ? CRD_OK : CRD_ERR_MEMORY;
}
