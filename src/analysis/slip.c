#include "analysis/slip.h"

#include <math.h>
#include <string.h>

#include "analysis/matrix.h"

void crd_slip_of_problem(const crd_contact_problem *problem, double *slip) {
  double fastest = 0;
  for (int i = 0; i < problem->nrow; i++) fastest = fmax(fastest, fabs(problem->u[i]));
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    const double *u = problem->u + contact->row + 1;
    double speed = contact->ntangent == 0 ? 0 : contact->ntangent == 1 ? fabs(u[0]) : hypot(u[0], u[1]);
    slip[2 * c] = slip[2 * c + 1] = 0;
    for (int t = 0; t < contact->ntangent && speed > 1e-12 * fastest; t++) slip[2 * c + t] = u[t] / speed;
  }
}

void crd_slip_columns(const crd_quasi_basis *basis, const crd_contact_problem *problem, const double *slip, int rows,
                      const double *full, double *H) {
  memset(H, 0, sizeof *H * (size_t)rows * (size_t)basis->nc);
  for (int i = 0; i < rows; i++)
    for (int c = 0, column = 0; c < basis->nc; c++)
      for (int t = 0; t < problem->contact[c].ntangent; t++)
        H[crd_at(basis->nc, i, c)] += slip[2 * c + t] * full[crd_at(basis->nslip, i, column++)];
}
