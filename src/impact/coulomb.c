/* All modes of the frictional contact problem, and how far impulses are from solving it. A mode costs one factorisation
 * of at most m rows; planar problems of n contacts have 4^n modes. */
#include "impact/coulomb.h"

#include <math.h>
#include <string.h>

#include "impact/coulomb_mode.h"

crd_cones_contact crd_cones_contact_of(const crd_contact *contact) {
  return (crd_cones_contact){
      .row = contact->row, .ntangent = contact->mu > 0 ? contact->ntangent : 0, .mu = contact->mu};
}

/* What counts as small enough for all modes: as many modes as eight planar contacts have, and as many searches for
 * directions as five slipping spatial contacts need (a few tenths of a second each). */
enum { MAX_MODES = 65536, MAX_SEARCHED_MODES = 150 };

/* Of modes that an answer contradicts, on the way from given impulses to a solution. */
enum { MAX_REVISIONS = 8 };

static int modes_of(const crd_cones_contact *contact, const crd_cones_mode **list) {
  static const crd_cones_mode frictionless[] = {CRD_CONES_STICK, CRD_CONES_SEPARATE},
                              planar[] = {CRD_CONES_STICK, CRD_CONES_SLIP_PLUS, CRD_CONES_SLIP_MINUS,
                                          CRD_CONES_SEPARATE},
                              spatial[] = {CRD_CONES_STICK, CRD_CONES_SLIP, CRD_CONES_SEPARATE};
  switch (contact->ntangent) {
    case 0: *list = frictionless; return 2;
    case 1: *list = planar; return 4;
    default: *list = spatial; return 3;
  }
}

/* Modes with at least two slipping spatial contacts are searched, one by one from many starts. */
static bool too_many(const crd_cones *problem) {
  double modes = 1, without_slip = 1, with_one = 0;
  for (int c = 0; c < problem->nc; c++) {
    const crd_cones_mode *list;
    int count = modes_of(&problem->contact[c], &list), linear = problem->contact[c].ntangent == 2 ? 2 : count;
    with_one = with_one * linear + without_slip * (count - linear);
    without_slip *= linear, modes *= count;
  }
  return modes > MAX_MODES || modes - without_slip - with_one > MAX_SEARCHED_MODES;
}

static crd_status solve_mode(coulomb_work *work) {
  coulomb_collect(work, -1);
  int freedom = coulomb_factor(work);
  coulomb_solve_mode(work);
  return coulomb_offer(work, freedom);
}

static crd_status try_mode(coulomb_work *work) {
  int slipping = 0;
  for (int c = 0; c < work->problem->nc; c++) {
    double *d = work->direction + 2 * c;
    d[0] = work->mode[c] == CRD_CONES_SLIP_MINUS ? -1 : 1, d[1] = 0;
    slipping += work->mode[c] == CRD_CONES_SLIP;
  }
  if (slipping) return coulomb_spatial_slip(work, slipping);
  return solve_mode(work);
}

/* The next combination, the last contact fastest. False: that was the last one. */
static bool advance(const crd_cones *problem, int *choice, crd_cones_mode *mode) {
  for (int c = problem->nc - 1; c >= 0; c--) {
    const crd_cones_mode *list;
    int count = modes_of(&problem->contact[c], &list);
    choice[c] = (choice[c] + 1) % count;
    mode[c] = list[choice[c]];
    if (choice[c] != 0) return true;
  }
  return false;
}

crd_status crd_cones_enumerate(const crd_cones *problem, crd_impact_result *memory, crd_cones_sink sink, void *context,
                               crd_cones_report *report) {
  *report = (crd_cones_report){0};
  if (too_many(problem)) return CRD_LIMIT;
  coulomb_work work;
  crd_status status = coulomb_work_new(&work, problem, memory);
  int *choice = crd_arena_alloc(&memory->arena, (size_t)problem->nc, sizeof *choice);
  if (status != CRD_OK || !choice) return CRD_ERR_MEMORY;
  work.sink = sink, work.context = context, work.report = report;
  for (int c = 0; c < problem->nc; c++) work.mode[c] = CRD_CONES_STICK;
  do {
    status = try_mode(&work);
    report->modes++;
  } while (status == CRD_OK && advance(problem, choice, work.mode));
  return status;
}

