/* Algorithm 2 of [Halm & Posa]: psi, the last step, and how many samples make an epsilon-net (Theorem 9, Lemma 1).
 *
 * Theorem 9 says that N and M exist and names neither: Lemma 9's delta and Lemma 10's N come from compactness. Without
 * friction both can be given. Then a step is the proximal map of a convex function,
 *
 *   y' = argmin |z - y|^2 / 2 + sum of l_i max(-c_i . z, 0)            l = lambda_max, c_i the rows of C (reduced.h),
 *
 * of which follows, with s the largest singular value of the c_i and r of Lemma 6, R = |r|:
 *
 *   (a) |y'(y, l) - y'(z, k)| <= |y - z| + s |l - k|: the map y+ of all N bounds has the constant s sqrt(N), where the
 *       paper has L^N. Proof: it is piecewise linear, y' = P (y + sum of l_i c_i over full contacts) with P an
 *       orthogonal projection.
 *   (b) A path may use bounds equal to its impulses, whose sum S is at most R |y_K - y_0| <= 2 R |y_0| (Lemma 6, Theorem
 *       7). Several steps of sum t merged into one move its end by d' with |d'|^2 <= |d|^2 + s^2 t^2 (monotonicity of the
 *       subgradients). Groups of sum at most t are at most 2 S/t + 1, so that N steps come within s S sqrt(2/(N - 1)) of
 *       every path, provided t = 2 S/(N - 1) <= h. Contacts that do not feel each other (W diagonal) merge without error;
 *       the largest -u_n/W_nn/h steps are then enough.
 *   (c) From c_i . y >= -delta the step with the bound b for all ends the impact if R^2 delta <= b: the nearest separating
 *       velocity is within R delta, and the impulses that lead there sum up to at most R times that.
 *
 * With friction the step is no proximal map; psi and the last step are those of the algorithm, the number of samples is
 * Lemma 1's for the set after N steps with a constant from all modes, and nothing is claimed. */
#include "outcome/net.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/product.h"
#include "linalg/spectrum.h"

static const double LINEAR = 1e-12; /* omega below which ln(1 - omega) = -omega to working accuracy */

static const double UNCOUPLED = 1e-12; /* of sqrt(W_ii W_jj): contacts that do not feel each other */

static size_t at(int columns, int i, int j) { return (size_t)columns * (size_t)i + (size_t)j; }

double crd_outcome_net_samples(double h, double lipschitz, double dimension, double epsilon, double delta) {
  double cells = fmax(1, ceil(h * lipschitz * sqrt(dimension) / epsilon)); /* along an edge of the box */
  double log_omega = -dimension * log(cells), omega = exp(log_omega);
  if (omega >= 1) return 0; /* one cell: every sample is in it */
  /* ln(1 - omega) = -omega to working accuracy where omega is below it */
  double log_samples = log(-(log(delta) + log_omega)) - (omega > LINEAR ? log(-log1p(-omega)) : log_omega);
  return fmax(0, log_samples / log(10));
}

/* psi = sigma_max(M^-1 Jbar') m (1 + max mu) + 1 (line 2), Jbar the normals and the facets' directions. */
static double psi_of(const outcome_reduced *r, const crd_facets *facets, crd_arena *arena) {
  int rows = r->nc + facets->nfacet, contacts = 0;
  size_t n = (size_t)r->nv;
  double *effect = crd_arena_alloc(arena, (size_t)r->nrow * n, sizeof *effect), mu = 0;
  double *all = crd_arena_alloc(arena, (size_t)rows * n, sizeof *all);
  if (!effect || !all) return NAN;
  crd_dense_multiply(r->nrow, r->rank, r->nv, r->C, r->T, effect);
  for (int c = 0; c < r->nc; c++) {
    const crd_contact *contact = &r->contact[c];
    if (r->held[c]) continue;
    contacts++, mu = fmax(mu, r->mu[c]);
    memcpy(all + n * (size_t)c, effect + n * (size_t)contact->row, sizeof *all * n);
    for (int k = facets->first[c]; k < facets->first[c + 1]; k++)
      for (int t = 0; t < contact->ntangent; t++)
        for (int j = 0; j < r->nv; j++)
          all[at(r->nv, r->nc + k, j)] += facets->direction[2 * k + t] * effect[at(r->nv, contact->row + 1 + t, j)];
  }
  return crd_dense_norm(rows, r->nv, all, arena) * contacts * (1 + mu) + 1;
}

/* Constants of the problem for the proof; held contacts take no part. */
typedef struct facts {
  int contacts;
  bool friction, uncoupled;
  double s, widest; /* largest singular value and largest row of the normals in kinetic coordinates */
  double to_v;      /* |dv|_2 <= to_v |dy| */
  double size;      /* |y_0| */
  double stops;     /* largest -u_n/W_nn: the impulse that stops a contact by itself */
} facts;

