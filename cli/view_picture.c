/* A trace as a picture: its energies over time, and what changed their sum. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/plot.h"
#include "draw/scene.h"
#include "picture_files.h"
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
  const char *label;
  const char *name[LINES];
  energy_of line[LINES];
} PANEL[2] = {{"energy (J)", {"kinetic", "potential", "sum"}, {kinetic, potential, sum}},
              {"what changed it (J)", {"impacts", "friction", "integration"}, {impact, friction, integration}}};
static const int COLOUR[LINES] = {PLOT_BLUE, PLOT_BROWN, PLOT_GREEN};

static void draw_panel(picture *to, int column, const crd_trace *trace, double *t, double *y) {
  const size_t stride = trace->nrow > MOST_POINTS ? trace->nrow / MOST_POINTS + 1 : 1;
  double low = 0, high = 0;
  for (int k = 0; k < LINES; k++)
    for (size_t i = 0; i < trace->nrow; i++) {
      const double value = PANEL[column].line[k](&trace->energy[i]);
      low = fmin(low, value), high = fmax(high, value);
    }
  const double begin = trace->t[0], end = trace->t[trace->nrow - 1];
  const plot_axis time = {"time (s)", begin, end > begin ? end : begin + 1};
  const plot_panel panel = plot_panel_begin(to, column, "", time, plot_range(PANEL[column].label, low, high));
  for (int k = 0; k < LINES; k++) {
    int count = 0;
    for (size_t i = 0; i < trace->nrow; i += stride)
      t[count] = trace->t[i], y[count++] = PANEL[column].line[k](&trace->energy[i]);
    plot_line(&panel, count, t, y, picture_stroked(COLOUR[k], 1.5));
    plot_legend(&panel, k, LINES, PANEL[column].name[k], COLOUR[k]);
  }
  plot_panel_end(&panel);
}

static int draw_energies(const crd_trace *trace, const picture_files *files) {
  double *t = calloc(MOST_POINTS + 1, sizeof *t), *y = calloc(MOST_POINTS + 1, sizeof *y);
  picture p = plot_begin(2, 0);
  p.failed = p.failed || !t || !y;
  for (int column = 0; column < 2 && !p.failed; column++) draw_panel(&p, column, trace, t, y);
  free(t), free(y);
  return picture_write(&p, files);
}

int view_trace_picture(const crd_trace *trace, const view_picture *wanted) {
  if (trace->nrow == 0) return cli_complain(wanted->verb, "found a trace without rows, expected something to draw");
  return wanted->at ? view_trace_scenes(trace, wanted) : draw_energies(trace, &wanted->files);
}

/* ------------------------------------------------------------------------------------------------ options */

void view_picture_options(view_picture *wanted, cli_option *option) {
  picture_options(&wanted->files, option, "write a vector picture: energies over time, or what --at asks for",
                  "the same as a PNG picture");
  option[2] =
      (cli_option){"--at", "T,...", CLI_TEXT, &wanted->at, 0, "picture: the scene at these times (s), side by side"};
  option[3] = (cli_option){"--look",
                           "VIEW",
                           CLI_TEXT,
                           &wanted->look,
                           0,
                           "picture: oblique, front, side or top (oblique)",
                           "oblique front side top"};
}

bool view_picture_possible(const view_picture *wanted) {
  scene_camera camera;
  const crd_model none = {0};
  if (!scene_look(&camera, wanted->look, &none))
    return cli_complain(wanted->verb, "--look: found '%s', expected oblique, front, side or top", wanted->look), false;
  if (wanted->at && !picture_wanted(&wanted->files))
    return cli_complain(wanted->verb, "--at: found no picture, expected --svg FILE or --png FILE with it"), false;
  return picture_possible(&wanted->files, wanted->verb);
}

int view_times(const view_picture *wanted, double begin, double end, double t[VIEW_MOST_TIMES]) {
  const double hair = 1e-9 * (end - begin); /* the last row may lie a rounding before the time asked for */
  int count = 0;
  for (const char *at = wanted->at; *at;) {
    char *next;
    const double time = strtod(at, &next);
    if (next == at || count == VIEW_MOST_TIMES || !(time >= begin - hair && time <= end + hair)) {
      cli_complain(wanted->verb, "--at: found '%s', expected up to %d times from %g to %g s", wanted->at,
                   VIEW_MOST_TIMES, begin, end);
      return -1;
    }
    t[count++] = time;
    at = next + strspn(next, " ,");
  }
  if (count == 0) cli_complain(wanted->verb, "--at: found no time, expected one or several, in s");
  return count ? count : -1;
}
