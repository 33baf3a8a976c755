/* The meshes of the frozen model: copies, convex hulls where a geom collides, volume integrals where a body takes its
 * inertia from them. A mesh that is only for show may be flat or broken. */
#include "base/layout.h"
#include "model/build.h"
#include "model/facets.h"
#include "model/hull.h"
#include "model/mesh.h"

#include <string.h>

/* Uses of a mesh by geoms. */
typedef struct mesh_needs {
  bool hull, inertia;
} mesh_needs;

static mesh_needs *collect_needs(crd_build *b) {
  mesh_needs *needs = crd_arena_alloc(&b->scratch, (size_t)b->model->nmesh, sizeof *needs);
  if (!needs) return NULL;
  for (int i = 0; i < b->model->ngeom; i++) {
    const crd_geom_def *def = &b->geom_def[i].def;
    if (def->type != CRD_MESH) continue;
    if (def->contype || def->conaffinity) needs[def->mesh].hull = true;
    if (crd_build_geom_has_inertia(b, i)) needs[def->mesh].inertia = true;
  }
  for (int i = 0; i < b->model->npair; i++) {
    const crd_geom_def *first = &b->geom_def[b->pair_def[i].geom1].def,
                       *second = &b->geom_def[b->pair_def[i].geom2].def;
    if (first->type == CRD_MESH) needs[first->mesh].hull = true;
    if (second->type == CRD_MESH) needs[second->mesh].hull = true;
  }
  return needs;
}

/* The surface over the heights, row by row, two triangles a cell. */
static crd_status copy_field(crd_build *b, int id) {
  const crd_mesh_def *def = &b->mesh_def[id];
  const crd_field *field = &def->field;
  const int rows = field->nrow, cols = field->ncol, nvert = rows * cols, nface = 2 * (rows - 1) * (cols - 1);
  double *vert;
  int *face, *all;
  if (CRD_TAKE(b->arena, CRD_MATRIX(vert, nvert, 3), CRD_MATRIX(face, nface, 3), CRD_ARRAY(all, nvert)))
    return crd_build_no_memory(b);
  for (int i = 0; i < nvert; i++) {
    vert[3 * i] = field->half[0] * (2.0 * (i % cols) / (cols - 1) - 1);
    vert[3 * i + 1] = field->half[1] * (2.0 * (i / cols) / (rows - 1) - 1);
    vert[3 * i + 2] = def->height[i];
    all[i] = i;
  }
  for (int row = 0, f = 0; row + 1 < rows; row++)
    for (int col = 0; col + 1 < cols; col++, f += 6) {
      const int at = row * cols + col, corner[] = {at, at + cols + 1, at + cols, at, at + 1, at + cols + 1};
      memcpy(face + f, corner, sizeof corner);
    }
  b->mesh[id] = (crd_mesh){.name = crd_build_text(b, def->name),
                           .nvert = nvert,
                           .nface = nface,
                           .nhull = nvert,
                           .vert = vert,
                           .face = face,
                           .hull = all,
                           .field = *field};
  return CRD_OK;
}

static crd_status copy_mesh(crd_build *b, int id) {
  const crd_mesh_def *def = &b->mesh_def[id];
  double *vert;
  int *face, *all;
  if (def->field.nrow > 0) return copy_field(b, id);
  if (CRD_TAKE(b->arena, CRD_MATRIX(vert, def->nvert, 3), CRD_MATRIX(face, def->nface, 3), CRD_ARRAY(all, def->nvert)))
    return crd_build_no_memory(b);
  if (def->nvert > 0) memcpy(vert, def->vert, (size_t)def->nvert * 3 * sizeof *vert);
  if (def->nface > 0) memcpy(face, def->face, (size_t)def->nface * 3 * sizeof *face);
  for (int i = 0; i < def->nvert; i++) all[i] = i;
  b->mesh[id] = (crd_mesh){.name = crd_build_text(b, def->name),
                           .nvert = def->nvert,
                           .nface = def->nface,
                           .nhull = def->nvert,
                           .vert = vert,
                           .face = face,
                           .hull = all};
  return CRD_OK;
}

/* Adds `next` to the ascending list of `count` neighbours unless it is there; returns the new count. */
static int add_neighbour(int *list, int count, int next) {
  int at = count;
  for (int i = 0; i < count; i++)
    if (list[i] == next) return count;
  for (; at > 0 && list[at - 1] > next; at--) list[at] = list[at - 1];
  list[at] = next;
  return count + 1;
}

