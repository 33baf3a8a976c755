/* Every mode of an island, one after the other (mode.h). A contact is open or closed, closed with each of its frictions
 * sticking or slipping (planar: in either direction): 4 modes of a planar contact, 3 of a spatial one, 2 without
 * friction; a bounded row is between its bounds or at one of them. A mode costs a factorisation, n planar contacts have
 * 4^n. Whatever a mode proposes is a solution if the natural map says so.
 *
 * Where G is symmetric and positive definite, the number of solutions is odd except for borderline cases: the problem can
 * be deformed into the frictionless one, which has a single solution, and its solutions stay bounded on the way (p' u
 * <= 0 excludes p <> 0 with w = 0), so that they appear and vanish in pairs. An even number therefore says that a
 * search missed something. Directions of sliding that are given do not follow the velocities, and prove nothing. */
#include "coulomb/enumerate.h"
#include "base/layout.h"
#include "coulomb/accuracy.h"

#include <math.h>
#include <string.h>

#include "coulomb/mode.h"
#include "linalg/dense.h"

enum { MORE_STARTS = 16 }; /* times as many, where a search missed a solution */

typedef struct enumeration {
  coulomb_mode mode;
  coulomb_mode_found slip;
  const crd_coulomb_enumerate_options *options;
  coulomb_found *found;
  coulomb_island_report *report;
  int parts, *choice; /* contacts, then bounded rows */
  bool spatial;       /* some modes have several spatial frictions that slip */
} enumeration;

/* ------------------------------------------------------------------------------------------- modes */

/* States of a friction while its contact is closed: stick, slip; planar: stick, slip along or against the tangent. */
static int friction_options(const coulomb_mode_friction *f) { return f->rows.count == 1 ? 3 : 2; }

static int closed_options(const coulomb_mode *mode, int c) {
  int count = 1;
  for (int f = mode->first[c]; f < mode->first[c + 1]; f++) count *= friction_options(&mode->friction[f]);
  return count;
}

static int bounded_options(const crd_coulomb_bounded *b, coulomb_mode_bound option[3]) {
  int count = 0;
  if (b->lower < b->upper) option[count++] = COULOMB_BETWEEN;
  if (isfinite(b->lower)) option[count++] = COULOMB_AT_LOWER;
  if (isfinite(b->upper) && b->lower < b->upper) option[count++] = COULOMB_AT_UPPER;
  return count;
}

static int options_of(const enumeration *e, int part) {
  const crd_coulomb_problem *problem = e->mode.problem;
  coulomb_mode_bound option[3];
  if (part < problem->ncontact) return closed_options(&e->mode, part) + 1;
  return bounded_options(&problem->bounded[part - problem->ncontact], option);
}

/* Sets the mode of a part: closed contacts first, sticking first of all; the last choice is to open. */
static void set_choice(enumeration *e, int part) {
  coulomb_mode *mode = &e->mode;
  int choice = e->choice[part], nc = mode->problem->ncontact;
  if (part >= nc) {
    coulomb_mode_bound option[3];
    bounded_options(&mode->problem->bounded[part - nc], option);
    mode->bound[part - nc] = option[choice];
    return;
  }
  mode->closed[part] = choice < closed_options(mode, part);
  for (int f = mode->first[part + 1] - 1; f >= mode->first[part]; f--) {
    coulomb_mode_friction *friction = &mode->friction[f];
    int count = friction_options(friction), state = mode->closed[part] ? choice % count : 0;
    friction->slips = state > 0;
    friction->d[0] = state == 2 ? -1 : 1, friction->d[1] = 0;
    choice /= count;
  }
}

/* The next combination, the last part fastest. False: that was the last one. */
static bool advance(enumeration *e) {
  for (int part = e->parts - 1; part >= 0; part--) {
    e->choice[part] = (e->choice[part] + 1) % options_of(e, part);
    set_choice(e, part);
    if (e->choice[part] != 0) return true;
  }
  return false;
}

