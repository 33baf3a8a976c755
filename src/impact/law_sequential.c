/* Sequential impacts: one contact at a time, until no contact approaches [Halm & Posa, 2.2.2].
 *
 * A single impact is compression by (31), which is all of it in the paper (e = 0), and decompression with friction that
 * returns e times the normal impulse of compression. No energy is gained in either (law_poisson_coulomb.c), nor
 * therefore in any sequence. Without friction a single impact is Newton's, u_n+ = -e u_n: equal balls with e = 1
 * exchange their velocities, and a row of them sorts its velocities whatever the order, which is Newton's cradle.
 *
 * A given order is gone through again and again, contacts that do not approach being passed over. Without an order
 * every cyclic order of the contacts is tried, up to max_solutions of them, and each distinct outcome listed with the
 * order that led to it. Nothing promises an end: an order that is not done after max_impacts impacts is reported, not
 * answered.
 */
#include <stdio.h>
#include <string.h>

#include "base/layout.h"
#include "impact/friction.h"
#include "impact/laws.h"
#include "impact/oblique.h"

typedef struct sequence {
  const crd_contact_problem *problem;
  const crd_impact_options *options;
  crd_impact_result *result;
  crd_impact_friction friction;
  crd_bilateral bilateral;
  double *p, *step, *returned, *u; /* nrow + nb */
  double *least;                   /* nc */
  int *order, norder;
  int tried, unresolved; /* orders */
  char endless[256];     /* one that was not resolved */
} sequence;

enum { NAMED_IMPACTS = 6 };

/* "A, B, A": the contacts in the order they were struck, the first few by name. */
static void append_name(char *label, size_t size, const char *name, int impact) {
  size_t length = strlen(label);
  if (impact < NAMED_IMPACTS) snprintf(label + length, size - length, "%s%s", length ? ", " : "", name);
}

static bool approaches(const sequence *s, int contact) {
  int row = s->problem->contact[contact].row;
  return s->u[row] < -s->options->tolerance * crd_contact_problem_speed(s->problem, row);
}

/* The next contact in the cyclic order, from position *at, that approaches; -1: none does. */
static int next_contact(const sequence *s, int *at) {
  for (int k = 0; k < s->norder; k++) {
    int contact = s->order[(*at + k) % s->norder];
    if (!approaches(s, contact)) continue;
    *at = (*at + k + 1) % s->norder;
    return contact;
  }
  return -1;
}

/* The impact of one contact: s->p with its impulses added. */
static crd_status strike(sequence *s, int contact) {
  int m = crd_impact_rows(s->problem);
  crd_status status = crd_impact_friction_resolve(&s->friction, contact, s->p, s->step);
  if (status != CRD_OK) return status;
  for (int i = 0; i < m; i++) s->p[i] += s->step[i];
  double e = crd_impact_restitution(s->problem, s->options, contact);
  s->least[contact] = e * s->step[s->problem->contact[contact].row];
  if (s->least[contact] > 0) {
    status = crd_impact_friction_decompress(&s->friction, contact, s->p, s->least, s->returned);
    for (int i = 0; i < m && status == CRD_OK; i++) s->p[i] += s->returned[i];
  }
  s->least[contact] = 0;
  return status;
}

static crd_status run_order(sequence *s) {
  int m = crd_impact_rows(s->problem), at = 0;
  char label[256] = "";
  memset(s->p, 0, sizeof *s->p * (size_t)m);
  crd_bilateral_impulses(&s->bilateral, s->problem, s->p); /* rows that move are stopped, whoever is struck */
  s->friction.accepted = 0;
  for (int impact = 0; impact <= s->options->max_impacts; impact++) {
    crd_contact_problem_contact_velocity(s->problem, s->p, s->u);
    int contact = next_contact(s, &at);
    if (contact < 0) {
      size_t length = strlen(label);
      if (impact > NAMED_IMPACTS) snprintf(label + length, sizeof label - length, ", ... %d impacts", impact);
      int known = s->result->count;
      crd_status status = crd_impact_add_distinct(s->result, s->problem, s->options, s->p, label);
      if (s->result->count > known) s->result->solution[known].residual = s->friction.accepted;
      return status;
    }
    crd_status status = strike(s, contact);
    if (status != CRD_OK) return status;
    append_name(label, sizeof label, s->problem->contact[contact].name, impact);
  }
  /* the first such order stands for all of them in the note */
  if (s->unresolved++ == 0) snprintf(s->endless, sizeof s->endless, "%.200s", label);
  return CRD_OK;
}

/* Next permutation in lexicographic order; false after the last. */
static bool next_permutation(int *x, int n) {
  int i = n - 2;
  while (i >= 0 && x[i] > x[i + 1]) i--;
  if (i < 0) return false;
  int j = n - 1;
  while (x[j] < x[i]) j--;
  int swap = x[i];
  x[i] = x[j], x[j] = swap;
  for (int a = i + 1, b = n - 1; a < b; a++, b--) swap = x[a], x[a] = x[b], x[b] = swap;
  return true;
}

static crd_status resolve(const crd_contact_problem *problem, const crd_impact_options *options,
                          crd_impact_result *result) {
  size_t m = (size_t)crd_impact_rows(problem);
  sequence s = {.problem = problem, .options = options, .result = result};
  s.norder = options->order ? options->norder : problem->nc;
  if (CRD_TAKE(&result->arena, CRD_ARRAY(s.p, m), CRD_ARRAY(s.step, m), CRD_ARRAY(s.u, m), CRD_ARRAY(s.returned, m),
               CRD_ARRAY(s.least, problem->nc), CRD_ARRAY(s.order, s.norder)))
    return CRD_ERR_MEMORY;
  crd_status status = crd_impact_friction_begin(&s.friction, problem, options, result);
  if (status == CRD_OK) status = crd_bilateral_eliminate(&s.bilateral, problem, &result->arena);
  if (status != CRD_OK) return status;
  for (int k = 0; k < s.norder; k++) {
    s.order[k] = options->order ? options->order[k] : k;
    if (s.order[k] >= 0 && s.order[k] < problem->nc) continue;
    crd_impact_note(result, "order: found contact %d, expected 0 to %d", s.order[k], problem->nc - 1);
    return CRD_ERR_ARGUMENT;
  }
  bool more = true;
  while (more && s.tried < options->max_solutions) {
    status = run_order(&s);
    if (status != CRD_OK) return status;
    s.tried++;
    more = !options->order && next_permutation(s.order, s.norder);
  }
  if (s.unresolved > 0)
    crd_impact_note(result, "a contact still approaches after %d impacts in %d of %d orders: %.200s, ...",
                    options->max_impacts, s.unresolved, s.tried, s.endless);
  if (more && !options->order) crd_impact_note(result, "only the first %d orders were tried", s.tried);
  return s.unresolved > 0 && result->count == 0 ? CRD_LIMIT : CRD_OK;
}

static double residual(const crd_contact_problem *problem, const crd_impact_options *options, const double *p) {
  (void)options;
  return crd_impact_violation(problem, p);
}

const crd_impact_law crd_law_sequential = {
    .name = "sequential",
    .title = "single impacts in sequence",
    .source = "Halm & Posa, section 2.2.2; restitution by Poisson",
    .dissipative = true,
    .resolve = resolve,
    .residual = residual,
};
