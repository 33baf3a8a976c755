/* The admissible regions of `cradle check --region FILE`. */
#ifndef CRADLE_CLI_CHECK_REGION_H
#define CRADLE_CLI_CHECK_REGION_H

#include "check_print.h"
#include "picture_files.h"

/* Writes the grid of (e, mu) of every contact to path (whole or not at all), and for two or more contacts the region of
 * the first two restitution coefficients: CSV, or JSON where path ends in .json. Returns the exit code. */
int check_region_write(const char *path, const check_view *view, int steps);

/* The same regions for a page: `region` of docs/viewer.md. */
json_t *check_region_page(const check_view *view, int steps);

/* Friction is drawn from 0 to twice the contact's own, at least to 1. */
double check_region_largest_mu(const crd_friction *f);
/* A letter for a cell: s sticks, l slips, n is not hit; a capital where that is not admissible. */
char check_region_cell(const crd_friction *f, double e, double mu);

/* The regions as a picture; the exit code, after a message where it is not CLI_DONE. */
int check_picture_write(const picture_files *files, const check_view *view);

#endif
