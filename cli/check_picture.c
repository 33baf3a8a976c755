/* The admissible regions of `cradle check --svg FILE` and `--png FILE`: a panel for each contact with friction. */
#include <math.h>

#include "check_region.h"
#include "draw/plot.h"
#include "picture_files.h"

enum { STEPS = 140, MOST_PANELS = 6, STICKS = 0xbcd6f2, SLIPS = 0xf7ddb5 };

/* Neighbours of one kind in a row become one rectangle; its thin edge closes the seam to the next row. */
static void draw_cells(const plot_panel *panel, const crd_friction *f) {
  const double width = panel->x.max / STEPS, height = 1.0 / STEPS;
  for (int i = 0; i < STEPS; i++) {
    const double e = (i + 0.5) * height;
    for (int j = 0, k; j < STEPS; j = k) {
      const char cell = check_region_cell(f, e, (j + 0.5) * width);
      for (k = j + 1; k < STEPS && check_region_cell(f, e, (k + 0.5) * width) == cell; k++) continue;
      if (cell != 's' && cell != 'l') continue;
      const int colour = cell == 's' ? STICKS : SLIPS;
      const picture_style style = {colour, colour, 1, 0.5, 0};
      plot_rect(panel, j * width, i * height, k * width, (i + 1) * height, style);
    }
  }
}

static void draw_contact(picture *to, int column, const crd_friction *f, const char *name) {
  const plot_axis x = {"coefficient of friction \xCE\xBC", 0, check_region_largest_mu(f)}, y = {"restitution e", 0, 1};
  const plot_panel panel = plot_panel_begin(to, column, name, x, y);
  double mu[STEPS + 1], e[STEPS + 1];
  draw_cells(&panel, f);
  for (int i = 0; i <= STEPS; i++) e[i] = (double)i / STEPS, mu[i] = crd_analysis_friction_critical(f, e[i]);
  plot_line(&panel, STEPS + 1, mu, e, picture_stroked(0x2a6fbb, 2));
  const double star[2] = {f->mu_star, f->mu_star}, whole[2] = {0, 1};
  picture_style dashed = picture_stroked(PLOT_RED, 1);
  dashed.dash = 5;
  plot_line(&panel, 2, star, whole, dashed);
  plot_dot(&panel, f->mu, f->e, 6, picture_stroked(PLOT_INK, 2));
  plot_dot(&panel, f->mu, f->e, 1.5, picture_filled(PLOT_INK, 1));
  plot_panel_end(&panel);
}

int check_picture_write(const picture_files *files, const check_view *view) {
  const crd_contact_problem *problem = &view->check->problem;
  int panels = 0, column = 0;
  for (int c = 0; c < problem->nc; c++) panels += view->check->friction[c].rows > 1;
  if (panels == 0) return cli_complain("check", "--svg, --png: found no contact with friction, expected one to draw");
  picture p = plot_begin(panels < MOST_PANELS ? panels : MOST_PANELS, 0);
  for (int c = 0; c < problem->nc && column < MOST_PANELS; c++)
    if (view->check->friction[c].rows > 1)
      draw_contact(&p, column++, &view->check->friction[c], problem->contact[c].name);
  return picture_write(&p, files);
}
