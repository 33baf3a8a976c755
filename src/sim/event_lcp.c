/* Forces of closed contacts from the contact LCP at acceleration level.
 *
 *   0 <= f_n  _|_  a_n >= 0,     a = a_free + W f,     |f_t| <= mu f_n, friction against the sliding velocity where
 * there is one and against the tangential acceleration where there is none.
 *
 * Contacts that slide have no unknown friction: their column of W becomes W_n - mu sum_k d_k W_tk [Brogliato, eq. 26].
 * Those at rest have the facetted cone of the impact laws, turned so that one facet lies along the acceleration that it
 * leaves. Friction that drives a sliding contact together can leave the LCP without a solution, or with several
 * (Painleve); both are recognised here.
 */
#include <math.h>
#include <string.h>

#include "impact/facet_lcp.h"
#include "linalg/dense.h"
#include "sim/event_choice.h"

enum { TURNS = 16, SEARCH_NODES = 20000, SEARCHED = 3 };

static size_t at(int m, int i, int j) { return (size_t)m * (size_t)i + (size_t)j; }

typedef struct facetted {
  crd_choice *ch;
  const crd_contact_problem *given;
  int m;
  crd_contact_problem turned; /* sliding columns replaced, tangents of contacts at rest turned */
  double *a_free, *angle;     /* m, nc */
} facetted;

/* W_i,n - mu sum_k d_k W_i,tk of a contact that slides. */
static double sliding_entry(const crd_choice *ch, int row, int c) {
  const crd_contact *contact = &ch->given->contact[c];
  const double *W = ch->given->W + at(ch->m, row, contact->row);
  double entry = W[0];
  for (int k = 0; k < contact->ntangent; k++) entry -= contact->mu * ch->slip[2 * c + k] * W[1 + k];
  return entry;
}

static crd_status begin(facetted *s) {
  const crd_contact_problem *given = s->given;
  crd_arena *arena = s->ch->tools->arena;
  size_t m = (size_t)s->m, nc = (size_t)given->nc, d = sizeof(double);
  s->turned = *given;
  s->turned.contact = crd_arena_alloc(arena, nc, sizeof *given->contact);
  s->turned.W = crd_arena_alloc(arena, m * m, d);
  s->a_free = crd_arena_alloc(arena, m, d), s->angle = crd_arena_alloc(arena, nc, d);
  if (!s->turned.contact || !s->turned.W || !s->a_free || !s->angle) return CRD_ERR_MEMORY;
  memcpy(s->turned.contact, given->contact, nc * sizeof *given->contact);
  s->turned.u = s->turned.u_free = s->a_free;
  s->turned.kinetic = s->turned.kinetic_free = 0;
  for (int c = 0; c < given->nc; c++) {
    const double *t = s->ch->force->a_free + given->contact[c].row + 1;
    if (crd_choice_slides(s->ch, c)) s->turned.contact[c].ntangent = 0;
    if (given->contact[c].ntangent == 2) s->angle[c] = atan2(t[1], t[0]);
  }
  return CRD_OK;
}

/* x = (rows of a contact turned by its angle) x, for two entries `stride` apart. */
static void turn(double *x, size_t stride, double angle) {
  double c = cos(angle), s = sin(angle), first = x[0], second = x[stride];
  x[0] = c * first + s * second, x[stride] = c * second - s * first;
}

static void set_up(facetted *s) {
  const crd_contact_problem *given = s->given;
  int m = s->m;
  double *W = s->turned.W;
  memcpy(W, given->W, sizeof *W * (size_t)m * (size_t)m);
  memcpy(s->a_free, s->ch->force->a_free, sizeof *W * (size_t)m);
  for (int c = 0; c < given->nc; c++) {
    if (!crd_choice_slides(s->ch, c)) continue;
    for (int i = 0; i < m; i++) W[at(m, i, given->contact[c].row)] = sliding_entry(s->ch, i, c);
  }
  for (int c = 0; c < given->nc; c++) {
    if (crd_choice_slides(s->ch, c) || given->contact[c].ntangent < 2) continue;
    int row = given->contact[c].row + 1;
    for (int i = 0; i < m; i++) turn(W + at(m, i, row), 1, s->angle[c]);
    for (int j = 0; j < m; j++) turn(W + at(m, row, j), (size_t)m, s->angle[c]);
    turn(s->a_free + row, 1, s->angle[c]);
  }
}

/* Forces in the given tangents from those of the turned problem, and their accelerations. */
static void turn_back(const facetted *s) {
  const crd_contact_problem *given = s->given;
  double *f = s->ch->f;
  for (int c = 0; c < given->nc; c++) {
    const crd_contact *contact = &given->contact[c];
    if (crd_choice_slides(s->ch, c)) {
      for (int k = 0; k < contact->ntangent; k++)
        f[contact->row + 1 + k] = -contact->mu * s->ch->slip[2 * c + k] * f[contact->row];
    } else if (contact->ntangent == 2) {
      turn(f + contact->row + 1, 1, -s->angle[c]);
    }
  }
  crd_choice_accelerate(s->ch);
}

