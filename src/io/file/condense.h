/* Contact problems stated with a mass matrix, reduced to the contacts. */
#ifndef CRADLE_SRC_IO_CONDENSE_H
#define CRADLE_SRC_IO_CONDENSE_H

#include "io/file/entries.h"

/* Largest body that is factored as a dense matrix. */
enum { CRD_CONDENSE_ROWS = 4096 };

/*   M v = H p + f,  u = H' v + b    becomes    u = W p + q,   W = H' M^-1 H,  q = b + H' M^-1 f
 *
 * M (n x n) and H (n x m) by entries, f (n), b (m), q (m, written). M falls apart into bodies, rows that share entries;
 * each is factored alone, so that the cost is that of the largest body cubed, not of n. W is returned by entries.
 *
 * CRD_ERR_MODEL: M is singular, or symmetric and not positive definite; *row is a row of the body in question.
 * CRD_ERR_CAPACITY: a body of more than CRD_CONDENSE_ROWS rows, or W of more entries than an int counts.
 * CRD_ERR_MEMORY. */
crd_status crd_condense(crd_arena *arena, const crd_entries *M, const crd_entries *H, const double *f, const double *b,
                        double *q, crd_entries *W, int *row);

#endif
