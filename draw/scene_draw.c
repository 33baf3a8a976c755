/* The scene: camera, bodies painted from far to near, and what is drawn before and after them. */
#include <cradle/linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/scene.h"

enum { MARGIN = 14, NEAR_BY = 6 }; /* about the mechanism in its frame; in sizes of the mechanism */

/* ------------------------------------------------------------------------------------------------ camera */

/* Does everything move in the x-z plane? */
static bool is_planar(const crd_model *model) {
  for (int j = 0; j < model->njoint; j++) {
    const crd_joint *joint = &model->joint[j];
    const double along_y = fabs(joint->axis[1]);
    if (joint->type == CRD_SLIDE ? along_y > 1e-6 : joint->type != CRD_HINGE || along_y < 1 - 1e-6) return false;
  }
  return true;
}

bool scene_look(scene_camera *camera, const char *view, const crd_model *model) {
  static const struct {
    const char *name;
    double toward[3];
  } VIEW[] = {{"front", {0, -1, 0}}, {"side", {1, 0, 0}}, {"top", {0, -1e-4, 1}}, {"oblique", {0.45, -1, 0.36}}};
  static const double FLAT[3] = {0.22, -1, 0.2}, UP[3] = {0, 0, 1};
  *camera = (scene_camera){0};
  for (size_t i = 0; i < sizeof VIEW / sizeof VIEW[0]; i++) {
    if (strcmp(view, VIEW[i].name) != 0) continue;
    crd_vec3_copy(camera->toward, i == 3 && is_planar(model) ? FLAT : VIEW[i].toward);
    crd_vec3_normalize(camera->toward);
    crd_vec3_cross(camera->right, UP, camera->toward);
    crd_vec3_normalize(camera->right);
    crd_vec3_cross(camera->up, camera->toward, camera->right);
    return true;
  }
  return false;
}

void scene_project(const scene_camera *camera, const double point[3], double xy[2]) {
  double from_centre[3];
  crd_vec3_sub(from_centre, point, camera->centre);
  xy[0] = camera->left + camera->width / 2 + camera->scale * crd_vec3_dot(from_centre, camera->right);
  xy[1] = camera->top + camera->height / 2 - camera->scale * crd_vec3_dot(from_centre, camera->up);
}

/* The moving pieces; all pieces where nothing moves. */
static void collect(scene_surface *surface, const scene_camera *camera, const crd_model *model,
                    const crd_workspace *work, bool moving_only) {
  double pos[3], R[9];
  for (int g = 0; g < model->ngeom; g++) {
    if (!scene_is_shown(model, g) || (moving_only && model->geom[g].link < 0)) continue;
    crd_tree_geom_pose(model, work, g, pos, R);
    scene_add_geom(surface, camera, model, g, pos, R);
  }
}

typedef struct bounds {
  double low[3], high[3]; /* right, up, toward */
} bounds;

static void include(bounds *b, const scene_camera *camera, const double point[3]) {
  const double *const axis[3] = {camera->right, camera->up, camera->toward};
  for (int k = 0; k < 3; k++) {
    const double x = crd_vec3_dot(point, axis[k]);
    b->low[k] = fmin(b->low[k], x), b->high[k] = fmax(b->high[k], x);
  }
}

/* The foot on every plane near by: a ball over the floor is drawn with the floor. */
static void include_feet(bounds *b, const scene_camera *camera, const crd_model *model, const crd_workspace *work) {
  double middle[3] = {0, 0, 0}, pos[3], R[9], from[3];
  crd_vec3_axpy(middle, 0.5 * (b->low[0] + b->high[0]), camera->right);
  crd_vec3_axpy(middle, 0.5 * (b->low[1] + b->high[1]), camera->up);
  crd_vec3_axpy(middle, 0.5 * (b->low[2] + b->high[2]), camera->toward);
  for (int g = 0; g < model->ngeom; g++) {
    if (model->geom[g].type != CRD_PLANE) continue;
    crd_tree_geom_pose(model, work, g, pos, R);
    const double normal[3] = {R[2], R[5], R[8]};
    crd_vec3_sub(from, middle, pos);
    const double height = crd_vec3_dot(from, normal);
    if (height <= 0 || height > NEAR_BY * camera->size) continue;
    crd_vec3_axpy(middle, -height, normal);
    include(b, camera, middle);
    crd_vec3_axpy(middle, height, normal);
  }
}