/* Turns the facets of contacts that begin to slide into the direction of the acceleration; false: all lie there. */
static bool turn_facets(facetted *s) {
  const crd_choice *ch = s->ch;
  bool turned = false;
  for (int c = 0; c < s->given->nc; c++) {
    const crd_contact *contact = &s->given->contact[c];
    if (crd_choice_slides(ch, c) || contact->ntangent < 2 || !crd_choice_carries(ch, c, ch->f)) continue;
    if (crd_choice_tangential(contact, ch->a) <= CRD_CHOICE_ZERO * ch->force->scale) continue;
    double angle = atan2(ch->a[contact->row + 2], ch->a[contact->row + 1]);
    if (fabs(sin(angle - s->angle[c])) > 1e-3) s->angle[c] = angle, turned = true;
  }
  return turned;
}

/* ------------------------------------------------------------------------------------------------ several solutions */

/* Not where the normals of the sliding contacts, with their friction, are positive definite. Where many slide, only one
 * that friction drives together by itself is looked into: dependent normals (corners of a face) are indefinite without
 * being ambiguous, and all solutions of many are too many. */
bool crd_choice_is_doubtful(const crd_choice *ch) {
  double S[SEARCHED * SEARCHED];
  int sliding[SEARCHED], n = 0;
  for (int c = 0; c < ch->given->nc; c++) {
    if (!crd_choice_slides(ch, c)) continue;
    if (!(sliding_entry(ch, ch->given->contact[c].row, c) > 0)) return true;
    if (n < SEARCHED) sliding[n] = c;
    n++;
  }
  if (n == 0 || n > SEARCHED) return false;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int row = ch->given->contact[sliding[i]].row, column = ch->given->contact[sliding[j]].row;
      S[at(n, i, j)] = 0.5 * (sliding_entry(ch, row, sliding[j]) + sliding_entry(ch, column, sliding[i]));
    }
  return !crd_dense_cholesky(n, S);
}

static double total_normal(const crd_contact_problem *problem, const double *f) {
  double sum = 0;
  for (int c = 0; c < problem->nc; c++) sum += f[problem->contact[c].row];
  return sum;
}

/* Looks at all solutions: keeps in f, a the one with the least contact force. True: their accelerations differ. */
static bool least_of_several(facetted *s, crd_facet_lcp *lcp) {
  crd_choice *ch = s->ch;
  crd_lcp_problem problem = crd_facet_lcp_state(lcp, CRD_ALL_CONTACTS, s->a_free);
  crd_lcp_enumerate_options options = crd_lcp_enumerate_default();
  options.max_nodes = SEARCH_NODES;
  crd_lcp_solutions all = {0};
  bool differ = false;
  double *best_f = crd_arena_alloc(ch->tools->arena, (size_t)s->m, sizeof(double));
  double *best_a = crd_arena_alloc(ch->tools->arena, (size_t)s->m, sizeof(double));
  size_t bytes = sizeof(double) * (size_t)s->m;
  if (best_f && best_a && crd_lcp_enumerate(ch->tools->result->lcp, &problem, &options, &all) == CRD_OK) {
    memcpy(best_f, ch->f, bytes), memcpy(best_a, ch->a, bytes);
    for (int k = 0; k < all.count; k++) {
      crd_facet_lcp_impulse(lcp, all.piece[k].base, ch->f);
      turn_back(s);
      for (int i = 0; i < s->m; i++) differ = differ || fabs(ch->a[i] - best_a[i]) > 1e-6 * ch->force->scale;
      if (total_normal(s->given, ch->f) < total_normal(s->given, best_f))
        memcpy(best_f, ch->f, bytes), memcpy(best_a, ch->a, bytes);
    }
    memcpy(ch->f, best_f, bytes), memcpy(ch->a, best_a, bytes);
  }
  crd_lcp_solutions_free(&all);
  return differ;
}

/* ------------------------------------------------------------------------------------------------ the LCP */

crd_status crd_choice_by_lcp(crd_choice *ch, crd_force_verdict *verdict) {
  facetted s = {.ch = ch, .given = ch->given, .m = ch->m};
  crd_lcp_options options = crd_lcp_options_default();
  options.search_nodes = SEARCH_NODES;
  crd_impact_result *result = ch->tools->result;
  crd_status status = begin(&s);
  for (int round = 0; status == CRD_OK && round < TURNS; round++) {
    crd_facet_lcp lcp;
    crd_impact_result_reset(result);
    set_up(&s);
    status = crd_facet_lcp_begin(&lcp, &s.turned, ch->tools->facets, result);
    if (status != CRD_OK) return status;
    crd_lcp_problem problem = crd_facet_lcp_state(&lcp, CRD_ALL_CONTACTS, s.a_free);
    status = crd_lcp_solve(result->lcp, &problem, &options, lcp.z, NULL);
    if (status == CRD_NO_SOLUTION) return *verdict = CRD_FORCE_NONE, CRD_OK;
    if (status != CRD_OK) return status;
    crd_facet_lcp_impulse(&lcp, lcp.z, ch->f);
    turn_back(&s);
    if (crd_choice_is_doubtful(ch) && least_of_several(&s, &lcp)) *verdict = CRD_FORCE_SEVERAL;
    if (!turn_facets(&s)) break;
  }
  return status;
}
