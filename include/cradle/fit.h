/* fit: the law of impact and its coefficients from measured impacts.
 *
 * Data are problems (cradle/contact.h) with the velocity measured after the impact. crd_fit_look checks their balance
 * of momentum without any law; crd_fit_run finds the coefficients of least error for each law, with intervals, and
 * compares the laws.
 */
#ifndef CRADLE_FIT_H
#define CRADLE_FIT_H

#include <cradle/impact.h>
#include <cradle/outcome.h>
#include <cradle/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------ data */

/* A measured motion of a mechanism, which has to outlive the data. */
typedef struct crd_fit_toss {
  const crd_model *model;
  int samples;
  const double *t, *qpos, *qvel; /* samples, samples x nq, samples x nv (NULL: not measured) */
  const double *start; /* nv: velocity at the first sample, from the positions where qvel is not there (made) */
  double size;         /* sum of the squared displacements from the first sample, kinetic metric (made) */
} crd_fit_toss;

typedef struct crd_fit_row {
  const crd_fit_toss *toss;     /* a motion; then there is nothing of an impact: problem, M, J, v_plus are NULL */
  crd_contact_problem *problem; /* its own copy; between the questions as stated */
  const double *M, *J;          /* as stated: the problem has others while inertia or offset are fitted */
  const double *v_plus;         /* nv: measured after the impact */
  const double *sigma;          /* nv: standard deviations; NULL: unknown */
  int group;                    /* its place in data->group */
  size_t number;                /* of the row in the file, from 1 */
} crd_fit_row;

/* Zero it before the first use ({0}); free it after every use. */
typedef struct crd_fit_data {
  int count, capacity;
  crd_fit_row *row; /* count */
  int ngroup, group_capacity;
  const char **group; /* ngroup: names; "" for rows without a group */
  crd_arena arena;
} crd_fit_data;

/* Adds a copy. v_plus (nv), sigma (nv, NULL: unknown), group (NULL: none). CRD_ERR_NUMBER: a velocity is not finite, a sigma not
 * positive; CRD_ERR_ARGUMENT: the problem has no contact, one with torsional or rolling friction, or no M; CRD_ERR_MEMORY; CRD_SINGULAR. */
CRD_API crd_status crd_fit_add(crd_fit_data *data, const crd_contact_problem *problem, const double *v_plus,
                               const double *sigma, const char *group, size_t number);
/* Adds a copy of a motion; rows are either impacts or motions of one model. CRD_ERR_NUMBER: a number is not finite, or times do
 * not rise; CRD_ERR_ARGUMENT: fewer than two samples, or the rows are impacts; CRD_ERR_MEMORY. */
CRD_API crd_status crd_fit_add_toss(crd_fit_data *data, const crd_fit_toss *toss, const char *group, size_t number);
CRD_API void crd_fit_data_free(crd_fit_data *data);

/* ------------------------------------------------------------------------------------------------ without a law */

/* Levels of the quantiles: 0.05, 0.25, 0.5, 0.75, 0.95. */
enum { CRD_FIT_QUANTILES = 5 };
CRD_API extern const double crd_fit_levels[CRD_FIT_QUANTILES];

/* Results of the balance of momentum M (v+ - v) = J' p, with the impulses p of least remainder in the kinetic metric.
 * Statistics over rows leave the outliers out. Velocities and rows of J are numbered as in the first row; rows of other
 * sizes are left out of the results for single velocities. */
