/* glue: what the Python module needs beside the C API: objects with counted owners, so that no order of their deaths in
 * Python can leave a pointer behind; a mark on those in use, so that a second thread is refused; Ctrl-C; recorded runs;
 * and the texts, JSON objects and pages of the program.
 *
 * tools/cdef reads this file too: declarations only, no macros.
 */
#ifndef CRADLE_PYTHON_GLUE_H
#define CRADLE_PYTHON_GLUE_H

#include <cradle/cradle.h>

/* Beside crd_status. */
enum {
  CRDPY_BUSY = -100,  /* in use by another thread, or by the call that called back */
  CRDPY_CLOSED = -101 /* NULL where an object was expected */
};

/* ------------------------------------------------------------------------------------------------ Ctrl-C */

/* Asks Python whether a signal handler raised; defined by the module, which keeps the exception. Takes the GIL. */
bool crdpy_signalled(void);
/* For `stop` of options: true from the first exception of a signal handler on, asked every CRDPY_WATCH_S seconds. */
typedef struct crdpy_watch {
  double next; /* s, monotonic */
  bool stopped;
} crdpy_watch;
void crdpy_watch_begin(crdpy_watch *watch);
bool crdpy_watch_stop(void *watch);

/* Around a fork of the process (os.register_at_fork). */
void crdpy_fork_before(void);
void crdpy_fork_parent(void);
void crdpy_fork_child(void);

/* ------------------------------------------------------------------------------------------------ models */

typedef struct crdpy_pool crdpy_pool;
typedef struct crdpy_model {
  crd_model *model;
  crd_read_report report;
  const char *input; /* as the user named it */
  int nfile;         /* the files it was read from, which pickles and traces carry */
  const crd_source_file *file;
  bool lenient;
  struct crdpy_model *base; /* of a variant, which shares its names and files; else NULL */
  crdpy_pool *pool;         /* owners, and what calls may use again */
  crd_arena arena;
} crdpy_model;

/* Reads a file, or text (not NULL) that name stands for; from "@name[:n]" a built-in example. */
crd_status crdpy_model_read(const char *name, const char *text, size_t size, const crd_read_options *options,
                            crdpy_model **out, crd_error *err);
/* From the files that a model or a trace carries. */
crd_status crdpy_model_from_files(const char *input, int nfile, const crd_source_file *file, bool lenient,
                                  const char *formulation, crdpy_model **out, crd_error *err);
/* A variant, whose numbers crd_model_set_... change before anything else is made of it. */
crd_status crdpy_model_variant(crdpy_model *base, crdpy_model **out, crd_error *err);
void crdpy_model_drop(crdpy_model *model);

/* ------------------------------------------------------------------------------------------------ contact problems */

typedef struct crdpy_problem {
  crd_contact_problem *problem;
  const char *input;  /* as its file or model was named */
  crdpy_model *model; /* NULL: none is behind it */
  double *qpos, *qvel;
  double mu, e;
  struct crdpy_problem *next; /* in the pool */
} crdpy_problem;

/* At a state (nq, nv); mu, e and distances as in crd_contact_options. NULL: *err (may be NULL) has status and reason. */
crdpy_problem *crdpy_problem_at(crdpy_model *model, const double *qpos, const double *qvel, double mu, double e,
                                double distance, double limit_distance, crd_error *err);
crd_status crdpy_problem_read(const char *name, const char *text, size_t size, bool any_restitution,
                              crdpy_problem **out, crd_error *err);
/* A problem that something else holds, copied; input: how it is named. */
crd_status crdpy_problem_copy(const crd_contact_problem *problem, const char *input, crdpy_problem **out);
/* As a problem file; freed by crdpy_free. */
char *crdpy_problem_text(const crdpy_problem *problem, crd_error *err);
void crdpy_problem_drop(crdpy_problem *problem);
void crdpy_free(void *memory);

/* ------------------------------------------------------------------------------------------------ impacts */

typedef struct crdpy_result {
  crd_impact_result result;
  crdpy_watch watch;
  struct crdpy_result *next;
} crdpy_result;
/* NULL: *status (may be NULL) says why; verdicts are in the result. */
crdpy_result *crdpy_resolve(const crd_impact_law *law, const crdpy_problem *problem, const crd_impact_options *options,
                            crd_status *status);
void crdpy_result_drop(crdpy_result *result);

/* ------------------------------------------------------------------------------------------------ outcomes */

typedef struct crdpy_outcomes {
  crd_outcome_set set;
  crdpy_watch watch;
} crdpy_outcomes;
/* box NULL: the problem is known exactly. */
crd_status crdpy_outcomes_sample(const crdpy_problem *problem, const crd_outcome_box *box,
                                 const crd_outcome_options *options, crdpy_outcomes **out);
