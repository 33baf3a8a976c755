/* cradle outcomes: its settings, one set of outcomes, and how it is shown. */
#ifndef CRADLE_CLI_OUTCOMES_H
#define CRADLE_CLI_OUTCOMES_H

#include <cradle/io.h>
#include <cradle/outcome.h>

#include "picture_files.h"
#include "problem_input.h"

typedef struct outcomes_settings {
  cli_common common;
  const char *samples, *pattern, *selection, *sweep, *axes, *html, *box, *starts,
      *measured; /* as given, NULL: not given */
  picture_files picture;
  double epsilon;         /* of Algorithm 2; 0: Algorithm 1 */
  double h;               /* 0: not given */
  uint64_t steps, facets; /* steps 0: not given */
  uint64_t event;         /* of a trace, or CLI_NO_EVENT */
  double tolerance;
  bool restitution, allow, compliant;
} outcomes_settings;

/* The axes that the hull is drawn in. */
typedef struct outcomes_axes {
  int count; /* 2 or 3, fewer where the mechanism has no more velocities */
  crd_outcome_axis axis[3];
} outcomes_axes;

/* Shape of a set. */
typedef struct outcomes_shape {
  crd_outcome_termination bound;
  crd_outcome_hull hull;
  crd_outcome_modes modes;
  outcomes_axes axes;
  double spacing;                       /* epsilon-net estimate over all contact velocities, m/s */
  crd_status bound_status, hull_status; /* CRD_OK: there is one */
} outcomes_shape;

/* One value of a sweep, or the only set. */
typedef struct outcomes_result {
  double value; /* of the parameter that is swept */
  crd_status status;
  crd_contact_problem *problem; /* its own; NULL where there is none at this value */
  crd_outcome_set set;
  outcomes_shape shape;
} outcomes_result;

/* The collision of compliant bodies for one ratio of stiffness between the first two contacts, or from one start. */
typedef struct outcomes_collision {
  double ratio;  /* k of the first contact over k of the second */
  double offset; /* of the joint that is varied, m or rad */
  crd_status status;
  crd_compliant_result end;
  double distance; /* of its end from the hull of the samples, m/s; negative inside; NaN: no hull */
} outcomes_collision;

typedef struct outcomes_compliant {
  const char *joint; /* whose position is varied; NULL: stiffness is */
  int count;
  outcomes_collision *item;
} outcomes_compliant;

/* A velocity measured after the impact, beside the set. */
typedef struct outcomes_measured {
  const double *v_plus; /* nv; NULL: none was given */
  double distance;      /* from the hull in the axes of the shape, m/s; NaN: there is none */
  bool inside;
} outcomes_measured;

typedef struct outcomes_view {
  outcomes_measured measured;
  const cli_problem *input;
  const char *parameter;      /* what is swept, NULL: nothing */
  const crd_outcome_box *box; /* NULL: the problem is known exactly */
  outcomes_result *result;
  int count;
  const outcomes_compliant *compliant; /* NULL: not asked for */
  int nmark;
  const crd_outcome_mark *mark; /* nmark: its collisions, for pictures, pages and files */
} outcomes_view;

/* The options of sampling that the settings ask for, for this INPUT; false after a message. */
bool outcomes_options(const outcomes_settings *settings, const char *input, crd_outcome_options *options);

/* "v ..." as nv numbers; false after a message. */
bool outcomes_measured_read(const char *text, const crd_contact_problem *problem, double *v);
crd_status outcomes_measured_find(const outcomes_result *result, outcomes_measured *measured);
json_t *outcomes_measured_json(const outcomes_measured *measured, int nv);
void outcomes_measured_print(FILE *file, const outcomes_measured *measured);

/* Half widths as --box takes them; false after a message. */
bool outcomes_box_read(const char *verb, const char *option, const char *text, crd_outcome_box *box);
/* "A.n,B.n" as axes (NULL: the default ones); false after a message. */
bool outcomes_axes_read(const char *text, const crd_contact_problem *problem, outcomes_axes *axes);
/* The shape of a set that was sampled. CRD_ERR_MEMORY, CRD_ERR_ARGUMENT after a message about the axes. */
crd_status outcomes_shape_find(const crd_contact_problem *problem, const crd_outcome_set *set, const char *axes,
                               outcomes_shape *shape);
void outcomes_shape_free(outcomes_shape *shape);
void outcomes_shape_json(json_t *object, const crd_contact_problem *problem, const outcomes_shape *shape);
void outcomes_shape_print(FILE *file, const crd_contact_problem *problem, const outcomes_shape *shape);

/* Collisions of compliant bodies from the mechanism's state, beside the set's hull. false: no memory. */
bool outcomes_compliant_run(const cli_problem *input, const cli_common *common, const outcomes_shape *shape,
                            outcomes_compliant *compliant);
/* The same from starts at which the joint of "JOINT:FROM:TO" is off by FROM to TO, each moved along the velocity until the
 * first contact touches. The exit code, after a message where it is not CLI_DONE. */
int outcomes_compliant_starts(const cli_problem *input, const cli_common *common, const outcomes_shape *shape,
                              const char *range, outcomes_compliant *compliant);
void outcomes_compliant_free(outcomes_compliant *compliant);
/* The collisions as marks beside those of the impact laws; their number, -1: no memory. */
int outcomes_compliant_marks(const outcomes_compliant *compliant, const crd_contact_problem *problem, crd_arena *arena,
                             const crd_outcome_mark **marks);
json_t *outcomes_compliant_json(const outcomes_compliant *compliant);
void outcomes_compliant_print(FILE *file, const outcomes_compliant *compliant);

/* Steps that contradict Theorems 6, 7 or Lemma 13 of Halm & Posa; the constants of Algorithm 2. */
json_t *outcomes_theorems_json(const crd_outcome_set *set);
void outcomes_theorems_print(FILE *file, const crd_outcome_set *set);
json_t *outcomes_net_json(const crd_outcome_net *net);
void outcomes_net_print(FILE *file, const crd_outcome_set *set);

/* Is it the name of an HDF5 file? */
bool outcomes_is_h5(const char *path);
/* Begins the file -o FILE.h5 and ends it; CLI_DONE, or CLI_SYSTEM after a message. */
int outcomes_file_begin(const outcomes_settings *settings, const cli_problem *input, const char *parameter,
                        crd_outcome_writer **writer);
int outcomes_file_end(crd_outcome_writer *writer, const char *path);

/* The page with all sets; the exit code, after a message where it is not CLI_DONE. */
int outcomes_page_write(const char *path, const outcomes_view *view);

/* The sets as panels of a picture, of a sweep as many as fit; the exit code, after a message where it is not CLI_DONE.
 */
int outcomes_picture_view(const picture_files *files, const outcomes_view *view);

void outcomes_print_text(FILE *file, const outcomes_view *view);
/* The object of --json. */
json_t *outcomes_json(const outcomes_view *view);

#endif
