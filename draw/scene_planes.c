/* Planes and contacts of a scene. A plane without bounds is drawn as a patch with a grid about where things happen, cut
 * off where another plane begins: a wall ends at the floor. */
#include <cradle/linalg.h>
#include <math.h>

#include "draw/scene.h"

enum { MOST_CORNERS = 32, FLOOR = 0xe3e5e1, GRID = 0xc3c6c1, GREY = 0x6b7683 };

typedef struct patch {
  double pos[3], R[9]; /* of the plane's frame, z its normal */
  double half[2];      /* of its sides */
  double middle[2];    /* in its frame */
  double step;         /* of the grid */
} patch;

/* 1, 2 or 5 times a power of ten, about an eighth of the span. */
static double grid_step(double span) {
  const double rough = span / 8, power = pow(10, floor(log10(rough))), share = rough / power;
  return power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
}

static patch patch_of(const scene_camera *camera, const crd_model *model, const crd_workspace *work, int geom) {
  patch p;
  double from[3], local[3];
  const double span = hypot(camera->width, camera->height) / camera->scale, *size = model->geom[geom].size;
  crd_tree_geom_pose(model, work, geom, p.pos, p.R);
  crd_vec3_sub(from, camera->centre, p.pos);
  crd_mat3_tmul_vec(local, p.R, from);
  p.step = grid_step(span);
  for (int k = 0; k < 2; k++) { /* what can be seen of it, however large it is */
    const double reach = p.step * ceil(0.75 * span / p.step), middle = p.step * round(local[k] / p.step);
    const double low = size[k] > 0 ? fmax(-size[k], middle - reach) : middle - reach;
    const double high = size[k] > 0 ? fmin(size[k], middle + reach) : middle + reach;
    p.half[k] = (high - low) / 2, p.middle[k] = (high + low) / 2;
  }
  return p;
}

static void on_patch(const patch *p, double x, double y, double world[3]) {
  const double local[3] = {x, y, 0};
  crd_mat3_mul_vec(world, p->R, local);
  crd_vec3_add(world, world, p->pos);
}

static double height_over(const patch *plane, const double point[3]) {
  double from[3];
  const double normal[3] = {plane->R[2], plane->R[5], plane->R[8]};
  crd_vec3_sub(from, point, plane->pos);
  return crd_vec3_dot(from, normal);
}

/* Cuts the polygon off at the plane (Sutherland and Hodgman); the number of corners left. */
static int cut(const patch *plane, int count, double corner[MOST_CORNERS][3]) {
  double kept[MOST_CORNERS][3];
  int n = 0;
  for (int i = 0; i < count && n + 2 < MOST_CORNERS; i++) {
    const double *a = corner[i], *b = corner[(i + 1) % count];
    const double ha = height_over(plane, a), hb = height_over(plane, b);
    if (ha >= 0) crd_vec3_copy(kept[n++], a);
    if ((ha >= 0) == (hb >= 0)) continue;
    for (int k = 0; k < 3; k++) kept[n][k] = a[k] + ha / (ha - hb) * (b[k] - a[k]);
    n++;
  }
  for (int i = 0; i < n; i++) crd_vec3_copy(corner[i], kept[i]);
  return n;
}

/* At all planes but its own that are not parallel to it. */
static int cut_at_others(const scene_camera *camera, const crd_model *model, const crd_workspace *work, int geom,
                         int count, double corner[MOST_CORNERS][3]) {
  const patch own = patch_of(camera, model, work, geom);
  for (int g = 0; g < model->ngeom && count > 1; g++) {
    if (g == geom || model->geom[g].type != CRD_PLANE) continue;
    const patch other = patch_of(camera, model, work, g);
    const double across = own.R[2] * other.R[2] + own.R[5] * other.R[5] + own.R[8] * other.R[8];
    if (fabs(across) < 0.999) count = cut(&other, count, corner);
  }
  return count;
}

static void draw_patch(picture *to, const scene_camera *camera, const crd_model *model, const crd_workspace *work,
                       int geom, bool behind) {
  const patch p = patch_of(camera, model, work, geom);
  double corner[MOST_CORNERS][3], xy[2 * MOST_CORNERS];
  if (!(p.half[0] > 0 && p.half[1] > 0)) return; /* out of sight */
  for (int c = 0; c < 4; c++)
    on_patch(&p, p.middle[0] + (c == 1 || c == 2 ? p.half[0] : -p.half[0]),
             p.middle[1] + (c > 1 ? p.half[1] : -p.half[1]), corner[c]);
  int count = cut_at_others(camera, model, work, geom, 4, corner);
  for (int c = 0; c < count; c++) scene_project(camera, corner[c], xy + 2 * c);
  picture_polygon(to, count, xy, picture_filled(FLOOR, behind ? 0.3 : 1));
  if (behind) return;
  for (int k = 0; k < 2; k++) {
    const double low = p.middle[k] - p.half[k], high = p.middle[k] + p.half[k];
    for (double x = p.step * ceil(low / p.step - 1e-9); x <= high + 1e-9 * p.step; x += p.step) {
      const double a = p.middle[1 - k] - p.half[1 - k], b = p.middle[1 - k] + p.half[1 - k];
      on_patch(&p, k == 0 ? x : a, k == 0 ? a : x, corner[0]);
      on_patch(&p, k == 0 ? x : b, k == 0 ? b : x, corner[1]);
      count = cut_at_others(camera, model, work, geom, 2, corner);
      for (int c = 0; c < count; c++) scene_project(camera, corner[c], xy + 2 * c);
      picture_line(to, count < 2 ? count : 2, xy, picture_stroked(GRID, 0.7));
    }
  }
}

