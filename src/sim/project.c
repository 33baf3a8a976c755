/* The end of a trial: its points in the band, and the way back to the constraints, Newton's method on gaps and loop
 * errors in the kinetic metric.
 *
 *   q += M^-1 J_a' lambda,   J_a M^-1 J_a' lambda = -(gaps of the contacts that carry force or penetrate, loop errors)
 *
 * is the smallest displacement that closes them, measured by the kinetic energy. First J, M and W are those of the
 * step's contact problem, whose configuration differs by little, so that each round gains several digits. Where it does
 * not (a folded link, whose contact hardly moves), they are made anew in every round. What a small displacement does to
 * the gaps is known without looking again, up to its square.
 */
#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "contact/assemble.h"
#include "coulomb/islands.h"
#include "sim/sim_state.h"

enum { MOST_ROUNDS = 64, MANY_ROUNDS = 8 };
enum { MOST_TURNS = 8 };               /* projections of (now) */
static const double NEARBY = 1e3;      /* widths of the band: contacts that carry force are found within */
static const double MOST_LEVER = 100;  /* way of a body over the error of a gap that it removes */
static const double LIMIT_REACH = 0.2; /* m, rad: limits that a displacement of (now) might pass */
static const double PARTED = 1e-5;     /* of the size: overlaps below it are left as they are by sweeps */

/* ------------------------------------------------------------------------------------------------ the end */

/* What a projection looks at. */
typedef struct extent {
  double points, limits; /* m; m, rad: how far they are looked for */
  bool opens;            /* contacts that carry nothing take part, so that nothing is pushed into them */
} extent;

/* The points near each other at trial.q, recognised among those of the trial's problem, or of (now). */
static crd_status detect(crd_sim *sim, const extent *near) {
  const crd_sim_touches *before = sim->seen.constrained ? &sim->rows.touches : &sim->now.touches;
  crd_sim_place(sim, sim->trial.q);
  crd_status status = crd_sim_detect_reach(sim, sim->trial.q, near->points, near->limits, before, &sim->trial.touches);
  for (int i = 0; i < sim->trial.touches.count; i++) {
    crd_sim_touch *touch = &sim->trial.touches.item[i];
    if (!sim->seen.constrained)
      touch->active = false; /* nothing was held */
    else if (touch->source >= 0)
      touch->gap_before = sim->rows.touches.item[touch->source].gap_before; /* at the start of the step */
  }
  return status;
}

/* Leaves out what is beyond the band. */
static void keep_band(crd_sim *sim) {
  crd_sim_touches *touches = &sim->trial.touches;
  int kept = 0;
  for (int i = 0; i < touches->count; i++) {
    if (!(touches->item[i].at.gap <= sim->scene.contact_band)) continue;
    if (kept < i) touches->item[kept] = touches->item[i];
    kept++;
  }
  touches->count = kept;
}

/* What a small displacement dq has done to the gaps of the points found before it. */
static void shift_gaps(crd_sim *sim, const double *dq) {
  crd_tree_velocity(sim->model, sim->stage.work, dq);
  for (int i = 0; i < sim->trial.touches.count; i++) {
    crd_contact_point *at = &sim->trial.touches.item[i].at;
    if (at->geomA == CRD_SIM_LIMIT)
      at->gap = crd_sim_limit_gap(sim, at, sim->trial.q, NULL, NULL);
    else
      at->gap -= crd_sim_closing_speed(sim, sim->stage.work, at, NULL, NULL, NULL);
  }
}

/* ------------------------------------------------------------------------------------------------ errors */

/* Gaps of the problem's contacts at trial.q into sim->closing.gap: the least of their points'. */
static void measure_gaps(crd_sim *sim) {
  for (int c = 0; c < sim->rows.problem->nc; c++) sim->closing.gap[c] = INFINITY;
  for (int i = 0; i < sim->trial.touches.count; i++) {
    const crd_sim_touch *touch = &sim->trial.touches.item[i];
    int c = touch->source >= 0 ? sim->rows.contact_of[touch->source] : -1;
    if (c >= 0 && touch->at.gap < sim->closing.gap[c])
      sim->closing.gap[c] = touch->at.gap, sim->closing.near[c] = touch->at;
  }
}

/* Loop errors at trial.q, where the bodies were just placed, in the order of the problem's bilateral rows; NULL where
 * there are none. */
static const double *measure_loops(crd_sim *sim) {
  const crd_contact_problem *problem = sim->rows.problem;
  if (problem->nb == 0) return NULL;
  crd_status status =
      crd_contact_loop_residual(sim->stage.assembler, sim->stage.work, sim->trial.q, sim->rows.assembler, problem->nrow,
                                problem->nb, sim->rows.scratch, &sim->seen.loop_open);
  return status == CRD_OK ? sim->rows.scratch : NULL;
}

