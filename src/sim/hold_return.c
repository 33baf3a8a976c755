/* The way back to the constraints: Newton's method on gaps and loop errors, in the kinetic metric.
 *
 *   q += M^-1 J_a' lambda,   J_a M^-1 J_a' lambda = -(gaps of the contacts that carry force or penetrate, loop errors)
 *
 * is the smallest displacement that closes them, measured by the kinetic energy. J, M and W are those of the step's
 * contact problem, whose configuration differs by the fall of one step, so that each round gains four digits or more.
 */
#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "sim/sim_state.h"

enum { MOST_ROUNDS = 8 };

/* Gaps of the problem's contacts at trial.q into sim->gap: the least of their points'. */
static crd_status measure_gaps(crd_sim *sim, const int *contact_of) {
  const crd_sim_touches *held = &sim->held;
  for (int c = 0; c < sim->problem->nc; c++) sim->gap[c] = INFINITY;
  for (int i = 0; i < held->count;) {
    const crd_contact_point *at = &held->item[i].at;
    int end = i + 1;
    bool wanted = contact_of[i] >= 0;
    for (; end < held->count && held->item[end].at.geomA == at->geomA && held->item[end].at.geomB == at->geomB; end++)
      wanted = wanted || contact_of[end] >= 0;
    if (wanted && at->geomA == CRD_SIM_LIMIT) {
      for (int k = i; k < end; k++)
        if (contact_of[k] >= 0)
          sim->gap[contact_of[k]] = crd_sim_limit_gap(sim, &held->item[k].at, sim->trial.q, NULL, NULL);
    } else if (wanted) {
      crd_sim_touches found;
      crd_status status = crd_sim_detect_pair(sim, at->geomA, at->geomB, INFINITY, held, &found);
      if (status != CRD_OK) return status;
      for (int k = 0; k < found.count; k++) {
        int source = found.item[k].source, c = source >= 0 ? contact_of[source] : -1;
        if (c >= 0) sim->gap[c] = fmin(sim->gap[c], found.item[k].at.gap);
      }
    }
    i = end;
  }
  return CRD_OK;
}

/* Loop errors at trial.q, in the order of the problem's bilateral rows; NULL where there are none. */
static const double *measure_loops(crd_sim *sim) {
  if (sim->problem->nb == 0) return NULL;
  crd_contact_options options = crd_contact_default();
  options.limits = false, options.mass_matrix = false;
  crd_tree_kinematics(sim->model, sim->work, sim->trial.q);
  crd_tree_velocity(sim->model, sim->work, sim->trial.v);
  if (crd_tree_factor(sim->model, sim->work) != CRD_OK) return NULL;
  crd_status status =
      crd_contact_assemble(sim->assembler, sim->work, sim->trial.q, sim->trial.v, sim->point, 0, &options, sim->loops);
  return status == CRD_OK && sim->loops->nb == sim->problem->nb ? sim->loops->residual : NULL;
}

/* The rows to be closed into memory.from, their errors into memory.x. Returns their number; *worst: the largest. */
static int choose_rows(crd_sim *sim, const double *loops, double *worst) {
  const crd_contact_problem *problem = sim->problem;
  int n = 0;
  *worst = 0;
  for (int c = 0; c < problem->nc; c++) {
    double gap = sim->gap[c];
    int row = problem->contact[c].row;
    if (!(sim->p[row] > 0 ? gap < INFINITY : gap < 0)) continue;
    sim->memory.from[n] = row, sim->memory.x[n++] = -gap;
    *worst = fmax(*worst, fabs(gap));
  }
  for (int b = 0; loops && b < problem->nb; b++) {
    sim->memory.from[n] = problem->nrow + b, sim->memory.x[n++] = -loops[b];
    *worst = fmax(*worst, fabs(loops[b]));
    sim->loop_error = fmax(sim->loop_error, fabs(loops[b]));
  }
  return n;
}

static bool displace(crd_sim *sim, int n) {
  const crd_contact_problem *problem = sim->problem;
  crd_hold_memory *memory = &sim->memory;
  int m = problem->nrow + problem->nb;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      memory->A[(size_t)n * (size_t)i + (size_t)j] =
          problem->W[(size_t)m * (size_t)memory->from[i] + (size_t)memory->from[j]];
  if (!crd_hold_factor(memory, n)) return false;
  crd_hold_solve(memory, n, memory->x);
  memset(sim->chart, 0, sizeof *sim->chart * (size_t)problem->nv);
  for (int i = 0; i < n; i++) {
    const double *X = problem->X + (size_t)problem->nv * (size_t)memory->from[i];
    for (int k = 0; k < problem->nv; k++) sim->chart[k] += memory->x[i] * X[k];
  }
  crd_tree_integrate_position(sim->model, sim->trial.q, sim->chart, 1, sim->trial.q);
  return true;
}

crd_status crd_sim_return(crd_sim *sim, const int *contact_of) {
  double last = INFINITY, enough = 1e-3 * sim->exact;
  for (int round = 0; round <= MOST_ROUNDS; round++) {
    double worst;
    crd_sim_place(sim, sim->trial.q);
    crd_status status = measure_gaps(sim, contact_of);
    if (status != CRD_OK) return status;
    sim->loop_error = 0;
    int n = choose_rows(sim, measure_loops(sim), &worst);
    if (n == 0 || worst <= enough) return CRD_OK;
    bool stuck = worst > 0.5 * last || round == MOST_ROUNDS || !displace(sim, n);
    if (stuck && worst <= sim->closed && sim->loop_error <= sim->options.loop_tolerance) return CRD_OK;
    if (stuck)
      return crd_sim_fail(sim, CRD_LIMIT,
                          "contacts and loops stay %g m apart: the mechanism is near a singular position", worst);
    last = worst;
  }
  return CRD_OK;
}
