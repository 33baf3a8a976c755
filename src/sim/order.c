/* Merge sort of numbers. */
#include "sim/order.h"

#include <string.h>

/* Merges from[low .. middle - 1] and from[middle .. high - 1]. */
static void merge(const int *from, int *to, int low, int middle, int high,
                  bool (*before)(const void *context, int a, int b), const void *context) {
  for (int at = low, left = low, right = middle; at < high; at++) {
    bool second = left == middle || (right < high && before(context, from[right], from[left]));
    to[at] = second ? from[right++] : from[left++];
  }
}

void crd_order_sort(int *order, int *scratch, int n, bool (*before)(const void *context, int a, int b),
                    const void *context) {
  int *from = order, *to = scratch;
  for (int i = 0; i < n; i++) order[i] = i;
  for (int width = 1; width < n; width *= 2) {
    for (int low = 0; low < n; low += 2 * width) {
      int middle = low + width < n ? low + width : n, high = middle + width < n ? middle + width : n;
      merge(from, to, low, middle, high, before, context);
    }
    int *sorted = to;
    to = from, from = sorted;
  }
  if (from != order) memcpy(order, from, (size_t)n * sizeof *order);
}
