#include "analysis/acceleration_rows.h"
#include "base/layout.h"

#include <math.h>

bool crd_contact_rubs(const crd_contact *contact) { return contact->ntangent > 0 && contact->mu > 0; }

bool crd_contact_slides(const double *slip, int c) { return slip[2 * c] != 0 || slip[2 * c + 1] != 0; }

bool crd_acceleration_bounded(const crd_acceleration_input *input, int b) {
  return input->bound && input->bound[b] < INFINITY;
}

/* Share of what an acceleration is the sum of that is scale enough: a hundred times rounding where 1e-8 of it is zero. */
static const double CANCELLED = 1e-6;

static double positive(double scale) { return scale > 0 ? scale : 1; }

double crd_acceleration_scale_of(int n, const double *a_free, const double *parts) {
  double scale = 0;
  for (int i = 0; i < n; i++) scale = fmax(scale, fmax(fabs(a_free[i]), parts ? CANCELLED * parts[i] : 0));
  return positive(scale);
}

double crd_acceleration_scale(const crd_contact_problem *problem, const double *a_free, const double *qacc) {
  double scale = 0;
  for (int i = 0; i < problem->nrow + problem->nb; i++) {
    double parts = 0;
    for (int k = 0; qacc && k < problem->nv; k++)
      parts += fabs(problem->J[(size_t)problem->nv * (size_t)i + (size_t)k] * qacc[k]);
    scale = fmax(scale, fmax(fabs(a_free[i]), CANCELLED * parts));
  }
  return positive(scale);
}

static void add_contact(crd_acceleration_rows *rows, const crd_acceleration_input *input, crd_coulomb_contact *list,
                        int c) {
  const crd_contact *from = &input->problem->contact[c];
  crd_coulomb_contact *to = &list[rows->problem.ncontact];
  rows->contact[rows->problem.ncontact++] = c;
  *to = (crd_coulomb_contact){.row = rows->problem.n, .ntangent = from->ntangent, .mu = from->mu};
  if (input->share) to->mu *= input->share[c];
  to->slides = crd_contact_rubs(from) && crd_contact_slides(input->slip, c);
  for (int k = 0; k < from->ntangent; k++) to->slide[k] = input->slip[2 * c + k];
  for (int k = 0; k <= from->ntangent; k++) rows->row[rows->problem.n++] = from->row + k;
}

static crd_status list_rows(crd_acceleration_rows *rows, const crd_acceleration_input *input, crd_arena *arena) {
  const crd_contact_problem *given = input->problem;
  size_t nc = (size_t)given->nc, nb = (size_t)given->nb, m = (size_t)(given->nrow + given->nb);
  crd_coulomb_contact *contact;
  crd_coulomb_bounded *bounded;
  int *bilateral;
  if (CRD_TAKE(arena, CRD_ARRAY(contact, nc + 1), CRD_ARRAY(bounded, nb + 1), CRD_ARRAY(bilateral, nb + 1),
               CRD_ARRAY(rows->row, m + 1), CRD_ARRAY(rows->contact, nc + 1)))
    return CRD_ERR_MEMORY;
  for (int c = 0; c < given->nc; c++)
    if (!input->parts || !input->parts[c]) add_contact(rows, input, contact, c);
  for (int b = 0; b < given->nb; b++) {
    crd_coulomb_problem *problem = &rows->problem;
    if (input->bound && input->bound[b] == 0) continue;
    if (crd_acceleration_bounded(input, b))
      bounded[problem->nbounded++] = (crd_coulomb_bounded){problem->n, -input->bound[b], input->bound[b]};
    else
      bilateral[problem->nbilateral++] = problem->n;
    rows->row[problem->n++] = given->nrow + b;
  }
  rows->problem.contact = contact, rows->problem.bounded = bounded, rows->problem.bilateral = bilateral;
  return CRD_OK;
}

crd_status crd_acceleration_rows_form(crd_acceleration_rows *rows, const crd_acceleration_input *input,
                                      crd_arena *arena) {
  *rows = (crd_acceleration_rows){0};
  crd_status status = list_rows(rows, input, arena);
  if (status != CRD_OK) return status;
  size_t n = (size_t)rows->problem.n, m = (size_t)(input->problem->nrow + input->problem->nb);
  double *w, *G;
  if (CRD_TAKE(arena, CRD_ARRAY(w, n + 1), CRD_ARRAY(G, n * n + 1))) return CRD_ERR_MEMORY;
  for (size_t i = 0; i < n; i++) {
    w[i] = input->a_free[rows->row[i]];
    for (size_t j = 0; j < n; j++) G[n * i + j] = input->problem->W[m * (size_t)rows->row[i] + (size_t)rows->row[j]];
  }
  rows->problem.w = w, rows->problem.G = G, rows->problem.velocity = input->scale;
  return CRD_OK;
}
