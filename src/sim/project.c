/* The way back to the constraints: Newton's method on gaps and loop errors, in the kinetic metric.
 *
 *   q += M^-1 J_a' lambda,   J_a M^-1 J_a' lambda = -(gaps of the contacts that carry force or penetrate, loop errors)
 *
 * is the smallest displacement that closes them, measured by the kinetic energy. First J, M and W are those of the
 * step's contact problem, whose configuration differs by little, so that each round gains several digits. Where it does
 * not (a folded link, whose contact hardly moves), they are made anew in every round.
 */
#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "contact/assemble.h"
#include "linalg/small_lu.h"
#include "sim/sim_state.h"

enum { MOST_ROUNDS = 64, MANY_ROUNDS = 8 };
static const double NEARBY = 1e3;                  /* widths of the band */
static const double BESIDE = 1e-2;                 /* of the smallest body: points as near as that are one contact */
static const double REGULAR = 1e-8, NOISE = 1e-15; /* of a row's own compliance, and of the largest */
static const double MOST_LEVER = 100;              /* way of a body over the error of a gap that it removes */

/* Which points stand for a contact: the known ones; those beside it, too; every one that overlaps. */
typedef enum look { LOOK_KNOWN, LOOK_BESIDE, LOOK_CAREFUL } look;

/* The contact, among those of the points first .. end - 1, that a point beside it stands for, or -1: the corners of a
 * patch as small as that come and go from look to look. careful: every point that overlaps does. */
static int contact_beside(const crd_sim *sim, const int *contact_of, int first, int end, bool careful,
                          const crd_contact_point *at) {
  double nearest = careful && at->gap < 0 ? INFINITY : BESIDE * sim->size;
  int contact = -1;
  for (int i = first; i < end; i++) {
    double d[3];
    crd_vec3_sub(d, sim->held.item[i].at.point, at->point);
    double length = crd_vec3_norm(d);
    if (contact_of[i] >= 0 && length < nearest) nearest = length, contact = contact_of[i];
  }
  return contact;
}

/* Gaps of the contacts of the points first .. end - 1, all of one pair: the least of their points' within the distance.
 * *all: whether all of them were found. */
static crd_status measure_pair(crd_sim *sim, const int *contact_of, int first, int end, double distance, look how,
                               bool *all) {
  const crd_sim_touches *held = &sim->held;
  const crd_contact_point *at = &held->item[first].at;
  crd_sim_touches found;
  crd_status status = crd_sim_detect_pair(sim, at->geomA, at->geomB, distance, held, &found);
  if (status != CRD_OK) return status;
  for (int k = 0; k < found.count; k++) {
    int source = found.item[k].source, c = source >= 0 ? contact_of[source] : -1;
    if (c < 0 && how != LOOK_KNOWN)
      c = contact_beside(sim, contact_of, first, end, how == LOOK_CAREFUL, &found.item[k].at);
    if (c >= 0 && found.item[k].at.gap < sim->gap[c])
      sim->gap[c] = found.item[k].at.gap, sim->near[c] = found.item[k].at;
  }
  *all = true;
  for (int i = first; i < end; i++) *all = *all && (contact_of[i] < 0 || sim->gap[contact_of[i]] < INFINITY);
  return CRD_OK;
}

/* Gaps of the problem's contacts at trial.q into sim->gap. Points are looked for nearby first: of bodies with many
 * corners others would stand for them in a wider search. */
static crd_status measure_gaps(crd_sim *sim, const int *contact_of, look how) {
  const crd_sim_touches *held = &sim->held;
  for (int c = 0; c < sim->problem->nc; c++) sim->gap[c] = INFINITY;
  for (int i = 0, end; i < held->count; i = end) {
    const crd_contact_point *at = &held->item[i].at;
    bool wanted = contact_of[i] >= 0, all = false;
    for (end = i + 1;
         end < held->count && held->item[end].at.geomA == at->geomA && held->item[end].at.geomB == at->geomB; end++)
      wanted = wanted || contact_of[end] >= 0;
    if (!wanted) continue;
    if (at->geomA == CRD_SIM_LIMIT) {
      for (int k = i; k < end; k++)
        if (contact_of[k] >= 0)
          sim->gap[contact_of[k]] = crd_sim_limit_gap(sim, &held->item[k].at, sim->trial.q, NULL, NULL);
      continue;
    }
    crd_status status = measure_pair(sim, contact_of, i, end, NEARBY * sim->closed, how, &all);
    if (status == CRD_OK && !all) status = measure_pair(sim, contact_of, i, end, INFINITY, how, &all);
    if (status != CRD_OK) return status;
  }
  return CRD_OK;
}

/* Loop errors at trial.q, where the bodies were just placed, in the order of the problem's bilateral rows; NULL where
 * there are none. */
static const double *measure_loops(crd_sim *sim) {
  const crd_contact_problem *problem = sim->problem;
  if (problem->nb == 0) return NULL;
  crd_status status = crd_contact_loop_residual(sim->assembler, sim->work, sim->trial.q, sim->hold_assembler,
                                                problem->nrow, problem->nb, sim->row_scratch);
  return status == CRD_OK ? sim->row_scratch : NULL;
}

