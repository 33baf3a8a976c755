/* Surfaces of geoms as flat pieces that are painted from far to near. Pieces are small against the mechanism, so that
 * the depth of their middle puts them into the right order where bodies touch. */
#include <cradle/linalg.h>
#include <math.h>
#include <stdlib.h>

#include "draw/scene.h"

enum { MOST_FACES = 20000, MOST_SEGMENTS = 36, MOST_PROFILE = 64, MOST_CELLS = 8 };
static const double SUN[3] = {-0.2857, -0.4286, 0.8571};
static const double EDGE_ON = 1e-6; /* below it a piece is a line, whichever way rounding turns it */
static const double PI = 3.14159265358979323846;

/* ------------------------------------------------------------------------------------------------ colours */

static int shaded(int colour, double light) {
  int out = 0;
  for (int shift = 16; shift >= 0; shift -= 8) out |= (int)fmin(255, (colour >> shift & 255) * light + 0.5) << shift;
  return out;
}

/* Light from above and from the sun. */
static int lit(int colour, const double normal[3]) {
  return shaded(colour, 0.66 + 0.12 * normal[2] + 0.3 * fmax(0, crd_vec3_dot(normal, SUN)));
}

/* Moving bodies have the colours of the page in turn, fixed ones are grey. */
int scene_colour(const crd_model *model, int geom) {
  static const int COLOUR[] = {0x6f9bc4, 0xd0a15a, 0x7fb08a, 0xb98bb5, 0xc98474, 0x8fa3ad, 0xb5ae6a, 0x7d8fc9};
  int order = 0;
  if (model->body[model->geom[geom].body].link < 0) return 0x9b9b95;
  for (int b = 0; b < model->geom[geom].body; b++) order += model->body[b].link >= 0;
  return COLOUR[order % (int)(sizeof COLOUR / sizeof COLOUR[0])];
}

/* MuJoCo's custom: groups from 3 up are for collision, and are shown where a body has nothing else. */
bool scene_is_shown(const crd_model *model, int geom) {
  if (model->geom[geom].group < 3) return true;
  for (int g = 0; g < model->ngeom; g++)
    if (model->geom[g].body == model->geom[geom].body && model->geom[g].group < 3 && model->geom[g].type != CRD_PLANE)
      return false;
  return true;
}

/* ------------------------------------------------------------------------------------------------ pieces */

typedef struct pen {
  scene_surface *surface;
  const scene_camera *camera;
  const double *pos, *R;
  int colour;
  bool fixed;
} pen;

static scene_facet *add(const pen *p) {
  scene_surface *surface = p->surface;
  if (surface->count == surface->room) {
    const size_t room = 2 * surface->room + 256;
    scene_facet *facet = realloc(surface->facet, room * sizeof *facet);
    if (!facet) {
      surface->failed = true;
      return NULL;
    }
    surface->facet = facet, surface->room = room;
  }
  surface->facet[surface->count] = (scene_facet){.fixed = p->fixed, .order = surface->count};
  return &surface->facet[surface->count++];
}

static void to_world(const pen *p, const double local[3], double world[3]) {
  crd_mat3_mul_vec(world, p->R, local);
  crd_vec3_add(world, world, p->pos);
}

/* A piece with corners in the geom's frame, counter-clockwise seen from outside; left out where it faces away. */
static void add_piece(const pen *p, int corners, double corner[4][3]) {
  double world[4][3], a[3], b[3], normal[3], depth = 0;
  for (int i = 0; i < corners; i++) to_world(p, corner[i], world[i]);
  crd_vec3_sub(a, world[2], world[0]);
  crd_vec3_sub(b, world[corners - 1], world[1]);
  crd_vec3_cross(normal, a, b);
  if (crd_vec3_normalize(normal) == 0 || crd_vec3_dot(normal, p->camera->toward) <= EDGE_ON) return;
  scene_facet *facet = add(p);
  if (!facet) return;
  for (int i = 0; i < corners; i++) {
    crd_vec3_copy(facet->corner[i], world[i]);
    depth += crd_vec3_dot(world[i], p->camera->toward) / corners;
  }
  facet->corners = corners, facet->colour = lit(p->colour, normal), facet->depth = depth;
}

/* How many cells a length is cut into. */
static int cells(const pen *p, double length) {
  return (int)fmin(MOST_CELLS, fmax(1, ceil(length / (0.25 * p->camera->size))));
}

/* ------------------------------------------------------------------------------------------------ shapes */

/* The surface that a profile of `count` points (radius, z), z rising, makes about the axis z; radii are stretched by sx
 * and sy. */
