#include "contact/facets.h"

#include <math.h>
#include <string.h>

#include "base/angle.h"

static int facets_of(const crd_contact *contact, int per_contact) {
  if (contact->ntangent == 0 || contact->mu == 0) return 0;
  return contact->ntangent == 1 ? 2 : per_contact;
}

int crd_facets_count(const crd_contact_problem *problem, int per_contact) {
  int count = 0;
  for (int c = 0; c < problem->nc; c++) count += facets_of(&problem->contact[c], per_contact);
  return count;
}

void crd_facets_fill(const crd_contact_problem *problem, int per_contact, crd_facets *facets) {
  facets->nc = problem->nc, facets->nb = problem->nb;
  facets->nfacet = 0;
  for (int c = 0; c < problem->nc; c++) {
    int count = facets_of(&problem->contact[c], per_contact);
    facets->first[c] = facets->nfacet;
    for (int k = 0; k < count; k++) {
      double *d = facets->direction + 2 * facets->nfacet++;
      /* the second half repeats the first with the sign turned, so that opposites are exact */
      int half = count / 2, turn = k % half;
      double angle = CRD_PI * turn / half, sign = k < half ? 1 : -1;
      d[0] = sign * (turn ? cos(angle) : 1);
      d[1] = problem->contact[c].ntangent == 1 ? 0 : sign * (turn ? sin(angle) : 0);
    }
  }
  facets->first[problem->nc] = facets->nfacet;
  facets->size = 2 * problem->nc + facets->nfacet + problem->nb;
  facets->free_rows = problem->nb;
}

void crd_facets_turn(crd_facets *facets, int contact, double angle) {
  double c = cos(angle), s = sin(angle);
  for (int k = facets->first[contact]; k < facets->first[contact + 1]; k++) {
    double *d = facets->direction + 2 * k, x = d[0], y = d[1];
    d[0] = c * x - s * y, d[1] = s * x + c * y;
  }
}

/* Place in z. */
static int bilateral_at(const crd_facets *facets) { return facets->size - facets->nb; }

void crd_facets_impulse(const crd_contact_problem *problem, const crd_facets *facets, const double *z, double *p) {
  int nc = facets->nc, m = problem->nrow + problem->nb;
  memset(p, 0, sizeof *p * (size_t)m);
  for (int c = 0; c < nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    p[contact->row] = z[c];
    for (int k = facets->first[c]; k < facets->first[c + 1]; k++)
      for (int t = 0; t < contact->ntangent; t++) p[contact->row + 1 + t] += facets->direction[2 * k + t] * z[nc + k];
  }
  for (int b = 0; b < facets->nb; b++) p[problem->nrow + b] = z[bilateral_at(facets) + b];
}

static double compliance(const crd_contact_problem *problem, int row, int column) {
  int m = problem->nrow + problem->nb;
  return problem->W[(size_t)m * (size_t)row + (size_t)column];
}

/* out += s F' (row of the Delassus matrix) */
static void add_projected_row(const crd_contact_problem *problem, const crd_facets *facets, int row, double s,
                              double *out) {
  int nc = facets->nc;
  for (int c = 0; c < nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    out[c] += s * compliance(problem, row, contact->row);
    for (int k = facets->first[c]; k < facets->first[c + 1]; k++)
      for (int t = 0; t < contact->ntangent; t++)
        out[nc + k] += s * facets->direction[2 * k + t] * compliance(problem, row, contact->row + 1 + t);
  }
  for (int b = 0; b < facets->nb; b++) out[bilateral_at(facets) + b] += s * compliance(problem, row, problem->nrow + b);
}

void crd_facets_matrix(const crd_contact_problem *problem, const crd_facets *facets, double *W) {
  int nc = facets->nc, nf = facets->nfacet;
  size_t size = (size_t)facets->size;
  memset(W, 0, sizeof *W * size * size);
  for (int c = 0; c < nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    int gamma = nc + nf + c;
    add_projected_row(problem, facets, contact->row, 1, W + size * (size_t)c);
    W[size * (size_t)gamma + (size_t)c] = contact->mu;
    for (int k = facets->first[c]; k < facets->first[c + 1]; k++) {
      double *row = W + size * (size_t)(nc + k);
      for (int t = 0; t < contact->ntangent; t++)
        add_projected_row(problem, facets, contact->row + 1 + t, facets->direction[2 * k + t], row);
      row[gamma] = 1;
      W[size * (size_t)gamma + (size_t)(nc + k)] = -1;
    }
  }
  for (int b = 0; b < facets->nb; b++)
    add_projected_row(problem, facets, problem->nrow + b, 1, W + size * (size_t)(bilateral_at(facets) + b));
}

void crd_facets_vector(const crd_contact_problem *problem, const crd_facets *facets, const double *u, double *w) {
  int nc = facets->nc;
  memset(w, 0, sizeof *w * (size_t)facets->size);
  for (int c = 0; c < nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    w[c] = u[contact->row];
    for (int t = 0; t < contact->ntangent && facets->first[c] < facets->first[c + 1]; t++) {
      double ut = u[contact->row + 1 + t];
      for (int k = facets->first[c]; k < facets->first[c + 1]; k++) w[nc + k] += facets->direction[2 * k + t] * ut;
    }
  }
  for (int b = 0; b < facets->nb; b++) w[bilateral_at(facets) + b] = u[problem->nrow + b];
}
