/* Modes of closed contacts from the contact LCP at acceleration level.
 *
 *   0 <= f_n  _|_  a_n >= 0,     a = a_free + W f,     |f_t| <= mu f_n, friction against the sliding velocity where
 * there is one and against the tangential acceleration where there is none.
 *
 * Contacts that slide have no unknown friction: their column of W becomes W_n - mu sum_k d_k W_tk [Brogliato, eq. 26].
 * Those at rest have the facetted cone of the impact laws, turned so that one facet lies along the acceleration that it
 * leaves. The facets decide only who opens, holds, sticks and slides: the forces are then solved for with these modes
 * on the round cone (crd_force_solve), the direction of a contact that begins to slide by iteration.
 *
 * Contacts that could carry but need not (a vertex of the solution set is what a pivoting method finds) are held too
 * where that needs no pull, so that a box stands on all its corners.
 */
#include <math.h>
#include <string.h>

#include "impact/facet_lcp.h"
#include "linalg/dense.h"
#include "sim/event_force.h"

static const double ZERO = 1e-8; /* share of the problem's scale */
enum { TURNS = 16, DIRECTIONS = 200, SEARCH_NODES = 20000, SEARCHED = 3 };

static size_t at(int m, int i, int j) { return (size_t)m * (size_t)i + (size_t)j; }

typedef struct choice {
  const crd_force_problem *force;
  const crd_contact_problem *given;
  const double *slip;
  int m, facets;
  crd_impact_result *result;
  crd_arena *arena;
  crd_contact_problem turned; /* sliding columns replaced, tangents of contacts at rest turned */
  double *a_free, *angle;     /* m, nc */
  double *f, *a;              /* m: of the LCP, in the given tangents */
} choice;

static bool parts(const choice *ch, int c) { return ch->force->parts && ch->force->parts[c]; }
static bool slides(const choice *ch, int c) {
  return !parts(ch, c) && (ch->slip[2 * c] != 0 || ch->slip[2 * c + 1] != 0);
}
static bool rubs(const crd_contact *contact) { return contact->ntangent > 0 && contact->mu > 0; }

static crd_status begin(choice *ch) {
  const crd_contact_problem *given = ch->given;
  size_t m = (size_t)ch->m, nc = (size_t)given->nc, d = sizeof(double);
  ch->turned = *given;
  ch->turned.contact = crd_arena_alloc(ch->arena, nc, sizeof *given->contact);
  ch->turned.W = crd_arena_alloc(ch->arena, m * m, d);
  ch->a_free = crd_arena_alloc(ch->arena, m, d), ch->angle = crd_arena_alloc(ch->arena, nc, d);
  ch->f = crd_arena_alloc(ch->arena, m, d), ch->a = crd_arena_alloc(ch->arena, m, d);
  if (!ch->turned.contact || !ch->turned.W || !ch->a_free || !ch->angle || !ch->f || !ch->a) return CRD_ERR_MEMORY;
  memcpy(ch->turned.contact, given->contact, nc * sizeof *given->contact);
  ch->turned.u = ch->turned.u_free = ch->a_free;
  ch->turned.kinetic = ch->turned.kinetic_free = 0;
  for (int c = 0; c < given->nc; c++) {
    const double *t = ch->force->a_free + given->contact[c].row + 1;
    if (slides(ch, c) || parts(ch, c)) ch->turned.contact[c].ntangent = 0;
    if (given->contact[c].ntangent == 2) ch->angle[c] = atan2(t[1], t[0]);
  }
  return CRD_OK;
}

/* x = (rows of a contact turned by its angle) x, for two entries `stride` apart. */
static void turn(double *x, size_t stride, double angle) {
  double c = cos(angle), s = sin(angle), first = x[0], second = x[stride];
  x[0] = c * first + s * second, x[stride] = c * second - s * first;
}

/* Takes a contact that parts out of the problem: its rows stand alone and ask for nothing. */
static void take_out(choice *ch, const crd_contact *contact) {
  for (int k = 0; k <= contact->ntangent; k++) {
    int row = contact->row + k;
    for (int i = 0; i < ch->m; i++)
      if (i != row) ch->turned.W[at(ch->m, i, row)] = ch->turned.W[at(ch->m, row, i)] = 0;
    ch->a_free[row] = k == 0 ? ch->force->scale : 0;
  }
}

