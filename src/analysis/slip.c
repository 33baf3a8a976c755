#include "analysis/slip.h"

#include <math.h>
#include <string.h>

#include "analysis/matrix.h"

static double length(int count, const double *x) {
  return count == 0 ? 0 : count == 1 ? fabs(x[0]) : hypot(x[0], x[1]);
}

int crd_analysis_slip_directions_of(const crd_contact_problem *problem, double *slip) {
  int m = problem->nrow + problem->nb, assumed = 0;
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    const double *u = problem->u + contact->row + 1, *coupling = problem->W + crd_at(m, contact->row, contact->row + 1);
    int tangents = contact->ntangent;
    double speed = length(tangents, u), pull = length(tangents, coupling);
    bool slips = crd_contact_problem_slides(problem, c);
    slip[2 * c] = slip[2 * c + 1] = 0;
    if (tangents == 0) continue;
    assumed += !slips;
    if (!slips && !(pull > 0)) slip[2 * c] = 1;
    for (int t = 0; t < tangents && (slips || pull > 0); t++)
      slip[2 * c + t] = slips ? u[t] / speed : coupling[t] / pull;
  }
  return assumed;
}

void crd_slip_columns(const crd_quasi_basis *basis, const crd_contact_problem *problem, const double *slip, int rows,
                      const double *full, double *H) {
  memset(H, 0, sizeof *H * (size_t)rows * (size_t)basis->nc);
  for (int i = 0; i < rows; i++)
    for (int c = 0, column = 0; c < basis->nc; c++)
      for (int t = 0; t < problem->contact[c].ntangent; t++)
        H[crd_at(basis->nc, i, c)] += slip[2 * c + t] * full[crd_at(basis->nslip, i, column++)];
}
