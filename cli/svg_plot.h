/* Plots as SVG pictures for papers: panels side by side, each with axes, round ticks and labels. */
#ifndef CRADLE_CLI_SVG_PLOT_H
#define CRADLE_CLI_SVG_PLOT_H

#include <stdio.h>

typedef struct svg_axis {
  const char *label;
  double min, max; /* max above min */
} svg_axis;

typedef struct svg_panel {
  FILE *file;
  svg_axis x, y;
  double left, top; /* of its frame, pixels */
} svg_panel;

/* A picture with room for so many panels; svg_end closes it. */
void svg_begin(FILE *file, int panels);
void svg_end(FILE *file);

/* The panel in this column, from 0: frame and title. What is drawn until svg_panel_end is cut off at the frame. */
svg_panel svg_panel_begin(FILE *file, int column, const char *title, svg_axis x, svg_axis y);
void svg_panel_end(const svg_panel *panel);

double svg_x(const svg_panel *panel, double x);
double svg_y(const svg_panel *panel, double y);
/* In the units of the axes; style is a list of SVG attributes. */
void svg_rect(const svg_panel *panel, double x0, double y0, double x1, double y1, const char *style);
void svg_line(const svg_panel *panel, int count, const double *x, const double *y, const char *style);
void svg_dot(const svg_panel *panel, double x, double y, double radius, const char *style);

/* A range about the values, a tenth wider on either side; never empty. */
svg_axis svg_range(const char *label, double min, double max);

#endif