/* The rows to be closed into sim->closing.chosen, by islands. Returns their number; *worst: the largest error. overlaps: only
 * contacts that overlap are closed; opens: those that are not closed are kept open. */
static int choose_rows(crd_sim *sim, const double *loops, bool overlaps, bool opens, double *worst) {
  const crd_contact_problem *problem = sim->rows.problem;
  int n = 0;
  *worst = 0;
  for (int c = 0; c < problem->nc; c++) {
    double gap = sim->closing.gap[c];
    int row = problem->contact[c].row;
    bool closes = sim->rows.p[row] > 0 && !overlaps;
    if (!(closes || opens ? gap < INFINITY : gap < 0)) continue;
    sim->closing.chosen[n++] = (crd_sim_chosen){
        .contact = c, .row = row, .island = sim->rows.island[row], .opens = opens && !closes, .error = -gap};
    *worst = fmax(*worst, closes ? fabs(gap) : -gap);
  }
  for (int b = 0; loops && b < problem->nb; b++) {
    int row = problem->nrow + b;
    sim->closing.chosen[n++] =
        (crd_sim_chosen){.contact = -1, .row = row, .island = sim->rows.island[row], .error = -loops[b]};
    *worst = fmax(*worst, fabs(loops[b]));
    sim->seen.loop_error = fmax(sim->seen.loop_error, fabs(loops[b]));
  }
  return n;
}

/* The longest way of a body in the displacement sim->stage.chart, m: turns count with the size of a body. */
static double longest_way(const crd_sim *sim) {
  double way = 0;
  CRD_EACH (&sim->part, link, j) {
    const crd_joint *joint = &sim->model->joint[j];
    int shifts = joint->type == CRD_FREE ? 3 : joint->type == CRD_SLIDE ? 1 : 0;
    for (int k = 0; k < joint->nv; k++)
      way = fmax(way, (k < shifts ? 1 : sim->scene.size) * fabs(sim->stage.chart[joint->v + k]));
  }
  return way;
}

/* One round with the chosen rows of the problem and their errors, of which `worst` is the largest. renewed:
 * the problem is the one that renew_rows has just made. */
static crd_status displace(crd_sim *sim, const crd_contact_problem *problem, int n, double worst, bool renewed) {
  double *lambda = sim->rows.w;
  crd_status status = crd_sim_least_change(sim, problem, sim->closing.chosen, n, lambda);
  if (status != CRD_OK) return status;
  crd_contact_response(renewed ? sim->stage.assembler : sim->rows.assembler, renewed ? sim->stage.work : sim->rows.work,
                       lambda, sim->stage.chart);
  /* near a singular position the equations ask for more than they mean, and all else would move for an error that is
   * permitted */
  double largest = 0;
  CRD_EACH (&sim->part, v, k) largest = fmax(largest, fabs(sim->stage.chart[k]));
  if (!(largest < INFINITY)) return CRD_SINGULAR;
  if (worst <= sim->scene.contact_band && sim->seen.loop_error <= sim->options.loop_tolerance &&
      longest_way(sim) > MOST_LEVER * worst)
    return CRD_LIMIT;
  double share = fmin(1, 0.02 * fmax(1, sim->scene.size) / fmax(largest, 1e-300));
  CRD_EACH (&sim->part, v, k) sim->stage.chart[k] *= share;
  crd_tree_part_integrate(sim->model, &sim->part, sim->trial.q, sim->stage.chart, 1, sim->trial.q);
  return CRD_OK;
}

/* The rows chosen become those of a problem at the present position, sim->stage.loops. False: it cannot be made, or lacks one
 * of them. */
