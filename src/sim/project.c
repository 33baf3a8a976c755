/* The end of a trial: its points in the band, and the projection onto the constraints by Newton's method on gaps and
 * loop errors in the kinetic metric.
 *
 *   q += M^-1 J_a' lambda,   J_a M^-1 J_a' lambda = -(gaps of the contacts that carry force or penetrate, loop errors)
 *
 * is the smallest displacement that closes them, measured by the kinetic energy. The first rounds use J, M and W of the
 * step's contact problem: its configuration is close, and each round gains several digits. If the rounds gain less (a
 * folded link, whose contact has little mobility), every round computes them again. The change of the gaps in a small
 * displacement is known up to its square without another search.
 */
#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "contact/assemble.h"
#include "coulomb/islands.h"
#include "sim/group.h"

enum { MOST_ROUNDS = 64, MANY_ROUNDS = 8 };
enum { MOST_TURNS = 8 };                /* projections of (now) */
static const double NEARBY = 1e3;       /* widths of the band: contacts that carry force are found within */
static const double MOST_LEVER = 100;   /* displacement of a body over the error of a gap that it removes */
static const double LIMIT_REACH = 0.2;  /* m, rad: limits that a displacement of (now) might pass */
static const double PARTED = 1e-5;      /* of the size: sweeps leave smaller overlaps uncorrected */
static const double ENOUGH = 1e-3;      /* of the gap tolerance: errors that need no further round */
static const double ENOUGH_LATE = 1e-2; /* of the band: the same after MANY_ROUNDS, where rounds no longer gain */
static const double SMALL = 1e-2;       /* of sqrt(gap tolerance * size): displacements whose square is not measured */
static const double SLOW = 0.5;         /* of the last error left after a round: its gain is slow, */
static const double STALLED = 0.9;      /* none at all, so that overlaps alone are removed, */
static const double CONTRACTS = 0.2;    /* and too slow for rows of another configuration: they are made anew */
static const double ACCEPTED = 1.5;     /* widths of the band: the error accepted at the end */
static const double LONGEST = 0.02;     /* of the size, and of 1 rad: how far a round moves at the most */
static const double NO_WAY = 1e-300;    /* smallest divisor */

/* ------------------------------------------------------------------------------------------------ the end */

/* The points and rows of a projection. */
typedef struct extent {
  double points, limits; /* m; m, rad: how far they are looked for */
  bool opens;            /* contacts that carry nothing take part, so that nothing is pushed into them */
} extent;

/* The near points at trial.q, matched with the points of the trial's problem, or of (now). */
static crd_status detect(crd_group *group, const extent *near) {
  const crd_sim_touches *before = group->seen.constrained ? &group->rows->touches : &group->now.touches;
  crd_sim_place(group, group->trial->q);
  crd_status status =
      crd_sim_detect_reach(group, group->trial->q, near->points, near->limits, before, &group->trial->touches);
  for (int i = 0; i < group->trial->touches.count; i++) {
    crd_sim_touch *touch = &group->trial->touches.item[i];
    if (!group->seen.constrained)
      touch->active = false; /* no contact was persistent */
    else if (touch->source >= 0)
      touch->gap_before = group->rows->touches.item[touch->source].gap_before; /* at the start of the step */
  }
  return status;
}

/* Removes points beyond the band. */
static void keep_band(crd_group *group) {
  crd_sim_touches *touches = &group->trial->touches;
  int kept = 0;
  for (int i = 0; i < touches->count; i++) {
    if (!(touches->item[i].at.gap <= group->scene->contact_band)) continue;
    if (kept < i) touches->item[kept] = touches->item[i];
    kept++;
  }
  touches->count = kept;
}

/* Updates the gaps of known points after a small displacement dq. */
static void shift_gaps(crd_group *group, const double *dq) {
  crd_tree_velocity(group->model, group->stage->work, dq);
  for (int i = 0; i < group->trial->touches.count; i++) {
    crd_contact_point *at = &group->trial->touches.item[i].at;
    if (at->geomA == CRD_SIM_LIMIT)
      at->gap = crd_sim_limit_gap(group, at, group->trial->q, NULL, NULL);
    else
      at->gap -= crd_sim_closing_speed(group, group->stage->work, at, NULL, NULL, NULL);
  }
}

/* ------------------------------------------------------------------------------------------------ errors */

/* Gaps of the problem's contacts at trial.q into group->closing->gap: the least of their points'. */
static void measure_gaps(crd_group *group) {
  for (int c = 0; c < group->rows->problem->nc; c++) group->closing->gap[c] = INFINITY;
  for (int i = 0; i < group->trial->touches.count; i++) {
    const crd_sim_touch *touch = &group->trial->touches.item[i];
    int c = touch->source >= 0 ? group->rows->contact_of[touch->source] : -1;
    if (c >= 0 && touch->at.gap < group->closing->gap[c])
      group->closing->gap[c] = touch->at.gap, group->closing->near[c] = touch->at;
  }
}

