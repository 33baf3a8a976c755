/* An independent answer for small problems with integer data: every vertex of the solution set in exact arithmetic.
 *
 * A nonempty polyhedron in the positive orthant has a vertex, and a vertex is the only point where n of the 2n
 * equations z_i = 0, (W z + w)_i = 0 hold. So all C(2n, n) choices are solved by fraction-free elimination and tested:
 * no pivoting rule, no tolerance, nothing in common with the solvers. */
#ifndef TESTS_LCP_ORACLE_H
#define TESTS_LCP_ORACLE_H

enum { ORACLE_ROWS = 6, ORACLE_POINTS = 64 };

/* Writes up to ORACLE_POINTS different vertices into z (n each) and returns their number. n <= ORACLE_ROWS, |entries|
 * <= 9. */
int lcp_oracle(int n, const double *W, const double *w, double *z);
#endif
