/* Numbers put into an order. */
#ifndef SRC_SIM_ORDER_H
#define SRC_SIM_ORDER_H

#include <stdbool.h>

/* order (n) becomes 0 .. n - 1, sorted by `before`; equal ones stay
 * in their order. scratch: n. O(n log n). */
void crd_order_sort(int *order, int *scratch, int n, bool (*before)(const void *context, int a, int b),
                    const void *context);

#endif
