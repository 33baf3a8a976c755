/* Friction of contacts that slip in known directions: one column a contact. */
#ifndef SRC_ANALYSIS_SLIP_H
#define SRC_ANALYSIS_SLIP_H

#include <cradle/analysis.h>

/* H (rows x nc): column c is the tangent columns of contact c in full (rows x nslip) combined along slip. */
void crd_slip_columns(const crd_quasi_basis *basis, const crd_contact_problem *problem, const double *slip, int rows,
                      const double *full, double *H);

#endif
