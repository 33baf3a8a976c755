/* Pictures of a fit: the error over (mu, e) of the laws that rank first, and the normal velocity after the impact, measured
 * against predicted. */
#include <math.h>
#include <stdio.h>

#include "draw/plot.h"
#include "fit.h"

enum { MOST_SURFACES = 3, BANDS = 10, DARKEST = 0x1f5fa8, LIGHTEST = 0xf4f7fb };

static int mixed(int from, int to, double share) {
  int colour = 0;
  for (int shift = 0; shift <= 16; shift += 8) {
    const int a = from >> shift & 255, b = to >> shift & 255;
    colour |= (int)(a + share * (b - a)) << shift;
  }
  return colour;
}

/* Bands of equal steps in the logarithm of the error, the least darkest. */
static void draw_surface(picture *to, int column, const crd_fit_result *result, const crd_fit_law *law) {
  const double dx = result->mu[1] - result->mu[0], dy = result->e[1] - result->e[0];
  const plot_axis x = {"coefficient of friction \xCE\xBC", result->mu[0], result->mu[result->nmu - 1]};
  const plot_axis y = {"restitution e", result->e[0], result->e[result->ne - 1]};
  const plot_panel panel = plot_panel_begin(to, column, law->law->name, x, y);
  double low = INFINITY, high = 0;
  for (int k = 0; k < result->ne * result->nmu; k++)
    low = fmin(low, law->surface[k]), high = fmax(high, law->surface[k]);
  const double span = low > 0 && high > low ? log(high / low) : 1;
  for (int i = 0; i < result->ne; i++)
    for (int j = 0; j < result->nmu; j++) {
      const double share = low > 0 ? log(law->surface[i * result->nmu + j] / low) / span : 0;
      const int colour = mixed(DARKEST, LIGHTEST, floor(share * (BANDS - 1e-9)) / (BANDS - 1));
      const picture_style style = {colour, colour, 1, 0.5, 0};
      plot_rect(&panel, result->mu[j] - dx / 2, result->e[i] - dy / 2, result->mu[j] + dx / 2, result->e[i] + dy / 2,
                style);
    }
  if (!isnan(law->low[CRD_FIT_MU]))
    plot_rect(&panel, law->low[CRD_FIT_MU], law->low[CRD_FIT_E], law->high[CRD_FIT_MU], law->high[CRD_FIT_E],
              picture_stroked(PLOT_RED, 1));
  plot_dot(&panel, law->value[CRD_FIT_MU], law->value[CRD_FIT_E], 3, picture_filled(PLOT_RED, 1));
  plot_panel_end(&panel);
}

/* Velocity of a row of the first contact. */
static double contact_velocity(const crd_contact_problem *p, int row, const double *v) {
  double u = 0;
  for (int k = 0; k < p->nv; k++) u += p->J[p->nv * (p->contact[0].row + row) + k] * v[k];
  return u;
}

static void draw_rows(picture *to, int column, const fit_view *view, const fit_part *part, const crd_fit_law *law,
                      int row) {
  const crd_fit_data *data = view->data;
  double low = INFINITY, high = -INFINITY;
  for (int pass = 0; pass < 2; pass++) {
    const plot_axis x = plot_range("measured (m/s)", fmin(low, high), fmax(low, high));
    const plot_axis y = plot_range("predicted (m/s)", fmin(low, high), fmax(low, high));
    const plot_panel panel =
        pass ? plot_panel_begin(to, column, row ? "tangential velocity after" : "normal velocity after", x, y)
             : (plot_panel){0};
    const double ends[2] = {x.min, x.max};
    if (pass) plot_line(&panel, 2, ends, ends, picture_stroked(0x999999, 1));
    for (int i = 0, at = 0; i < data->count; i++) {
      if (part->group >= 0 && data->row[i].group != part->group) continue;
      const double *v = law->v_plus + (size_t)part->result.widest * (size_t)at++;
      const crd_contact_problem *p = data->row[i].problem;
      if (row > p->contact[0].ntangent || !isfinite(v[0])) continue;
      const double measured = contact_velocity(p, row, data->row[i].v_plus), predicted = contact_velocity(p, row, v);
      low = fmin(low, fmin(measured, predicted)), high = fmax(high, fmax(measured, predicted));
      if (pass) plot_dot(&panel, measured, predicted, 1.5, picture_filled(PLOT_BLUE, 0.5));
    }
    if (pass) plot_panel_end(&panel);
    if (!(high >= low)) return;
  }
}

int fit_picture_write(const picture_files *files, const fit_view *view) {
  const fit_part *part = &view->part[0];
  const crd_fit_result *result = &part->result;
  const crd_fit_law *ranked[MOST_SURFACES] = {0};
  int count = 0;
  for (int k = 0; k < result->nlaw; k++)
    if (result->law[k].status == CRD_OK && result->law[k].rank <= MOST_SURFACES)
      ranked[result->law[k].rank - 1] = &result->law[k];
  while (count < MOST_SURFACES && ranked[count]) count++;
  if (count == 0) return cli_complain("fit", "--svg, --png: found no law with an answer, expected one to draw");
  const bool surfaces = result->ne > 1 && result->nmu > 1;
  const int compared = view->look ? 2 : 0; /* motions have no velocity after an impact */
  if (!surfaces && !compared)
    return cli_complain("fit", "--svg, --png: found motions and one coefficient, which make no picture");
  picture p = plot_begin((surfaces ? count : 0) + compared, 0);
  int column = 0;
  for (int k = 0; surfaces && k < count; k++) draw_surface(&p, column++, result, ranked[k]);
  for (int row = 0; row < compared; row++) draw_rows(&p, column++, view, part, ranked[0], row);
  return picture_write(&p, files);
}
