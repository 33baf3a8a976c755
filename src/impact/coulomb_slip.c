/* Modes in which spatial contacts slip: their directions d_i are unknown too, w_t = k d, k >= 0.
 *
 * One slipping spatial contact: the others are eliminated (they are linear), w = W' p + b' remains for its three rows,
 * and
 *
 *   p_n = -b'_n / D,  D = W'_nn - mu W'_nt d,      w_t D = (b'_t W'_nn - b'_n W'_tn) + mu (b'_n W'_tt - b'_t W'_nt) d
 *
 * asks for the directions with B d + w parallel to d: all of them, exactly (slip_direction.h).
 *
 * Several: Newton's method for the angles, with w_t x d = 0, from a set of starting points spread evenly. What it finds
 * is right to rounding; that it finds everything is not certain, and the report says so.
 */
#include <math.h>
#include <string.h>

#include "coulomb/slip_direction.h"
#include "impact/coulomb_mode.h"
#include "linalg/dense.h"
#include "linalg/lu.h"

enum { ITERATIONS = 40, MAX_SLIPPING = 64 };

static size_t at(int columns, int i, int j) { return (size_t)columns * (size_t)i + (size_t)j; }

/* w = b + W p of contact c when the other contacts answer in their modes. False: their answer is not determined. */
static bool seen_from(coulomb_work *work, int c, double b[3], double W[9]) {
  const crd_cones *problem = work->problem;
  int first = problem->contact[c].row, k;
  coulomb_collect(work, c);
  k = work->count;
  if (coulomb_factor(work) > 0) return false;
  for (int i = 0; i < k; i++) {
    work->many[i] = -problem->b[work->row[i]];
    for (int t = 0; t < 3; t++) work->many[at(k, 1 + t, i)] = -problem->W[at(problem->m, work->row[i], first + t)];
  }
  coulomb_solve(work, 4, work->many);
  for (int t = 0; t < 3; t++) {
    b[t] = problem->b[first + t];
    for (int s = 0; s < 3; s++) W[3 * t + s] = problem->W[at(problem->m, first + t, first + s)];
    for (int j = 0; j < k; j++) {
      double g = coulomb_generator(work, first + t, j);
      b[t] += g * work->many[j];
      for (int s = 0; s < 3; s++) W[3 * t + s] += g * work->many[at(k, 1 + s, j)];
    }
  }
  return true;
}

/* The directions in which contact c can slip when w = b + W p is what it sees; CRD_SLIP_EVERY counts as one of them. */
static int directions_of(coulomb_work *work, int c, const double b[3], const double W[9],
                         double found[CRD_SLIP_MAX][2]) {
  double mu = work->problem->contact[c].mu, B[4], w[2];
  for (int i = 0; i < 2; i++) {
    w[i] = b[1 + i] * W[0] - b[0] * W[3 * (1 + i)];
    for (int j = 0; j < 2; j++) B[2 * i + j] = mu * (b[0] * W[3 * (1 + i) + 1 + j] - b[1 + i] * W[1 + j]);
  }
  int count = crd_slip_directions(B, w, found, NULL);
  if (count != CRD_SLIP_EVERY) return count;
  work->report->every_slip = true;
  found[0][0] = 1, found[0][1] = 0;
  return 1;
}

static crd_status one_slipping(coulomb_work *work, int c, const double b[3], const double W[9]) {
  double mu = work->problem->contact[c].mu, *d = work->direction + 2 * c, found[CRD_SLIP_MAX][2], own[3];
  int count = directions_of(work, c, b, W, found), k = work->count;
  for (int f = 0; f < count; f++) {
    d[0] = found[f][0], d[1] = found[f][1];
    double pn = -b[0] / (W[0] - mu * (W[1] * d[0] + W[2] * d[1]));
    if (!isfinite(pn)) continue;
    own[0] = pn, own[1] = -mu * pn * d[0], own[2] = -mu * pn * d[1];
    for (int j = 0; j < k; j++) {
      work->x[j] = work->many[j];
      for (int s = 0; s < 3; s++) work->x[j] += own[s] * work->many[at(k, 1 + s, j)];
    }
    coulomb_expand(work, work->x);
    for (int t = 0; t < 3; t++) work->p[work->problem->contact[c].row + t] = own[t];
    coulomb_velocity(work);
    crd_status status = coulomb_offer(work, 0);
    if (status != CRD_OK) return status;
  }
  return CRD_OK;
}