/* Modes with at least two slipping spatial frictions are searched, one by one from many starts. */
static bool too_many(enumeration *e) {
  const coulomb_mode *mode = &e->mode;
  double modes = 1, without_slip = 1, with_one = 0;
  for (int part = 0; part < e->parts; part++) {
    int total = options_of(e, part), linear = 1, spatial = 0;
    for (int f = part < mode->problem->ncontact ? mode->first[part] : 0;
         part < mode->problem->ncontact && f < mode->first[part + 1]; f++) {
      if (mode->friction[f].rows.count == 2)
        spatial++;
      else
        linear *= 3;
    }
    int none = part < mode->problem->ncontact ? linear + 1 : total, one = spatial * linear;
    with_one = with_one * none + without_slip * one;
    without_slip *= none, modes *= total;
  }
  e->spatial = modes > without_slip + with_one;
  return modes > e->options->max_modes || modes - without_slip - with_one > e->options->max_searched;
}

/* ------------------------------------------------------------------------------------------- solutions */

/* The same velocities: rows of m/s and of rad/s are compared as roots of energies. */
static crd_coulomb_solution *known(const enumeration *e) {
  double close = e->options->merge_tolerance * e->mode.energy;
  for (int k = 0; k < e->found->count; k++) {
    double apart = 0;
    for (int r = 0; r < e->mode.n; r++)
      apart = fmax(apart, e->mode.scale[r] * fabs(e->mode.u[r] - e->found->solution[k].u[r]));
    if (apart <= close) return &e->found->solution[k];
  }
  return NULL;
}

static bool make_room(coulomb_found *found) {
  if (found->count < found->capacity) return true;
  int capacity = found->capacity ? 2 * found->capacity : 8;
  crd_coulomb_solution *more = crd_arena_alloc(found->arena, (size_t)capacity, sizeof *more);
  if (!more) return false;
  if (found->count) memcpy(more, found->solution, sizeof *more * (size_t)found->count);
  found->solution = more, found->capacity = capacity;
  return true;
}

static crd_mode name_of(const coulomb_mode *mode, int c) {
  const crd_coulomb_contact *contact = &mode->problem->contact[c];
  if (!mode->closed[c]) return CRD_MODE_SEPARATE;
  if (contact->slides) return CRD_MODE_SLIP;
  for (int f = mode->first[c]; f < mode->first[c + 1]; f++)
    if (mode->friction[f].slips && mode->friction[f].rows.row == contact->row + 1 && contact->ntangent > 0)
      return CRD_MODE_SLIP;
  return CRD_MODE_STICK;
}

static crd_coulomb_solution *add(enumeration *e) {
  coulomb_found *found = e->found;
  size_t n = (size_t)e->mode.n, nc = (size_t)e->mode.problem->ncontact;
  double *p, *u;
  crd_mode *mode;
  if (CRD_TAKE(found->arena, CRD_ARRAY(p, n), CRD_ARRAY(u, n), CRD_ARRAY(mode, nc)) || !make_room(found)) return NULL;
  memcpy(p, e->mode.p, sizeof *p * n), memcpy(u, e->mode.u, sizeof *u * n);
  for (int c = 0; c < (int)nc; c++) mode[c] = name_of(&e->mode, c);
  found->solution[found->count] = (crd_coulomb_solution){.p = p, .u = u, .mode = mode, .residual = e->mode.residual};
  return &found->solution[found->count++];
}

/* The dimension of a motion's impulses is the largest of its modes': the mode in which every contact at rest is closed
 * and sticks has them all. */
static crd_status record(enumeration *e, int freedom) {
  crd_coulomb_solution *solution = known(e);
  if (!solution) {
    if (e->found->count == e->options->max_solutions) return CRD_LIMIT;
    if (!(solution = add(e))) return CRD_ERR_MEMORY;
  }
  solution->continuum |= e->slip.every, e->report->every_slip |= e->slip.every;
  if (freedom <= solution->freedom) return CRD_OK;
  coulomb_mode_extent extent;
  crd_status status = coulomb_mode_measure(&e->mode, &extent);
  if (extent.impulses > solution->freedom) solution->freedom = extent.impulses;
  solution->continuum |= extent.motions, e->report->undecided |= extent.undecided;
  return status;
}

