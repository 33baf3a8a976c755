#include "svg_plot.h"

#include <math.h>

enum { WIDTH = 376, HEIGHT = 300, LEFT = 78, TOP = 28, INNER_WIDTH = 280, INNER_HEIGHT = 220 };

void svg_begin(FILE *file, int panels) {
  fprintf(file,
          "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' font-size='12'>\n"
          "<rect width='100%%' height='100%%' fill='white'/>\n",
          WIDTH * panels, HEIGHT);
}

void svg_end(FILE *file) { fprintf(file, "</svg>\n"); }

double svg_x(const svg_panel *panel, double x) {
  return panel->left + INNER_WIDTH * (x - panel->x.min) / (panel->x.max - panel->x.min);
}

double svg_y(const svg_panel *panel, double y) {
  return panel->top + INNER_HEIGHT * (panel->y.max - y) / (panel->y.max - panel->y.min);
}

/* Names come from files: what XML would take for markup is written as a reference. */
static void print_text(FILE *file, const char *text) {
  for (; *text; text++) {
    if (*text == '<')
      fputs("&lt;", file);
    else if (*text == '>')
      fputs("&gt;", file);
    else if (*text == '&')
      fputs("&amp;", file);
    else if ((unsigned char)*text >= 0x20)
      fputc(*text, file);
  }
}

svg_panel svg_panel_begin(FILE *file, int column, const char *title, svg_axis x, svg_axis y) {
  const svg_panel panel = {file, x, y, WIDTH * column + LEFT, TOP};
  fprintf(file, "<text x='%g' y='18' font-weight='bold'>", panel.left);
  print_text(file, title);
  fprintf(file, "</text>\n<clipPath id='panel%d'><rect x='%g' y='%g' width='%d' height='%d'/></clipPath>\n", column,
          panel.left, panel.top, INNER_WIDTH, INNER_HEIGHT);
  fprintf(file, "<g clip-path='url(#panel%d)'>\n<rect x='%g' y='%g' width='%d' height='%d' fill='#ededea'/>\n", column,
          panel.left, panel.top, INNER_WIDTH, INNER_HEIGHT);
  return panel;
}

/* The step of 1, 2 or 5 times a power of ten that makes about five of the range. */
static double tick_step(const svg_axis *axis) {
  const double rough = (axis->max - axis->min) / 5, power = pow(10, floor(log10(rough))), share = rough / power;
  return power * (share <= 1.001 ? 1 : share <= 2.001 ? 2 : share <= 5.001 ? 5 : 10);
}

static void print_ticks(const svg_panel *panel, const svg_axis *axis, int is_x) {
  const double step = tick_step(axis), bottom = panel->top + INNER_HEIGHT;
  for (double k = ceil(axis->min / step - 1e-9); k * step <= axis->max + 1e-9 * step; k++) {
    const double value = fabs(k) < 0.5 ? 0 : k * step;
    if (is_x)
      fprintf(
          panel->file,
          "<path d='M%.2f %g v4' stroke='#555'/><text x='%.2f' y='%g' text-anchor='middle' fill='#555'>%.6g</text>\n",
          svg_x(panel, value), bottom, svg_x(panel, value), bottom + 17, value);
    else
      fprintf(panel->file,
              "<path d='M%g %.2f h-4' stroke='#555'/><text x='%g' y='%.2f' text-anchor='end' fill='#555'>%.6g</text>\n",
              panel->left, svg_y(panel, value), panel->left - 7, svg_y(panel, value) + 4, value);
  }
}

void svg_panel_end(const svg_panel *panel) {
  fprintf(panel->file, "</g>\n<rect x='%g' y='%g' width='%d' height='%d' fill='none' stroke='#555'/>\n", panel->left,
          panel->top, INNER_WIDTH, INNER_HEIGHT);
  print_ticks(panel, &panel->x, 1);
  print_ticks(panel, &panel->y, 0);
  fprintf(panel->file, "<text x='%g' y='%d' text-anchor='middle'>", panel->left + INNER_WIDTH / 2.0, HEIGHT - 14);
  print_text(panel->file, panel->x.label);
  fprintf(panel->file, "</text>\n<text transform='translate(%g %g) rotate(-90)' text-anchor='middle'>",
          panel->left - 60, panel->top + INNER_HEIGHT / 2.0);
  print_text(panel->file, panel->y.label);
  fprintf(panel->file, "</text>\n");
}

void svg_rect(const svg_panel *panel, double x0, double y0, double x1, double y1, const char *style) {
  fprintf(panel->file, "<rect x='%.2f' y='%.2f' width='%.2f' height='%.2f' %s/>\n", svg_x(panel, x0), svg_y(panel, y1),
          svg_x(panel, x1) - svg_x(panel, x0), svg_y(panel, y0) - svg_y(panel, y1), style);
}

void svg_line(const svg_panel *panel, int count, const double *x, const double *y, const char *style) {
  int pen = 0; /* down; a number that is not finite lifts it */
  fprintf(panel->file, "<path fill='none' %s d='", style);
  for (int i = 0; i < count; i++) {
    const int finite = isfinite(x[i]) && isfinite(y[i]);
    if (finite) fprintf(panel->file, "%c%.2f %.2f", pen ? 'L' : 'M', svg_x(panel, x[i]), svg_y(panel, y[i]));
    pen = finite;
  }
  fprintf(panel->file, "'/>\n");
}

void svg_dot(const svg_panel *panel, double x, double y, double radius, const char *style) {
  fprintf(panel->file, "<circle cx='%.2f' cy='%.2f' r='%g' %s/>\n", svg_x(panel, x), svg_y(panel, y), radius, style);
}

svg_axis svg_range(const char *label, double min, double max) {
  const double room = max > min ? 0.1 * (max - min) : fmax(0.1, 0.5 * fabs(max));
  return (svg_axis){label, min - room, max + room};
}
