/* The balance of momentum of one measured impact, and what it would be with a sign of J turned or an inertia scaled. */
#ifndef SRC_FIT_BALANCE_H
#define SRC_FIT_BALANCE_H

#include <cradle/fit.h>

/* Working memory for one row, n velocities and m rows of J. */
typedef struct fit_balance {
  int n, m;
  double *metric, *M; /* n x n: as stated; with a factor of an inertia */
  double *L, *J, *X, *W;
  double *d, *h;                           /* n: v+ - v_free, M d */
  double *p;                               /* m: the impulses asked for */
  double *image, *rest, *asked, *diagonal; /* room: n, n, m, m */
  bool determined;                         /* these are the only ones */
} fit_balance;

/* A change to all rows: the sign of an entry of J, or a factor of an inertia. */
typedef struct fit_change {
  int row, velocity; /* -1: none */
  double factor;     /* of the inertia; 0: none */
} fit_change;

/* Room for the largest row of the data. CRD_ERR_MEMORY. */
crd_status fit_balance_begin(fit_balance *b, const crd_fit_data *data, crd_arena *arena);
/* Takes the row as it would be with the change. */
void fit_balance_load(fit_balance *b, const crd_fit_row *row, fit_change change);
/* |d|^2 and what of it no impulse explains, in the metric of M as stated; the impulses are left in p. */
void fit_balance_measure(fit_balance *b, double *whole, double *unexplained);
/* After that: the unexplained's derivative by the logarithm of a factor of velocity k's inertia, beyond the change's own. */
double fit_balance_slope(fit_balance *b, int k);
/* The change of momentum k that the impulses ask for which the others do; false: they do not determine it. */
bool fit_balance_predict(fit_balance *b, int k, double *change);

#endif