static facts facts_of(const outcome_reduced *r, crd_arena *arena) {
  facts f = {.uncoupled = true, .size = sqrt(crd_dense_dot(r->rank, r->y0, r->y0))};
  double *normal = crd_arena_alloc(arena, (size_t)r->nc * (size_t)r->rank, sizeof *normal);
  if (!normal) return (facts){.s = NAN};
  for (int c = 0; c < r->nc; c++) {
    const double *row = r->C + at(r->rank, r->contact[c].row, 0);
    double W = crd_dense_dot(r->rank, row, row);
    if (r->held[c]) continue;
    for (int d = 0; d < c; d++) {
      const double *other = r->C + at(r->rank, r->contact[d].row, 0);
      double coupling = fabs(crd_dense_dot(r->rank, row, other)), both = W * crd_dense_dot(r->rank, other, other);
      f.uncoupled = f.uncoupled && (r->held[d] || coupling <= UNCOUPLED * sqrt(both));
    }
    memcpy(normal + at(r->rank, f.contacts++, 0), row, sizeof *normal * (size_t)r->rank);
    f.friction = f.friction || r->mu[c] > 0, f.widest = fmax(f.widest, sqrt(W));
    f.stops = fmax(f.stops, -crd_dense_dot(r->rank, row, r->y0) / W);
  }
  f.s = crd_dense_norm(f.contacts, r->rank, normal, arena);
  f.to_v = crd_dense_norm(r->rank, r->nv, r->T, arena);
  return f;
}

/* (b): least number of steps that come within epsilon of every path. */
static double steps_for(const facts *f, double R, double h, double epsilon) {
  double S = 2 * R * f->size;
  if (f->uncoupled) return fmax(1, ceil(f->stops / h));
  return 1 + ceil(fmax(2 * S / h, 2 * (f->s * S / epsilon) * (f->s * S / epsilon)));
}

/* With friction, |y_N| depends on the bounds with b sqrt(sum of a^2k): a and b the largest of all modes' maps, which are
 * one continuous function under Assumption 6. */
static double constant_of_modes(const outcome_table *table, int steps, crd_arena *arena) {
  double a = 0, b = 0, square = 0;
  double *rows = crd_arena_alloc(arena, (size_t)(table->rank * table->nx), sizeof *rows);
  if (!rows || !table->complete) return NAN;
  for (int part = 0; part < 2; part++) {
    int first = part ? table->rank : 0, columns = part ? table->nc : table->rank;
    for (int e = 0; e < table->count; e++) {
      for (int i = 0; i < table->rank; i++)
        for (int j = 0; j < columns; j++)
          rows[at(columns, i, j)] = table->entry[e].next[4 * (at(table->nx, i / 4, first + j)) + (size_t)(i % 4)];
      double norm = crd_dense_norm(table->rank, columns, rows, arena);
      *(part ? &b : &a) = fmax(part ? b : a, norm);
    }
  }
  for (int k = 0; k < steps; k++) square += pow(a, 2 * k);
  return b * sqrt(square);
}

void outcome_net_prepare(crd_outcome_net *net, const outcome_reduced *r, const crd_facets *facets, double h,
                         crd_arena *arena) {
  facts f = facts_of(r, arena);
  net->psi = psi_of(r, facets, arena), net->last_step = net->epsilon / (3 * net->psi);
  net->steps = net->lipschitz = net->log10_samples = NAN;
  net->proved = false;
  if (f.friction || !(net->reach > 0)) return;
  net->fine = fmin(net->epsilon / (3 * f.to_v), net->last_step / (net->reach * net->reach) / (2 * f.widest));
  net->steps = steps_for(&f, net->reach, h, net->fine);
}

void outcome_net_finish(crd_outcome_net *net, const outcome_reduced *r, const outcome_table *table, double h, int steps,
                        crd_arena *arena) {
  facts f = facts_of(r, arena);
  double epsilon = net->fine;
  if (f.friction) {
    net->lipschitz = constant_of_modes(table, steps, arena), epsilon = net->epsilon / (3 * f.to_v);
  } else {
    net->lipschitz = f.s * sqrt(steps);
  }
  net->log10_samples = crd_outcome_net_samples(h, net->lipschitz, (double)steps * f.contacts, epsilon, net->delta);
  net->proved = !f.friction && net->reach > 0 && steps >= net->steps;
}

void crd_outcome_set_claim(crd_outcome_set *set) {
  double computed = (double)(set->samples - set->ended[CRD_OUTCOME_MISSING]);
  bool enough =
      set->net.proved && set->options.pattern == CRD_OUTCOME_UNIFORM && log10(computed) >= set->net.log10_samples;
  if (set->ended[CRD_OUTCOME_MISSING] > 0)
    set->claim = CRD_OUTCOME_TRUNCATED;
  else if (set->total_lcps == 0)
    set->claim = CRD_OUTCOME_EXACT;
  else
    set->claim = enough && set->ended[CRD_OUTCOME_UNSOLVED] == 0 ? CRD_OUTCOME_NET : CRD_OUTCOME_INNER;
}
