/* The simultaneous inclusion (39) of Halm & Posa for a fixed vector of rates, as the piecewise linear path it is.
 *
 * Between events the impulses grow at constant rates p' and u' = W p'. The rates solve a small complementarity problem:
 *   a contact that approaches (u_n < 0) presses with its rate: p_n' = r; an open one (u_n > 0) with none;
 *   one at u_n = 0 gives 0 <= p_n' <= r, just what keeps it closed:  0 <= p_n' _|_ u_n' + s >= 0,  0 <= s _|_ r - p_n'
 * >= 0; friction while sliding is mu p_n' along the direction that opposes u_t most, d_1; where two directions tie it
 * may lie between them, the share beta of d_2 chosen to oppose most:  0 <= beta _|_ (d_2 - d_1) u_t' + s >= 0,  0 <= s
 * _|_ mu p_n' - beta >= 0; friction at rest holds if it can:  0 <= beta _|_ D' u_t' + gamma >= 0,  0 <= gamma _|_ mu
 * p_n' - sum beta >= 0. Bilateral rows are equalities. An event is a contact closing or coming to rest in normal
 * direction, sliding coming to rest, or the opposing direction changing.
 *
 * Restitution: a contact remembers what it still has to give back, `store`, and presses with its rate, whatever u_n, as
 * long as there is any. Stronge's end, in energy: while it is pressed in (u_n < 0) store' = -e^2 u_n p_n', while it opens
 * store' = -u_n p_n'. Poisson's, in impulse: store' = e p_n' and store' = -p_n'. A contact may be pressed in again before
 * its store is empty. That is Stronge's law, or Poisson's, contact by contact; with e = 0 the stores stay empty, and the
 * path is that of (39). With Stronge's end no energy is gained for e <= 1: what u_n p_n' gives back is at most e^2 of what
 * it took, and friction takes at every instant. The path ends when nothing approaches and the stores are empty; without
 * restitution it does by Theorem 3 of the paper.
 *
 * Round cone: d_1 opposes u_t exactly, and its direction turns along the path. A segment ends where u_t of a contact
 * has turned by LONGEST_TURN; its friction has the direction of u_t in the middle (the midpoint rule). At rest the
 * facets are turned into the friction that holds, or against the sliding that begins, until they lie there.
 */
#include "impact/routh_flow.h"

#include <cradle/lcp.h>
#include <math.h>
#include <string.h>

#include "base/angle.h"
#include "base/layout.h"
#include "contact/facets.h"
#include "impact/friction.h"
#include "impact/oblique.h"

static const double RATE_ROUNDING = 1e-9; /* of the normal rate: a tangential rate that is rounding */
static const double TURNED = 1e-9;        /* rad: facets that stand where the rates ask for them */
static const double SPEED_SHARE = 0.2;    /* of the sliding speed that a segment may take away */
static const double EMPTY = 1e-12;        /* of the scale of impulses (or energies): a store that is empty */

/* Radians; tangent of the angle to rest that counts as none; and how often facets at rest are turned in one segment. */
static const double LONGEST_TURN = 0.005, STRAIGHT = 1e-7;
enum { MOST_TURNS = 40 };

typedef enum variable_kind { BILATERAL, NORMAL, NORMAL_BOX, SHARE, SHARE_BOX, FACET, GAMMA } variable_kind;

/* One unknown and its complementary row. */
typedef struct variable {
  variable_kind kind;
  int contact;
  int row;             /* BILATERAL, NORMAL: its row of J */
  double direction[2]; /* SHARE, FACET: along the contact's tangents; NORMAL: friction that comes with it, mu d_1 */
} variable;

typedef struct contact_state {
  bool pressing; /* with its rate: u_n < 0, or something is left to give back */
  bool closed;   /* u_n = 0 and nothing to give back */
  bool sliding;
  int opposing, tied; /* facets d_1 and d_2 (-1: no tie), while sliding */
} contact_state;