static void add_revolved(const pen *p, int count, double profile[][2], double sx, double sy) {
  double widest = 0;
  for (int i = 0; i < count; i++) widest = fmax(widest, profile[i][0]);
  const double seen = widest * fmax(sx, sy) * p->camera->scale;
  const int segments = (int)fmin(MOST_SEGMENTS, 8 + 2 * sqrt(seen));
  for (int i = 0; i + 1 < count; i++)
    for (int k = 0; k < segments; k++) {
      const double a = 2 * PI * k / segments, b = 2 * PI * (k + 1) / segments;
      const double *low = profile[i], *high = profile[i + 1];
      double corner[4][3] = {{low[0] * sx * cos(a), low[0] * sy * sin(a), low[1]},
                             {low[0] * sx * cos(b), low[0] * sy * sin(b), low[1]},
                             {high[0] * sx * cos(b), high[0] * sy * sin(b), high[1]},
                             {high[0] * sx * cos(a), high[0] * sy * sin(a), high[1]}};
      if (low[0] == 0) /* the lower two are one point */
        for (int c = 0; c < 3; c++) corner[1][c] = corner[2][c], corner[2][c] = corner[3][c];
      add_piece(p, low[0] == 0 || high[0] == 0 ? 3 : 4, corner);
    }
}

/* Half a circle of this radius, its lower half about z = -half and its upper about +half. */
static int round_profile(const pen *p, double radius, double half, double profile[MOST_PROFILE][2]) {
  const int steps = (int)fmin(11, 3 + sqrt(radius * p->camera->scale)), straight = half > 0 ? cells(p, 2 * half) : 0;
  int count = 0;
  for (int i = 0; i <= steps; i++, count++) {
    profile[count][0] = i == 0 ? 0 : radius * sin(PI / 2 * i / steps);
    profile[count][1] = -half - radius * cos(PI / 2 * i / steps);
  }
  for (int i = 1; i < straight; i++, count++)
    profile[count][0] = radius, profile[count][1] = half * (2.0 * i / straight - 1);
  for (int i = half > 0 ? 0 : 1; i <= steps; i++, count++) {
    profile[count][0] = i == steps ? 0 : radius * cos(PI / 2 * i / steps);
    profile[count][1] = half + radius * sin(PI / 2 * i / steps);
  }
  return count;
}

static void add_cylinder(const pen *p, double radius, double half) {
  const int straight = cells(p, 2 * half);
  double profile[MOST_PROFILE][2] = {{0, -half}};
  int count = 1;
  for (int i = 0; i <= straight; i++, count++)
    profile[count][0] = radius, profile[count][1] = half * (2.0 * i / straight - 1);
  profile[count][0] = 0, profile[count++][1] = half;
  add_revolved(p, count, profile, 1, 1);
}

/* The edges of a face that is seen, a little nearer than the face. */
static void add_edge(const pen *p, const double from[3], const double to[3], double normal[3]) {
  double world[2][3], direction[3];
  crd_mat3_mul_vec(direction, p->R, normal);
  if (crd_vec3_dot(direction, p->camera->toward) <= EDGE_ON) return;
  scene_facet *facet = add(p);
  if (!facet) return;
  to_world(p, from, world[0]), to_world(p, to, world[1]);
  crd_vec3_copy(facet->corner[0], world[0]), crd_vec3_copy(facet->corner[1], world[1]);
  facet->corners = 2, facet->colour = shaded(p->colour, 0.55);
  facet->depth = 0.5 * (crd_vec3_dot(world[0], p->camera->toward) + crd_vec3_dot(world[1], p->camera->toward)) +
                 0.02 * p->camera->size;
}

/* A face of a box: its normal along axis k (sign s), cut into cells, with its edges. */
static void add_face(const pen *p, const double half[3], int k, double s) {
  const int u = (k + 1) % 3, v = (k + 2) % 3, nu = cells(p, 2 * half[u]), nv = cells(p, 2 * half[v]);
  double normal[3] = {0, 0, 0};
  normal[k] = s;
  for (int i = 0; i < nu; i++)
    for (int j = 0; j < nv; j++) {
      double corner[4][3];
      for (int c = 0; c < 4; c++) {
        const int along = s > 0 ? c == 1 || c == 2 : c > 1, across = s > 0 ? c > 1 : c == 1 || c == 2;
        corner[c][k] = s * half[k];
        corner[c][u] = half[u] * (2.0 * (i + along) / nu - 1);
        corner[c][v] = half[v] * (2.0 * (j + across) / nv - 1);
      }
      add_piece(p, 4, corner);
      for (int c = 0; c < 4; c++) {
        const double *a = corner[c], *b = corner[(c + 1) % 4];
        const bool edge_u = fabs(fabs(a[u]) - half[u]) < 1e-9 * half[u] && a[u] == b[u];
        const bool edge_v = fabs(fabs(a[v]) - half[v]) < 1e-9 * half[v] && a[v] == b[v];
        if (edge_u || edge_v) add_edge(p, a, b, normal);
      }
    }
}

