/* A trace as a picture (`cradle view FILE.h5 --svg FILE`): its energies over time, and what changed their sum. */
#include <math.h>
#include <stdlib.h>

#include "svg_plot.h"
#include "view.h"

enum { MOST_POINTS = 2000, LINES = 3 };

typedef double (*energy_of)(const crd_sim_energy *energy);
static double kinetic(const crd_sim_energy *e) { return e->kinetic; }
static double potential(const crd_sim_energy *e) { return e->potential; }
static double sum(const crd_sim_energy *e) { return e->kinetic + e->potential; }
static double impact(const crd_sim_energy *e) { return e->impact; }
static double friction(const crd_sim_energy *e) { return e->contact; }
static double integration(const crd_sim_energy *e) { return e->integration; }

static const struct {
  const char *title;
  energy_of line[LINES];
} PANEL[2] = {{"kinetic blue, potential orange, sum green", {kinetic, potential, sum}},
              {"impacts blue, friction orange, integration green", {impact, friction, integration}}};
static const char *const STYLE[LINES] = {"stroke='#1f5fa8' stroke-width='1.5'", "stroke='#a85408' stroke-width='1.5'",
                                         "stroke='#1c6b3c' stroke-width='1.5'"};

static void draw_panel(FILE *file, int column, const crd_trace *trace, double *t, double *y) {
  const size_t stride = trace->nrow > MOST_POINTS ? trace->nrow / MOST_POINTS + 1 : 1;
  double low = 0, high = 0;
  for (int k = 0; k < LINES; k++)
    for (size_t i = 0; i < trace->nrow; i++) {
      const double value = PANEL[column].line[k](&trace->energy[i]);
      low = fmin(low, value), high = fmax(high, value);
    }
  const double begin = trace->t[0], end = trace->t[trace->nrow - 1];
  const svg_axis time = {"time (s)", begin, end > begin ? end : begin + 1};
  const svg_panel panel = svg_panel_begin(file, column, PANEL[column].title, time, svg_range("energy (J)", low, high));
  for (int k = 0; k < LINES; k++) {
    int count = 0;
    for (size_t i = 0; i < trace->nrow; i += stride)
      t[count] = trace->t[i], y[count++] = PANEL[column].line[k](&trace->energy[i]);
    svg_line(&panel, count, t, y, STYLE[k]);
  }
  svg_panel_end(&panel);
}

int view_trace_svg(const crd_trace *trace, const char *path) {
  double *t = calloc(MOST_POINTS + 1, sizeof *t), *y = calloc(MOST_POINTS + 1, sizeof *y);
  cli_output output;
  int code = CLI_SYSTEM;
  if (t && y && trace->nrow > 0 && cli_output_begin(&output)) {
    svg_begin(output.file, 2);
    for (int column = 0; column < 2; column++) draw_panel(output.file, column, trace, t, y);
    svg_end(output.file);
    code = cli_output_end(&output, path, CLI_DONE);
  }
  free(t), free(y);
  return code;
}