void scene_draw_planes(picture *to, const scene_camera *camera, const crd_model *model, const crd_workspace *work,
                       bool behind) {
  for (int g = 0; g < model->ngeom; g++) {
    double pos[3], R[9];
    if (model->geom[g].type != CRD_PLANE || !scene_is_shown(model, g)) continue;
    crd_tree_geom_pose(model, work, g, pos, R);
    const double facing = R[2] * camera->toward[0] + R[5] * camera->toward[1] + R[8] * camera->toward[2];
    if ((facing < 0) == behind) draw_patch(to, camera, model, work, g, behind);
  }
}

/* ------------------------------------------------------------------------------------------------ contacts */

static void draw_arrow(picture *to, const scene_camera *camera, const double from[3], const double tip[3], double width,
                       int colour) {
  double a[2], b[2];
  scene_project(camera, from, a);
  scene_project(camera, tip, b);
  const double x = b[0] - a[0], y = b[1] - a[1], length = hypot(x, y), head = fmin(4.5 * width, 0.6 * length);
  if (length < 0.5) return;
  const double ux = x / length, uy = y / length, side = 0.42 * head;
  const double shaft[4] = {a[0], a[1], b[0] - 0.8 * head * ux, b[1] - 0.8 * head * uy};
  const double point[6] = {b[0],
                           b[1],
                           b[0] - head * ux - side * uy,
                           b[1] - head * uy + side * ux,
                           b[0] - head * ux + side * uy,
                           b[1] - head * uy - side * ux};
  picture_line(to, 2, shaft, picture_stroked(colour, width));
  picture_polygon(to, 3, point, picture_filled(colour, 1));
}

/* The cone is cut where its rim is a fifth of the mechanism away from its tip. */
static void draw_cone(picture *to, const scene_camera *camera, const scene_mark *mark, int colour) {
  enum { RIM = 24 };
  const double wide = fmin(mark->mu, 12), height = 0.2 * camera->size / hypot(1, wide), *n = mark->normal;
  double a[3] = {fabs(n[0]) > 0.7 ? 0 : 1, fabs(n[0]) > 0.7 ? 1 : 0, 0}, b[3], rim[2 * RIM], outline[2 * RIM + 2];
  crd_vec3_cross(b, n, a);
  crd_vec3_normalize(b);
  crd_vec3_cross(a, b, n);
  for (int i = 0; i < RIM; i++) {
    const double angle = i * 2 * acos(-1.0) / RIM;
    double point[3];
    for (int k = 0; k < 3; k++)
      point[k] = mark->point[k] + height * (n[k] + wide * (cos(angle) * a[k] + sin(angle) * b[k]));
    scene_project(camera, point, rim + 2 * i);
    outline[2 * i] = rim[2 * i], outline[2 * i + 1] = rim[2 * i + 1];
  }
  scene_project(camera, mark->point, outline + 2 * RIM);
  picture_polygon(to, scene_hull(RIM + 1, outline), outline, picture_filled(colour, 0.18));
  picture_polygon(to, RIM, rim, picture_stroked(colour, 0.5));
}

int scene_mode_colour(crd_mode mode) {
  return mode == CRD_MODE_STICK ? 0x2a6fbb : mode == CRD_MODE_SLIP ? 0xa85408 : GREY;
}

void scene_draw_mark(picture *to, const scene_camera *camera, const scene_mark *mark) {
  double tip[3], at[2];
  crd_vec3_copy(tip, mark->point);
  crd_vec3_axpy(tip, 0.24 * camera->size, mark->normal);
  if (mark->mu > 0) draw_cone(to, camera, mark, mark->colour);
  draw_arrow(to, camera, mark->point, tip, 0.8, GREY);
  draw_arrow(to, camera, mark->from, mark->to, 2, mark->colour);
  scene_project(camera, mark->point, at);
  picture_circle(to, at[0], at[1], 2.6, (picture_style){mark->colour, 0xffffff, 1, 0.6, 0});
}