/* The angles of the slipping contacts in a search. */
typedef struct slip_search {
  coulomb_work *work;
  int count, contact[MAX_SLIPPING], unknown[MAX_SLIPPING]; /* unknown: of the contact's normal impulse */
  double angle[MAX_SLIPPING], error[MAX_SLIPPING];         /* error: d x w_t */
  int freedom;
} slip_search;

/* False: more contacts slip than there is room for. */
static bool collect_slipping(slip_search *search, coulomb_work *work) {
  *search = (slip_search){.work = work};
  coulomb_collect(work, -1);
  for (int j = 0; j < work->count; j++)
    if (work->mode[work->owner[j]] == CRD_CONES_SLIP) {
      if (search->count == MAX_SLIPPING) return false;
      search->contact[search->count] = work->owner[j];
      search->unknown[search->count++] = j;
    }
  return true;
}

static void set_directions(slip_search *search) {
  for (int s = 0; s < search->count; s++) {
    double *d = search->work->direction + 2 * search->contact[s];
    d[0] = cos(search->angle[s]), d[1] = sin(search->angle[s]);
  }
}

/* p, w and the errors at the present angles. Returns the largest error. */
static double evaluate(slip_search *search) {
  coulomb_work *work = search->work;
  double worst = 0;
  set_directions(search);
  search->freedom = coulomb_factor(work);
  coulomb_solve_mode(work);
  for (int s = 0; s < search->count; s++) {
    const double *d = work->direction + 2 * search->contact[s];
    const double *w = work->w + work->problem->contact[search->contact[s]].row;
    search->error[s] = d[0] * w[2] - d[1] * w[1];
    worst = isfinite(search->error[s]) ? fmax(worst, fabs(search->error[s])) : INFINITY;
  }
  return worst;
}

/* Newton's step for the angles at the point just evaluated. Turning contact s by da changes its generator by -mu (t d')
 * da, d' = (-d_2, d_1), and with it x by A^-1 (row of W)(mu t d') x_s da. False: the derivative is singular. */
static bool newton_step(slip_search *search, double *step) {
  coulomb_work *work = search->work;
  const crd_cones *problem = work->problem;
  int count = search->count, k = work->count, m = problem->m, pivot[MAX_SLIPPING], iwork[MAX_SLIPPING];
  double D[MAX_SLIPPING * MAX_SLIPPING], room[4 * MAX_SLIPPING], *dx = work->many;
  for (int s = 0; s < count; s++) {
    const crd_cones_contact *contact = &problem->contact[search->contact[s]];
    const double *d = work->direction + 2 * search->contact[s];
    double push = contact->mu * work->x[search->unknown[s]];
    for (int i = 0; i < k; i++) {
      const double *row = problem->W + at(m, work->row[i], contact->row);
      dx[at(k, s, i)] = push * (-d[1] * row[1] + d[0] * row[2]);
    }
  }
  coulomb_solve(work, count, dx);
  for (int s = 0; s < count; s++) {
    const crd_cones_contact *turned = &problem->contact[search->contact[s]];
    const double *turn = work->direction + 2 * search->contact[s];
    double push = turned->mu * work->x[search->unknown[s]];
    for (int i = 0; i < count; i++) {
      int first = problem->contact[search->contact[i]].row;
      const double *d = work->direction + 2 * search->contact[i], *w = work->w + first;
      double dw[2];
      for (int t = 0; t < 2; t++) {
        const double *row = problem->W + at(m, first + 1 + t, turned->row);
        dw[t] = -push * (-turn[1] * row[1] + turn[0] * row[2]);
        for (int j = 0; j < k; j++) dw[t] += coulomb_generator(work, first + 1 + t, j) * dx[at(k, s, j)];
      }
      D[at(count, i, s)] = d[0] * dw[1] - d[1] * dw[0] - (i == s ? d[0] * w[1] + d[1] * w[2] : 0);
    }
  }
  for (int s = 0; s < count; s++) step[s] = -search->error[s];
  if (!(crd_lu_factor(count, D, pivot, room, iwork) > 0)) return false;
  crd_lu_solve(count, D, pivot, 1, step);
  return true;
}