typedef struct crd_fit_look {
  int rows, nv, nrow;
  double unexplained; /* share of |v+ - v|^2 (kinetic metric) that no impulse explains, of all rows together */
  double *
      balance; /* nv: R^2 of each momentum's change, predicted by the impulses that the other momenta ask for; NaN: these
                       * do not determine them */
  double *inertia,
      *inertia_error;       /* nv: the factor that the balance asks for on the inertia of each velocity, its standard
                                    * error; NaN as above */
  int wrong_inertia;        /* the velocity whose factor differs from 1 and explains the balance; -1: none */
  double wrong_unexplained; /* the share with that factor */
  int turned_row, turned_velocity; /* the entry of J that explains the balance with its sign turned; -1: none */
  double turned_unexplained;       /* the share then */
  double turned_balance;           /* R^2 of that velocity's momentum then */
  int undetermined; /* rows whose impulses the velocities do not determine; the next and ratio leave them out */
  int tension;      /* rows whose p_n < 0 at a contact, beyond the unexplained */
  int gains;        /* rows that gain kinetic energy */
  double gain_max;  /* largest K+/K- */
  int gain_row;     /* of it; -1 without rows */
  double ratio[CRD_FIT_QUANTILES];       /* |p_t| / p_n at the first contact */
  double restitution[CRD_FIT_QUANTILES]; /* -u_n+ / u_n- at the first contact */
  int repeats;                           /* rows equal to an earlier one, to the bit */
  int repeated[2];                       /* the first such pair: earlier row, repetition; -1: none */
  int noutlier;
  int *outlier;         /* noutlier: rows, the farthest first */
  double *outlier_size; /* in robust standard deviations */
  const char **outlier_why;
  crd_arena arena;
} crd_fit_look;

/* Zero it before the first use, free it after every use. CRD_ERR_ARGUMENT: no rows of impacts; CRD_ERR_MEMORY. */
CRD_API crd_status crd_fit_look_at(const crd_fit_data *data, crd_fit_look *look);
CRD_API void crd_fit_look_free(crd_fit_look *look);

/* Checks of measured motions: do the stated velocities agree with the positions, is energy gained? */
typedef struct crd_fit_toss_look {
  int nv;
  long samples;
  double duration; /* s, of all motions together */
  double *slope,
      *correlation; /* nv: of the velocity from the positions over the stated one; NaN: not stated, or at rest */
  double gain_max;  /* largest rise of K + V above its start, over the largest K of that motion */
  int gain_row;     /* of it; -1: none */
  crd_arena arena;
} crd_fit_toss_look;
/* As crd_fit_look_at. CRD_ERR_ARGUMENT: no rows of motions. */
CRD_API crd_status crd_fit_look_at_tosses(const crd_fit_data *data, crd_fit_toss_look *look);
CRD_API void crd_fit_toss_look_free(crd_fit_toss_look *look);

/* ------------------------------------------------------------------------------------------------ laws */

/* Coefficients that can be fitted. */
typedef enum crd_fit_parameter {
  CRD_FIT_E,         /* normal restitution */
  CRD_FIT_MU,        /* sliding friction; static friction too unless that is fitted */
  CRD_FIT_E_T,       /* tangential restitution */
  CRD_FIT_MU_STATIC, /* static friction beyond the sliding one, >= 0 */
  CRD_FIT_SLOPE,     /* of e over the speed of approach, s/m, about the median speed; e stays within 0..1 */
  CRD_FIT_INERTIA,   /* factor on the inertia of the velocities options.inertia */
  CRD_FIT_OFFSET,    /* added to the arm of every contact's normal, its entry of J at the velocity options.offset, m */
  CRD_FIT_PARAMETERS
} crd_fit_parameter;
CRD_API const char *crd_fit_parameter_name(crd_fit_parameter parameter);

typedef enum crd_fit_loss { CRD_FIT_MEAN, CRD_FIT_SQUARES, CRD_FIT_HUBER } crd_fit_loss;

typedef struct crd_fit_options {
  unsigned fitted; /* bits 1 << CRD_FIT_E, ...; the others keep `value` */
  double value[CRD_FIT_PARAMETERS], low[CRD_FIT_PARAMETERS], high[CRD_FIT_PARAMETERS];
  int inertia[2];    /* the first and last velocity whose inertia is scaled */
  int offset;        /* the velocity at which the normal's arm is moved */
  crd_fit_loss loss; /* of a row's error */
  double huber;      /* error from which Huber's loss is linear */
  int grid;          /* values of e and of mu to begin with */
  int resamples;     /* of the bootstrap */
  double level;      /* of the intervals */
  uint64_t seed;
  int folds;       /* 0: no test; 1: rows of odd number are unseen; k > 1: k parts, each unseen once */
  double timestep; /* s, of simulated motions; NaN: the model's */
  int threads;     /* 0: as many as there are processors */
  int facets;      /* of the friction cone */
  bool round_cone;
  bool (*progress)(void *context, double share); /* false: stop; may be NULL */
  void *context;
} crd_fit_options;
CRD_API crd_fit_options crd_fit_default(void);

