/* Draws built-in examples seen from the side, with their contacts and how fast these come, as an SVG picture on stdout:
 *   build/tools/draw rocking-block ramone > picture.svg      (`make docs` makes the pictures of docs/)
 */
#include <cradle/cradle.h>
#include <math.h>
#include <stdio.h>

enum { PANEL = 190, MAX_GEOM = 64, MAX_CONTACT = 16 };
typedef struct view {
  double scale, x, z; /* pixels per m, world point in the middle of the panel */
} view;

static double to_x(const view *v, double x) { return PANEL / 2 + v->scale * (x - v->x); }
static double to_y(const view *v, double z) { return PANEL / 2 - v->scale * (z - v->z); }

static void line(const view *v, const double a[3], const double b[3], double width, const char *style) {
  printf("<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke-width='%.1f' %s/>\n", to_x(v, a[0]), to_y(v, a[2]),
         to_x(v, b[0]), to_y(v, b[2]), width, style);
}

static void draw_geom(const view *v, const crd_geom *geom, const double pos[3], const double R[9]) {
  const double *s = geom->size, half = geom->type == CRD_CAPSULE ? s[1] : 10;
  double a[3], b[3];
  for (int i = 0; i < 3; i++) { /* along the axis of a capsule, across the normal of a plane (level or upright) */
    const double d = geom->type == CRD_CAPSULE ? R[3 * i + 2] : i == 0 ? R[8] : i == 2 ? R[2] : 0;
    a[i] = pos[i] - half * d, b[i] = pos[i] + half * d;
  }
  if (geom->type == CRD_PLANE) line(v, a, b, 2, "stroke='#555'");
  if (geom->type == CRD_CAPSULE) line(v, a, b, fmax(4, 2 * s[0] * v->scale), "stroke='#8ab' stroke-linecap='round'");
  if (geom->type == CRD_SPHERE && s[0] * v->scale > 1)
    printf("<circle cx='%.1f' cy='%.1f' r='%.1f' fill='#bcd' stroke='#478'/>\n", to_x(v, pos[0]), to_y(v, pos[2]),
           s[0] * v->scale);
  if (geom->type != CRD_BOX) return;
  printf("<polygon fill='#bcd' stroke='#478' points='");
  for (int k = 0; k < 4; k++) {
    const double x = (k == 1 || k == 2 ? 1 : -1) * s[0], z = (k > 1 ? 1 : -1) * s[2];
    printf("%.1f,%.1f ", to_x(v, pos[0] + R[0] * x + R[2] * z), to_y(v, pos[2] + R[6] * x + R[8] * z));
  }
  printf("'/>\n");
}

static int draw(const char *name, int left) {
  crd_model *model;
  crd_error err;
  if (crd_io_example_model(name, NULL, &model, &err)) return fprintf(stderr, "%s\n", err.text), 1;
  crd_workspace *work = crd_workspace_new(model);
  crd_collider *collider = crd_collider_new(model);
  double pos[3 * MAX_GEOM], R[9 * MAX_GEOM], low[3] = {9, 9, 0}, high[3] = {-9, -9, 0};
  crd_contact_point contact[MAX_CONTACT];
  int contacts = 0, fixed = 0;
  crd_tree_kinematics(model, work, model->key[0].qpos);
  crd_tree_velocity(model, work, model->key[0].qvel);
  for (int g = 0; g < model->ngeom && g < MAX_GEOM; g++) {
    crd_tree_geom_pose(model, work, g, pos + 3 * g, R + 9 * g);
    const double r = 0.9 * model->geom[g].radius;
    fixed += model->geom[g].link < 0;
    for (int i = 0; i < 3 && model->geom[g].link >= 0; i++)
      low[i] = fmin(low[i], pos[3 * g + i] - r), high[i] = fmax(high[i], pos[3 * g + i] + r);
  }
  crd_collide(collider, pos, R, NULL, contact, MAX_CONTACT, &contacts);
  const double bottom = fixed ? 0 : low[2]; /* the floor, where there is one */
  const double span = 1.1 * fmax(high[0] - low[0], high[2] - bottom);
  const view v = {PANEL / span, (low[0] + high[0]) / 2, bottom + 0.45 * span};
  printf("<text x='%d' y='%d'>%s</text>\n", left + PANEL / 2, PANEL + 15, name);
  printf("<svg x='%d' width='%d' height='%d'>\n", left, PANEL, PANEL);
  for (int g = 0; g < model->ngeom && g < MAX_GEOM; g++) draw_geom(&v, &model->geom[g], pos + 3 * g, R + 9 * g);
  for (int i = 0; i < contacts; i++) {
    double *p = contact[i].point, velocity[2][6], tip[3];
    crd_tree_point_velocity(model, work, model->geom[contact[i].geomA].body, p, velocity[0]);
    crd_tree_point_velocity(model, work, model->geom[contact[i].geomB].body, p, velocity[1]);
    const double *u = velocity[crd_vec3_norm(velocity[1] + 3) > crd_vec3_norm(velocity[0] + 3)] + 3;
    for (int k = 0; k < 3; k++) tip[k] = p[k] - 40 / v.scale * u[k]; /* where the faster one comes from */
    line(&v, tip, p, 2, "stroke='#c40' stroke-dasharray='4 2'");
    printf("<circle cx='%.1f' cy='%.1f' r='4' fill='#c40'/>\n", to_x(&v, p[0]), to_y(&v, p[2]));
  }
  puts("</svg>");
  crd_collider_free(collider), crd_workspace_free(work), crd_model_free(model);
  return 0;
}

int main(int argc, char **argv) {
  printf(
      "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' font-size='14' "
      "text-anchor='middle'>\n<rect width='100%%' height='100%%' fill='white'/>\n",
      argc > 1 ? PANEL * (argc - 1) : 1, PANEL + 25);
  for (int i = 1; i < argc; i++)
    if (draw(argv[i], PANEL * (i - 1))) return 1;
  puts("</svg>");
  return 0;
}