/* Triangles; of a mesh without faces, or with too many, the outline of its hull as a fan. */
static void add_mesh(const pen *p, const crd_mesh *mesh) {
  if (mesh->nface > 0 && mesh->nface <= MOST_FACES) {
    for (int f = 0; f < mesh->nface; f++) {
      double corner[4][3];
      for (int c = 0; c < 3; c++) crd_vec3_copy(corner[c], mesh->vert + 3 * mesh->face[3 * f + c]);
      add_piece(p, 3, corner);
    }
    return;
  }
  double *xy = malloc((2 * (size_t)mesh->nhull + 1) * sizeof *xy);
  for (int i = 0; xy && i < mesh->nhull; i++) {
    double world[3];
    to_world(p, mesh->vert + 3 * mesh->hull[i], world);
    xy[2 * i] = crd_vec3_dot(world, p->camera->right), xy[2 * i + 1] = crd_vec3_dot(world, p->camera->up);
  }
  if (!xy) p->surface->failed = true;
  const double depth = crd_vec3_dot(p->pos, p->camera->toward);
  const int count = xy ? scene_hull(mesh->nhull, xy) : 0;
  for (int i = 1; i + 1 < count; i++) {
    scene_facet *facet = add(p);
    if (!facet) break;
    for (int c = 0; c < 3; c++) {
      const double *at = xy + 2 * (c == 0 ? 0 : i + c - 1);
      for (int k = 0; k < 3; k++)
        facet->corner[c][k] = at[0] * p->camera->right[k] + at[1] * p->camera->up[k] + depth * p->camera->toward[k];
    }
    facet->corners = 3, facet->colour = lit(p->colour, p->camera->toward), facet->depth = depth;
  }
  free(xy);
}

/* Its surface, of a fine field every so many rows and columns. */
static void add_field(const pen *p, const crd_mesh *mesh) {
  const crd_field *field = &mesh->field;
  int stride = 1;
  while (2.0 * field->nrow * field->ncol > (double)MOST_FACES * stride * stride) stride++;
  for (int row = 0; row + 1 < field->nrow; row += stride)
    for (int col = 0; col + 1 < field->ncol; col += stride) {
      const int far_row = row + stride < field->nrow ? row + stride : field->nrow - 1;
      const int far_col = col + stride < field->ncol ? col + stride : field->ncol - 1;
      const int at[] = {row * field->ncol + col, row * field->ncol + far_col, far_row * field->ncol + far_col,
                        far_row * field->ncol + col};
      for (int half = 0; half < 2; half++) {
        double corner[4][3];
        for (int c = 0; c < 3; c++) crd_vec3_copy(corner[c], mesh->vert + 3 * at[c == 0 ? 0 : c + half]);
        add_piece(p, 3, corner);
      }
    }
}

void scene_add_geom(scene_surface *surface, const scene_camera *camera, const crd_model *model, int geom,
                    const double pos[3], const double R[9]) {
  const crd_geom *g = &model->geom[geom];
  const pen p = {surface, camera, pos, R, scene_colour(model, geom), g->link < 0};
  double profile[MOST_PROFILE][2];
  switch (g->type) {
    case CRD_SPHERE: add_revolved(&p, round_profile(&p, g->size[0], 0, profile), profile, 1, 1); break;
    case CRD_CAPSULE: add_revolved(&p, round_profile(&p, g->size[0], g->size[1], profile), profile, 1, 1); break;
    case CRD_CYLINDER: add_cylinder(&p, g->size[0], g->size[1]); break;
    case CRD_ELLIPSOID: /* a ball of the third half axis, whose radii are stretched to the other two */
      add_revolved(&p, round_profile(&p, g->size[2], 0, profile), profile, g->size[0] / g->size[2],
                   g->size[1] / g->size[2]);
      break;
    case CRD_BOX:
      for (int k = 0; k < 3; k++) add_face(&p, g->size, k, 1), add_face(&p, g->size, k, -1);
      break;
    case CRD_MESH: add_mesh(&p, &model->mesh[g->mesh]); break;
    case CRD_HFIELD: add_field(&p, &model->mesh[g->mesh]); break;
    default: break; /* planes are drawn by themselves */
  }
}
