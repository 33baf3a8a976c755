/* Modes in which spatial frictions slip: their directions d are unknown too, u_f = k d, k >= 0.
 *
 * One of them: the other unknowns are eliminated (they are linear), u = b + W p remains for its normal and its two
 * rows, and
 *
 *   p_n = -b_n / D,  D = W_nn - mu W_nt d,      u_t D = (b_t W_nn - b_n W_tn) + mu (b_n W_tt - b_t W_nt) d
 *
 * asks for the directions with B d + w parallel to d: all of them, exactly (slip_direction.h).
 *
 * Several: Newton's method for the angles, with u_f x d = 0, from starting points spread evenly. What it finds is right
 * to rounding; that it finds everything is not certain, and the report says so. A step costs one factorisation. Where
 * the normal impulses are not determined (a plate that slides on four corners) each share of the load may have its own
 * directions: a family of motions. Whether a solution belongs to one is found by a step along the null space of A. */
#include <math.h>
#include <string.h>

#include "base/angle.h"
#include "coulomb/mode.h"
#include "coulomb/slip_direction.h"
#include "linalg/dense.h"
#include "linalg/lu.h"

static const double ROUNDING = 1e-13; /* of the problem's scale: errors of the directions that count as none */
static const double STALLED = 1e3;    /* times the tolerance: without descent below this the error is rounding */

enum { ITERATIONS = 40, HALVINGS = 6, MAX_SLIPPING = 64 };
enum { PLASTIC_ROUNDS = 60 }; /* of g = (1 + g)^(1/(count + 1)), which halve its error at least */

/* u = b + W p of the normal and the two rows of friction f when all others answer in their modes. False: their answer
 * is not determined. */
static bool seen_from(coulomb_mode *mode, int f, double b[3], double W[9]) {
  const coulomb_mode_friction *friction = &mode->friction[f];
  int n = mode->n, normal = mode->problem->contact[friction->contact].row;
  const int row[3] = {normal, friction->rows.row, friction->rows.row + 1};
  double *own = mode->U; /* 3 x n: free as long as A is regular */
  coulomb_mode_collect(mode, normal);
  if (coulomb_mode_factor(mode) > 0) return false;
  int k = mode->count;
  coulomb_mode_generator(mode, friction->contact, f, own);
  for (int t = 1; t < 3; t++)
    for (int i = 0; i < n; i++) own[coulomb_at(n, t, i)] = mode->problem->G[coulomb_at(n, i, row[t])];
  for (int i = 0; i < k; i++) {
    mode->many[i] = -mode->rest[mode->row[i]];
    for (int s = 0; s < 3; s++) mode->many[coulomb_at(k, 1 + s, i)] = -own[coulomb_at(n, s, mode->row[i])];
  }
  coulomb_mode_solve(mode, 4, mode->many);
  for (int t = 0; t < 3; t++) {
    b[t] = mode->rest[row[t]];
    for (int s = 0; s < 3; s++) W[3 * t + s] = own[coulomb_at(n, s, row[t])];
    for (int j = 0; j < k; j++) {
      double g = mode->column[coulomb_at(n, j, row[t])];
      b[t] += g * mode->many[j];
      for (int s = 0; s < 3; s++) W[3 * t + s] += g * mode->many[coulomb_at(k, 1 + s, j)];
    }
  }
  return true;
}

/* The directions in which it can slip under u = b + W p; CRD_SLIP_EVERY counts as one of them. */
static int directions_of(double mu, const double b[3], const double W[9], double direction[CRD_SLIP_MAX][2],
                         bool *every) {
  double B[4], w[2];
  for (int i = 0; i < 2; i++) {
    w[i] = b[1 + i] * W[0] - b[0] * W[3 * (1 + i)];
    for (int j = 0; j < 2; j++) B[2 * i + j] = mu * (b[0] * W[3 * (1 + i) + 1 + j] - b[1 + i] * W[1 + j]);
  }
  int count = crd_slip_directions(B, w, direction, NULL);
  if (count != CRD_SLIP_EVERY) return count;
  *every = true;
  direction[0][0] = 1, direction[0][1] = 0;
  return 1;
}

