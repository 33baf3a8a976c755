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

/* Outcomes of compliant bodies, from one ratio of stiffness to the next. */
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

/* The samples of a set in its two axes. */
typedef struct outcomes_points {
  double *xy; /* count x 2 */
  size_t count;
} outcomes_points;

/* Ranges of all panels: panels of a sweep are drawn to one scale. */
typedef struct outcomes_room {
  double low[2], high[2];
} outcomes_room;

static void include(outcomes_room *room, const outcomes_points *points) {
  for (size_t i = 0; i < 2 * points->count; i++) {
    room->low[i % 2] = fmin(room->low[i % 2], points->xy[i]);
    room->high[i % 2] = fmax(room->high[i % 2], points->xy[i]);
  }
}

/* The range of an axis; what rounding has left of a zero is one value. */
static plot_axis range_of(const char *label, double low, double high, double speed) {
  static const double NOTHING = 1e-9; /* of the speed */
  return high - low <= NOTHING * speed ? plot_range(label, 0, 0) : plot_range(label, low, high);
}

/* What is drawn, beneath the panels: as many lines as their width asks for. Returns the height; to = NULL: only that. */
static double draw_legend(picture *to, double width, bool compliant) {
  enum { LEFT = 78, LINE = 18 };
  static const double LETTER = 6.6, SWATCH = 32; /* about the width of one in this size; with the gap to the next */
  static const struct {
    const char *name;
    picture_style style;
    double radius;
  } ENTRY[] = {{"samples", {PLOT_BLUE, PICTURE_NONE, 0.6, 0, 0}, 2},
               {"before the impact", {PICTURE_NONE, PLOT_INK, 1, 1.5, 0}, 5},
               {"one contact after the other", {PLOT_BROWN, PICTURE_NONE, 1, 0, 0}, 5},
               {"all at once (anitescu-potra)", {PLOT_GREEN, PICTURE_NONE, 1, 0, 0}, 4},
               {"compliant bodies", {PLOT_RED, PICTURE_NONE, 1, 0, 0}, 2}};
  const picture_font font = plot_font(PICTURE_START, PLOT_QUIET);
  const size_t count = sizeof ENTRY / sizeof ENTRY[0] - !compliant;
  double x = LEFT, y = PLOT_HEIGHT + 8;
  for (size_t i = 0; i < count; i++) {
    const double wide = SWATCH + LETTER * (double)strlen(ENTRY[i].name);
    if (x > LEFT && x + wide > width) x = LEFT, y += LINE;
    if (to) picture_circle(to, x, y - 4, ENTRY[i].radius, ENTRY[i].style);
    if (to) picture_text(to, x + 9, y, &font, ENTRY[i].name);
    x += wide;
  }
  return y + 0.5 * LINE;
}

static void draw_set(picture *to, int column, const outcomes_drawing *d, const outcomes_points *points,
                     const outcomes_room *room) {
  const double before[2] = {along(d->problem, &d->axis[0], d->problem->v),
                            along(d->problem, &d->axis[1], d->problem->v)};
  char label[2][sizeof d->axis->name + 8];
  double speed = 0;
  for (int i = 0; i < d->problem->nrow; i++) speed = fmax(speed, fabs(d->problem->u[i]));
  for (int k = 0; k < 2; k++) strcat(strcpy(label[k], d->axis[k].name), " (m/s)");
  const plot_panel panel =
      plot_panel_begin(to, column, d->title, range_of(label[0], room->low[0], room->high[0], speed),
                       range_of(label[1], room->low[1], room->high[1], speed));
  const size_t stride = points->count > MOST_DOTS ? points->count / MOST_DOTS + 1 : 1;
  for (size_t i = 0; i < points->count; i += stride)
    plot_dot(&panel, points->xy[2 * i], points->xy[2 * i + 1], 1.5, picture_filled(PLOT_BLUE, 0.3));
  draw_hull(&panel, points->xy, points->count);
  draw_compliant(&panel, d);
  draw_marks(&panel, d);
  plot_dot(&panel, before[0], before[1], 5, picture_stroked(PLOT_INK, 1.5));
  plot_panel_end(&panel);
}

static int draw_sets(const picture_files *files, const outcomes_drawing *drawing, int count) {
  if (count == 0)
    return cli_complain("outcomes", "--svg, --png: found no set with two velocities, expected one to draw");
  const double width = PLOT_WIDTH * (double)count;
  const bool compliant = drawing[0].nmark > 0;
  picture p = plot_begin(count, draw_legend(NULL, width, compliant));
  crd_arena arena = {0};
  outcomes_points points[MOST_PANELS] = {{0}};
  outcomes_room room = {{0, 0}, {0, 0}};
  for (int i = 0; i < count && !p.failed; i++) {
    const outcomes_drawing *d = &drawing[i];
    if (crd_outcome_points(d->problem, d->set, d->axis, 2, &arena, &points[i].xy, NULL, &points[i].count) != CRD_OK)
      p.failed = true;
    else
      include(&room, &points[i]);
  }
  for (int i = 0; i < count && !p.failed; i++) draw_set(&p, i, &drawing[i], &points[i], &room);
  if (!p.failed) draw_legend(&p, width, compliant);
  crd_arena_free(&arena);
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