/* Damped Newton iteration from the present angles. True: the errors vanish. */
static bool converge(slip_search *search) {
  const double small = 1e-13 * search->work->problem->velocity, longest = 1; /* radians */
  double error = evaluate(search), step[MAX_SLIPPING], from[MAX_SLIPPING];
  for (int i = 0; i < ITERATIONS && error > small; i++) {
    double length = 0, fraction = 1, next = INFINITY;
    if (!isfinite(error) || !newton_step(search, step)) return false;
    for (int s = 0; s < search->count; s++) length = fmax(length, fabs(step[s]));
    if (!isfinite(length)) return false;
    if (length > longest) fraction = longest / length;
    memcpy(from, search->angle, sizeof from);
    for (int halving = 0; halving < 6 && !(next < error); halving++, fraction *= 0.5) {
      for (int s = 0; s < search->count; s++) search->angle[s] = from[s] + fraction * step[s];
      next = evaluate(search);
    }
    /* no descent: at the limit of rounding that is convergence, elsewhere a dead end */
    if (!(next < error)) return fmin(next, error) <= 1e3 * small;
    error = next;
  }
  return error <= small;
}

/* Start number i: the direction each contact has without impulses, then points of an additive sequence, whose step in
 * dimension s is g^-(s+1) turns, g^(count+1) = g + 1 (the plastic numbers: evenly spread in every dimension). */
static void start_at(slip_search *search, int i) {
  const double turn = 2 * acos(-1);
  double g = 2;
  for (int k = 0; k < 60; k++) g = pow(1 + g, 1.0 / (search->count + 1));
  for (int s = 0; s < search->count; s++) {
    const double *b = search->work->problem->b + search->work->problem->contact[search->contact[s]].row;
    search->angle[s] = i == 0 ? atan2(b[2], b[1]) : turn * fmod(0.5 + i * pow(g, -(s + 1)), 1);
  }
}

/* Start number i in full: the last contact slips as the others let it, in up to four ways. Returns how many there are,
 * with its angles; the search stands as it was collected. */
static int last_angles(slip_search *search, double angle[CRD_SLIP_MAX]) {
  coulomb_work *work = search->work;
  int last = search->contact[search->count - 1], count = 1;
  double b[3], W[9], found[CRD_SLIP_MAX][2];
  angle[0] = search->angle[search->count - 1];
  set_directions(search);
  if (seen_from(work, last, b, W)) {
    int ways = directions_of(work, last, b, W, found);
    for (int f = 0; f < ways; f++) angle[f] = atan2(found[f][1], found[f][0]);
    if (ways > 0) count = ways;
  }
  coulomb_collect(work, -1);
  return count;
}

static crd_status several_slipping(coulomb_work *work) {
  slip_search search;
  if (!collect_slipping(&search, work)) return CRD_LIMIT;
  work->report->searched = true;
  for (int i = 0; i < work->problem->starts; i++) {
    double begin[MAX_SLIPPING], last[CRD_SLIP_MAX];
    start_at(&search, i);
    memcpy(begin, search.angle, sizeof begin);
    for (int way = 0, count = last_angles(&search, last); way < count; way++) {
      memcpy(search.angle, begin, sizeof begin);
      search.angle[search.count - 1] = last[way];
      if (!converge(&search)) continue;
      crd_status status = coulomb_offer(work, search.freedom);
      if (status != CRD_OK) return status;
    }
  }
  return CRD_OK;
}

crd_status coulomb_slip_from_here(coulomb_work *work) {
  slip_search search;
  if (!collect_slipping(&search, work)) return CRD_LIMIT;
  for (int s = 0; s < search.count; s++) {
    const double *d = work->direction + 2 * search.contact[s];
    search.angle[s] = atan2(d[1], d[0]);
  }
  return converge(&search) ? coulomb_offer(work, search.freedom) : CRD_OK;
}

crd_status coulomb_spatial_slip(coulomb_work *work, int slipping) {
  double b[3], W[9];
  int c = 0;
  while (work->mode[c] != CRD_CONES_SLIP) c++;
  if (slipping == 1 && seen_from(work, c, b, W)) return one_slipping(work, c, b, W);
  return several_slipping(work);
}