static void set_up(choice *ch) {
  const crd_contact_problem *given = ch->given;
  int m = ch->m;
  double *W = ch->turned.W;
  memcpy(W, given->W, sizeof *W * (size_t)m * (size_t)m);
  memcpy(ch->a_free, ch->force->a_free, sizeof *W * (size_t)m);
  for (int c = 0; c < given->nc; c++) {
    const crd_contact *contact = &given->contact[c];
    if (slides(ch, c) || parts(ch, c) || contact->ntangent < 2) continue;
    int row = contact->row + 1;
    for (int i = 0; i < m; i++) turn(W + at(m, i, row), 1, ch->angle[c]);
    for (int j = 0; j < m; j++) turn(W + at(m, row, j), (size_t)m, ch->angle[c]);
    turn(ch->a_free + row, 1, ch->angle[c]);
  }
  for (int c = 0; c < given->nc; c++) {
    const crd_contact *contact = &given->contact[c];
    if (!slides(ch, c)) continue;
    for (int i = 0; i < m; i++)
      for (int k = 0; k < contact->ntangent; k++)
        W[at(m, i, contact->row)] -= contact->mu * ch->slip[2 * c + k] * W[at(m, i, contact->row + 1 + k)];
  }
  for (int c = 0; c < given->nc; c++)
    if (parts(ch, c)) take_out(ch, &given->contact[c]);
}

/* Forces in the given tangents from those of the turned problem, and their accelerations. */
static void turn_back(choice *ch) {
  const crd_contact_problem *given = ch->given;
  for (int c = 0; c < given->nc; c++) {
    const crd_contact *contact = &given->contact[c];
    if (slides(ch, c)) {
      for (int k = 0; k < contact->ntangent; k++)
        ch->f[contact->row + 1 + k] = -contact->mu * ch->slip[2 * c + k] * ch->f[contact->row];
    } else if (contact->ntangent == 2 && !parts(ch, c)) {
      turn(ch->f + contact->row + 1, 1, -ch->angle[c]);
    }
  }
  for (int i = 0; i < ch->m; i++)
    ch->a[i] = ch->force->a_free[i] + crd_dense_dot(ch->m, given->W + at(ch->m, i, 0), ch->f);
}

static double tangential(const crd_contact *contact, const double *x) {
  const double *t = x + contact->row + 1;
  return contact->ntangent == 2 ? hypot(t[0], t[1]) : contact->ntangent == 1 ? fabs(t[0]) : 0;
}

static bool carries(const choice *ch, int c, const double *f) {
  int row = ch->given->contact[c].row;
  return f[row] * ch->given->W[at(ch->m, row, row)] > ZERO * ch->force->scale;
}

/* Turns the facets of contacts that begin to slide into the direction of the acceleration; false: all lie there. */
static bool turn_facets(choice *ch) {
  bool turned = false;
  for (int c = 0; c < ch->given->nc; c++) {
    const crd_contact *contact = &ch->given->contact[c];
    if (slides(ch, c) || contact->ntangent < 2 || !carries(ch, c, ch->f)) continue;
    if (tangential(contact, ch->a) <= ZERO * ch->force->scale) continue;
    double angle = atan2(ch->a[contact->row + 2], ch->a[contact->row + 1]);
    if (fabs(sin(angle - ch->angle[c])) > 1e-3) ch->angle[c] = angle, turned = true;
  }
  return turned;
}

/* ------------------------------------------------------------------------------------------------ several solutions */

/* Can the problem have more than one acceleration? Not where the normals of the sliding contacts, with their friction,
 * are positive definite. Where many slide, only one that friction drives together by itself is looked into: dependent
 * normals (corners of a face) are indefinite without being ambiguous, and all solutions of many are too many. */
