/* Sets of outcomes as a picture (`cradle outcomes --svg FILE`, `--png FILE`): samples and their hull in the first two
 * axes, the outcomes of the laws sequential and anitescu-potra marked [Halm & Posa, Figures 9-14], those of compliant
 * bodies as a line. */
#include <cradle/impact.h>
#include <math.h>
#include <string.h>

#include "draw/plot.h"
#include "outcomes.h"
#include "picture_files.h"
#include "view.h"

enum { MOST_DOTS = 4000, MOST_CORNERS = 4096, MOST_PANELS = 6, MOST_RATIOS = 64 };

/* One set in two axes. */
typedef struct outcomes_drawing {
  const char *title;
  const crd_contact_problem *problem;
  const crd_outcome_set *set;
  const crd_outcome_axis *axis; /* two */
  int nmark;
  const crd_outcome_mark *mark; /* nmark: collisions of compliant bodies */
} outcomes_drawing;

static double along(const crd_contact_problem *problem, const crd_outcome_axis *axis, const double *v) {
  if (axis->row < 0) return v[axis->dof];
  double sum = 0;
  for (int i = 0; i < problem->nv; i++) sum += problem->J[axis->row * problem->nv + i] * v[i];
  return sum;
}

static void draw_marks(const plot_panel *panel, const outcomes_drawing *d) {
  static const char *const LAW[2] = {"sequential", "anitescu-potra"};
  static const int COLOUR[2] = {PLOT_BROWN, PLOT_GREEN};
  const crd_impact_options options = crd_impact_default();
  for (int i = 0; i < 2; i++) {
    crd_impact_result result = {0};
    const crd_impact_law *law = crd_impact_find(LAW[i]);
    if (law) crd_impact_resolve(law, d->problem, &options, &result);
    for (int k = 0; k < result.count; k++)
      plot_dot(panel, along(d->problem, &d->axis[0], result.solution[k].v_plus),
               along(d->problem, &d->axis[1], result.solution[k].v_plus), i == 0 ? 6 : 4,
               (picture_style){COLOUR[i], 0xffffff, 1, 1, 0});
    crd_impact_result_free(&result);
  }
}

/* What compliant bodies do, from one ratio of stiffness to the next. */
static void draw_compliant(const plot_panel *panel, const outcomes_drawing *d) {
  double x[MOST_RATIOS], y[MOST_RATIOS];
  int count = 0;
  for (; count < d->nmark && count < MOST_RATIOS; count++) {
    x[count] = along(d->problem, &d->axis[0], d->mark[count].v_plus);
    y[count] = along(d->problem, &d->axis[1], d->mark[count].v_plus);
    plot_dot(panel, x[count], y[count], 2, picture_filled(PLOT_RED, 1));
  }
  plot_line(panel, count, x, y, picture_stroked(PLOT_RED, 1));
}

static void draw_hull(const plot_panel *panel, const double *point, size_t count) {
  crd_outcome_hull hull = {0};
  double x[MOST_CORNERS + 1], y[MOST_CORNERS + 1];
  if (crd_outcome_hull_make(point, count, 2, NAN, &hull) == CRD_OK && hull.npoint > 1 && hull.npoint <= MOST_CORNERS) {
    for (int i = 0; i <= hull.npoint; i++) {
      x[i] = hull.point[2 * (i % hull.npoint)];
      y[i] = hull.point[2 * (i % hull.npoint) + 1];
    }
    plot_line(panel, hull.npoint + 1, x, y, picture_stroked(0x2a6fbb, 1.5));
  }
  crd_outcome_hull_free(&hull);
}

