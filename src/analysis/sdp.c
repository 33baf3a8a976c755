/* Linear matrix inequalities through DSDP, an interior-point method for semidefinite programs in dual form
 *
 *   maximise b y   subject to   C - y A >= 0
 *
 * which is our F0 + x F1 >= 0 with C = F0, A = -F1. [Benson, Ye, Zhang: Solving large-scale sparse semidefinite
 * programs for combinatorial optimization, SIAM J. Optim. 10, 2000.] */
#include <math.h>

#include "analysis/restitution.h"

#ifdef CRADLE_WITH_SDP
#include <dsdp5.h>

enum { MOST_ITERATIONS = 500 };
static const double GAP = 1e-12;        /* relative gap at which the iteration ends */
static const double SHORT_STEP = 1e-14; /* step at which it gives up */
static const double ANY_STEP = 1e30;    /* norm of a step that would end it: none does */
static const double CLOSED = 1e-8;      /* relative gap that proves the optimum */

bool crd_analysis_has_sdp(void) { return true; }

/* The lower triangle row by row, times s. */
static void pack(int n, const double *F, double s, double *packed) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) *packed++ = s * F[crd_at(n, i, j)];
}

/* Bounds as C - y A >= 0 in a cone of two rows: y <= high, -y <= -low. */
static int add_bounds(DSDP dsdp, const crd_lmi *lmi, double *value, int *row, int *first) {
  LPCone bounds;
  /* columns: 0 is C, 1 is A; entries by column */
  value[0] = lmi->high, value[1] = -lmi->low, value[2] = 1, value[3] = -1;
  row[0] = 0, row[1] = 1, row[2] = 0, row[3] = 1;
  first[0] = 0, first[1] = 2, first[2] = 4;
  int info = DSDPCreateLPCone(dsdp, &bounds);
  return info ? info : LPConeSetData(bounds, 2, first, row, value);
}

static int state(DSDP dsdp, const crd_lmi *lmi, int sense, double *C, double *A) {
  SDPCone cone;
  int n = lmi->size, entries = n * (n + 1) / 2, info = DSDPCreateSDPCone(dsdp, 1, &cone);
  pack(n, lmi->F0, 1, C);
  pack(n, lmi->F1, -1, A);
  if (!info) info = SDPConeSetBlockSize(cone, 0, n);
  if (!info) info = SDPConeSetADenseVecMat(cone, 0, 0, n, 1, C, entries);
  if (!info) info = SDPConeSetADenseVecMat(cone, 0, 1, n, 1, A, entries);
  if (!info) info = DSDPSetDualObjective(dsdp, 1, sense);
  /* to the last digits: neither short steps nor a large step norm end the iteration, only the gap */
  if (!info) info = DSDPSetGapTolerance(dsdp, GAP);
  if (!info) info = DSDPSetStepTolerance(dsdp, SHORT_STEP);
  if (!info) info = DSDPSetPNormTolerance(dsdp, ANY_STEP);
  if (!info) info = DSDPSetMaxIts(dsdp, MOST_ITERATIONS);
  return info;
}

static crd_status extreme(const crd_lmi *lmi, int sense, double *x, crd_arena *arena) {
  int n = lmi->size, info, row[4], first[3];
  double *C = crd_matrix(arena, n, n + 1), *A = crd_matrix(arena, n, n + 1), value[4], y[1] = {NAN}, primal = NAN;
  DSDP dsdp;
  DSDPSolutionType type = DSDP_PDUNKNOWN;
  if (!C || !A || DSDPCreate(1, &dsdp)) return CRD_ERR_MEMORY;
  info = state(dsdp, lmi, sense, C, A);
  if (!info) info = add_bounds(dsdp, lmi, value, row, first);
  if (!info) info = DSDPSetup(dsdp);
  if (!info) info = DSDPSolve(dsdp);
  if (!info) info = DSDPComputeX(dsdp);
  if (!info) info = DSDPGetSolutionType(dsdp, &type);
  if (!info) info = DSDPGetY(dsdp, y, 1);
  if (!info) info = DSDPGetPObjective(dsdp, &primal);
  DSDPDestroy(dsdp);
  if (info) return CRD_LIMIT;
  if (type == DSDP_INFEASIBLE) return CRD_NO_SOLUTION;
  *x = y[0];
  /* y is feasible and the primal objective bounds what is: a closed gap proves the optimum, however the run ended */
  return fabs(primal - sense * y[0]) <= CLOSED * (1 + fabs(y[0])) ? CRD_OK : CRD_LIMIT;
}

/* DSDP keeps globals: one thread of a team at a time. */
crd_status crd_lmi_extreme(const crd_lmi *lmi, int sense, double *x, crd_arena *arena) {
  crd_status status;
#ifdef _OPENMP
#pragma omp critical(crd_dsdp)
#endif
  status = extreme(lmi, sense, x, arena);
  return status;
}

#else

bool crd_analysis_has_sdp(void) { return false; }

crd_status crd_lmi_extreme(const crd_lmi *lmi, int sense, double *x, crd_arena *arena) {
  (void)lmi, (void)sense, (void)x, (void)arena;
  return CRD_ERR_ARGUMENT;
}

#endif
