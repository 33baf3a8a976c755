/* Critical friction over a range of configurations, [C, 4.1]: mu_c(q) and its least value, with the contact kept closed
 * by moving the other coordinates along the normal row (Newton's method on the gap). */
#include <cradle/analysis.h>
#include <math.h>
#include <string.h>

#include "analysis/matrix.h"
#include "linalg/dense.h"

enum { MOST_STEPS = 50, MOST_SECTIONS = 60 }; /* of Newton onto the contact; of the golden section, 0.618^60 = 3e-13 */
static const double FARTHEST = 1e3;           /* m: contacts are looked for so far away */
static const double TOUCHING = 1e-11;         /* m: the contact is closed */
static const double NO_MOTION = 1e-12;        /* squared length of a row: no other joint moves the contact */
static const double SECTION = 1e-9;           /* relative width at which the section ends */

/* The contact between the bodies with the smallest gap; -1: none. */
static int nearest(const crd_contact_problem *problem, int body1, int body2) {
  int found = -1;
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    bool same =
        (contact->body1 == body1 && contact->body2 == body2) || (contact->body1 == body2 && contact->body2 == body1);
    if (same && (found < 0 || contact->gap < problem->contact[found].gap)) found = c;
  }
  return found;
}

typedef struct closing {
  crd_workspace *work;
  crd_contact_assembler *assembler;
  crd_contact_problem *problem;
  double *qpos, *next, *change, *rest; /* nq, nq, nv, nv */
} closing;

/* Newton steps until the contact closes. */
static crd_status close_contact(const crd_critical_scan *scan, closing *c) {
  const crd_model *model = scan->model;
  crd_contact_options options = crd_contact_default();
  options.distance = FARTHEST, options.limits = false;
  for (int step = 0; step < MOST_STEPS; step++) {
    crd_status status = crd_contact_at_state(c->assembler, c->work, c->qpos, c->rest, &options, c->problem);
    if (status != CRD_OK) return status;
    int contact = nearest(c->problem, scan->body1, scan->body2);
    if (contact < 0) return CRD_NO_SOLUTION;
    double gap = c->problem->contact[contact].gap, square = 0;
    if (fabs(gap) < TOUCHING) return CRD_OK;
    memcpy(c->change, c->problem->J + crd_at(model->nv, c->problem->contact[contact].row, 0),
           sizeof *c->change * (size_t)model->nv);
    c->change[model->joint[scan->joint].v] = 0;
    square = crd_dense_dot(model->nv, c->change, c->change);
    if (!(square > NO_MOTION)) return CRD_NO_SOLUTION;
    for (int i = 0; i < model->nv; i++) c->change[i] *= -gap / square;
    crd_tree_integrate_position(model, c->qpos, c->change, 1, c->next);
    memcpy(c->qpos, c->next, sizeof *c->qpos * (size_t)model->nq);
  }
  return CRD_NO_SOLUTION;
}

static crd_status critical_when_closed(const closing *c, double *mu, crd_arena *arena) {
  crd_contact_options options = crd_contact_default();
  crd_quasi_basis basis;
  options.distance = 1e-9, options.limits = false;
  crd_status status = crd_contact_at_state(c->assembler, c->work, c->qpos, c->rest, &options, c->problem);
  if (status == CRD_OK) status = crd_analysis_quasi_form(&basis, c->problem, NULL, 0, arena);
  if (status == CRD_OK) status = crd_analysis_wellposed_critical_least(&basis, c->problem, mu, arena);
  return status;
}

crd_status crd_analysis_critical_at(const crd_critical_scan *scan, double value, double *mu, double *closed,
                                    crd_arena *arena) {
  const crd_model *model = scan->model;
  closing c = {.work = crd_model_workspace_new(model),
               .assembler = crd_contact_assembler_new(model),
               .problem = crd_contact_problem_new(),
               .qpos = crd_matrix(arena, model->nq, 1),
               .next = crd_matrix(arena, model->nq, 1),
               .change = crd_matrix(arena, model->nv, 1),
               .rest = crd_matrix(arena, model->nv, 1)};
  crd_status status = CRD_ERR_MEMORY;
  *mu = NAN;
  if (c.work && c.assembler && c.problem && c.qpos && c.next && c.change && c.rest) {
    memcpy(c.qpos, scan->qpos, sizeof *c.qpos * (size_t)model->nq);
    c.qpos[model->joint[scan->joint].q] = value;
    status = close_contact(scan, &c);
    if (status == CRD_OK) status = critical_when_closed(&c, mu, arena);
    if (status == CRD_OK && closed) memcpy(closed, c.qpos, sizeof *closed * (size_t)model->nq);
  }
  crd_contact_problem_free(c.problem);
  crd_contact_assembler_free(c.assembler);
  crd_model_workspace_free(c.work);
  return status;
}

/* Golden section between the neighbours of the least sample. */
static crd_status refine(const crd_critical_scan *scan, double a, double b, double *at, double *least,
                         crd_arena *arena) {
  const double golden = 0.6180339887498949;
  double x = b - golden * (b - a), y = a + golden * (b - a), fx, fy;
  crd_status status = crd_analysis_critical_at(scan, x, &fx, NULL, arena);
  if (status == CRD_OK) status = crd_analysis_critical_at(scan, y, &fy, NULL, arena);
  for (int i = 0; i < MOST_SECTIONS && status == CRD_OK && b - a > SECTION * (1 + fabs(a)); i++) {
    if (fx <= fy) {
      b = y, y = x, fy = fx, x = b - golden * (b - a);
      status = crd_analysis_critical_at(scan, x, &fx, NULL, arena);
    } else {
      a = x, x = y, fx = fy, y = a + golden * (b - a);
      status = crd_analysis_critical_at(scan, y, &fy, NULL, arena);
    }
  }
  if (status == CRD_OK && fmin(fx, fy) < *least) *least = fmin(fx, fy), *at = fx <= fy ? x : y;
  return status == CRD_NO_SOLUTION ? CRD_OK : status;
}

crd_status crd_analysis_critical_range(const crd_critical_scan *scan, double from, double to, int count, double *mu,
                                       double *at, double *least, crd_arena *arena) {
  int best = -1;
  if (count < 2 || !(to > from) || scan->model->joint[scan->joint].nq != 1) return CRD_ERR_ARGUMENT;
  for (int i = 0; i < count; i++) {
    crd_status status = crd_analysis_critical_at(scan, from + (to - from) * i / (count - 1), &mu[i], NULL, arena);
    if (status != CRD_OK && status != CRD_NO_SOLUTION) return status;
    if (!isnan(mu[i]) && (best < 0 || mu[i] < mu[best])) best = i;
  }
  if (best < 0) return CRD_NO_SOLUTION;
  double step = (to - from) / (count - 1);
  *at = from + step * best, *least = mu[best];
  if (isinf(*least)) return CRD_OK;
  return refine(scan, fmax(from, *at - step), fmin(to, *at + step), at, least, arena);
}
