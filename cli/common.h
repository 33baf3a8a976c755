/* Options, input and printing that verbs on mechanisms share. */
#ifndef CRADLE_CLI_COMMON_H
#define CRADLE_CLI_COMMON_H

#include <cradle/contact.h>
#include <cradle/io.h>
#include <cradle/tree.h>
#include <jansson.h>

#include "cli.h"

/* ------------------------------------------------------------------------------------------------ common options */

typedef struct cli_common {
  bool json, lenient, allow_outside, quiet;
  const char *output;              /* -o FILE, NULL: stdout */
  const char *state, *qpos, *qvel; /* NULL: not given */
  const char *package_path;        /* folders with packages of URDF files, with ':' between them; NULL: not given */
  double mu, e;                    /* NaN: not given */
  crd_example_options example;
  uint64_t seed, threads;
} cli_common;

cli_common cli_common_default(void);

enum { CLI_COMMON_OPTIONS = 14 };
/* The common options, into the first CLI_COMMON_OPTIONS places of a verb's table. */
void cli_common_options(cli_common *common, cli_option *option);

/* ------------------------------------------------------------------------------------------------ mechanisms */

/* A mechanism as read, and the state chosen by --state, --qpos and --qvel. */
typedef struct cli_mechanism {
  const char *input;
  crd_model *model;
  crd_read_options options; /* as it was read */
  const char *text;         /* of a built-in example, NULL: read from files (report.file) */
  crd_read_report report;
  double *qpos, *qvel; /* nq, nv */
  const double *act;   /* nact, of the keyframe; NULL: zero */
  const double *ctrl;  /* of the keyframe; NULL: zero */
  const char *key;     /* name of the keyframe, NULL: none */
  crd_arena arena;
} cli_mechanism;

/* Is INPUT an impact problem (.json) and no mechanism? */
bool cli_is_problem(const char *input);

/* Reads INPUT (a file or @name[:n]) and its state. Returns CLI_DONE, or the exit code after a message on stderr. Free
 * in either case. */
int cli_mechanism_read(cli_mechanism *mechanism, const char *verb, const char *input, const cli_common *common);
/* Visuals of the mechanism's file; empty where they cannot be read. Free with crd_io_visuals_free. */
void cli_mechanism_visuals(const cli_mechanism *mechanism, crd_visuals *visuals);
void cli_mechanism_free(cli_mechanism *mechanism);

/* Says on stderr what the file contains and the model does not: each thing that may matter, and unless quiet how many
 * do not. */
void cli_mechanism_warn(const cli_mechanism *mechanism, const cli_common *common);
/* One line for one such thing. */
void cli_print_ignored(FILE *file, const char *before, const crd_ignored *item);

/* Of a state that is looked at as a whole, with dense matrices. */
enum { CLI_MOST_POINTS = 20000 };

/* The contact problem at the mechanism's state, with --mu and --e; `turning`: with rows of torsional and rolling friction.
 * The status is that of crd_contact_at_state, or CRD_ERR_MEMORY. */
crd_status cli_contact_problem(const cli_mechanism *mechanism, const cli_common *common, crd_workspace *work,
                               bool with_matrix, bool turning, crd_contact_problem *problem);

/* The largest number of tangential rows of a contact, 0 to 2. */
int cli_most_tangents(const crd_contact_problem *problem);

/* ------------------------------------------------------------------------------------------------ printing */

/* JSON numbers and arrays; what is not finite becomes null. */
json_t *cli_json_number(double value);
json_t *cli_json_vector(int count, const double *value);
json_t *cli_json_matrix(int rows, int columns, const double *value);
/* Prints the object with all digits of its numbers and frees it; false: no memory. */
bool cli_json_print(FILE *file, json_t *object);

/* In 11 columns; what rounding made of a zero, less than 1e-14 of scale, is printed as zero or it would draw the eye.
 */
void cli_print_number(FILE *file, double value, double scale);

enum { CLI_WIDEST = 12 }; /* columns a person can still read */

/* "  label  1  2  3"; a matrix with one line a row, or its size alone where it is wider than CLI_WIDEST (value is not
 * read then and may be NULL). */
void cli_print_vector(FILE *file, const char *label, int count, const double *value);
void cli_print_matrix(FILE *file, const char *title, int rows, int columns, const double *value);

#endif
