/* Declarations shared by the parts of a fit. */
#ifndef SRC_FIT_FIT_H
#define SRC_FIT_FIT_H

#include <cradle/fit.h>

/* Rows of a group, those that are fitted and those that are judged by. */
typedef struct fit_task {
  const crd_fit_data *data;
  const crd_fit_options *options;
  const crd_impact_law *law;
  int count, nfitted, njudged, widest;
  int *row;                            /* count: places in data */
  int *fitted, *judged;                /* places in row */
  double speed;                        /* median speed of approach, m/s */
  int nfree, free[CRD_FIT_PARAMETERS]; /* parameters that are fitted */
  double done, expected;               /* row evaluations, for progress */
  bool stopped;
  crd_arena *arena; /* of the result */
} fit_task;

typedef struct fit_point {
  double x[CRD_FIT_PARAMETERS];
} fit_point;

/* Makes the row's problem what these parameters make of it; speed: that about which e slopes. CRD_SINGULAR. */
crd_status fit_set(const crd_fit_row *row, const crd_fit_options *options, const double x[CRD_FIT_PARAMETERS],
                   double speed);
/* Back to M and J as stated, in all rows. */
void fit_restore(const crd_fit_data *data, const crd_fit_options *options);
/* Median speed of approach at the first contact; room for a number a row. */
double fit_median_speed(const crd_fit_data *data, int group, double *room);

/* Adds the row, with the place of its group. CRD_ERR_MEMORY. */
crd_status fit_keep_row(crd_fit_data *data, const crd_fit_row *row, const char *group);

/* The error of a motion simulated with these parameters; room for nv numbers. */
double fit_toss_error(const fit_task *task, const crd_fit_toss *toss, const double x[CRD_FIT_PARAMETERS], double *dq,
                      bool *answered);

/* The loss of a row's error, and the number reported for a mean of losses. */
double fit_loss(const crd_fit_options *options, double error);
double fit_reported(const crd_fit_options *options, double mean);

/* Errors of the rows chosen (places in task->row) at the points: error[i npoint + g]. v_plus (chosen x widest) and answered (chosen),
 * where not NULL, are those of the last point. CRD_ERR_MEMORY, CRD_STOPPED. */
crd_status fit_evaluate(fit_task *task, const int *chosen, int nchosen, const fit_point *point, int npoint,
                        float *error, double *v_plus, bool *answered);

/* Values of the parameters that are fitted, about a point: on a grid for one or two of them, else on a design through
 * which a quadratic is laid (fit/quadratic.h), first and step being those of its axes' three values. */
typedef struct fit_table {
  int nfree, size[CRD_FIT_PARAMETERS], npoint;
  const double *solver;                                       /* of the design; NULL: a grid */
  double least[CRD_FIT_PARAMETERS], most[CRD_FIT_PARAMETERS]; /* of a design's variables, how far its quadratic goes */
  int parameter[CRD_FIT_PARAMETERS];
  double first[CRD_FIT_PARAMETERS], step[CRD_FIT_PARAMETERS];
  fit_point *point; /* npoint; the last parameter runs fastest */
  float *loss;      /* nfitted x npoint */
} fit_table;

/* Least loss from a start, by Nelder and Mead's simplex within the bounds; steps: size of the first simplex. */
crd_status fit_search(fit_task *task, const double step[CRD_FIT_PARAMETERS], fit_point *best, double *loss);

/* Tabulates the loss about a point, finds the optimum of every resample on the table without new solves, and makes the table as wide as
 * these need. optimum: resamples x nfree. */
crd_status fit_resample(fit_task *task, const fit_point *about, const double half[CRD_FIT_PARAMETERS], fit_table *table,
                        double *optimum, crd_arena *arena);
/* The optimum of the table for weights of the rows (nfitted; NULL: equal). */
void fit_table_optimum(const fit_table *table, int nrow, const double *weight, double *sum, double *x);
/* Draws of rows: the k-th of resample b, in 0 .. count - 1. */
int fit_draw(const crd_fit_options *options, int b, int k, int count);

#endif