/* The rows to be closed into sim->chosen, by islands. Returns their number; *worst: the largest error. overlaps: only
 * contacts that overlap. */
static int choose_rows(crd_sim *sim, const double *loops, bool overlaps, double *worst) {
  const crd_contact_problem *problem = sim->problem;
  int n = 0;
  *worst = 0;
  for (int c = 0; c < problem->nc; c++) {
    double gap = sim->gap[c];
    int row = problem->contact[c].row;
    if (!(sim->p[row] > 0 && !overlaps ? gap < INFINITY : gap < 0)) continue;
    sim->chosen[n++] = (crd_sim_chosen){.contact = c, .row = row, .island = sim->island[row], .error = -gap};
    *worst = fmax(*worst, fabs(gap));
  }
  for (int b = 0; loops && b < problem->nb; b++) {
    int row = problem->nrow + b;
    sim->chosen[n++] = (crd_sim_chosen){.contact = -1, .row = row, .island = sim->island[row], .error = -loops[b]};
    *worst = fmax(*worst, fabs(loops[b]));
    sim->seen.loop_error = fmax(sim->seen.loop_error, fabs(loops[b]));
  }
  return n;
}

/* Brings the rows of each island together; those of one stay in their order. */
static void sort_by_island(crd_sim_chosen *chosen, int n) {
  for (int i = 1; i < n; i++) {
    crd_sim_chosen one = chosen[i];
    int k = i;
    for (; k > 0 && chosen[k - 1].island > one.island; k--) chosen[k] = chosen[k - 1];
    chosen[k] = one;
  }
}

/* Rows may depend on each other: of their multipliers the least are wanted, to a few digits. */
static bool solve_regularised(int n, double *A, int *pivot, double *x) {
  double largest = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, A[(size_t)(n + 1) * (size_t)i]);
  for (int i = 0; i < n; i++) {
    double *d = &A[(size_t)(n + 1) * (size_t)i];
    *d += fmax(REGULAR * *d, NOISE * largest);
  }
  if (!(crd_small_lu_factor(n, A, n, pivot) > 0)) return false;
  crd_small_lu_solve(n, A, n, pivot, x);
  return true;
}

static crd_status reserve_matrix(crd_sim *sim, int n) {
  size_t needed = (size_t)n * (size_t)n;
  if (needed <= sim->matrix_capacity) return CRD_OK;
  crd_arena fresh = {0};
  double *matrix = crd_arena_alloc(&fresh, 2 * needed, sizeof *matrix);
  if (!matrix) return crd_sim_fail(sim, CRD_ERR_MEMORY, "no memory for %d rows", n);
  crd_arena_free(&sim->matrix_arena);
  sim->matrix_arena = fresh, sim->matrix = matrix, sim->matrix_capacity = 2 * needed;
  return CRD_OK;
}

/* Multipliers of `count` rows, all of one island, from their errors, into the rows of `lambda`. */
static crd_status solve_together(crd_sim *sim, const crd_contact_problem *problem, const crd_sim_chosen *row, int count,
                                 double *lambda) {
  const crd_blocks *W = problem->blocks;
  double *x = sim->row_scratch;
  crd_status status = reserve_matrix(sim, count);
  if (status != CRD_OK) return status;
  for (int i = 0; i < count; i++) x[i] = row[i].error, sim->place[i] = row[i].row;
  crd_blocks_gather(W, sim->place, count, sim->matrix);
  if (!solve_regularised(count, sim->matrix, sim->place, x)) return CRD_SINGULAR;
  for (int i = 0; i < count; i++) lambda[row[i].row] = x[i];
  return CRD_OK;
}

/* The longest way of a body in the displacement sim->chart, m: turns count with the size of a body. */
static double longest_way(const crd_sim *sim) {
  double way = 0;
  for (int j = 0; j < sim->model->njoint; j++) {
    const crd_joint *joint = &sim->model->joint[j];
    int shifts = joint->type == CRD_FREE ? 3 : joint->type == CRD_SLIDE ? 1 : 0;
    for (int k = 0; k < joint->nv; k++) way = fmax(way, (k < shifts ? 1 : sim->size) * fabs(sim->chart[joint->v + k]));
  }
  return way;
}

/* One round with the chosen rows of the problem and their errors, of which `worst` is the largest. renewed:
 * the problem is the one that renew_rows has just made. */
static crd_status displace(crd_sim *sim, const crd_contact_problem *problem, int n, double worst, bool renewed) {
  double *lambda = sim->w;
  memset(lambda, 0, sizeof *lambda * (size_t)(problem->nrow + problem->nb + problem->nf));
  sort_by_island(sim->chosen, n);
  for (int first = 0, end; first < n; first = end) {
    for (end = first + 1; end < n && sim->chosen[end].island == sim->chosen[first].island;) end++;
    crd_status status = solve_together(sim, problem, sim->chosen + first, end - first, lambda);
    if (status != CRD_OK) return status;
  }
  crd_contact_response(renewed ? sim->assembler : sim->hold_assembler, renewed ? sim->work : sim->hold_work, lambda,
                       sim->chart);
  /* near a singular position the equations ask for more than they mean, and all else would move for an error that is
   * permitted */
  double largest = 0;
  for (int k = 0; k < problem->nv; k++) largest = fmax(largest, fabs(sim->chart[k]));
  if (!(largest < INFINITY)) return CRD_SINGULAR;
  if (worst <= sim->closed && sim->seen.loop_error <= sim->options.loop_tolerance &&
      longest_way(sim) > MOST_LEVER * worst)
    return CRD_LIMIT;
  double share = fmin(1, 0.02 * fmax(1, sim->size) / fmax(largest, 1e-300));
  crd_tree_integrate_position(sim->model, sim->trial.q, sim->chart, share, sim->trial.q);
  return CRD_OK;
}