static bool is_doubtful(choice *ch) {
  double S[SEARCHED * SEARCHED];
  int row[SEARCHED], n = 0;
  for (int c = 0; c < ch->given->nc; c++) {
    if (!slides(ch, c)) continue;
    int own = ch->given->contact[c].row;
    if (!(ch->turned.W[at(ch->m, own, own)] > 0)) return true;
    if (n < SEARCHED) row[n] = own;
    n++;
  }
  if (n == 0 || n > SEARCHED) return false;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      S[at(n, i, j)] = 0.5 * (ch->turned.W[at(ch->m, row[i], row[j])] + ch->turned.W[at(ch->m, row[j], row[i])]);
  return !crd_dense_cholesky(n, S);
}

static double total_normal(const choice *ch, const double *f) {
  double sum = 0;
  for (int c = 0; c < ch->given->nc; c++) sum += f[ch->given->contact[c].row];
  return sum;
}

/* Looks at all solutions: keeps in f, a the one with the least contact force. True: their accelerations differ. */
static bool least_of_several(choice *ch, crd_facet_lcp *lcp) {
  crd_lcp_problem problem = crd_facet_lcp_state(lcp, CRD_ALL_CONTACTS, ch->a_free);
  crd_lcp_enumerate_options options = crd_lcp_enumerate_default();
  options.max_nodes = SEARCH_NODES;
  crd_lcp_solutions all = {0};
  bool differ = false;
  double *best_f = crd_arena_alloc(ch->arena, (size_t)ch->m, sizeof(double));
  double *best_a = crd_arena_alloc(ch->arena, (size_t)ch->m, sizeof(double));
  size_t bytes = sizeof(double) * (size_t)ch->m;
  if (best_f && best_a && crd_lcp_enumerate(ch->result->lcp, &problem, &options, &all) == CRD_OK) {
    memcpy(best_f, ch->f, bytes), memcpy(best_a, ch->a, bytes);
    for (int k = 0; k < all.count; k++) {
      crd_facet_lcp_impulse(lcp, all.piece[k].base, ch->f);
      turn_back(ch);
      for (int i = 0; i < ch->m; i++) differ = differ || fabs(ch->a[i] - best_a[i]) > 1e-6 * ch->force->scale;
      if (total_normal(ch, ch->f) < total_normal(ch, best_f))
        memcpy(best_f, ch->f, bytes), memcpy(best_a, ch->a, bytes);
    }
    memcpy(ch->f, best_f, bytes), memcpy(ch->a, best_a, bytes);
  }
  crd_lcp_solutions_free(&all);
  return differ;
}

/* ------------------------------------------------------------------------------------------------ the LCP */