/* Loop errors at trial.q, where the bodies were just placed, in the order of the problem's bilateral rows; NULL where
 * there are none. */
static const double *measure_loops(crd_group *group) {
  const crd_contact_problem *problem = group->rows->problem;
  if (problem->nb == 0) return NULL;
  crd_status status =
      crd_contact_loop_residual(group->stage->assembler, group->stage->work, group->trial->q, group->rows->assembler,
                                problem->nrow, problem->nb, group->rows->scratch, &group->seen.loop_open);
  return status == CRD_OK ? group->rows->scratch : NULL;
}

/* The rows to be closed into group->closing->chosen, by islands. Returns their number; *worst: the largest error. overlaps: only
 * contacts that overlap are closed; opens: those that are not closed are kept open. */
static int choose_rows(crd_group *group, const double *loops, bool overlaps, bool opens, double *worst) {
  const crd_contact_problem *problem = group->rows->problem;
  int n = 0;
  *worst = 0;
  for (int c = 0; c < problem->nc; c++) {
    double gap = group->closing->gap[c];
    int row = problem->contact[c].row;
    bool closes = group->rows->p[row] > 0 && !overlaps;
    if (!(closes || opens ? gap < INFINITY : gap < 0)) continue;
    group->closing->chosen[n++] = (crd_sim_chosen){
        .contact = c, .row = row, .island = group->rows->island[row], .opens = opens && !closes, .error = -gap};
    *worst = fmax(*worst, closes ? fabs(gap) : -gap);
  }
  for (int b = 0; loops && b < problem->nb; b++) {
    int row = problem->nrow + b;
    group->closing->chosen[n++] =
        (crd_sim_chosen){.contact = -1, .row = row, .island = group->rows->island[row], .error = -loops[b]};
    *worst = fmax(*worst, fabs(loops[b]));
    group->seen.loop_error = fmax(group->seen.loop_error, fabs(loops[b]));
  }
  return n;
}

/* The longest way of a body in the displacement group->stage->displacement, m: turns count with the size of a body. */
static double longest_way(const crd_group *group) {
  double way = 0;
  CRD_EACH (group->part, link, j) {
    const crd_joint *joint = &group->model->joint[j];
    int shifts = joint->type == CRD_FREE ? 3 : joint->type == CRD_SLIDE ? 1 : 0;
    for (int k = 0; k < joint->nv; k++)
      way = fmax(way, (k < shifts ? 1 : group->scene->size) * fabs(group->stage->displacement[joint->v + k]));
  }
  return way;
}

/* One round with the chosen rows of the problem and their errors; `worst` is the largest error. renewed: the problem
 * was just made by renew_rows. */
static crd_status displace(crd_group *group, const crd_contact_problem *problem, int n, double worst, bool renewed) {
  double *lambda = group->rows->w;
  crd_status status = crd_sim_least_change(group, problem, group->closing->chosen, n, lambda);
  if (status != CRD_OK) return status;
  crd_contact_response(renewed ? group->stage->assembler : group->rows->assembler,
                       renewed ? group->stage->work : group->rows->work, lambda, group->stage->displacement);
  /* near a singular position the equations ask for more than they mean, and all else would move for an error that is
   * permitted */
  double largest = 0;
  CRD_EACH (group->part, v, k) largest = fmax(largest, fabs(group->stage->displacement[k]));
  if (!(largest < INFINITY)) return CRD_SINGULAR;
  if (worst <= group->scene->contact_band && group->seen.loop_error <= group->options->loop_tolerance &&
      longest_way(group) > MOST_LEVER * worst)
    return CRD_LIMIT;
  double share = fmin(1, LONGEST * fmax(1, group->scene->size) / fmax(largest, NO_WAY));
  CRD_EACH (group->part, v, k) group->stage->displacement[k] *= share;
  crd_tree_part_integrate(group->model, group->part, group->trial->q, group->stage->displacement, 1, group->trial->q);
  return CRD_OK;
}

/* Replaces the chosen rows by rows of a problem at the present position, group->stage->loops. False: it cannot be made,
 * or lacks one of them. */