static crd_status measure(crd_sim *sim, const int *contact_of, look how, bool overlaps, int *n, double *worst) {
  crd_sim_place(sim, sim->trial.q);
  crd_status status = measure_gaps(sim, contact_of, how);
  if (status != CRD_OK) return status;
  sim->seen.loop_error = 0;
  *n = choose_rows(sim, measure_loops(sim), overlaps, worst);
  return CRD_OK;
}

/* The rows chosen become those of a problem at the present position, sim->loops. False: it cannot be made, or lacks one
 * of them. */
static bool renew_rows(crd_sim *sim, int n) {
  crd_contact_options options = crd_contact_default();
  const crd_contact_problem *problem = sim->problem;
  int count = 0;
  options.distance = INFINITY, options.merge_tolerance = 0, options.mass_matrix = options.jacobian = false;
  options.blocks = options.independent_loops = true, options.names = false;
  options.limit_distance = -INFINITY;
  for (int i = 0; i < n; i++) {
    int c = sim->chosen[i].contact;
    if (c >= 0 && problem->contact[c].joint < 0) sim->point[count++] = sim->near[c];
    if (c >= 0 && problem->contact[c].joint >= 0) options.limit_distance = fmax(options.limit_distance, sim->gap[c]);
  }
  options.limits = options.limit_distance > -INFINITY;
  crd_tree_kinematics(sim->model, sim->work, sim->trial.q);
  crd_tree_velocity(sim->model, sim->work, sim->trial.v);
  if (crd_tree_factor(sim->model, sim->work) != CRD_OK) return false;
  if (crd_contact_assemble(sim->assembler, sim->work, sim->trial.q, sim->trial.v, sim->point, count, &options,
                           sim->loops) != CRD_OK)
    return false;
  const crd_contact_problem *fresh = sim->loops;
  const int *of_point = crd_contact_of_point(sim->assembler);
  count = 0;
  for (int i = 0; i < n; i++) {
    int c = sim->chosen[i].contact, found = -1;
    if (c >= 0 && problem->contact[c].joint < 0) found = of_point[count++];
    for (int k = 0; c >= 0 && problem->contact[c].joint >= 0 && k < fresh->nc; k++)
      if (fresh->contact[k].joint == problem->contact[c].joint && fresh->contact[k].gap == sim->gap[c]) found = k;
    if (c >= 0 && found < 0) return false;
    sim->chosen[i].row = c >= 0 ? fresh->contact[found].row : sim->chosen[i].row - problem->nrow + fresh->nrow;
  }
  return fresh->nb == problem->nb;
}

crd_status crd_sim_project(crd_sim *sim, const int *contact_of, bool careful) {
  double last = INFINITY, enough = 1e-3 * sim->exact, worst;
  bool renewed = careful, overlaps = false;
  for (int round = 0; round < MOST_ROUNDS; round++) {
    int n;
    look how = careful ? LOOK_CAREFUL : renewed ? LOOK_BESIDE : LOOK_KNOWN;
    crd_status status = measure(sim, contact_of, how, overlaps, &n, &worst);
    if (status != CRD_OK) return status;
    if (n == 0 || worst <= enough) return CRD_OK;
    bool slow = worst > 0.5 * last, closed = sim->seen.loop_error <= sim->options.loop_tolerance;
    if (slow && closed && worst <= (round > MANY_ROUNDS ? 1e-2 * sim->closed : sim->exact)) return CRD_OK;
    /* contacts that cannot be closed together: those that are open stay so */
    overlaps = overlaps || (round > MANY_ROUNDS && worst > 0.9 * last);
    renewed = renewed || worst > 0.2 * last;
    if (renewed && !renew_rows(sim, n)) break;
    status = displace(sim, renewed ? sim->loops : sim->problem, n, worst, renewed);
    if (status != CRD_OK) break;
    /* what a small correction leaves is of the order of its square, far below what would be measured; contacts that
     * were open have to be looked at again */
    if (!renewed && sim->problem->nb == 0 && n == sim->problem->nc && worst <= 1e-2 * sqrt(sim->exact * sim->size))
      return CRD_OK;
    last = worst;
  }
  if (worst <= 1.5 * sim->closed && sim->seen.loop_error <= sim->options.loop_tolerance) return CRD_OK;
  return crd_sim_fail(sim, CRD_LIMIT, "contacts and loops stay %g m apart: the mechanism is near a singular position",
                      worst);
}