void crdpy_outcomes_drop(crdpy_outcomes *outcomes);
crd_status crdpy_outcomes_write(const char *path, const crdpy_problem *problem, const crdpy_outcomes *outcomes,
                                crd_error *err);

/* ------------------------------------------------------------------------------------------------ check */

typedef struct crdpy_check {
  crd_check check;
  bool persists; /* persistent has been looked for and applies */
  crd_persistent persistent;
  int culprit;
  double limit;
  const double *e_low, *e_high;
  const crd_status *e_status;
  crdpy_watch watch;
  crd_arena arena;
} crdpy_check;
crd_status crdpy_check_new(const crdpy_problem *problem, bool use_matrix, int max_modes, crdpy_check **out);
void crdpy_check_drop(crdpy_check *check);
/* The admissible region of a contact: for nmu values of mu from 0 to mu_max and ne of e from 0 to 1, whether (e, mu) is
 * in the admissible set (41). inside: nmu x ne. */
void crdpy_check_region(const crdpy_check *check, int contact, double mu_max, int nmu, int ne, unsigned char *inside);
/* Coefficients of two contacts: for count values of the first in [0, 1] the interval of the second. */
crd_status crdpy_check_pair(const crdpy_check *check, int first, int second, int count, double *low, double *high);

/* ------------------------------------------------------------------------------------------------ recorded runs */

typedef struct crdpy_trace {
  crd_trace trace;
  crdpy_model *model; /* as simulated; NULL until asked for */
  double wall;        /* s; NaN: read from a file */
} crdpy_trace;
crd_status crdpy_trace_read(const char *path, crdpy_trace **out, crd_error *err);
crd_status crdpy_trace_write(const char *path, const crdpy_trace *trace, crd_error *err);
/* The model that the trace carries; belongs to it. */
crd_status crdpy_trace_model(crdpy_trace *trace, crdpy_model **out, crd_error *err);
void crdpy_trace_drop(crdpy_trace *trace);

/* ------------------------------------------------------------------------------------------------ simulations */

typedef struct crdpy_recorder crdpy_recorder;
typedef struct crdpy_sim {
  crd_sim *sim;
  crdpy_model *model;
  crd_sim_options options;
  /* Written by Python between steps */
  double *ctrl, *tau; /* nactuator, of the simulation; nv: applied generalised forces */
  crdpy_watch watch;
  crdpy_recorder *recorder; /* NULL: nothing is recorded */
  int busy;
} crdpy_sim;
crd_status crdpy_sim_new(crdpy_model *model, const crd_sim_options *options, crdpy_sim **out, crd_error *err);
void crdpy_sim_drop(crdpy_sim *sim);
crd_status crdpy_sim_reset(crdpy_sim *sim, double t, const double *qpos, const double *qvel, crd_error *err);
crd_status crdpy_sim_set_state(crdpy_sim *sim, const double *qpos, const double *qvel, crd_error *err);
crd_status crdpy_sim_wrench(crdpy_sim *sim, int body, const double *force, const double *torque, const double *point);
crd_status crdpy_sim_set_act(crdpy_sim *sim, const double *act, crd_error *err);
/* count steps. CRD_ERR_NUMBER: ctrl or tau is not finite. */
crd_status crdpy_sim_step(crdpy_sim *sim, long count);
/* Goes on for `duration`, recording a row every `every` steps; a verdict ends the trace and is told by it. */
crd_status crdpy_sim_run(crdpy_sim *sim, double duration, long every, crdpy_trace **out, crd_error *err);
/* data: nsensordata. */
crd_status crdpy_sim_sensors(crdpy_sim *sim, double *data);
/* One by name (crd_sim_sensor), which has `size` numbers. */
crd_status crdpy_sim_sensor(crdpy_sim *sim, const char *name, double *data, int size);
/* Around what reads memory that a step moves: CRD_OK and the mark of those in use, or CRDPY_BUSY, CRDPY_CLOSED. */
crd_status crdpy_sim_take(crdpy_sim *sim);
void crdpy_sim_give(crdpy_sim *sim);
crd_status crdpy_sim_save(crdpy_sim *sim, void *buffer, size_t size);
crd_status crdpy_sim_restore(crdpy_sim *sim, const void *buffer, size_t size);

/* ------------------------------------------------------------------------------------------------ batches */

