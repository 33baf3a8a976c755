/* A set of outcomes as a picture (`cradle outcomes --svg FILE`): samples and their hull in the first two axes, the
 * outcomes of the laws sequential and anitescu-potra marked [Halm & Posa, Figures 9-14]. */
#include <cradle/impact.h>
#include <math.h>
#include <string.h>

#include "outcomes.h"
#include "svg_plot.h"

enum { MOST_DOTS = 4000, MOST_CORNERS = 4096 };

static double along(const crd_contact_problem *problem, const crd_outcome_axis *axis, const double *v) {
  if (axis->row < 0) return v[axis->dof];
  double sum = 0;
  for (int i = 0; i < problem->nv; i++) sum += problem->J[axis->row * problem->nv + i] * v[i];
  return sum;
}

static void draw_marks(const svg_panel *panel, const crd_contact_problem *problem, const crd_outcome_axis *axis) {
  static const char *const LAW[2] = {"sequential", "anitescu-potra"};
  static const char *const STYLE[2] = {"fill='#a85408' stroke='white'", "fill='#1c6b3c' stroke='white'"};
  const crd_impact_options options = crd_impact_default();
  for (int i = 0; i < 2; i++) {
    crd_impact_result result = {0};
    const crd_impact_law *law = crd_impact_find(LAW[i]);
    if (law) crd_impact_resolve(law, problem, &options, &result);
    for (int k = 0; k < result.count; k++)
      svg_dot(panel, along(problem, &axis[0], result.solution[k].v_plus),
              along(problem, &axis[1], result.solution[k].v_plus), i == 0 ? 6 : 4, STYLE[i]);
    crd_impact_result_free(&result);
  }
}

static void draw_hull(const svg_panel *panel, const double *point, size_t count) {
  crd_outcome_hull hull = {0};
  double x[MOST_CORNERS + 1], y[MOST_CORNERS + 1];
  if (crd_outcome_hull_make(point, count, 2, NAN, &hull) == CRD_OK && hull.npoint > 1 && hull.npoint <= MOST_CORNERS) {
    for (int i = 0; i <= hull.npoint; i++) {
      x[i] = hull.point[2 * (i % hull.npoint)];
      y[i] = hull.point[2 * (i % hull.npoint) + 1];
    }
    svg_line(panel, hull.npoint + 1, x, y, "stroke='#2a6fbb' stroke-width='1.5'");
  }
  crd_outcome_hull_free(&hull);
}

static void draw_set(FILE *file, const outcomes_view *view, const crd_outcome_axis *axis, const double *point,
                     size_t count) {
  const crd_contact_problem *problem = view->input->problem;
  const double before[2] = {along(problem, &axis[0], problem->v), along(problem, &axis[1], problem->v)};
  double low[2], high[2];
  char label[2][sizeof axis->name + 8];
  for (int k = 0; k < 2; k++) {
    low[k] = fmin(0, before[k]), high[k] = fmax(0, before[k]);
    for (size_t i = 0; i < count; i++)
      low[k] = fmin(low[k], point[2 * i + (size_t)k]), high[k] = fmax(high[k], point[2 * i + (size_t)k]);
    strcat(strcpy(label[k], axis[k].name), " (m/s)");
  }
  const svg_panel panel = svg_panel_begin(file, 0, view->input->input, svg_range(label[0], low[0], high[0]),
                                          svg_range(label[1], low[1], high[1]));
  const size_t stride = count > MOST_DOTS ? count / MOST_DOTS + 1 : 1;
  for (size_t i = 0; i < count; i += stride)
    svg_dot(&panel, point[2 * i], point[2 * i + 1], 1.5, "fill='#1f5fa8' fill-opacity='0.3'");
  draw_hull(&panel, point, count);
  draw_marks(&panel, problem, axis);
  svg_dot(&panel, before[0], before[1], 5, "fill='none' stroke='black' stroke-width='1.5'");
  svg_panel_end(&panel);
}

int outcomes_svg_write(const char *path, const outcomes_view *view) {
  const outcomes_result *last = &view->result[view->count - 1];
  crd_arena arena = {0};
  double *point = NULL;
  size_t count = 0;
  cli_output output;
  if (last->status != CRD_OK) return CLI_DONE;
  if (last->shape.axes.count < 2)
    return cli_complain("outcomes", "--svg: found one velocity, expected two axes to draw");
  crd_status status =
      crd_outcome_points(view->input->problem, &last->set, last->shape.axes.axis, 2, &arena, &point, NULL, &count);
  int code = CLI_SYSTEM;
  if (status == CRD_OK && cli_output_begin(&output)) {
    svg_begin(output.file, 1);
    draw_set(output.file, view, last->shape.axes.axis, point, count);
    svg_end(output.file);
    code = cli_output_end(&output, path, CLI_DONE);
  }
  crd_arena_free(&arena);
  return code;
}
