/* An island as a dense problem, for methods that take one as it is (enumeration). */
#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "coulomb/islands.h"

/* Lists of an island while they are filled. */
typedef struct lists {
  crd_island_problem *to;
  const crd_coulomb_problem *problem;
  double *w;
} lists;

static int add_row(lists *l, int row) {
  crd_coulomb_problem *own = &l->to->problem;
  l->to->row[own->n] = row, l->w[own->n] = l->problem->w[row];
  if (l->problem->speed) own->velocity = fmax(own->velocity, l->problem->speed[row]);
  return own->n++;
}

crd_status crd_island_extract(const crd_coulomb_problem *problem, const crd_island *island, int *where,
                              crd_arena *arena, crd_island_problem *out) {
  size_t nc = (size_t)island->ncontact, n = (size_t)(island->nbilateral + island->nbounded);
  for (int i = 0; i < island->ncontact; i++)
    n += (size_t)crd_coulomb_contact_rows(&problem->contact[island->contact[i]]);
  double *w, *G;
  crd_coulomb_contact *contact;
  int *bilateral;
  crd_coulomb_bounded *bounded;
  *out = (crd_island_problem){0};
  if (CRD_TAKE(arena, CRD_ARRAY(w, n), CRD_MATRIX(G, n, n), CRD_ARRAY(contact, nc),
               CRD_ARRAY(bilateral, island->nbilateral), CRD_ARRAY(bounded, island->nbounded), CRD_ARRAY(out->row, n),
               CRD_ARRAY(out->contact, nc)))
    return CRD_ERR_MEMORY;
  out->problem = (crd_coulomb_problem){.w = w,
                                       .G = G,
                                       .contact = contact,
                                       .bilateral = bilateral,
                                       .bounded = bounded,
                                       .ncontact = island->ncontact,
                                       .nbilateral = island->nbilateral,
                                       .nbounded = island->nbounded,
                                       .velocity = problem->velocity};
  lists l = {out, problem, w};
  for (int i = 0; i < island->ncontact; i++) {
    const crd_coulomb_contact *c = &problem->contact[island->contact[i]];
    out->contact[i] = island->contact[i];
    contact[i] = *c, contact[i].row = out->problem.n;
    for (int k = 0; k < crd_coulomb_contact_rows(c); k++) add_row(&l, c->row + k);
  }
  for (int i = 0; i < island->nbilateral; i++) bilateral[i] = add_row(&l, problem->bilateral[island->bilateral[i]]);
  for (int i = 0; i < island->nbounded; i++) {
    bounded[i] = problem->bounded[island->bounded[i]];
    bounded[i].row = add_row(&l, bounded[i].row);
  }
  crd_coulomb_entries(problem, out->problem.n, out->row, where, n, G);
  return CRD_OK;
}

crd_status crd_island_problems(const crd_coulomb_problem *problem, crd_arena *arena, crd_island_problem **island,
                               int *count) {
  crd_islands all;
  int *where = crd_arena_alloc(arena, (size_t)problem->n, sizeof *where);
  *count = 0;
  if (!where || !crd_islands_alloc(&all, arena, problem->n)) return CRD_ERR_MEMORY;
  crd_islands_set(&all, problem);
  for (int r = 0; r < problem->n; r++) *count += all.rows[r] > 0;
  *island = crd_arena_alloc(arena, (size_t)*count, sizeof **island);
  crd_status status = *island ? CRD_OK : CRD_ERR_MEMORY;
  for (int r = 0, k = 0; r < problem->n && status == CRD_OK; r++) {
    if (all.rows[r] == 0) continue;
    crd_island one = crd_island_of(&all, r);
    status = crd_island_extract(problem, &one, where, arena, &(*island)[k++]);
  }
  return status;
}