typedef struct crdpy_batch {
  crd_batch *batch;
  crdpy_model *model;
  crdpy_watch watch;
  int busy;
} crdpy_batch;
crd_status crdpy_batch_new(crdpy_model *model, const crd_batch_options *options, crdpy_batch **out, crd_error *err);
void crdpy_batch_drop(crdpy_batch *batch);
crd_status crdpy_batch_reset(crdpy_batch *batch, const int *member, int n, const double *qpos, const double *qvel);
crd_status crdpy_batch_step(crdpy_batch *batch, int steps);
crd_status crdpy_batch_rollout(crdpy_batch *batch, int length, int steps, const double *ctrl,
                               const crd_batch_record *record);
crd_status crdpy_batch_get(crdpy_batch *batch, int member, crdpy_sim *sim);
crd_status crdpy_batch_put(crdpy_batch *batch, int member, crdpy_sim *sim);
/* As crdpy_sim_take. */
crd_status crdpy_batch_take(crdpy_batch *batch);
void crdpy_batch_give(crdpy_batch *batch);

/* ------------------------------------------------------------------------------------------------ fits */

typedef struct crdpy_fit crdpy_fit;
crdpy_fit *crdpy_fit_new(void); /* NULL: no memory */
void crdpy_fit_drop(crdpy_fit *fit);
/* A measured impact, row `row` (from 0) of the data. mu, e: of all its contacts, written into problem; NaN: as they are. */
crd_status crdpy_fit_add(crdpy_fit *fit, crd_contact_problem *problem, const crd_measured *measured, double mu,
                         double e, size_t row, crd_error *err);
/* A measured motion of the model, which the fit holds: samples, samples x nq, samples x nv (NULL: not measured); whole (piece
 * NaN) or in pieces of so many seconds. As crd_fit_add_toss. */
crd_status crdpy_fit_add_motion(crdpy_fit *fit, crdpy_model *model, int samples, const double *t, const double *qpos,
                                const double *qvel, const char *group, double piece, size_t row);
int crdpy_fit_count(const crdpy_fit *fit);
int crdpy_fit_velocities(const crdpy_fit *fit); /* the fewest of a row's */
/* Once, after the rows. box (may be NULL): sets of outcomes, `samples` a row, about the best law's coefficients. */
crd_status crdpy_fit_run(crdpy_fit *fit, int nlaw, const crd_impact_law *const *law, const crd_fit_options *options,
                         bool by_group, const crd_outcome_box *box, uint64_t samples);
/* As the program prints it, or its --json; freed by crdpy_free, NULL: no memory. rows, bad: in the data. */
char *crdpy_fit_print(crdpy_fit *fit, const char *input, const char *coverage, size_t rows, size_t bad, bool json);

/* ------------------------------------------------------------------------------------------------ files, texts, pages */

/* What an HDF5 file holds, into kind (16 bytes). */
crd_status crdpy_file_kind(const char *path, char *kind, crd_error *err);
crd_status crdpy_outcome_file_read(const char *path, crd_outcome_file **out, crd_error *err);
void crdpy_outcome_file_drop(crd_outcome_file *file);

/* As the program prints them, or as its --json does (json); freed by crdpy_free, NULL: no memory. */
char *crdpy_model_print(const crdpy_model *model);
char *crdpy_problem_print(const crdpy_problem *problem);
char *crdpy_impact_print(const crdpy_problem *problem, const crd_impact_options *options, int count,
                         const crd_impact_law *const *law, crdpy_result *const *result, bool json);
char *crdpy_outcomes_print(const crdpy_problem *problem, const crd_outcome_set *set, const char *axes, bool json);
char *crdpy_check_print(const crdpy_problem *problem, const crdpy_check *check, bool json);
char *crdpy_trace_print(const crdpy_trace *trace, bool json);
/* The page of each, to a file. */
crd_status crdpy_impact_page(const char *path, const crdpy_problem *problem, const crd_impact_options *options,
                             int count, const crd_impact_law *const *law, crdpy_result *const *result, crd_error *err);
crd_status crdpy_outcomes_page(const char *path, const crdpy_problem *problem, const crd_outcome_set *set,
                               crd_error *err);
crd_status crdpy_check_page(const char *path, const crdpy_problem *problem, const crdpy_check *check, crd_error *err);
crd_status crdpy_trace_page(const char *path, crdpy_trace *trace, crd_error *err);

/* ------------------------------------------------------------------------------------------------ measuring */

/* count contact problems at a state into the same memory; count impacts by a law with the same result. */
crd_status crdpy_bench_problem(crdpy_model *model, const double *qpos, const double *qvel, long count);
crd_status crdpy_bench_resolve(const crd_impact_law *law, const crdpy_problem *problem, long count);

#endif
