/* Large contact problems: heaps of spheres at three tolerances and how their cost grows, and Siconos' test data beside
 * its NSGS.
 *
 *   bench_coulomb_large [DIRECTORY]     of Siconos' numerics/src/FrictionContact/test/data; otherwise the environment's
 *                                       CRADLE_SICONOS_DATA */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

#include "coulomb_parts.h"
#include "timing.h"

int main(int argc, char **argv) {
  const int spheres[] = {100, 500, 1000}, steps[] = {2000, 1000, 700};
  const double tolerance[] = {1e-2, 1e-4, 1e-6};
  const char *directory = argc > 1 ? argv[1] : getenv("CRADLE_SICONOS_DATA");
  if (directory) bench_siconos_data(directory);
  printf("\n%7s %9s %9s %8s %8s %9s %9s %9s %9s %9s %s\n", "spheres", "tolerance", "contacts", "sweeps", "factors",
         "ms mean", "median", "99 %", "residual", "worst", "missed");
  for (int k = 0; k < 3; k++) {
    double time[3];
    for (int i = 0; i < 3; i++) time[i] = bench_heap(spheres[i], steps[i], tolerance[k]);
    printf("        cost grows as n^%.2f\n", growth_exponent(spheres, time, 3));
  }
  return 0;
}