typedef struct path {
  const crd_contact_problem *problem;
  const double *rate;
  crd_restitution_end end;
  double *e, *store, empty; /* nc: restitution; J or N s to give back; what of that is rounding */
  int per_contact;
  bool round;
  double *turn; /* nc: round: angle of the first facet */
  crd_facets facets;
  crd_impact_result *result;
  contact_state *state;
  variable *variable;
  int n;
  double *p, *p_rate, *u, *u_rate; /* m */
  double *image;                   /* n x m: W times each variable's impulse */
  double *fixed;                   /* m: rates that are given */
  double *W, *w, *z;
  unsigned char *free_row;
  double tolerance; /* of velocities */
} path;

static const double *facet(const path *f, int k) { return f->facets.direction + 2 * k; }

/* d . u_t of a contact */
static double along(const path *f, int contact, const double d[2], const double *u) {
  const crd_contact *c = &f->problem->contact[contact];
  double sum = 0;
  for (int t = 0; t < c->ntangent; t++) sum += d[t] * u[c->row + 1 + t];
  return sum;
}

static bool has_friction(const path *f, int contact) { return f->facets.first[contact + 1] > f->facets.first[contact]; }

static bool is_round(const path *f, int contact) {
  return f->round && has_friction(f, contact) && f->problem->contact[contact].ntangent == 2;
}

/* Lays the first facet of round contacts at their angle. */
static void turn_facets(path *f) {
  if (!f->round) return;
  crd_facets_fill(f->problem, f->per_contact, &f->facets);
  for (int c = 0; c < f->problem->nc; c++)
    if (is_round(f, c)) crd_facets_turn(&f->facets, c, f->turn[c]);
}

/* Against the velocity x, s later. */
static void turn_against(path *f, int contact, double s) {
  const double *u = f->u + f->problem->contact[contact].row + 1;
  const double *rate = f->u_rate + f->problem->contact[contact].row + 1;
  double x = u[0] + s * rate[0], y = u[1] + s * rate[1];
  if (hypot(x, y) > 0) f->turn[contact] = atan2(-y, -x);
}

static void classify(path *f) {
  for (int c = 0; c < f->problem->nc; c++) {
    contact_state *s = &f->state[c];
    double un = f->u[f->problem->contact[c].row];
    *s = (contact_state){.pressing = un < -f->tolerance || f->store[c] > 0, .opposing = -1, .tied = -1};
    s->closed = !s->pressing && un <= f->tolerance;
    if (!has_friction(f, c)) continue;
    if (is_round(f, c)) {
      const double *ut = f->u + f->problem->contact[c].row + 1;
      s->sliding = hypot(ut[0], ut[1]) > f->tolerance;
      s->opposing = f->facets.first[c];
      if (s->sliding) turn_against(f, c, 0);
      continue;
    }
    double most = INFINITY;
    for (int k = f->facets.first[c]; k < f->facets.first[c + 1]; k++) {
      double value = along(f, c, facet(f, k), f->u);
      if (value < most) most = value, s->opposing = k;
    }
    s->sliding = most < -f->tolerance;
    for (int k = f->facets.first[c]; s->sliding && k < f->facets.first[c + 1]; k++)
      if (k != s->opposing && along(f, c, facet(f, k), f->u) <= most + f->tolerance) s->tied = k;
  }
  turn_facets(f);
}

static variable *add(path *f, variable_kind kind, int contact) {
  f->variable[f->n] = (variable){.kind = kind, .contact = contact, .row = f->problem->contact[contact].row};
  return &f->variable[f->n++];
}

