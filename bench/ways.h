/* The table of ways: islands of contact problems by the method whose answer stands. */
#ifndef BENCH_WAYS_H
#define BENCH_WAYS_H

#include <cradle/coulomb.h>
#include <stdio.h>

static inline void ways_heading(const char *what) {
  printf("%-28s", what);
  for (int k = CRD_COULOMB_NEWTON; k < CRD_COULOMB_METHODS; k++)
    printf(" %9s", crd_coulomb_method_name((crd_coulomb_method)k));
  printf("\n");
}

/* Prints a row and adds it to sum (NULL: not). */
static inline void ways_row(const char *name, const long settled[CRD_COULOMB_METHODS], long sum[CRD_COULOMB_METHODS]) {
  printf("%-28s", name);
  for (int k = CRD_COULOMB_NEWTON; k < CRD_COULOMB_METHODS; k++) {
    printf(" %9ld", settled[k]);
    if (sum) sum[k] += settled[k];
  }
  printf("\n");
}

#endif