/* The mode of a contact with impulse p and velocity w, and the direction of its slip. */
static crd_cones_mode suggested(const crd_cones *problem, const crd_cones_contact *contact, const double *p,
                                const double *w, crd_cones_touch touch, double *direction) {
  double friction = 0, speed = 0;
  for (int t = 0; t < contact->ntangent; t++) friction = hypot(friction, p[1 + t]), speed = hypot(speed, w[1 + t]);
  direction[0] = 1, direction[1] = 0;
  bool closed = touch == CRD_CONES_CLOSED && w[0] <= problem->tolerance * problem->velocity;
  if (!(p[0] > problem->tolerance * problem->impulse) && !closed) return CRD_CONES_SEPARATE;
  if (contact->ntangent == 0 || speed <= 1e-6 * problem->velocity) return CRD_CONES_STICK;
  for (int t = 0; t < contact->ntangent; t++) direction[t] = w[1 + t] / speed;
  if (contact->ntangent == 2) return CRD_CONES_SLIP;
  return direction[0] > 0 ? CRD_CONES_SLIP_PLUS : CRD_CONES_SLIP_MINUS;
}

/* A mode that p and w contradict becomes the one they point to. False: none does. */
static bool revise(coulomb_work *work) {
  const crd_cones *problem = work->problem;
  double slow = 0.1 * problem->tolerance * problem->velocity, weak = 0.1 * problem->tolerance * problem->impulse;
  bool changed = false;
  for (int c = 0; c < problem->nc; c++) {
    const crd_cones_contact *contact = &problem->contact[c];
    const double *p = work->p + contact->row, *w = work->w + contact->row;
    double *d = work->direction + 2 * c, friction = 0, along = 0;
    crd_cones_mode was = work->mode[c];
    for (int t = 0; t < contact->ntangent; t++) friction = hypot(friction, p[1 + t]), along += d[t] * w[1 + t];
    if (was == CRD_CONES_SEPARATE) {
      if (w[0] < -slow) work->mode[c] = CRD_CONES_STICK;
    } else if (p[0] < -weak) {
      work->mode[c] = CRD_CONES_SEPARATE;
    } else if (was == CRD_CONES_STICK && contact->ntangent && friction > contact->mu * p[0] + weak) {
      for (int t = 0; t < contact->ntangent; t++) d[t] = -p[1 + t] / friction;
      work->mode[c] = contact->ntangent == 2 ? CRD_CONES_SLIP : d[0] > 0 ? CRD_CONES_SLIP_PLUS : CRD_CONES_SLIP_MINUS;
    } else if (was != CRD_CONES_STICK && along < -slow) {
      work->mode[c] = CRD_CONES_STICK;
    }
    changed |= work->mode[c] != was;
  }
  return changed;
}

/* Passes an answer on and remembers that there was one. */
typedef struct first_answer {
  crd_cones_sink sink;
  void *context;
  bool found;
} first_answer;

static crd_status pass_on(void *context, const crd_cones_answer *answer) {
  first_answer *first = context;
  first->found = true;
  return first->sink(first->context, answer);
}

crd_status crd_cones_improve(const crd_cones *problem, crd_impact_result *memory, const double *p,
                             crd_cones_touch touch, crd_cones_sink sink, void *context) {
  coulomb_work work;
  crd_cones_report report = {0};
  first_answer first = {.sink = sink, .context = context};
  crd_status status = coulomb_work_new(&work, problem, memory);
  if (status != CRD_OK) return status;
  work.sink = pass_on, work.context = &first, work.report = &report;
  memcpy(work.p, p, sizeof *p * (size_t)problem->m);
  coulomb_velocity(&work);
  for (int c = 0; c < problem->nc; c++) {
    const crd_cones_contact *contact = &problem->contact[c];
    work.mode[c] =
        suggested(problem, contact, work.p + contact->row, work.w + contact->row, touch, work.direction + 2 * c);
  }
  for (int attempt = 0; attempt < MAX_REVISIONS && status == CRD_OK && !first.found; attempt++) {
    bool slips = false;
    if (attempt > 0 && !revise(&work)) break;
    for (int c = 0; c < problem->nc; c++) slips |= work.mode[c] == CRD_CONES_SLIP;
    status = slips ? coulomb_slip_from_here(&work) : solve_mode(&work);
  }
  return status;
}

double crd_cones_residual(const crd_cones_contact *contact, const double *p, const double *w, double velocity,
                          double impulse) {
  /* Coulomb's law holds where p_t is the point of the disc |x| <= mu p_n nearest to p_t - rho w_t, for any rho > 0 */
  double target[2] = {0}, length = 0, radius = contact->mu * fmax(p[0], 0), error = 0;
  for (int t = 0; t < contact->ntangent; t++) {
    target[t] = p[1 + t] - impulse / velocity * w[1 + t];
    length = hypot(length, target[t]);
  }
  for (int t = 0; t < contact->ntangent; t++) {
    if (length > radius) target[t] *= radius / length;
    error = hypot(error, target[t] - p[1 + t]);
  }
  return fmax(fabs(fmin(p[0] / impulse, w[0] / velocity)), error / impulse);
}