/* Unknowns of one contact that may press. */
static void add_contact(path *f, int c) {
  const contact_state *s = &f->state[c];
  double mu = f->problem->contact[c].mu;
  double slip[2] = {0, 0};
  if (s->sliding)
    for (int t = 0; t < 2; t++) slip[t] = mu * facet(f, s->opposing)[t];
  if (s->closed) {
    memcpy(add(f, NORMAL, c)->direction, slip, sizeof slip);
    add(f, NORMAL_BOX, c);
  } else {
    const crd_contact *contact = &f->problem->contact[c];
    f->fixed[contact->row] = f->rate[c];
    for (int t = 0; t < contact->ntangent; t++) f->fixed[contact->row + 1 + t] = f->rate[c] * slip[t];
  }
  if (s->sliding && s->tied >= 0) {
    variable *share = add(f, SHARE, c);
    for (int t = 0; t < 2; t++) share->direction[t] = facet(f, s->tied)[t] - facet(f, s->opposing)[t];
    add(f, SHARE_BOX, c);
  }
  if (has_friction(f, c) && !s->sliding) {
    for (int k = f->facets.first[c]; k < f->facets.first[c + 1]; k++)
      memcpy(add(f, FACET, c)->direction, facet(f, k), 2 * sizeof(double));
    add(f, GAMMA, c);
  }
}

static void choose_variables(path *f) {
  f->n = 0;
  memset(f->fixed, 0, sizeof *f->fixed * (size_t)crd_impact_rows(f->problem));
  for (int b = 0; b < f->problem->nb; b++)
    f->variable[f->n++] = (variable){.kind = BILATERAL, .contact = -1, .row = f->problem->nrow + b};
  for (int c = 0; c < f->problem->nc; c++)
    if (f->state[c].pressing || f->state[c].closed) add_contact(f, c);
}

/* Adds s times the impulse that variable v stands for. */
static void add_impulse(const path *f, const variable *v, double s, double *p) {
  if (v->kind == BILATERAL || v->kind == NORMAL) p[v->row] += s;
  if (v->kind == NORMAL || v->kind == SHARE || v->kind == FACET)
    for (int t = 0; t < f->problem->contact[v->contact].ntangent; t++)
      p[f->problem->contact[v->contact].row + 1 + t] += s * v->direction[t];
}

/* The velocity that is complementary to v, read from the contact velocities x. */
static double velocity_of(const path *f, const variable *v, const double *x) {
  switch (v->kind) {
    case BILATERAL:
    case NORMAL: return x[v->row];
    case SHARE:
    case FACET: return along(f, v->contact, v->direction, x);
    default: return 0;
  }
}

/* y = W p' in contact rows */
static void delassus(const crd_contact_problem *problem, const double *p, double *y) {
  int m = crd_impact_rows(problem);
  for (int i = 0; i < m; i++) {
    y[i] = 0;
    for (int j = 0; j < m; j++) y[i] += problem->W[(size_t)m * (size_t)i + (size_t)j] * p[j];
  }
}

/* Coefficient of variable j in the row of i that is not a velocity: boxes, friction bounds and their slacks. */
static double bound_coefficient(const path *f, const variable *i, const variable *j) {
  if (i->contact != j->contact || i->contact < 0) return 0;
  double mu = f->problem->contact[i->contact].mu;
  switch (i->kind) {
    case NORMAL: return j->kind == NORMAL_BOX;
    case NORMAL_BOX: return j->kind == NORMAL ? -1 : 0;
    case SHARE: return j->kind == SHARE_BOX;
    case SHARE_BOX: return j->kind == NORMAL ? mu : j->kind == SHARE ? -1 : 0;
    case FACET: return j->kind == GAMMA;
    case GAMMA: return j->kind == NORMAL ? mu : j->kind == FACET ? -1 : 0;
    default: return 0;
  }
}