static crd_status solve_lcp(choice *ch, crd_force_verdict *verdict) {
  crd_lcp_options options = crd_lcp_options_default();
  options.search_nodes = SEARCH_NODES;
  for (int round = 0; round < TURNS; round++) {
    crd_facet_lcp lcp;
    crd_impact_result_reset(ch->result);
    set_up(ch);
    crd_status status = crd_facet_lcp_begin(&lcp, &ch->turned, ch->facets, ch->result);
    if (status != CRD_OK) return status;
    crd_lcp_problem problem = crd_facet_lcp_state(&lcp, CRD_ALL_CONTACTS, ch->a_free);
    status = crd_lcp_solve(ch->result->lcp, &problem, &options, lcp.z, NULL);
    if (status == CRD_NO_SOLUTION) return *verdict = CRD_FORCE_NONE, CRD_OK;
    if (status != CRD_OK) return status;
    crd_facet_lcp_impulse(&lcp, lcp.z, ch->f);
    turn_back(ch);
    if (is_doubtful(ch) && least_of_several(ch, &lcp)) *verdict = CRD_FORCE_SEVERAL;
    if (!turn_facets(ch)) break;
  }
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------------ modes */

static void set_slip(crd_held *held, const crd_contact *contact, const double *direction, double sign) {
  double length = contact->ntangent == 2 ? hypot(direction[0], direction[1]) : fabs(direction[0]);
  held->hold = CRD_HOLD_SLIP;
  for (int k = 0; k < 2; k++) held->d[k] = k < contact->ntangent && length > 0 ? sign * direction[k] / length : 0;
}

static void first_modes(const choice *ch, crd_held *held, bool *carrier) {
  double zero = ZERO * ch->force->scale;
  for (int c = 0; c < ch->given->nc; c++) {
    const crd_contact *contact = &ch->given->contact[c];
    held[c] = (crd_held){.hold = CRD_HOLD_OPEN};
    carrier[c] = carries(ch, c, ch->f);
    if (parts(ch, c) || (!carrier[c] && ch->a[contact->row] > zero)) continue;
    if (!rubs(contact))
      held[c].hold = CRD_HOLD_SLIP;
    else if (slides(ch, c))
      set_slip(&held[c], contact, ch->slip + 2 * c, 1);
    else if (tangential(contact, ch->a) <= zero)
      held[c].hold = CRD_HOLD_STICK;
    else
      set_slip(&held[c], contact, ch->a + contact->row + 1, 1);
  }
}

/* A bound on the tangential acceleration at contact c that friction of all contacts can make. */
static double friction_reach(const choice *ch, int c, const double *f) {
  const crd_contact *contact = &ch->given->contact[c];
  double sum = 0;
  for (int j = 0; j < ch->given->nc; j++) {
    const crd_contact *other = &ch->given->contact[j];
    double square = 0;
    for (int k = 0; k < contact->ntangent; k++)
      for (int l = 0; l < other->ntangent; l++) {
        double entry = ch->given->W[at(ch->m, contact->row + 1 + k, other->row + 1 + l)];
        square += entry * entry;
      }
    sum += other->mu * fabs(f[other->row]) * sqrt(square);
  }
  return sum;
}

/* Solves with the modes; contacts that begin to slide get the direction of the acceleration a_t they are left with:
 * the fixed point of d -> (a_t + rho d)/|a_t + rho d|, with rho so large that friction cannot overshoot. */
static crd_status solve_modes(choice *ch, crd_held *held, crd_force_answer *answer) {
  crd_status status = CRD_OK;
  for (int round = 0; round < DIRECTIONS; round++) {
    double change = 0;
    status = crd_force_solve(ch->force, held, answer, ch->arena);
    if (status != CRD_OK) return status;
    for (int c = 0; c < ch->given->nc; c++) {
      const crd_contact *contact = &ch->given->contact[c];
      if (held[c].hold != CRD_HOLD_SLIP || held[c].bound || slides(ch, c) || contact->ntangent < 2 || !rubs(contact))
        continue;
      double rho = friction_reach(ch, c, answer->f), along[2];
      crd_held before = held[c];
      for (int k = 0; k < 2; k++) along[k] = answer->a[contact->row + 1 + k] + rho * before.d[k];
      set_slip(&held[c], contact, along, 1);
      change = fmax(change, hypot(held[c].d[0] - before.d[0], held[c].d[1] - before.d[1]));
    }
    if (change <= 1e-14) break;
  }
  return status;
}

/* A contact that begins to slide by the facets' word sticks if the round cone lets it. */
static crd_status prefer_sticking(choice *ch, crd_held *held, crd_force_answer *answer) {
  for (int c = 0; c < ch->given->nc; c++) {
    const crd_contact *contact = &ch->given->contact[c];
    if (held[c].hold != CRD_HOLD_SLIP || slides(ch, c) || contact->ntangent < 2 || !rubs(contact)) continue;
    crd_held before = held[c];
    crd_force_answer trial;
    held[c].hold = CRD_HOLD_STICK;
    if (crd_force_solve(ch->force, held, &trial, ch->arena) == CRD_OK &&
        tangential(contact, trial.f) <= contact->mu * trial.f[contact->row])
      *answer = trial;
    else
      held[c] = before;
  }
  return CRD_OK;
}

/* The held contact that pulls most, -1: none. */
static int worst_pull(const choice *ch, const crd_held *held, const crd_force_answer *answer) {
  int worst = -1;
  double most = ZERO * ch->force->scale;
  for (int c = 0; c < ch->given->nc; c++) {
    int row = ch->given->contact[c].row;
    double pull = -answer->f[row] * ch->given->W[at(ch->m, row, row)];
    if (held[c].hold >= CRD_HOLD_STICK && pull > most) most = pull, worst = c;
  }
  return worst;
}

/* The sticking contact whose friction is farthest outside its cone, -1: none. */
static int worst_stick(const choice *ch, const crd_held *held, const crd_force_answer *answer) {
  int worst = -1;
  double most = 0;
  for (int c = 0; c < ch->given->nc; c++) {
    const crd_contact *contact = &ch->given->contact[c];
    if (held[c].hold != CRD_HOLD_STICK) continue;
    double outside = tangential(contact, answer->f) - contact->mu * answer->f[contact->row];
    double size = fabs(answer->f[contact->row]) * contact->mu;
    if (outside > 1e-9 * size && outside > most) most = outside, worst = c;
  }
  return worst;
}

/* Friction at its bound means sliding where nothing sticks any more. */
static void unbind(const choice *ch, crd_held *held) {
  for (int c = 0; c < ch->given->nc; c++)
    if (held[c].hold == CRD_HOLD_STICK) return;
  for (int c = 0; c < ch->given->nc; c++) held[c].bound = false;
}

/* A contact that needs no force and is not tied to others that do (a corner among corners) is free to open: its force
 * has just vanished. */
static void let_go(choice *ch, crd_held *held, const crd_force_answer *answer) {
  for (int c = 0; c < ch->given->nc; c++) {
    int row = ch->given->contact[c].row;
    if (held[c].hold < CRD_HOLD_STICK) continue;
    if (fabs(answer->f[row]) * ch->given->W[at(ch->m, row, row)] > ZERO * ch->force->scale) continue;
    crd_held before = held[c];
    crd_force_answer without;
    held[c] = (crd_held){.hold = CRD_HOLD_OPEN};
    bool solved = crd_force_solve(ch->force, held, &without, ch->arena) == CRD_OK;
    bool independent = solved && answer->rank - without.rank == answer->rows - without.rows;
    if (!independent) held[c] = before;
  }
}

/* Takes modes back one by one until no contact pulls and none sticks with more friction than it has. */
static crd_status settle(choice *ch, crd_held *held) {
  crd_force_answer answer;
  crd_status status = solve_modes(ch, held, &answer);
  if (status == CRD_OK) status = prefer_sticking(ch, held, &answer);
  for (int round = 0; status == CRD_OK && round < 2 * ch->given->nc + 1; round++) {
    int pull = worst_pull(ch, held, &answer), stick = worst_stick(ch, held, &answer);
    if (pull >= 0) {
      held[pull].hold = CRD_HOLD_IDLE;
    } else if (stick >= 0) {
      const crd_contact *contact = &ch->given->contact[stick];
      set_slip(&held[stick], contact, answer.f + contact->row + 1, -1);
      held[stick].bound = answer.rank < answer.rows;
    } else {
      let_go(ch, held, &answer);
      unbind(ch, held);
      return CRD_OK;
    }
    status = solve_modes(ch, held, &answer);
  }
  return status == CRD_OK ? CRD_LIMIT : status;
}

crd_status crd_force_choose(const crd_force_problem *force, const double *slip, int facets, crd_impact_result *result,
                            crd_arena *arena, crd_held *held, crd_force_verdict *verdict) {
  const crd_contact_problem *given = force->problem;
  choice ch = {.force = force,
               .given = given,
               .slip = slip,
               .m = given->nrow + given->nb,
               .facets = facets,
               .result = result,
               .arena = arena};
  *verdict = CRD_FORCE_UNIQUE;
  if (given->nc == 0) return CRD_OK;
  bool *carrier = crd_arena_alloc(arena, (size_t)given->nc, sizeof *carrier);
  if (!carrier) return CRD_ERR_MEMORY;
  crd_status status = begin(&ch);
  if (status == CRD_OK) status = solve_lcp(&ch, verdict);
  if (status != CRD_OK || *verdict == CRD_FORCE_NONE) return status;
  first_modes(&ch, held, carrier);
  if (settle(&ch, held) == CRD_OK) return CRD_OK;
  /* holding more than the solution of the LCP does not work out: exactly its modes */
  first_modes(&ch, held, carrier);
  for (int c = 0; c < given->nc; c++)
    if (!carrier[c] && held[c].hold != CRD_HOLD_OPEN) held[c].hold = CRD_HOLD_IDLE;
  return settle(&ch, held);
}
