/* Where a function of time first becomes negative. */
#ifndef SRC_SIM_ROOT_H
#define SRC_SIM_ROOT_H

/* The function, which may have kinks and jumps. */
typedef struct crd_root_function {
  double (*value)(void *context, double t);
  void *context;
} crd_root_function;

/* A change of sign in [low, high], to rounding of t: the function is negative at high and at the result, and not
 * negative at low and just before the result. */
double crd_root_find(const crd_root_function *f, double low, double high);

#endif