static bool renew_rows(crd_group *group, int n) {
  crd_contact_options options = crd_contact_default();
  const crd_contact_problem *problem = group->rows->problem;
  int count = 0, limits = 0;
  options.distance = INFINITY, options.merge_tolerance = 0, options.mass_matrix = options.jacobian = false;
  options.blocks = options.independent_loops = true, options.names = false;
  for (int k = 0; k < 2; k++) /* points, then limits */
    for (int i = 0; i < n; i++) {
      int c = group->closing->chosen[i].contact;
      if (c < 0 || (problem->contact[c].joint >= 0) != (k == 1)) continue;
      group->seek->point[count + limits] = group->closing->near[c];
      if (k == 0) count++;
      if (k == 1) limits++;
    }
  options.limit_points = group->seek->point + count, options.nlimit_points = limits;
  crd_tree_kinematics(group->model, group->stage->work, group->trial->q);
  crd_tree_velocity(group->model, group->stage->work, group->trial->v);
  if (crd_tree_factor(group->model, group->stage->work) != CRD_OK) return false;
  if (crd_contact_assemble(group->stage->assembler, group->stage->work, group->trial->q, group->trial->v,
                           group->seek->point, count, &options, group->stage->loops) != CRD_OK)
    return false;
  const crd_contact_problem *fresh = group->stage->loops;
  const int *of_point = crd_contact_of_point(group->stage->assembler);
  int point = 0, limit = fresh->nc - limits;
  if (limit < 0) return false;
  for (int i = 0; i < n; i++) {
    int c = group->closing->chosen[i].contact, found = -1;
    if (c >= 0) found = problem->contact[c].joint < 0 ? of_point[point++] : limit++;
    if (c >= 0 && (found < 0 || fresh->contact[found].joint != problem->contact[c].joint)) return false;
    group->closing->chosen[i].row =
        c >= 0 ? fresh->contact[found].row : group->closing->chosen[i].row - problem->nrow + fresh->nrow;
  }
  return fresh->nb == problem->nb;
}

/* Projects trial.q onto the constraints; the gaps of trial.touches are updated with it. */
static crd_status close_rows(crd_group *group, const extent *near) {
  double last = INFINITY, enough = ENOUGH * group->scene->gap_tolerance, worst;
  double small =
      SMALL * sqrt(group->scene->gap_tolerance * group->scene->size); /* its square is far below the gap tolerance */
  bool renewed = false, overlaps = false;
  for (int round = 0; round < MOST_ROUNDS; round++) {
    measure_gaps(group);
    group->seen.loop_error = 0;
    int n = choose_rows(group, measure_loops(group), overlaps, near->opens, &worst);
    if (n == 0 || worst <= enough) return CRD_OK;
    bool slow = worst > SLOW * last, closed = group->seen.loop_error <= group->options->loop_tolerance;
    if (slow && closed &&
        worst <= (round > MANY_ROUNDS ? ENOUGH_LATE * group->scene->contact_band : group->scene->gap_tolerance))
      return CRD_OK;
    /* contacts that cannot be closed together: those that are open stay so */
    overlaps = overlaps || (round > MANY_ROUNDS && worst > STALLED * last);
    renewed = renewed || worst > CONTRACTS * last;
    if (renewed && !renew_rows(group, n)) break;
    if (displace(group, renewed ? group->stage->loops : group->rows->problem, n, worst, renewed) != CRD_OK) break;
    if (!renewed && group->rows->problem->nb == 0 && worst <= small) {
      shift_gaps(group, group->stage->displacement);
      return CRD_OK;
    }
    crd_status status = detect(group, near);
    if (status != CRD_OK) return status;
    last = worst;
  }
  if (worst <= ACCEPTED * group->scene->contact_band && group->seen.loop_error <= group->options->loop_tolerance)
    return CRD_OK;
  return crd_sim_fail(group, CRD_LIMIT, "contacts and loops stay %g m apart: the mechanism is near a singular position",
                      worst);
}

static crd_status project(crd_group *group, const extent *near) {
  crd_status status = detect(group, near);
  if (status == CRD_OK && group->seen.constrained) status = close_rows(group, near);
  return status;
}

crd_status crd_sim_project(crd_group *group, const crd_sim_scheme *scheme) {
  double reach = group->seen.constrained ? NEARBY * group->scene->contact_band : group->scene->contact_band;
  crd_status status = project(group, &(extent){reach, reach, false});
  if (status > CRD_OK && scheme->capture) status = CRD_OK; /* as near to the constraints as it gets */
  if (status == CRD_OK) keep_band(group);
  return status;
}

/* ------------------------------------------------------------------------------------------------ apart
 * The smallest displacement that parts contacts which would overlap at the end of a step, with the step's own Delassus
 * operator [Bender et al. 2014, section 4], apart from the velocities, so that no overlap becomes kinetic energy.
 * Overlaps are of second order in the rotation of a step; the rest is found as a gap in the next step.
 */

double crd_sim_parted(const crd_group *group) { return PARTED * group->scene->size; }