/* Rates p' and u' of the present state. */
static crd_status solve_rates(path *f) {
  int m = crd_impact_rows(f->problem), n;
  choose_variables(f);
  n = f->n;
  for (int j = 0; j < n; j++) {
    memset(f->p_rate, 0, sizeof *f->p_rate * (size_t)m);
    add_impulse(f, &f->variable[j], 1, f->p_rate);
    delassus(f->problem, f->p_rate, f->image + (size_t)j * (size_t)m);
  }
  delassus(f->problem, f->fixed, f->u_rate);
  for (int i = 0; i < n; i++) {
    const variable *v = &f->variable[i];
    bool pressing = v->contact >= 0 && f->state[v->contact].pressing;
    double given = pressing ? f->rate[v->contact] : 0; /* p_n' where it is no unknown */
    f->free_row[i] = v->kind == BILATERAL;
    f->w[i] = velocity_of(f, v, f->u_rate);
    if (v->kind == NORMAL_BOX) f->w[i] = f->rate[v->contact];
    if (v->kind == SHARE_BOX || v->kind == GAMMA) f->w[i] = f->problem->contact[v->contact].mu * given;
    for (int j = 0; j < n; j++)
      f->W[(size_t)n * (size_t)i + (size_t)j] =
          velocity_of(f, v, f->image + (size_t)j * (size_t)m) + bound_coefficient(f, v, &f->variable[j]);
  }
  crd_lcp_problem lcp = crd_lcp_dense(n, f->W, f->w);
  lcp.free_row = f->free_row;
  memcpy(f->p_rate, f->fixed, sizeof *f->p_rate * (size_t)m);
  if (n > 0) {
    crd_lcp_report report;
    crd_status status = crd_lcp_solve(f->result->lcp, &lcp, NULL, f->z, &report);
    if (status != CRD_OK) {
      crd_impact_note(f->result, "the rate problem of %d rows ended with: %s", n, crd_status_text(status));
      return status;
    }
    for (int j = 0; j < n; j++) add_impulse(f, &f->variable[j], f->z[j], f->p_rate);
  }
  delassus(f->problem, f->p_rate, f->u_rate);
  return CRD_OK;
}

/* Turns the facets of contacts at rest to the directions given by the rates. Returns the largest angle. */
static double turn_at_rest(path *f) {
  double largest = 0;
  for (int c = 0; c < f->problem->nc; c++) {
    const contact_state *s = &f->state[c];
    int row = f->problem->contact[c].row + 1;
    if (!is_round(f, c) || s->sliding || !(f->p_rate[row - 1] > 0)) continue;
    double was = f->turn[c], away = hypot(f->u_rate[row], f->u_rate[row + 1]);
    double force = hypot(f->p_rate[row], f->p_rate[row + 1]);
    double rate = f->problem->W[(size_t)(crd_impact_rows(f->problem) + 1) * (size_t)row] * f->p_rate[row - 1];
    if (away > RATE_ROUNDING * rate)
      f->turn[c] = atan2(-f->u_rate[row + 1], -f->u_rate[row]);
    else if (force > RATE_ROUNDING * f->p_rate[row - 1])
      f->turn[c] = atan2(f->p_rate[row + 1], f->p_rate[row]);
    largest = fmax(largest, fabs(remainder(f->turn[c] - was, CRD_TURN)));
  }
  return largest;
}

/* Rates with the facets of contacts at rest where they belong. */
static crd_status find_rates(path *f) {
  crd_status status = solve_rates(f);
  for (int k = 0; f->round && k < MOST_TURNS && status == CRD_OK && turn_at_rest(f) > TURNED; k++) {
    turn_facets(f);
    status = solve_rates(f);
  }
  return status;
}

/* Where the sliding of a round contact has turned by LONGEST_TURN or lost a fifth of its speed: the direction changes
 * with the logarithm of the speed. Where it goes straight to rest: there. */