static void draw_points(picture *to, int column, const outcomes_drawing *d, const double *point, size_t count) {
  const double before[2] = {along(d->problem, &d->axis[0], d->problem->v),
                            along(d->problem, &d->axis[1], d->problem->v)};
  double low[2], high[2];
  char label[2][sizeof d->axis->name + 8];
  for (int k = 0; k < 2; k++) {
    low[k] = high[k] = 0;
    for (size_t i = 0; i < count; i++)
      low[k] = fmin(low[k], point[2 * i + (size_t)k]), high[k] = fmax(high[k], point[2 * i + (size_t)k]);
    strcat(strcpy(label[k], d->axis[k].name), " (m/s)");
  }
  const plot_panel panel = plot_panel_begin(to, column, d->title, plot_range(label[0], low[0], high[0]),
                                            plot_range(label[1], low[1], high[1]));
  const size_t stride = count > MOST_DOTS ? count / MOST_DOTS + 1 : 1;
  for (size_t i = 0; i < count; i += stride)
    plot_dot(&panel, point[2 * i], point[2 * i + 1], 1.5, picture_filled(PLOT_BLUE, 0.3));
  draw_hull(&panel, point, count);
  draw_compliant(&panel, d);
  draw_marks(&panel, d);
  plot_dot(&panel, before[0], before[1], 5, picture_stroked(PLOT_INK, 1.5));
  plot_panel_end(&panel);
}

static crd_status draw_set(picture *to, int column, const outcomes_drawing *d) {
  crd_arena arena = {0};
  double *point = NULL;
  size_t count = 0;
  crd_status status = crd_outcome_points(d->problem, d->set, d->axis, 2, &arena, &point, NULL, &count);
  if (status == CRD_OK) draw_points(to, column, d, point, count);
  crd_arena_free(&arena);
  return status;
}

static int draw_sets(const picture_files *files, const outcomes_drawing *drawing, int count) {
  if (count == 0)
    return cli_complain("outcomes", "--svg, --png: found no set with two velocities, expected one to draw");
  picture p = plot_begin(count, 0);
  for (int i = 0; i < count; i++)
    if (draw_set(&p, i, &drawing[i]) != CRD_OK) p.failed = true;
  return picture_write(&p, files);
}

/* The k-th of the sets that are drawn: all, or evenly chosen ones. */
static int chosen(int k, int count) { return count <= MOST_PANELS ? k : k * (count - 1) / (MOST_PANELS - 1); }

typedef struct panels {
  outcomes_drawing drawing[MOST_PANELS];
  char title[MOST_PANELS][160];
  int count;
} panels;

static void add_panel(panels *p, const char *input, const char *parameter, double value, outcomes_drawing drawing) {
  char *title = p->title[p->count];
  if (parameter)
    snprintf(title, sizeof p->title[0], "%.80s = %.6g", parameter, value);
  else
    snprintf(title, sizeof p->title[0], "%s", input);
  drawing.title = title;
  p->drawing[p->count++] = drawing;
}

int outcomes_picture_view(const picture_files *files, const outcomes_view *view) {
  panels p = {.count = 0};
  for (int k = 0; k < MOST_PANELS && k < view->count; k++) {
    const outcomes_result *r = &view->result[chosen(k, view->count)];
    if (r->status == CRD_OK && r->shape.axes.count >= 2)
      add_panel(&p, view->input->input, view->parameter, r->value,
                (outcomes_drawing){NULL, r->problem, &r->set, r->shape.axes.axis, view->nmark, view->mark});
  }
  return draw_sets(files, p.drawing, p.count);
}

int view_outcomes_picture(const crd_outcome_file *file, const view_picture *wanted) {
  panels p = {.count = 0};
  crd_outcome_axis axis[MOST_PANELS][3];
  for (int k = 0; k < MOST_PANELS && k < file->count; k++) {
    const int i = chosen(k, file->count);
    if (crd_outcome_axis_default(file->problem[i], axis[k]) >= 2)
      add_panel(&p, file->source.input, file->source.parameter, file->value[i],
                (outcomes_drawing){NULL, file->problem[i], &file->set[i], axis[k], file->nmark, file->mark});
  }
  return draw_sets(&wanted->files, p.drawing, p.count);
}
