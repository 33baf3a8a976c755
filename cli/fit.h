/* The parts of `cradle fit`: reading, printing, pictures. */
#ifndef CRADLE_CLI_FIT_H
#define CRADLE_CLI_FIT_H

#include <cradle/fit.h>

#include "batch.h"
#include "picture_files.h"

typedef struct fit_settings {
  cli_common common;
  const char *law, *fitted, *loss, *test, *range, *model, *coverage, *html;
  picture_files picture;
  double huber, gap, dt, piece;
  uint64_t grid, resamples, facets;
  bool by_group, polygon, allow, trajectories;
} fit_settings;

/* Laws fitted to all rows, or to those of a group. */
typedef struct fit_part {
  int group; /* -1: all */
  crd_status status;
  crd_fit_result result;
  bool covered;
  crd_fit_coverage coverage; /* about the coefficients of the law that ranks first */
} fit_part;

typedef struct fit_view {
  const char *input;
  const fit_settings *settings;
  const crd_fit_options *options;
  const crd_fit_data *data;
  const cli_mechanism *mechanism; /* NULL: rows of a file without a model */
  const double *qpos;             /* of the rows; NULL: likewise, and of motions */
  const crd_fit_look *look;
  const crd_fit_toss_look *toss_look; /* NULL: rows are impacts */
  size_t rows, bad;                   /* in the file */
  int count;
  fit_part *part; /* count */
} fit_view;

/* The data read. Zero it before the first use; free it in either case. */
typedef struct fit_input {
  crd_fit_data data;
  size_t rows, bad;        /* in the file */
  cli_mechanism mechanism; /* with settings->model */
  double *qpos;            /* of the rows in data, with settings->model: data->count x nq; NULL: motions */
} fit_input;
/* Reads the impacts of INPUT; rows that are bad are said and counted. CLI_DONE, or the exit code after a message: no row is
 * good. */
int fit_read(const fit_settings *settings, const char *input, fit_input *read);
/* The same of states and velocities of a mechanism (settings->model), and of its motions. */
int fit_read_model(const fit_settings *settings, const char *input, fit_input *read);
int fit_read_tosses(const fit_settings *settings, const char *input, fit_input *read);
void fit_input_free(fit_input *read);
/* Adds what a row (from 0) of the file says. CRD_OK, or *err says what is wrong with it. */
crd_status fit_add_row(const crd_contact_problem *problem, const crd_measured *measured, size_t row, crd_fit_data *data,
                       crd_error *err);
/* Adds a motion whole (piece NaN), or in pieces of so many seconds, each of which begins with the sample that ends the last one; what
 * remains at the end is part of the last piece. As crd_fit_add_toss. */
crd_status fit_add_motion(const crd_fit_toss *whole, const char *name, double piece, size_t number, crd_fit_data *data);
/* The options that the settings ask for; false after a message. */
bool fit_options_read(const fit_settings *settings, crd_fit_options *options);

void fit_print_text(FILE *file, const fit_view *view);
/* Of it, what is said without a law. */
void fit_print_look(FILE *file, const fit_view *view);
json_t *fit_json(const fit_view *view);
/* The page, to a file; likewise. */
int fit_page_write(const char *path, const fit_view *view);
/* Errors over (mu, e) and measured against predicted, of the first part; the exit code, after a message where it is not
 * CLI_DONE. */
int fit_picture_write(const picture_files *files, const fit_view *view);

#endif