static crd_status one_slipping(coulomb_mode *mode, int f, const double b[3], const double W[9],
                               coulomb_mode_found *found) {
  double direction[CRD_SLIP_MAX][2];
  int count = directions_of(mode->friction[f].rows.mu, b, W, direction, &found->every);
  for (int i = 0; i < count; i++) {
    memcpy(mode->friction[f].d, direction[i], sizeof direction[i]);
    coulomb_mode_collect(mode, -1);
    int freedom = coulomb_mode_factor(mode);
    coulomb_mode_answer(mode);
    crd_status status = found->offer(found->context, mode, freedom);
    if (status != CRD_OK) return status;
  }
  found->every = false;
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------- several */

typedef struct slip_search {
  coulomb_mode *mode;
  int count, friction[MAX_SLIPPING], unknown[MAX_SLIPPING]; /* unknown: the contact's normal impulse */
  double angle[MAX_SLIPPING], error[MAX_SLIPPING];          /* error: d x u_f */
  int freedom;
  double along; /* of mode->offset, added to x as far as A leaves it undetermined */
} slip_search;

/* False: more frictions slip than there is room for. */
static bool collect_slipping(slip_search *search, coulomb_mode *mode) {
  search->mode = mode, search->count = 0;
  coulomb_mode_collect(mode, -1);
  for (int j = 0; j < mode->count; j++) {
    int c = mode->owner[j];
    for (int f = c < 0 ? 0 : mode->first[c]; c >= 0 && f < mode->first[c + 1]; f++) {
      if (!mode->friction[f].slips || mode->friction[f].rows.count < 2) continue;
      if (search->count == MAX_SLIPPING) return false;
      search->friction[search->count] = f, search->unknown[search->count++] = j;
    }
  }
  return true;
}

static coulomb_mode_friction *slipping(const slip_search *search, int s) {
  return &search->mode->friction[search->friction[s]];
}

static void set_directions(slip_search *search) {
  for (int s = 0; s < search->count; s++) {
    double *d = slipping(search, s)->d;
    d[0] = cos(search->angle[s]), d[1] = sin(search->angle[s]);
  }
}

static void add_offset(slip_search *search) {
  coulomb_mode *mode = search->mode;
  int k = mode->count;
  for (int r = mode->rank; r < k; r++) {
    const double *V = mode->V + coulomb_at(k, r, 0);
    double along = search->along * crd_dense_dot(k, V, mode->offset);
    for (int j = 0; j < k; j++) mode->x[j] += mode->unit[j] * along * V[j];
  }
  coulomb_mode_expand(mode);
}

/* p, u and the errors at the present angles. Returns the largest error. */
static double evaluate(slip_search *search) {
  coulomb_mode *mode = search->mode;
  double worst = 0;
  set_directions(search);
  coulomb_mode_turn(mode);
  search->freedom = coulomb_mode_factor(mode);
  coulomb_mode_answer(mode);
  if (search->along != 0) add_offset(search);
  for (int s = 0; s < search->count; s++) {
    const coulomb_mode_friction *f = slipping(search, s);
    const double *u = mode->u + f->rows.row;
    search->error[s] = f->d[0] * u[1] - f->d[1] * u[0];
    worst = isfinite(search->error[s]) ? fmax(worst, fabs(search->error[s])) : INFINITY;
  }
  return worst;
}

/* Velocity of row r when friction f turns at unit speed with normal impulse pn: mu pn G_rf (-d_2, d_1). */
static double turning(const coulomb_mode *mode, int r, const coulomb_mode_friction *f, double pn) {
  const double *row = mode->problem->G + coulomb_at(mode->n, r, f->rows.row);
  return f->rows.mu * pn * (-f->d[1] * row[0] + f->d[0] * row[1]);
}

/* Newton's step for the angles at the point just evaluated. Turning friction s by da changes its generator by -mu d'
 * da, d' = (-d_2, d_1), and with it x by A^-1 (row of G)(mu d') x_s da. False: the derivative is singular. */
static bool newton_step(slip_search *search, double *step) {
  coulomb_mode *mode = search->mode;
  int count = search->count, k = mode->count, pivot[MAX_SLIPPING];
  double D[MAX_SLIPPING * MAX_SLIPPING], *dx = mode->many;
  for (int s = 0; s < count; s++)
    for (int i = 0; i < k; i++)
      dx[coulomb_at(k, s, i)] = turning(mode, mode->row[i], slipping(search, s), mode->x[search->unknown[s]]);
  coulomb_mode_solve(mode, count, dx);
  for (int s = 0; s < count; s++)
    for (int i = 0; i < count; i++) {
      const coulomb_mode_friction *f = slipping(search, i);
      const double *u = mode->u + f->rows.row;
      double du[2];
      for (int t = 0; t < 2; t++) {
        int r = f->rows.row + t;
        du[t] = -turning(mode, r, slipping(search, s), mode->x[search->unknown[s]]);
        for (int j = 0; j < k; j++) du[t] += mode->column[coulomb_at(mode->n, j, r)] * dx[coulomb_at(k, s, j)];
      }
      D[coulomb_at(count, i, s)] = f->d[0] * du[1] - f->d[1] * du[0] - (i == s ? f->d[0] * u[0] + f->d[1] * u[1] : 0);
    }
  for (int s = 0; s < count; s++) step[s] = -search->error[s];
  if (!crd_lu_factor_bare(count, D, pivot)) return false;
  crd_lu_solve(count, D, pivot, 1, step);
  return true;
}

/* Damped Newton iteration from the present angles. True: the errors vanish. */
static bool converge(slip_search *search) {
  const double small = ROUNDING * crd_coulomb_scale(search->mode->problem), longest = 1; /* radians */
  double error = evaluate(search), step[MAX_SLIPPING], from[MAX_SLIPPING];
  for (int i = 0; i < ITERATIONS && error > small; i++) {
    double length = 0, fraction = 1, next = INFINITY;
    if (!isfinite(error) || !newton_step(search, step)) return false;
    for (int s = 0; s < search->count; s++) length = fmax(length, fabs(step[s]));
    if (!isfinite(length)) return false;
    if (length > longest) fraction = longest / length;
    memcpy(from, search->angle, sizeof *from * (size_t)search->count);
    for (int halving = 0; halving < HALVINGS && !(next < error); halving++, fraction *= 0.5) {
      for (int s = 0; s < search->count; s++) search->angle[s] = from[s] + fraction * step[s];
      next = evaluate(search);
    }
    /* no descent: at the limit of rounding that is convergence, elsewhere a dead end */
    if (!(next < error)) return fmin(next, error) <= STALLED * small;
    error = next;
  }
  return error <= small;
}

/* Start number i: the direction each friction has without impulses, then points of an additive sequence, whose step in
 * dimension s is g^-(s+1) turns, g^(count+1) = g + 1 (the plastic numbers: evenly spread in every dimension). */
static void start_at(slip_search *search, int i) {
  double g = 2;
  for (int k = 0; k < PLASTIC_ROUNDS; k++) g = pow(1 + g, 1.0 / (search->count + 1));
  for (int s = 0; s < search->count; s++) {
    const double *b = search->mode->b + slipping(search, s)->rows.row;
    search->angle[s] = i == 0 ? atan2(b[1], b[0]) : CRD_TURN * fmod(0.5 + i * pow(g, -(s + 1)), 1);
  }
}

/* Start number i in full: the last friction slips as the others let it, in up to four ways. Returns how many there are,
 * with its angles; the search stands as it was collected. */
static int last_angles(slip_search *search, double angle[CRD_SLIP_MAX]) {
  coulomb_mode *mode = search->mode;
  int last = search->friction[search->count - 1], count = 1;
  double b[3], W[9], direction[CRD_SLIP_MAX][2];
  bool every = false;
  angle[0] = search->angle[search->count - 1];
  set_directions(search);
  if (seen_from(mode, last, b, W)) {
    int ways = directions_of(mode->friction[last].rows.mu, b, W, direction, &every);
    for (int i = 0; i < ways; i++) angle[i] = atan2(direction[i][1], direction[i][0]);
    if (ways > 0) count = ways;
  }
  coulomb_mode_collect(mode, -1);
  return count;
}

/* Another share of the load slips in other directions: the solution just found is one of a family. */
static bool has_neighbours(slip_search *search) {
  coulomb_mode *mode = search->mode;
  const double step = 1e-3, apart = 1e-6; /* of the energies, of the velocities */
  double from[MAX_SLIPPING], velocity = crd_coulomb_scale(mode->problem), moved = 0;
  int rank = mode->rank, k = mode->count;
  memcpy(from, search->angle, sizeof from);
  memcpy(mode->spare, mode->u, sizeof *mode->u * (size_t)mode->n);
  for (int r = rank; r < k && moved <= apart * velocity; r++)
    for (int sign = -1; sign <= 1 && moved <= apart * velocity; sign += 2) {
      memcpy(search->angle, from, sizeof from);
      evaluate(search);
      if (mode->rank != rank) break;
      memcpy(mode->offset, mode->V + coulomb_at(k, r, 0), sizeof *mode->V * (size_t)k);
      search->along = sign * step * mode->energy;
      bool found = converge(search) && coulomb_mode_holds(mode);
      search->along = 0;
      for (int i = 0; i < mode->n && found; i++) moved = fmax(moved, fabs(mode->u[i] - mode->spare[i]));
    }
  memcpy(search->angle, from, sizeof from);
  evaluate(search);
  return moved > apart * velocity;
}

static crd_status several_slipping(coulomb_mode *mode, coulomb_mode_found *found) {
  slip_search search = {0};
  bool none = false;
  crd_status excluded = found->exclude ? coulomb_mode_exclude(mode, &none) : CRD_OK;
  if (excluded != CRD_OK || none) return excluded;
  if (!collect_slipping(&search, mode)) return CRD_LIMIT;
  found->searched = true;
  for (int i = 0; i < found->starts; i++) {
    double begin[MAX_SLIPPING], last[CRD_SLIP_MAX];
    start_at(&search, i);
    memcpy(begin, search.angle, sizeof begin);
    for (int way = 0, count = last_angles(&search, last); way < count; way++) {
      memcpy(search.angle, begin, sizeof begin);
      search.angle[search.count - 1] = last[way];
      if (!converge(&search)) continue;
      found->every = search.freedom > 0 && coulomb_mode_holds(mode) && has_neighbours(&search);
      crd_status status = found->offer(found->context, mode, search.freedom);
      found->every = false;
      if (status != CRD_OK) return status;
    }
  }
  return CRD_OK;
}

crd_status coulomb_mode_slip(coulomb_mode *mode, coulomb_mode_found *found) {
  double b[3], W[9];
  int slips = 0, last = 0;
  for (int f = 0; f < mode->nfriction; f++)
    if (mode->closed[mode->friction[f].contact] && mode->friction[f].slips && mode->friction[f].rows.count == 2)
      slips++, last = f;
  if (slips == 1 && seen_from(mode, last, b, W)) return one_slipping(mode, last, b, W, found);
  return several_slipping(mode, found);
}
