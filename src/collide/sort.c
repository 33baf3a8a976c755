/* Contacts in order, by Shell's method with the steps of Ciura (2001): quick for some thousand items, at once done with
 * sorted ones, and without memory of its own. */
#include "collide/collider.h"

static const int STEP[] = {3964, 1750, 701, 301, 132, 57, 23, 10, 4, 1};
enum { STEPS = sizeof STEP / sizeof *STEP };

void crd_sort_points(crd_contact_point *point, int count,
                     bool (*comes_before)(const crd_contact_point *p, const crd_contact_point *q, double same),
                     double same) {
  for (int s = 0; s < STEPS; s++)
    for (int step = STEP[s], i = step; i < count; i++) {
      crd_contact_point moved = point[i];
      int k = i;
      for (; k >= step && comes_before(&moved, &point[k - step], same); k -= step) point[k] = point[k - step];
      point[k] = moved;
    }
}
