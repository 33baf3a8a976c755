/* The admissible regions of `cradle check --svg FILE`: a panel for each contact with friction. */
#include <math.h>

#include "check_region.h"
#include "svg_plot.h"

enum { STEPS = 140, MOST_PANELS = 6 };

static const char *fill_of(char cell) {
  if (cell == 's') return "fill='#bcd6f2' shape-rendering='crispEdges'";
  if (cell == 'l') return "fill='#f7ddb5' shape-rendering='crispEdges'";
  return NULL;
}

/* Neighbours of one kind in a row become one rectangle. */
static void draw_cells(const svg_panel *panel, const crd_friction *f) {
  const double width = panel->x.max / STEPS, height = 1.0 / STEPS;
  for (int i = 0; i < STEPS; i++) {
    const double e = (i + 0.5) * height;
    for (int j = 0, k; j < STEPS; j = k) {
      const char cell = check_region_cell(f, e, (j + 0.5) * width);
      for (k = j + 1; k < STEPS && check_region_cell(f, e, (k + 0.5) * width) == cell; k++) continue;
      if (fill_of(cell)) svg_rect(panel, j * width, i * height, k * width, (i + 1) * height, fill_of(cell));
    }
  }
}

static void draw_contact(FILE *file, int column, const crd_friction *f, const char *name) {
  const svg_axis x = {"coefficient of friction \xCE\xBC", 0, check_region_largest_mu(f)}, y = {"restitution e", 0, 1};
  const svg_panel panel = svg_panel_begin(file, column, name, x, y);
  double mu[STEPS + 1], e[STEPS + 1];
  draw_cells(&panel, f);
  for (int i = 0; i <= STEPS; i++) e[i] = (double)i / STEPS, mu[i] = crd_friction_critical(f, e[i]);
  svg_line(&panel, STEPS + 1, mu, e, "stroke='#2a6fbb' stroke-width='2'");
  const double star[2] = {f->mu_star, f->mu_star}, whole[2] = {0, 1};
  svg_line(&panel, 2, star, whole, "stroke='#b3261e' stroke-dasharray='6 4'");
  svg_dot(&panel, f->mu, f->e, 6, "fill='none' stroke='black' stroke-width='2'");
  svg_dot(&panel, f->mu, f->e, 1.5, "");
  svg_panel_end(&panel);
}

int check_svg_write(const char *path, const check_view *view) {
  const crd_contact_problem *problem = view->input->problem;
  cli_output output;
  int panels = 0, column = 0;
  for (int c = 0; c < problem->nc; c++) panels += view->check->friction[c].rows > 1;
  if (panels == 0) return cli_complain("check", "--svg: found no contact with friction, expected one to draw");
  if (!cli_output_begin(&output)) return CLI_SYSTEM;
  svg_begin(output.file, panels < MOST_PANELS ? panels : MOST_PANELS);
  for (int c = 0; c < problem->nc && column < MOST_PANELS; c++)
    if (view->check->friction[c].rows > 1)
      draw_contact(output.file, column++, &view->check->friction[c], problem->contact[c].name);
  svg_end(output.file);
  return cli_output_end(&output, path, CLI_DONE);
}