static double end_of_sliding(const path *f, int contact) {
  const double *u = f->u + f->problem->contact[contact].row + 1;
  const double *rate = f->u_rate + f->problem->contact[contact].row + 1;
  double square = u[0] * u[0] + u[1] * u[1], along_u = u[0] * rate[0] + u[1] * rate[1];
  double across = fabs(u[0] * rate[1] - u[1] * rate[0]), slope = tan(LONGEST_TURN);
  if (across <= STRAIGHT * -along_u) return -along_u / (rate[0] * rate[0] + rate[1] * rate[1]);
  double turned = across > slope * along_u ? slope * square / (across - slope * along_u) : INFINITY;
  return along_u < 0 ? fmin(turned, SPEED_SHARE * square / -along_u) : turned;
}

/* Where x + s x' = 0 next, for s > 0; infinite if x does not go to zero. */
static double zero_of(double x, double rate) { return x * rate < 0 ? -x / rate : INFINITY; }

/* Where a contact that opens has given back all it had. */
static double end_of_store(const path *f, int contact) {
  int row = f->problem->contact[contact].row;
  double u = fabs(f->u[row]) <= f->tolerance ? 0 : f->u[row], rate = f->u_rate[row], store = f->store[contact];
  double press = f->rate[contact];
  if (!(store > 0) || u < 0 || (u == 0 && rate <= 0)) return INFINITY;
  if (f->end == CRD_END_POISSON) return store / press;
  double root = u * u + 2 * rate * store / press; /* u s + u' s^2 / 2 = store / p_n' */
  return root >= 0 ? 2 * store / (press * (u + sqrt(root))) : INFINITY;
}

/* The store of a contact after a segment of length s, in which u_n does not change its sign. */
static double next_store(const path *f, int contact, double s) {
  int row = f->problem->contact[contact].row;
  double e = f->e[contact], mean = f->u[row] + 0.5 * s * f->u_rate[row], impulse = s * f->p_rate[row], more;
  if (f->state[contact].closed && mean >= -f->tolerance) return 0; /* its rate sufficed to keep it closed */
  if (f->end == CRD_END_POISSON)
    more = mean < 0 ? e * impulse : -impulse;
  else
    more = mean < 0 ? -e * e * mean * impulse : -mean * impulse;
  double store = f->store[contact] + more;
  return store > f->empty ? store : 0;
}

static double next_event(const path *f) {
  double s = INFINITY;
  for (int c = 0; c < f->problem->nc; c++) {
    const contact_state *state = &f->state[c];
    int row = f->problem->contact[c].row;
    if (fabs(f->u[row]) > f->tolerance) s = fmin(s, zero_of(f->u[row], f->u_rate[row]));
    s = fmin(s, end_of_store(f, c));
    if (!state->sliding) continue;
    if (is_round(f, c)) {
      s = fmin(s, end_of_sliding(f, c));
      continue;
    }
    const double *first = facet(f, state->opposing);
    s = fmin(s, zero_of(along(f, c, first, f->u), along(f, c, first, f->u_rate)));
    for (int k = f->facets.first[c]; k < f->facets.first[c + 1]; k++) {
      if (k == state->opposing || k == state->tied) continue;
      double d[2] = {facet(f, k)[0] - first[0], facet(f, k)[1] - first[1]}, lead = along(f, c, d, f->u);
      if (lead > f->tolerance) s = fmin(s, zero_of(lead, along(f, c, d, f->u_rate)));
    }
  }
  return s;
}

/* The midpoint rule: friction of the whole segment has the direction of the sliding in its middle. */
static crd_status turn_to_middle(path *f, double *s) {
  bool curved = false;
  for (int c = 0; c < f->problem->nc; c++) {
    double was = f->turn ? f->turn[c] : 0;
    if (!is_round(f, c) || !f->state[c].sliding) continue;
    turn_against(f, c, 0.5 * *s);
    double off = remainder(f->turn[c] - was, CRD_TURN);
    if (fabs(off) > LONGEST_TURN) f->turn[c] = was; /* it comes to rest: the direction it had is the one */
    curved = curved || f->turn[c] != was;
  }
  if (!curved) return CRD_OK;
  turn_facets(f);
  crd_status status = find_rates(f);
  if (status == CRD_OK) *s = fmin(*s, next_event(f));
  return status;
}