static bool renew_rows(crd_sim *sim, int n) {
  crd_contact_options options = crd_contact_default();
  const crd_contact_problem *problem = sim->rows.problem;
  int count = 0;
  options.distance = INFINITY, options.merge_tolerance = 0, options.mass_matrix = options.jacobian = false;
  options.blocks = options.independent_loops = true, options.names = false;
  options.limit_distance = -INFINITY;
  for (int i = 0; i < n; i++) {
    int c = sim->closing.chosen[i].contact;
    if (c >= 0 && problem->contact[c].joint < 0) sim->seek.point[count++] = sim->closing.near[c];
    if (c >= 0 && problem->contact[c].joint >= 0)
      options.limit_distance = fmax(options.limit_distance, sim->closing.gap[c]);
  }
  options.limits = options.limit_distance > -INFINITY;
  crd_tree_kinematics(sim->model, sim->stage.work, sim->trial.q);
  crd_tree_velocity(sim->model, sim->stage.work, sim->trial.v);
  if (crd_tree_factor(sim->model, sim->stage.work) != CRD_OK) return false;
  if (crd_contact_assemble(sim->stage.assembler, sim->stage.work, sim->trial.q, sim->trial.v, sim->seek.point, count,
                           &options, sim->stage.loops) != CRD_OK)
    return false;
  const crd_contact_problem *fresh = sim->stage.loops;
  const int *of_point = crd_contact_of_point(sim->stage.assembler);
  count = 0;
  for (int i = 0; i < n; i++) {
    int c = sim->closing.chosen[i].contact, found = -1;
    if (c >= 0 && problem->contact[c].joint < 0) found = of_point[count++];
    for (int k = 0; c >= 0 && problem->contact[c].joint >= 0 && k < fresh->nc; k++)
      if (fresh->contact[k].joint == problem->contact[c].joint && fresh->contact[k].gap == sim->closing.gap[c])
        found = k;
    if (c >= 0 && found < 0) return false;
    sim->closing.chosen[i].row =
        c >= 0 ? fresh->contact[found].row : sim->closing.chosen[i].row - problem->nrow + fresh->nrow;
  }
  return fresh->nb == problem->nb;
}

/* Brings trial.q back to the constraints; the points are those of trial.touches, which follow it. */
static crd_status close_rows(crd_sim *sim, const extent *near) {
  double last = INFINITY, enough = 1e-3 * sim->scene.gap_tolerance, worst;
  double small = 1e-2 * sqrt(sim->scene.gap_tolerance * sim->scene.size); /* its square is far below what is measured */
  bool renewed = false, overlaps = false;
  for (int round = 0; round < MOST_ROUNDS; round++) {
    measure_gaps(sim);
    sim->seen.loop_error = 0;
    int n = choose_rows(sim, measure_loops(sim), overlaps, near->opens, &worst);
    if (n == 0 || worst <= enough) return CRD_OK;
    bool slow = worst > 0.5 * last, closed = sim->seen.loop_error <= sim->options.loop_tolerance;
    if (slow && closed && worst <= (round > MANY_ROUNDS ? 1e-2 * sim->scene.contact_band : sim->scene.gap_tolerance))
      return CRD_OK;
    /* contacts that cannot be closed together: those that are open stay so */
    overlaps = overlaps || (round > MANY_ROUNDS && worst > 0.9 * last);
    renewed = renewed || worst > 0.2 * last;
    if (renewed && !renew_rows(sim, n)) break;
    if (displace(sim, renewed ? sim->stage.loops : sim->rows.problem, n, worst, renewed) != CRD_OK) break;
    if (!renewed && sim->rows.problem->nb == 0 && worst <= small) {
      shift_gaps(sim, sim->stage.chart);
      return CRD_OK;
    }
    crd_status status = detect(sim, near);
    if (status != CRD_OK) return status;
    last = worst;
  }
  if (worst <= 1.5 * sim->scene.contact_band && sim->seen.loop_error <= sim->options.loop_tolerance) return CRD_OK;
  return crd_sim_fail(sim, CRD_LIMIT, "contacts and loops stay %g m apart: the mechanism is near a singular position",
                      worst);
}

static crd_status project(crd_sim *sim, const extent *near) {
  crd_status status = detect(sim, near);
  if (status == CRD_OK && sim->seen.constrained) status = close_rows(sim, near);
  return status;
}

crd_status crd_sim_project(crd_sim *sim, const crd_sim_scheme *scheme) {
  double reach = sim->seen.constrained ? NEARBY * sim->scene.contact_band : sim->scene.contact_band;
  crd_status status = project(sim, &(extent){reach, reach, false});
  if (status > CRD_OK && scheme->capture) status = CRD_OK; /* as near to the constraints as it gets */
  if (status == CRD_OK) keep_band(sim);
  return status;
}

/* ------------------------------------------------------------------------------------------------ apart
 * The smallest displacement that parts contacts which would overlap at the end of a step, with the step's own Delassus
 * operator [Bender et al. 2014, section 4], apart from the velocities, so that no overlap becomes kinetic energy.
 * Overlaps are the square of what turns in a step; what is left is found as a gap in the next step.
 */

double crd_sim_parted(const crd_sim *sim) { return PARTED * sim->scene.size; }

double crd_sim_deepest(crd_sim *sim) {
  const crd_contact_problem *problem = sim->rows.problem;
  double least = INFINITY;
  for (int c = 0; c < problem->nc; c++) least = fmin(least, problem->contact[c].gap);
  for (int b = 0; b < problem->nb; b++) sim->seen.loop_open = fmax(sim->seen.loop_open, fabs(problem->residual[b]));
  return -least;
}

