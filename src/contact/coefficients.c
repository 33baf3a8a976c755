/* Friction and restitution of a pair of geoms, by MuJoCo's rules.
 *
 * A stated pair has its own numbers. Otherwise the geom with the higher priority decides; with equal priority the
 * larger of each coefficient of friction and the larger condim count. condim 1 means no friction, 3 sliding friction, 4
 * torsional and 6 rolling friction as well. Of the two coefficients of restitution the larger counts.
 */
#include <math.h>

#include "contact/assemble.h"

crd_coefficients crd_contact_coefficients(const crd_model *model, const crd_contact_point *point) {
  const crd_geom *a = &model->geom[point->geomA], *b = &model->geom[point->geomB];
  crd_coefficients c;
  if (point->pair >= 0) {
    const crd_pair *pair = &model->pair[point->pair];
    c = (crd_coefficients){pair->condim, pair->friction[0], pair->restitution, pair->friction[1], pair->friction[2]};
  } else if (a->priority != b->priority) {
    const crd_geom *first = a->priority > b->priority ? a : b;
    c = (crd_coefficients){first->condim, first->friction[0], fmax(a->restitution, b->restitution), first->friction[1],
                           first->friction[2]};
  } else {
    int condim = a->condim > b->condim ? a->condim : b->condim;
    c = (crd_coefficients){condim, fmax(a->friction[0], b->friction[0]), fmax(a->restitution, b->restitution),
                           fmax(a->friction[1], b->friction[1]), fmax(a->friction[2], b->friction[2])};
  }
  if (c.condim == 1) c.mu = 0;
  if (c.condim < 4) c.mu_spin = 0;
  if (c.condim < 6) c.mu_roll = 0;
  return c;
}
