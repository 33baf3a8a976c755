/* Friction and restitution of a pair of geoms, by MuJoCo's rules.
 *
 * A stated pair has its own numbers. Otherwise the geom with the higher priority decides; with equal priority the
 * larger friction and the larger condim count. condim 1 means no friction. Of the two coefficients of restitution the
 * larger counts. Torsional and rolling friction (condim 4 and 6) are not modelled: such contacts slide like those with
 * condim 3.
 */
#include <math.h>

#include "contact/assemble.h"

crd_coefficients crd_contact_coefficients(const crd_model *model, const crd_contact_point *point) {
  const crd_geom *a = &model->geom[point->geomA], *b = &model->geom[point->geomB];
  crd_coefficients c;
  if (point->pair >= 0) {
    const crd_pair *pair = &model->pair[point->pair];
    c = (crd_coefficients){pair->condim, pair->friction[0], pair->restitution};
  } else if (a->priority != b->priority) {
    const crd_geom *first = a->priority > b->priority ? a : b;
    c = (crd_coefficients){first->condim, first->friction[0], fmax(a->restitution, b->restitution)};
  } else {
    int condim = a->condim > b->condim ? a->condim : b->condim;
    c = (crd_coefficients){condim, fmax(a->friction[0], b->friction[0]), fmax(a->restitution, b->restitution)};
  }
  if (c.condim == 1) c.mu = 0;
  return c;
}