double crd_sim_deepest(crd_group *group) {
  const crd_contact_problem *problem = group->rows->problem;
  double least = INFINITY;
  for (int c = 0; c < problem->nc; c++) least = fmin(least, problem->contact[c].gap);
  for (int b = 0; b < problem->nb; b++) group->seen.loop_open = fmax(group->seen.loop_open, fabs(problem->residual[b]));
  return -least;
}

void crd_sim_part(crd_group *group, double dt) {
  const crd_contact_problem *problem = group->rows->problem;
  double deepest = 0, *way = group->stage->scratch[0];
  int n = 0;
  for (int c = 0; c < problem->nc; c++) {
    group->closing->gap[c] = problem->contact[c].gap + dt * group->rows->u[problem->contact[c].row];
    deepest = fmin(deepest, group->closing->gap[c]);
  }
  if (!(deepest < -crd_sim_parted(group))) return;
  for (int c = 0; c < problem->nc; c++) /* wider gaps are not closed by so small a displacement */
    if (group->closing->gap[c] < -deepest)
      group->closing->chosen[n++] = (crd_sim_chosen){
          .contact = c, .row = problem->contact[c].row, .opens = true, .error = -group->closing->gap[c]};
  if (crd_sim_least_change(group, problem, group->closing->chosen, n, group->closing->shift) != CRD_OK) return;
  crd_contact_response(group->rows->assembler, group->rows->work, group->closing->shift, way);
  CRD_EACH (group->part, v, k) group->stage->displacement[k] += way[k];
}

/* ------------------------------------------------------------------------------------------------ (now) */

static double deepest_overlap(const crd_sim_touches *touches) {
  double deepest = 0;
  for (int i = 0; i < touches->count; i++) deepest = fmax(deepest, -touches->item[i].at.gap);
  return deepest;
}

/* One projection of (now): overlapping contacts are parted, and those that they might be pushed into stay open; close:
 * persistent contacts that are open are closed. *deepest: the overlap before and after it, m. */
static crd_status project_once(crd_group *group, bool close, double *deepest) {
  const extent near = {NEARBY * group->scene->contact_band, LIMIT_REACH, true};
  const int *contact_of;
  crd_part_copy_q(group->part, group->trial->q, group->now.q);
  crd_part_copy_v(group->part, group->trial->v, group->now.v);
  crd_tree_set_armature(group->rows->work, group->scene->armature);
  crd_tree_kinematics(group->model, group->rows->work, group->now.q);
  crd_tree_velocity(group->model, group->rows->work, group->now.v);
  crd_sim_place_geoms(group, group->rows->work);
  crd_status status =
      crd_sim_detect_reach(group, group->now.q, near.points, near.limits, &group->now.touches, &group->rows->touches);
  if (status == CRD_OK) status = crd_tree_factor(group->model, group->rows->work);
  if (status != CRD_OK) return status;
  status = crd_sim_assemble(group, group->now.q, group->now.v, &group->rows->touches, NULL, CRD_SIM_TO_CONSTRAIN,
                            &contact_of);
  const crd_contact_problem *problem = group->rows->problem;
  int rows = problem->nrow + problem->nb + problem->nf;
  if (status == CRD_OK) status = crd_sim_reserve_rows(group, rows, problem->nc);
  if (status != CRD_OK) return status;
  crd_coulomb_find_islands(&(crd_coulomb_problem){.n = rows, .blocks = problem->blocks}, group->rows->island);
  for (int i = 0; i < rows; i++) group->rows->p[i] = 0;
  for (int i = 0; i < group->rows->touches.count; i++)
    if (close && contact_of[i] >= 0 && group->rows->touches.item[i].active)
      group->rows->p[problem->contact[contact_of[i]].row] = 1;
  group->seen.constrained = true;
  status = project(group, &near);
  if (status < CRD_OK) return status;
  keep_band(group);
  crd_part_copy_q(group->part, group->now.q, group->trial->q);
  crd_sim_keep_positions(group);
  crd_status kept = crd_group_take_touches(group, &group->trial->touches);
  if (kept != CRD_OK) return kept;
  *deepest = deepest_overlap(&group->now.touches);
  return status;
}

/* Separating one contact may close another that was open: repeats until nothing overlaps. */
crd_status crd_sim_project_now(crd_group *group) {
  double deepest = deepest_overlap(&group->now.touches);
  crd_status status = CRD_OK;
  group->begin->knows_loop_rows = false; /* they are those of the step that ended here */
  for (int turn = 0; status == CRD_OK && turn < MOST_TURNS && (turn == 0 || deepest > group->scene->contact_band);
       turn++)
    status = project_once(group, turn == 0, &deepest);
  return status;
}
