/* The embedded pair of orders five and four of Dormand and Prince (1980): stage i is evaluated at
 * y + h sum_j DP_A[i][j] k_j, the last one is the step, and h sum_j DP_ERROR[j] k_j its error. */
#ifndef SRC_IMPACT_DORMAND_PRINCE_H
#define SRC_IMPACT_DORMAND_PRINCE_H

enum { DP_STAGES = 7 };

static const double DP_A[DP_STAGES][6] = {{0},
                                          {1.0 / 5},
                                          {3.0 / 40, 9.0 / 40},
                                          {44.0 / 45, -56.0 / 15, 32.0 / 9},
                                          {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                                          {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
                                          {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
static const double DP_ERROR[DP_STAGES] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                           -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

#endif