crd_status scene_fit(scene_camera *camera, const crd_model *model, crd_workspace *work, const double *qpos, int count,
                     double width, double height) {
  bounds all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  scene_surface surface = {0};
  bool moves = false;
  for (int g = 0; g < model->ngeom; g++)
    moves = moves || (model->geom[g].link >= 0 && model->geom[g].type != CRD_PLANE && scene_is_shown(model, g));
  camera->scale = 100, camera->size = 1; /* pieces of any size will do here */
  for (int i = 0; i < count; i++) {
    bounds own = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    surface.count = 0;
    crd_tree_kinematics(model, work, qpos + (size_t)i * (size_t)model->nq);
    collect(&surface, camera, model, work, moves);
    for (size_t f = 0; f < surface.count; f++)
      for (int c = 0; c < surface.facet[f].corners; c++) {
        include(&own, camera, surface.facet[f].corner[c]);
        include(&all, camera, surface.facet[f].corner[c]);
      }
    if (i == 0) camera->size = hypot(own.high[0] - own.low[0], own.high[1] - own.low[1]);
  }
  free(surface.facet);
  if (surface.failed) return CRD_ERR_MEMORY;
  if (!(all.high[0] > all.low[0] && all.high[1] > all.low[1])) /* nothing that can be seen */
    for (int k = 0; k < 3; k++) all.low[k] = -0.5, all.high[k] = 0.5;
  if (!(camera->size > 0)) camera->size = 1;
  camera->nearest = all.high[2] + 1e-6 * camera->size;
  include_feet(&all, camera, model, work);
  crd_vec3_scale(camera->centre, 0, camera->centre);
  crd_vec3_axpy(camera->centre, 0.5 * (all.low[0] + all.high[0]), camera->right);
  crd_vec3_axpy(camera->centre, 0.5 * (all.low[1] + all.high[1]), camera->up);
  crd_vec3_axpy(camera->centre, 0.5 * (all.low[2] + all.high[2]), camera->toward);
  camera->scale =
      fmin((width - 2 * MARGIN) / (all.high[0] - all.low[0]), (height - 2 * MARGIN) / (all.high[1] - all.low[1]));
  camera->width = width, camera->height = height;
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------------ painting */

static int compare_points(const void *a, const void *b) {
  const double *p = a, *q = b;
  return p[0] < q[0] ? -1 : p[0] > q[0] ? 1 : p[1] < q[1] ? -1 : p[1] > q[1];
}

static double turn(const double *a, const double *b, const double *c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Andrew's monotone chain; the hull has at most as many corners as there are points, but is built beside them. */
int scene_hull(int count, double *xy) {
  double *hull = malloc((4 * (size_t)count + 4) * sizeof *hull);
  int n = 0;
  if (!hull || count < 3) return free(hull), 0;
  qsort(xy, (size_t)count, 2 * sizeof *xy, compare_points);
  for (int side = 0, least = 2; side < 2; side++, least = n + 1)
    for (int k = side; k < count; k++) {
      const double *point = xy + 2 * (side == 0 ? k : count - 1 - k);
      while (n >= least && turn(hull + 2 * n - 4, hull + 2 * n - 2, point) <= 0) n--;
      memcpy(hull + 2 * n++, point, 2 * sizeof *point);
    }
  n = n > 1 ? n - 1 : 0; /* the first point came again */
  if (n > count) n = count;
  memcpy(xy, hull, 2 * (size_t)n * sizeof *xy);
  free(hull);
  return n;
}

/* Far ones first; those that differ by rounding in the order of the model, so that a scene gives the same file
 * everywhere. */
static int compare_depth(const void *a, const void *b) {
  const scene_facet *p = a, *q = b;
  if (p->depth != q->depth) return p->depth < q->depth ? -1 : 1;
  return p->order < q->order ? -1 : p->order > q->order;
}

static void sort(scene_surface *surface, double size) {
  const double grain = 1e-6 * size;
  for (size_t f = 0; f < surface->count; f++) surface->facet[f].depth = grain * round(surface->facet[f].depth / grain);
  if (surface->count > 0) qsort(surface->facet, surface->count, sizeof *surface->facet, compare_depth);
}

static void paint(picture *to, const scene_camera *camera, const scene_facet *facet) {
  /* an edge lies on faces: it is drawn where they are, or a hair behind others */
  static const double BEFORE = 0.004; /* of the mechanism's size */
  double xy[8], depth[4];
  for (int c = 0; c < facet->corners; c++) {
    scene_project(camera, facet->corner[c], xy + 2 * c);
    depth[c] = crd_vec3_dot(facet->corner[c], camera->toward) + (facet->corners == 2 ? BEFORE * camera->size : 0);
  }
  /* the edge in the colour of the piece closes the seam to its neighbours; through what stands before the mechanism one
   * sees */
  const bool before = facet->fixed && facet->depth > camera->nearest;
  const picture_style piece = {facet->colour, before ? PICTURE_NONE : facet->colour, before ? 0.25 : 1, 1, 0};
  if (facet->corners == 2 && before) return;
  if (facet->corners == 2)
    picture_piece(to, 2, xy, depth, picture_stroked(facet->colour, 0.8));
  else if (before)
    picture_polygon(to, facet->corners, xy, piece);
  else
    picture_piece(to, facet->corners, xy, depth, piece);
}

crd_status scene_draw(picture *to, const scene_camera *camera, const crd_model *model, crd_workspace *work,
                      const double *qpos, const scene_mark *mark, int nmark) {
  scene_surface surface = {0};
  crd_tree_kinematics(model, work, qpos);
  picture_clip(to, camera->left, camera->top, camera->width, camera->height);
  picture_rect(to, camera->left, camera->top, camera->width, camera->height, picture_filled(0xf4f6f7, 1));
  scene_draw_planes(to, camera, model, work, false);
  collect(&surface, camera, model, work, false);
  sort(&surface, camera->size);
  for (size_t f = 0; f < surface.count; f++) paint(to, camera, &surface.facet[f]);
  free(surface.facet);
  scene_draw_planes(to, camera, model, work, true);
  for (int i = 0; i < nmark; i++) scene_draw_mark(to, camera, &mark[i]);
  picture_unclip(to);
  return surface.failed ? CRD_ERR_MEMORY : CRD_OK;
}