/* One law's coefficients. The error of a row is |v+ - measured| / |measured| in the kinetic metric, or where sigma is known the root
 * mean square of (v+ - measured) / sigma. The error of a motion is sqrt(sum |q - measured|^2 / sum |measured -
 * start|^2) over its samples, in the same metric. */
typedef struct crd_fit_law {
  const crd_impact_law *law;
  crd_status status; /* CRD_OK; CRD_NO_SOLUTION: it answers none of the rows; CRD_STOPPED: not reached */
  double value[CRD_FIT_PARAMETERS];
  double low[CRD_FIT_PARAMETERS], high[CRD_FIT_PARAMETERS]; /* interval of each fitted one; NaN: too few rows */
  double flat_low[CRD_FIT_PARAMETERS],
      flat_high[CRD_FIT_PARAMETERS]; /* values that cannot be told from the best: e, mu of the grid, others with the
                                      * rest at the optimum */
  bool flat[CRD_FIT_PARAMETERS];     /* that is half of the range or more: the data do not determine it */
  double correlation;                /* of e and mu over the resamples */
  double loss;                       /* of the rows that are fitted */
  double test;                       /* of those unseen; NaN: none */
  int unanswered;                    /* rows without an answer at these coefficients */
  int rank;                          /* from 1, by test where there is one */
  double behind, behind_low, behind_high; /* loss more than the best law's, row by row, with its interval; NaN: too
                                           * few rows */
  const double *error;                    /* count: of every row at these coefficients */
  const double *v_plus;                   /* count x widest: predicted; NaN: no answer, or motions */
  const double *surface;                  /* ne x nmu: loss over the grid */
} crd_fit_law;

typedef struct crd_fit_result {
  int nlaw, ne, nmu, widest; /* widest: largest nv */
  crd_fit_law *law;          /* nlaw, in the order asked for */
  const double *e, *mu;      /* ne, nmu: the grid */
  int fitted, unseen;        /* rows */
  crd_arena arena;
} crd_fit_result;

/* Fits the laws to the rows of a group (-1: all). Zero the result before the first use, free it after every use. Laws that were
 * done before a stop are kept. The same seed gives the same digits on any number of threads. CRD_ERR_ARGUMENT: no rows, no
 * laws, nothing to fit, of motions something else than e and mu; CRD_ERR_MEMORY; CRD_STOPPED. */
CRD_API crd_status crd_fit_run(const crd_fit_data *data, int group, const crd_impact_law *const *law, int nlaw,
                               const crd_fit_options *options, crd_fit_result *result);
CRD_API void crd_fit_result_free(crd_fit_result *result);

/* ------------------------------------------------------------------------------------------------ sets of outcomes */

/* Measured outcomes against the sets that a box of coefficients predicts (cradle/outcome.h, with restitution), in the velocities
 * of the first contact. */
typedef struct crd_fit_coverage {
  int rows, inside, undecided;
  double share, low, high;           /* of the rows decided that lie inside, with its interval of 95 % */
  double outside[CRD_FIT_QUANTILES]; /* distances of the others from their sets, m/s */
  const double *distance;            /* rows: of each, <= 0 inside, NaN undecided */
  crd_arena arena;
} crd_fit_coverage;
/* `samples` a row, of problems with coefficients drawn from the box about `value` (its widths of v too). Zero the result
 * before the first use, free it after every use. CRD_ERR_MEMORY, CRD_STOPPED; CRD_ERR_ARGUMENT: the rows are motions. */
CRD_API crd_status crd_fit_cover(const crd_fit_data *data, int group, const double value[CRD_FIT_PARAMETERS],
                                 const crd_outcome_box *box, uint64_t samples, const crd_fit_options *options,
                                 crd_fit_coverage *coverage);
CRD_API void crd_fit_coverage_free(crd_fit_coverage *coverage);

#ifdef __cplusplus
}
#endif
#endif