static crd_status offer(void *context, coulomb_mode *mode, int freedom) {
  enumeration *e = context;
  if (freedom > 0 && !coulomb_mode_consistent(mode)) return CRD_OK;
  if (coulomb_mode_holds(mode)) return record(e, freedom);
  if (freedom == 0) return CRD_OK;
  crd_status status = coulomb_mode_choose(mode);
  if (status == CRD_OK) return record(e, freedom);
  if (status < 0) return status;
  e->report->undecided |= status != CRD_NO_SOLUTION;
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------- all of them */

static crd_status try_mode(enumeration *e) {
  coulomb_mode *mode = &e->mode;
  for (int f = 0; f < mode->nfriction; f++)
    if (mode->friction[f].slips && mode->friction[f].rows.count == 2) return coulomb_mode_slip(mode, &e->slip);
  coulomb_mode_collect(mode, -1);
  int freedom = coulomb_mode_factor(mode);
  coulomb_mode_answer(mode);
  return offer(e, mode, freedom);
}

static crd_status try_all(enumeration *e) {
  crd_status status = CRD_OK;
  memset(e->choice, 0, sizeof *e->choice * (size_t)e->parts);
  for (int part = 0; part < e->parts; part++) set_choice(e, part);
  do {
    if (crd_interrupted() || (e->options->stop && e->options->stop(e->options->context))) return CRD_LIMIT;
    status = try_mode(e);
    e->report->modes++;
  } while (status == CRD_OK && advance(e));
  return status;
}

/* An odd number of solutions is certain. */
static bool must_be_odd(const enumeration *e) {
  int n = e->mode.n;
  const double *G = e->mode.problem->G;
  for (int c = 0; c < e->mode.problem->ncontact; c++)
    if (e->mode.problem->contact[c].slides) return false;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      if (fabs(G[coulomb_at(n, i, j)] - G[coulomb_at(n, j, i)]) * e->mode.scale[i] * e->mode.scale[j] >
          CRD_ACCURACY.symmetric)
        return false;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      e->mode.A[coulomb_at(n, i, j)] = G[coulomb_at(n, i, j)] * e->mode.scale[i] * e->mode.scale[j];
  return crd_dense_cholesky(n, e->mode.A);
}

static bool missed_something(const enumeration *e) {
  return e->slip.searched && e->found->count % 2 == 0 && must_be_odd(e);
}

crd_status coulomb_enumerate_island(const crd_coulomb_problem *problem, const crd_coulomb_enumerate_options *options,
                                    coulomb_found *found, coulomb_island_report *report) {
  crd_arena scratch = {0};
  enumeration e = {.options = options, .found = found, .report = report};
  *report = (coulomb_island_report){0};
  e.parts = problem->ncontact + problem->nbounded;
  e.slip = (coulomb_mode_found){.offer = offer, .context = &e, .starts = options->starts, .exclude = true};
  e.choice = crd_arena_alloc(&scratch, (size_t)e.parts, sizeof *e.choice);
  crd_status status = coulomb_mode_begin(&e.mode, problem, options->tolerance, &scratch);
  if (status == CRD_OK && !e.choice) status = CRD_ERR_MEMORY;
  if (status == CRD_OK && too_many(&e)) status = CRD_LIMIT;
  if (status == CRD_OK) status = try_all(&e);
  if (status == CRD_OK && missed_something(&e)) {
    e.slip.starts *= MORE_STARTS;
    status = try_all(&e);
  }
  if (status == CRD_OK && e.spatial && found->count == 0) { /* exclusion takes slow slip for sticking */
    e.slip.starts = options->starts, e.slip.exclude = false;
    status = try_all(&e);
  }
  report->searched = e.slip.searched;
  crd_arena_free(&scratch);
  return status;
}
