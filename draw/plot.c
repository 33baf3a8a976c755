#include "draw/plot.h"

#include <math.h>

enum { LEFT = 78, TOP = 28, INNER_WIDTH = 280, INNER_HEIGHT = 220 };

picture plot_begin(int panels, double least_height) {
  return picture_begin(PLOT_WIDTH * panels, fmax(PLOT_HEIGHT, least_height));
}

picture_font plot_font(picture_anchor anchor, int colour) {
  return (picture_font){.size = PLOT_FONT, .colour = colour, .anchor = anchor};
}

double plot_x(const plot_panel *panel, double x) {
  return panel->left + INNER_WIDTH * (x - panel->x.min) / (panel->x.max - panel->x.min);
}

double plot_y(const plot_panel *panel, double y) {
  return panel->top + INNER_HEIGHT * (panel->y.max - y) / (panel->y.max - panel->y.min);
}

plot_panel plot_panel_begin(picture *to, int column, const char *title, plot_axis x, plot_axis y) {
  const plot_panel panel = {to, x, y, PLOT_WIDTH * column + LEFT, TOP};
  picture_font font = plot_font(PICTURE_START, PLOT_INK);
  font.bold = true;
  picture_text(to, panel.left, 18, &font, title);
  picture_clip(to, panel.left, panel.top, INNER_WIDTH, INNER_HEIGHT);
  picture_rect(to, panel.left, panel.top, INNER_WIDTH, INNER_HEIGHT, picture_filled(PLOT_PLAIN, 1));
  return panel;
}

/* The step of 1, 2 or 5 times a power of ten that makes about five of the range. */
static double tick_step(const plot_axis *axis) {
  const double rough = (axis->max - axis->min) / 5, power = pow(10, floor(log10(rough))), share = rough / power;
  return power * (share <= 1.001 ? 1 : share <= 2.001 ? 2 : share <= 5.001 ? 5 : 10);
}

static void draw_ticks(const plot_panel *panel, const plot_axis *axis, bool is_x) {
  const double step = tick_step(axis), bottom = panel->top + INNER_HEIGHT;
  const picture_font font = plot_font(is_x ? PICTURE_MIDDLE : PICTURE_END, PLOT_QUIET);
  for (double k = ceil(axis->min / step - 1e-9); k * step <= axis->max + 1e-9 * step; k++) {
    const double value = fabs(k) < 0.5 ? 0 : k * step;
    const double x = is_x ? plot_x(panel, value) : panel->left, y = is_x ? bottom : plot_y(panel, value);
    const double mark[4] = {x, y, is_x ? x : x - 4, is_x ? y + 4 : y};
    char text[32];
    snprintf(text, sizeof text, "%.6g", value);
    picture_line(panel->to, 2, mark, picture_stroked(PLOT_QUIET, 1));
    picture_text(panel->to, is_x ? x : x - 7, is_x ? y + 17 : y + 4, &font, text);
  }
}

void plot_panel_end(const plot_panel *panel) {
  picture *to = panel->to;
  picture_font font = plot_font(PICTURE_MIDDLE, PLOT_INK);
  picture_unclip(to);
  picture_rect(to, panel->left, panel->top, INNER_WIDTH, INNER_HEIGHT, picture_stroked(PLOT_QUIET, 1));
  draw_ticks(panel, &panel->x, true);
  draw_ticks(panel, &panel->y, false);
  picture_text(to, panel->left + INNER_WIDTH / 2.0, PLOT_HEIGHT - 14, &font, panel->x.label);
  font.upward = true;
  picture_text(to, panel->left - 60, panel->top + INNER_HEIGHT / 2.0, &font, panel->y.label);
}

void plot_rect(const plot_panel *panel, double x0, double y0, double x1, double y1, picture_style style) {
  picture_rect(panel->to, plot_x(panel, x0), plot_y(panel, y1), plot_x(panel, x1) - plot_x(panel, x0),
               plot_y(panel, y0) - plot_y(panel, y1), style);
}

void plot_line(const plot_panel *panel, int count, const double *x, const double *y, picture_style style) {
  enum { PIECE = 256 }; /* points of a line that are handed over at once; the last of a piece begins the next */
  double xy[2 * PIECE];
  int n = 0;
  for (int i = 0; i < count; i++) {
    const bool finite = isfinite(x[i]) && isfinite(y[i]);
    if (finite) xy[2 * n] = plot_x(panel, x[i]), xy[2 * n + 1] = plot_y(panel, y[i]), n++;
    if (finite && n < PIECE && i + 1 < count) continue;
    picture_line(panel->to, n, xy, style);
    if (finite) xy[0] = xy[2 * n - 2], xy[1] = xy[2 * n - 1];
    n = finite ? 1 : 0;
  }
}

void plot_dot(const plot_panel *panel, double x, double y, double radius, picture_style style) {
  picture_circle(panel->to, plot_x(panel, x), plot_y(panel, y), radius, style);
}

/* Outside the frame, so that the clip is left and taken up again. */
void plot_legend(const plot_panel *panel, int k, int count, const char *name, int colour) {
  const picture_font font = plot_font(PICTURE_START, colour);
  const double x = panel->left + (double)(INNER_WIDTH * k) / count, stroke[4] = {x, 14, x + 14, 14};
  picture_unclip(panel->to);
  picture_line(panel->to, 2, stroke, picture_stroked(colour, 2));
  picture_text(panel->to, x + 19, 18, &font, name);
  picture_clip(panel->to, panel->left, panel->top, INNER_WIDTH, INNER_HEIGHT);
}

plot_axis plot_range(const char *label, double min, double max) {
  const double room = max > min ? 0.1 * (max - min) : fmax(0.1, 0.5 * fabs(max));
  return (plot_axis){label, min - room, max + room};
}
