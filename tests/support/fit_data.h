/* Drops of a plate with known law, coefficients and noise, in the shape of the MIT planar drops: one contact, x y theta. */
#ifndef TESTS_FIT_DATA_H
#define TESTS_FIT_DATA_H

#include <cradle/fit.h>

typedef struct drop_def {
  const char *law;
  double e, mu;
  double noise;    /* standard deviation, of the speed before in the kinetic metric, on each velocity after */
  double slide;    /* 1: speeds along the floor as those towards it; 0: none */
  bool turned;     /* the tangent's moment arm is stated with the wrong sign */
  double inertia;  /* the stated moment of inertia over the true one; 0: 1 */
  double offset;   /* m: the normal's arm is stated so much too long */
  double outliers; /* share of rows measured with another rebound */
  int count;
  uint64_t seed;
} drop_def;

/* The data; the test fails where the law has no answer. Is row i an outlier? */
void make_drops(const drop_def *def, crd_fit_data *data);
bool is_outlier(const drop_def *def, int row);

/* Fewest and most successes of `count` trials of this chance that are not beyond chance by accident (1 in 1000 each): the binomial
 * distribution has P(X < fewest) < 0.001, P(X > most) < 0.001. */
int fewest_successes(int count, double chance);
int most_successes(int count, double chance);

#endif
