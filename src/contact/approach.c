/* Approaching, persistent and sliding contacts: velocities against the bound that the kinetic energy sets.
 *
 *   |u_i| = |J_i v| <= sqrt(2 K W_ii)          (Cauchy and Schwarz, W_ii = J_i M^-1 J_i')
 *
 * with equality for the motion that has all its energy in row i. The bound turns with the scene and scales with its
 * units, row by row, and rounding of u_i is small beside it whatever cancelled in J_i v. */
#include <cradle/contact.h>
#include <cradle/linalg.h>
#include <math.h>

static double compliance(const crd_contact_problem *problem, int row) {
  double own;
  if (problem->blocks) return crd_blocks_gather(problem->blocks, &row, 1, &own), own;
  size_t m = (size_t)(problem->nrow + problem->nb);
  return problem->W[(m + 1) * (size_t)row];
}

static double energy(const crd_contact_problem *problem) { return fmax(problem->kinetic, problem->kinetic_free); }

double crd_contact_problem_speed(const crd_contact_problem *problem, int row) {
  return sqrt(2 * energy(problem) * compliance(problem, row));
}

bool crd_contact_problem_approaches(const crd_contact_problem *problem, int contact) {
  int row = problem->contact[contact].row;
  return problem->u[row] < -CRD_APPROACH * crd_contact_problem_speed(problem, row);
}

bool crd_contact_problem_persists(const crd_contact_problem *problem, int contact) {
  int row = problem->contact[contact].row;
  return fabs(problem->u[row]) <= CRD_APPROACH * crd_contact_problem_speed(problem, row);
}

bool crd_contact_problem_slides(const crd_contact_problem *problem, int contact) {
  const crd_contact *c = &problem->contact[contact];
  double speed = 0, trace = 0; /* both the same however the tangents are turned */
  for (int row = c->row + 1; row <= c->row + c->ntangent; row++)
    speed = hypot(speed, problem->u[row]), trace += compliance(problem, row);
  return speed > CRD_APPROACH * sqrt(2 * energy(problem) * trace);
}