static bool done(const path *f) {
  for (int c = 0; c < f->problem->nc; c++)
    if (f->state[c].pressing) return false;
  return true;
}

static bool allocate(path *f, int facets) {
  crd_impact_result *result = f->result;
  const crd_contact_problem *problem = f->problem;
  size_t nc = (size_t)problem->nc, m = (size_t)crd_impact_rows(problem);
  size_t count = (size_t)crd_facets_count(problem, facets), n = (size_t)problem->nb + 5 * nc + count;
  const crd_layout table[] = {
      CRD_ARRAY(f->facets.first, nc + 1),
      CRD_ARRAY(f->facets.direction, 2 * count),
      CRD_ARRAY(f->state, nc),
      CRD_ARRAY(f->variable, n),
      CRD_ARRAY(f->free_row, n),
      CRD_ARRAY(f->p_rate, m),
      CRD_ARRAY(f->u, m),
      CRD_ARRAY(f->u_rate, m),
      CRD_ARRAY(f->turn, nc),
      CRD_ARRAY(f->e, nc),
      CRD_ARRAY(f->store, nc),
      CRD_ARRAY(f->fixed, m),
      CRD_ARRAY(f->image, n * m),
      CRD_ARRAY(f->W, n * n),
      CRD_ARRAY(f->w, n),
      CRD_ARRAY(f->z, n),
  };
  return CRD_LAYOUT_TAKE(&result->arena, table) == CRD_OK && crd_impact_lcp(result, (int)n);
}

crd_status crd_routh_flow(const crd_contact_problem *problem, const double *rate, const crd_impact_options *options,
                          crd_restitution_end end, int max_segments, crd_impact_result *result, double *p) {
  path f = {.problem = problem, .rate = rate, .end = end, .result = result, .p = p, .per_contact = options->facets};
  crd_impact_scale scale = crd_impact_scale_of(problem);
  f.tolerance = 1e-12 * scale.velocity;
  f.empty = EMPTY * scale.impulse * (end == CRD_END_STRONGE ? scale.velocity : 1);
  f.round = options->round_cone;
  if (!allocate(&f, options->facets)) return CRD_ERR_MEMORY;
  crd_facets_fill(problem, options->facets, &f.facets);
  for (int c = 0; c < problem->nc; c++)
    if (is_round(&f, c)) f.turn[c] = crd_impact_friction_direction(problem, problem->u_free, c);
  for (int c = 0; c < problem->nc; c++) f.e[c] = crd_impact_restitution(problem, options, c);
  int m = crd_impact_rows(problem);
  crd_bilateral bilateral;
  crd_status begun = crd_bilateral_eliminate(&bilateral, problem, &result->arena);
  if (begun != CRD_OK) return begun;
  memset(p, 0, sizeof *p * (size_t)m);
  crd_bilateral_impulses(&bilateral, problem, p); /* rows that move are stopped first; the path then keeps them */
  for (int segment = 0; segment < max_segments; segment++) {
    crd_contact_problem_contact_velocity(problem, p, f.u);
    classify(&f);
    if (done(&f)) return CRD_OK;
    crd_status status = find_rates(&f);
    double s = status == CRD_OK ? next_event(&f) : INFINITY;
    if (status == CRD_OK && isfinite(s)) status = turn_to_middle(&f, &s);
    if (status != CRD_OK) return status;
    if (!isfinite(s)) {
      crd_impact_note(result, "the path has no further event although a contact approaches");
      return CRD_NO_SOLUTION;
    }
    for (int c = 0; c < problem->nc; c++)
      if (f.state[c].pressing || f.state[c].closed) f.store[c] = next_store(&f, c, s);
    for (int i = 0; i < m; i++) p[i] += s * f.p_rate[i];
  }
  crd_impact_note(result, "the path has more than %d segments", max_segments);
  return CRD_LIMIT;
}