/* Neighbours of the hull's vertices, from its triangles. */
static crd_status connect_hull(crd_build *b, crd_mesh *mesh, const crd_hull *hull) {
  size_t n = (size_t)hull->nvert;
  int *place, *count, *room, *list, *first, *seed, *next;
  if (CRD_TAKE(b->arena, CRD_ARRAY(first, n + 1), CRD_ARRAY(seed, 6), CRD_MATRIX(next, hull->nface, 6)) ||
      CRD_TAKE(&b->scratch, CRD_ARRAY(place, mesh->nvert), CRD_ARRAY(count, n), CRD_ARRAY(room, n + 1),
               CRD_MATRIX(list, hull->nface, 6)))
    return crd_build_no_memory(b);
  for (int i = 0; i < hull->nvert; i++) place[hull->vert[i]] = i;
  /* a triangle gives each of its corners two neighbours at most */
  for (int i = 0; i < 3 * hull->nface; i++) room[place[hull->face[i]] + 1] += 2;
  for (size_t i = 0; i < n; i++) room[i + 1] += room[i];
  for (int i = 0; i < 3 * hull->nface; i++) {
    int corner = place[hull->face[i]], base = i - i % 3;
    for (int k = 1; k < 3; k++)
      count[corner] = add_neighbour(list + room[corner], count[corner], place[hull->face[base + (i - base + k) % 3]]);
  }
  for (size_t i = 0; i < n; i++) {
    first[i + 1] = first[i] + count[i];
    memcpy(next + first[i], list + room[i], sizeof *next * (size_t)count[i]);
  }
  for (int k = 0; k < 6; k++)
    for (int i = 0; i < hull->nvert; i++) {
      double sign = k % 2 ? -1 : 1;
      const double *v = mesh->vert + 3 * (size_t)hull->vert[i], *best = mesh->vert + 3 * (size_t)hull->vert[seed[k]];
      if (sign * v[k / 2] > sign * best[k / 2]) seed[k] = i;
    }
  mesh->hull_first = first, mesh->hull_next = next, mesh->hull_seed = seed;
  return CRD_OK;
}

/* Replaces "all vertices" by those of the hull, and takes the hull's faces where the mesh has none. */
static crd_status add_hull(crd_build *b, int id, bool required) {
  crd_mesh *mesh = &b->mesh[id];
  crd_element element = crd_element_mesh(b, id);
  crd_hull hull;
  switch (crd_hull_make(&hull, b->arena, mesh->nvert, mesh->vert)) {
    case CRD_OK: break;
    case CRD_ERR_MEMORY: return crd_build_no_memory(b);
    case CRD_SINGULAR:
      if (!required) return CRD_OK;
      return crd_build_fail(b, CRD_ERR_MODEL, &element,
                            "its %d vertices are fewer than 4 or lie in a plane, a convex hull must have volume",
                            mesh->nvert);
    default:
      if (!required || mesh->nface > 0) return CRD_OK; /* the hull of all vertices is the same set */
      return crd_build_fail(b, CRD_ERR_MODEL, &element, "has no faces, must have some in a build without Qhull");
  }
  mesh->nhull = hull.nvert;
  mesh->hull = hull.vert;
  if (mesh->nface == 0) {
    mesh->nface = hull.nface;
    mesh->face = hull.face;
  }
  if (crd_facets_make(mesh, &hull, b->arena, &b->scratch) != CRD_OK) return crd_build_no_memory(b);
  return connect_hull(b, mesh, &hull);
}

static crd_status add_inertia(crd_build *b, int id) {
  crd_mesh *mesh = &b->mesh[id];
  crd_element element = crd_element_mesh(b, id);
  const crd_mesh_rule rule = {b->mesh_def[id].inertia, b->options->mujoco_rounding};
  int edge[2];
  bool ok = true;
  if (rule.inertia == CRD_MESH_EXACT && crd_mesh_is_misoriented(mesh->nface, mesh->face, edge, &ok))
    return crd_build_fail(b, CRD_ERR_MODEL, &element,
                          "two faces run from vertex %d to vertex %d, faces must be oriented consistently", edge[0],
                          edge[1]);
  if (!ok) return crd_build_no_memory(b);
  if (crd_mesh_integrate(mesh->vert, mesh->nface, mesh->face, rule, &b->mesh_props[id], &mesh->volume) != CRD_OK)
    return crd_build_fail(b, CRD_ERR_MODEL, &element,
                          rule.inertia == CRD_MESH_SHELL
                              ? "its %d faces have the area %g, must have a positive one to have inertia"
                              : "its %d faces enclose the volume %g, must enclose a positive one to have inertia",
                          mesh->nface, mesh->volume);
  return CRD_OK;
}

crd_status crd_build_meshes(crd_build *b) {
  int n = b->model->nmesh;
  b->mesh = crd_arena_alloc(b->arena, (size_t)n, sizeof *b->mesh);
  b->mesh_props = crd_arena_alloc(&b->scratch, (size_t)n, sizeof *b->mesh_props);
  mesh_needs *needs = collect_needs(b);
  if (!b->mesh || !b->mesh_props || !needs) return crd_build_no_memory(b);
  b->model->mesh = b->mesh;
  for (int i = 0; i < n; i++) {
    CRD_TRY(copy_mesh(b, i));
    bool faces_missing = b->mesh[i].nface == 0;
    if (needs[i].hull || faces_missing) CRD_TRY(add_hull(b, i, needs[i].hull || (faces_missing && needs[i].inertia)));
    if (needs[i].inertia) CRD_TRY(add_inertia(b, i));
  }
  return CRD_OK;
}
