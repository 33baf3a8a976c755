/* Forces that keep loops closed, at the level of accelerations [Jain, section III; Aghili, eq. 13 for loops alone].
 *
 * W f = -(J qacc + bias) by a Cholesky factor that leaves out what is zero (a loop meets its neighbours only); where
 * rows depend on each other (a loop that is closed twice over) or nearly so, by the pseudo-inverse of a factor with
 * pivots, which gives the least f.
 */
#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "contact/assemble.h"
#include "linalg/dense.h"
#include "linalg/semidefinite.h"

/* Largest residual of the solution, as a share of the right-hand side. */
static const double TOLERANCE = 1e-11;
/* Pivots below this share of the largest are zero. */
static const double RANK_TOLERANCE = 1e-11;
/* Rows of a loop depend on each other where less than this share of a row's squared length is its own: directions that
 * agree to 1e-4. Axes of a file that were meant to be parallel are so to six digits only; taken exactly, such a
 * mechanism would lock, with forces 1e5 times those of its load. */
static const double OWN_SHARE = 1e-8;

enum { DEPENDENT = -1 }; /* group of a row that is left out */

/* Working memory. */
static crd_status reserve(crd_contact_assembler *s) {
  if (s->loop_factor) return CRD_OK;
  int m = s->max_loop_rows;
  const crd_layout table[] = {CRD_MATRIX(s->loop_factor, m, m), CRD_ARRAY(s->loop_pivoted, crd_semidefinite_size(m)),
                              CRD_ARRAY(s->loop_force, m), CRD_MATRIX(s->loop_rate, m, 3),
                              CRD_MATRIX(s->loop_first, m, 2)};
  return crd_layout_renew(&s->loop_arena, table, sizeof table / sizeof *table);
}

crd_status crd_assembly_independent_loops(crd_assembly *a, int first) {
  crd_contact_assembler *s = a->assembler;
  crd_status status = reserve(s);
  if (status != CRD_OK) return status;
  double *W = s->loop_factor;
  int *row = s->loop_first, *order = row + s->max_loop_rows, m = 0;
  for (int i = first; i < a->rows; i++)
    if (s->row[i].ndof == 0) row[m++] = i; /* of rows on joints each has a joint of its own */
  crd_assembly_gram(s, row, m, W);
  /* rotations and shifts are compared in the kinetic metric, each as a share of its own length */
  for (int i = 0; i < m; i++) s->loop_force[i] = 1 / sqrt(W[(m + 1) * i]);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) W[m * i + j] *= s->loop_force[i] * s->loop_force[j];
  if (crd_semidefinite_independent(m, W, OWN_SHARE, s->loop_pivoted, order)) return CRD_OK;
  int rank = crd_semidefinite_rank(m, W, OWN_SHARE, s->loop_pivoted, order), kept = first;
  for (int k = rank; k < m; k++) s->row[row[order[k]]].group = DEPENDENT;
  for (int i = first; i < a->rows; i++) {
    if (s->row[i].group == DEPENDENT) continue;
    if (kept < i) s->row[kept] = s->row[i], s->residual[kept] = s->residual[i];
    kept++;
  }
  a->rows = kept;
  return CRD_OK;
}

/* rest = b - W f; returns its largest entry, and that of b. */
static double error_of(int m, const double *W, const double *f, const double *b, double *rest, double *largest) {
  double error = 0;
  *largest = 0;
  for (int i = 0; i < m; i++) {
    rest[i] = b[i] - crd_dense_dot(m, W + (size_t)m * (size_t)i, f);
    error = fmax(error, fabs(rest[i]));
    *largest = fmax(*largest, fabs(b[i]));
  }
  return error;
}

crd_status crd_contact_factor_loops(crd_contact_assembler *s, crd_workspace *work, const double *qpos,
                                    const double *qvel, const bool *rows, crd_contact_problem *problem) {
  crd_contact_options options = crd_contact_default();
  options.mass_matrix = options.jacobian = options.names = options.limits = false;
  options.independent_loops = true, options.loop_rows = rows;
  crd_status status = reserve(s);
  if (status == CRD_OK) status = crd_contact_assemble(s, work, qpos, qvel, NULL, 0, &options, problem);
  if (status != CRD_OK || problem->nb == 0) return status;
  int m = problem->nb;
  memcpy(s->loop_factor, problem->W, sizeof(double) * (size_t)m * (size_t)m);
  s->loop_regular = crd_dense_cholesky_envelope(m, s->loop_factor, s->loop_first);
  s->loop_rank = -1; /* not asked for yet */
  return CRD_OK;
}

static bool solve_regular(crd_contact_assembler *s, int m, const double *W, const double *b) {
  double largest, *rest = s->loop_rate + 2 * m;
  if (!s->loop_regular) return false;
  memcpy(s->loop_force, b, sizeof *b * (size_t)m);
  crd_dense_cholesky_envelope_solve(m, s->loop_factor, s->loop_first, s->loop_force);
  double error = error_of(m, W, s->loop_force, b, rest, &largest);
  return error <= TOLERANCE * largest;
}

/* With one step of refinement: the pseudo-inverse squares the condition of its factor. */
static void solve_dependent(crd_contact_assembler *s, int m, const double *W, const double *b) {
  double largest, *rest = s->loop_rate + 2 * m;
  int *order = s->loop_first + m;
  if (s->loop_rank < 0) s->loop_rank = crd_semidefinite_factor(m, W, RANK_TOLERANCE, s->loop_pivoted, order);
  memset(s->loop_force, 0, sizeof *b * (size_t)m);
  for (int round = 0; round < 2; round++) {
    error_of(m, W, s->loop_force, b, rest, &largest);
    crd_semidefinite_solve(m, s->loop_rank, s->loop_pivoted, rest);
    for (int i = 0; i < m; i++) s->loop_force[i] += rest[i];
  }
}

void crd_contact_force_loops(crd_contact_assembler *s, crd_workspace *work, const double *qvel,
                             const crd_contact_problem *problem, double *qacc, double *force) {
  int m = problem->nb;
  if (m == 0) return;
  double *b = s->loop_rate, *bias = b + m, *change = s->entries + 2 * s->model->nv;
  crd_contact_velocity(s, work, qacc, b);
  memset(bias, 0, sizeof *bias * (size_t)m);
  if (qvel) crd_contact_loop_bias(s, work, qvel, problem, bias);
  for (int i = 0; i < m; i++) b[i] = -(b[i] + bias[i]);
  if (!solve_regular(s, m, problem->W, b)) solve_dependent(s, m, problem->W, b);
  crd_contact_response(s, work, s->loop_force, change);
  CRD_EACH (s->part, v, i) qacc[i] += change[i];
  if (force) memcpy(force, s->loop_force, sizeof *force * (size_t)m);
}

crd_status crd_contact_hold_loops(crd_contact_assembler *s, crd_workspace *work, const double *qpos, const double *qvel,
                                  crd_contact_problem *problem, double *qacc, double *force) {
  crd_status status = crd_contact_factor_loops(s, work, qpos, qvel, NULL, problem);
  if (status == CRD_OK) crd_contact_force_loops(s, work, qvel, problem, qacc, force);
  return status;
}