void crd_sim_part(crd_sim *sim, double dt) {
  const crd_contact_problem *problem = sim->rows.problem;
  double deepest = 0, *way = sim->stage.acc[2];
  int n = 0;
  for (int c = 0; c < problem->nc; c++) {
    sim->closing.gap[c] = problem->contact[c].gap + dt * sim->rows.u[problem->contact[c].row];
    deepest = fmin(deepest, sim->closing.gap[c]);
  }
  if (!(deepest < -crd_sim_parted(sim))) return;
  for (int c = 0; c < problem->nc; c++) /* wider gaps are not closed by so small a displacement */
    if (sim->closing.gap[c] < -deepest)
      sim->closing.chosen[n++] =
          (crd_sim_chosen){.contact = c, .row = problem->contact[c].row, .opens = true, .error = -sim->closing.gap[c]};
  if (crd_sim_least_change(sim, problem, sim->closing.chosen, n, sim->closing.shift) != CRD_OK) return;
  crd_contact_response(sim->rows.assembler, sim->rows.work, sim->closing.shift, way);
  CRD_EACH (&sim->part, v, k) sim->stage.chart[k] += way[k];
}

/* ------------------------------------------------------------------------------------------------ (now) */

static double deepest_overlap(const crd_sim_touches *touches) {
  double deepest = 0;
  for (int i = 0; i < touches->count; i++) deepest = fmax(deepest, -touches->item[i].at.gap);
  return deepest;
}

/* One projection of (now): what overlaps is parted, what it might be pushed into stays open; close: what is held and open
 * is closed. *deepest: the overlap before and after it, m. */
static crd_status project_once(crd_sim *sim, bool close, double *deepest) {
  const extent near = {NEARBY * sim->scene.contact_band, LIMIT_REACH, true};
  const int *contact_of;
  crd_part_copy_q(&sim->part, sim->trial.q, sim->now.q);
  crd_part_copy_v(&sim->part, sim->trial.v, sim->now.v);
  crd_tree_set_armature(sim->rows.work, NULL);
  crd_tree_kinematics(sim->model, sim->rows.work, sim->now.q);
  crd_tree_velocity(sim->model, sim->rows.work, sim->now.v);
  crd_sim_place_geoms(sim, sim->rows.work);
  crd_status status =
      crd_sim_detect_reach(sim, sim->now.q, near.points, near.limits, &sim->now.touches, &sim->rows.touches);
  if (status == CRD_OK) status = crd_tree_factor(sim->model, sim->rows.work);
  if (status != CRD_OK) return status;
  status = crd_sim_assemble(sim, sim->now.q, sim->now.v, &sim->rows.touches, NULL, CRD_SIM_TO_CONSTRAIN, &contact_of);
  const crd_contact_problem *problem = sim->rows.problem;
  int rows = problem->nrow + problem->nb + problem->nf;
  if (status == CRD_OK) status = crd_sim_reserve_rows(sim, rows, problem->nc);
  if (status != CRD_OK) return status;
  crd_coulomb_find_islands(&(crd_coulomb_problem){.n = rows, .blocks = problem->blocks}, sim->rows.island);
  for (int i = 0; i < rows; i++) sim->rows.p[i] = 0;
  for (int i = 0; i < sim->rows.touches.count; i++)
    if (close && contact_of[i] >= 0 && sim->rows.touches.item[i].active)
      sim->rows.p[problem->contact[contact_of[i]].row] = 1;
  sim->seen.constrained = true;
  status = project(sim, &near);
  if (status < CRD_OK) return status;
  keep_band(sim);
  crd_part_copy_q(&sim->part, sim->now.q, sim->trial.q);
  crd_sim_keep_positions(sim);
  crd_sim_touches old = sim->now.touches;
  sim->now.touches = sim->trial.touches, sim->trial.touches = old;
  *deepest = deepest_overlap(&sim->now.touches);
  return status;
}

/* What parts one contact may close another that was open: again, until nothing overlaps. */
crd_status crd_sim_project_now(crd_sim *sim) {
  double deepest = deepest_overlap(&sim->now.touches);
  crd_status status = CRD_OK;
  sim->begin.knows_loop_rows = false; /* they are those of the step that ended here */
  for (int turn = 0; status == CRD_OK && turn < MOST_TURNS && (turn == 0 || deepest > sim->scene.contact_band); turn++)
    status = project_once(sim, turn == 0, &deepest);
  return status;
}
