#include "contact/facets.h"

#include <math.h>
#include <string.h>

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
      double angle = 3.141592653589793 * turn / half, sign = k < half ? 1 : -1;
      d[0] = sign * (turn ? cos(angle) : 1);
      d[1] = problem->contact[c].ntangent == 1 ? 0 : sign * (turn ? sin(angle) : 0);
    }
  }
  facets->first[problem->nc] = facets->nfacet;
  facets->nf = 0, facets->step = 0;
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

void crd_facets_add_dry(const crd_contact_problem *problem, double step, crd_facets *facets) {
  facets->size += 2 * (problem->nf - facets->nf);
  facets->nf = problem->nf, facets->step = step;
}

/* Places in z. */
static int dry_at(const crd_facets *facets) { return 2 * facets->nc + facets->nfacet; }
static int bilateral_at(const crd_facets *facets) { return facets->size - facets->nb; }

static double largest_impulse(const crd_contact_problem *problem, const crd_facets *facets, int i) {
  return facets->step * problem->dry[i].bound;
}

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
  for (int i = 0; i < facets->nf; i++) p[m + i] = z[dry_at(facets) + i] - largest_impulse(problem, facets, i);
}

/* Entry of the whole Delassus matrix, dry rows behind those of J. */
static double compliance(const crd_contact_problem *problem, int row, int column) {
  int m = problem->nrow + problem->nb, low = row < column ? row : column, high = row + column - low;
  if (high < m) return problem->W[(size_t)m * (size_t)row + (size_t)column];
  return problem->W_dry[(size_t)(m + problem->nf) * (size_t)(high - m) + (size_t)low];
}

/* out += s F' (row of the Delassus matrix) */
static void add_projected_row(const crd_contact_problem *problem, const crd_facets *facets, int row, double s,
                              double *out) {
  int nc = facets->nc, m = problem->nrow + problem->nb;
  for (int c = 0; c < nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    out[c] += s * compliance(problem, row, contact->row);
    for (int k = facets->first[c]; k < facets->first[c + 1]; k++)
      for (int t = 0; t < contact->ntangent; t++)
        out[nc + k] += s * facets->direction[2 * k + t] * compliance(problem, row, contact->row + 1 + t);
  }
  for (int i = 0; i < facets->nf; i++) out[dry_at(facets) + i] += s * compliance(problem, row, m + i);
  for (int b = 0; b < facets->nb; b++) out[bilateral_at(facets) + b] += s * compliance(problem, row, problem->nrow + b);
}

static void fill_dry(const crd_contact_problem *problem, const crd_facets *facets, double *W) {
  size_t size = (size_t)facets->size;
  int m = problem->nrow + problem->nb;
  for (int i = 0; i < facets->nf; i++) {
    size_t y = (size_t)(dry_at(facets) + i), slack = y + (size_t)facets->nf;
    add_projected_row(problem, facets, m + i, 1, W + size * y);
    W[size * y + slack] = 1;
    W[size * slack + y] = -1;
  }
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
  fill_dry(problem, facets, W);
  for (int b = 0; b < facets->nb; b++)
    add_projected_row(problem, facets, problem->nrow + b, 1, W + size * (size_t)(bilateral_at(facets) + b));
}

/* u of a row with all dry friction at its lower bound. */
static double shifted(const crd_contact_problem *problem, const crd_facets *facets, const double *u, int row) {
  int m = problem->nrow + problem->nb;
  double value = u[row];
  for (int i = 0; i < facets->nf; i++) value -= compliance(problem, row, m + i) * largest_impulse(problem, facets, i);
  return value;
}

void crd_facets_vector(const crd_contact_problem *problem, const crd_facets *facets, const double *u, double *w) {
  int nc = facets->nc, m = problem->nrow + problem->nb;
  memset(w, 0, sizeof *w * (size_t)facets->size);
  for (int c = 0; c < nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    w[c] = shifted(problem, facets, u, contact->row);
    for (int t = 0; t < contact->ntangent && facets->first[c] < facets->first[c + 1]; t++) {
      double ut = shifted(problem, facets, u, contact->row + 1 + t);
      for (int k = facets->first[c]; k < facets->first[c + 1]; k++) w[nc + k] += facets->direction[2 * k + t] * ut;
    }
  }
  for (int i = 0; i < facets->nf; i++) {
    w[dry_at(facets) + i] = shifted(problem, facets, u, m + i);
    w[dry_at(facets) + facets->nf + i] = 2 * largest_impulse(problem, facets, i);
  }
  for (int b = 0; b < facets->nb; b++) w[bilateral_at(facets) + b] = shifted(problem, facets, u, problem->nrow + b);
}
