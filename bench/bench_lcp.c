/* Complementarity problems of contact beside Siconos' lcp_lexicolemke, identical problems in one run, one thread.
 *
 *   cold    crd_lcp_solve from nothing, verified                     lcp_lexicolemke
 *   warm    crd_lcp_solve with the last basis, matrix given anew     (the same Siconos time)
 *   same    the same with same_matrix: only w is new
 *
 * Contacts of rigid bodies [Halm & Posa, eq. 31-35], planar (4 rows a contact) and with 4 and 8 facets (6 and 10 rows),
 * at least one of them approaching; 32 problems of each size are solved in turn, so that neither side profits from one
 * problem's branches. Times are microseconds a solve, the fastest of several rounds. Usage: bench_lcp [seconds per
 * measurement]
 */
#include <cradle/lcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/lcp_problems.h"
#include "timing.h"
#ifdef CRADLE_HAVE_SICONOS
#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <lcp_cst.h>
#endif

enum { PROBLEMS = 32, FEW = 4 }; /* few of the large ones */

typedef struct problem_set {
  int n, count;
  double *W[PROBLEMS], *w[PROBLEMS], *z;
  crd_lcp_work *work[PROBLEMS]; /* each keeps the basis of its problem */
  crd_lcp_options options;
  int failures, pivots, solves, warm_hits;
#ifdef CRADLE_HAVE_SICONOS
  LinearComplementarityProblem *peer[PROBLEMS];
  SolverOptions *peer_options;
  double *peer_z, *peer_y;
  int peer_failures;
#endif
} problem_set;

static void *take(size_t bytes) {
  void *memory = calloc(1, bytes);
  if (!memory) exit(3);
  return memory;
}

static bool is_approaching(const contact_scene *scene, const double *w) {
  for (int c = 0; c < scene->contacts; c++)
    if (w[c] < 0) return true;
  return false;
}

static void fill(problem_set *set, const contact_scene *scene) {
  size_t n = (size_t)contact_lcp_rows(scene);
  *set = (problem_set){
      .n = (int)n, .count = n > 150 ? FEW : PROBLEMS, .options = crd_lcp_default(), .z = take(sizeof(double) * n)};
  uint64_t seed = 100;
  for (int k = 0; k < set->count; k++) {
    set->W[k] = take(sizeof(double) * n * n), set->w[k] = take(sizeof(double) * n);
    set->work[k] = crd_lcp_work_new((int)n, 0);
    if (!set->work[k]) exit(3);
    do {
      lcp_random random = {.seed = seed++};
      contact_lcp_fill(scene, &random, set->W[k], set->w[k], NULL, NULL);
    } while (!is_approaching(scene, set->w[k]));
  }
}

/* One round over all problems. */
static void solve_all(void *context) {
  problem_set *set = context;
  for (int k = 0; k < set->count; k++) {
    crd_lcp_problem problem = crd_lcp_dense(set->n, set->W[k], set->w[k]);
    crd_lcp_report report;
    set->failures += crd_lcp_solve(set->work[k], &problem, &set->options, set->z, &report) != CRD_OK;
    set->pivots += report.pivots, set->solves++;
    set->warm_hits += report.path == CRD_LCP_PATH_WARM;
  }
}

#ifdef CRADLE_HAVE_SICONOS
static void fill_peer(problem_set *set) {
  size_t n = (size_t)set->n;
  set->peer_z = take(sizeof(double) * n), set->peer_y = take(sizeof(double) * n);
  set->peer_options = solver_options_create(SICONOS_LCP_LEMKE);
  set->peer_options->iparam[SICONOS_IPARAM_MAX_ITER] = 1000000;
  for (int k = 0; k < set->count; k++) {
    double *columns = take(sizeof(double) * n * n);
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) columns[j * n + i] = set->W[k][i * n + j];
    set->peer[k] = take(sizeof *set->peer[k]);
    set->peer[k]->size = set->n;
    set->peer[k]->M = NM_create_from_data(NM_DENSE, set->n, set->n, columns);
    set->peer[k]->q = set->w[k];
  }
}

static void peer_solve_all(void *context) {
  problem_set *set = context;
  for (int k = 0; k < set->count; k++) {
    int info = 0;
    memset(set->peer_z, 0, sizeof(double) * (size_t)set->n);
    memset(set->peer_y, 0, sizeof(double) * (size_t)set->n);
    lcp_lexicolemke(set->peer[k], set->peer_z, set->peer_y, &info, set->peer_options);
    set->peer_failures += info != 0;
  }
}

static void free_peer(problem_set *set) {
  for (int k = 0; k < set->count; k++) {
    free(set->peer[k]->M->matrix0);
    set->peer[k]->M->matrix0 = NULL;
    NM_free(set->peer[k]->M);
    free(set->peer[k]);
  }
  solver_options_delete(set->peer_options);
  free(set->peer_z), free(set->peer_y);
}
#endif

static void free_set(problem_set *set) {
  for (int k = 0; k < set->count; k++) crd_lcp_work_free(set->work[k]), free(set->W[k]), free(set->w[k]);
  free(set->z);
}

/* Seconds of the fastest call within the budget; at least three. */
static double fastest(void (*f)(void *), void *context, double budget) {
  double best = INFINITY, begin = now_seconds();
  for (int k = 0; k < 3 || now_seconds() - begin < budget; k++) {
    double start = now_seconds();
    f(context);
    best = fmin(best, now_seconds() - start);
  }
  return best;
}

static void measure(const contact_scene *scene, double seconds) {
  problem_set set;
  fill(&set, scene);
  double cold = 1e6 * fastest(solve_all, &set, seconds) / set.count;
  double pivots = (double)set.pivots / set.solves;
  set.options.warm = true;
  set.warm_hits = set.solves = 0;
  double warm = 1e6 * fastest(solve_all, &set, seconds) / set.count;
  double hits = 100.0 * set.warm_hits / set.solves;
  set.options.same_matrix = true;
  double same = 1e6 * fastest(solve_all, &set, seconds) / set.count;
  printf("%6d %8d %5d %8.1f %10.3f %10.3f %10.3f %5.0f%%", scene->facets, scene->contacts, set.n, pivots, cold, warm,
         same, hits);
#ifdef CRADLE_HAVE_SICONOS
  fill_peer(&set);
  double peer = 1e6 * fastest(peer_solve_all, &set, seconds) / set.count;
  printf(" %12.3f %7.1f %7.1f %7.1f", peer, peer / cold, peer / warm, peer / same);
  if (set.peer_failures) printf("  (Siconos failed)");
  free_peer(&set);
#endif
  printf(set.failures ? "  %d NOT SOLVED\n" : "\n", set.failures);
  free_set(&set);
}

int main(int argc, char **argv) {
  const int facets[3] = {2, 4, 8}, contacts[6] = {1, 2, 5, 10, 20, 50};
  double seconds = argc > 1 ? atof(argv[1]) : 0.2;
#ifndef CRADLE_HAVE_SICONOS
  printf("Siconos is not installed: its columns are left out\n");
#endif
  printf("contact problems, microseconds a solve; ratios are Siconos over cradle\n");
  printf(
      "facets contacts  rows   pivots       cold       warm       same  hits      Siconos    cold    warm    same\n");
  for (int f = 0; f < 3; f++)
    for (int c = 0; c < 6; c++) {
      contact_scene scene = {
          .contacts = contacts[c], .facets = facets[f], .bodies = (contacts[c] + 1) / 2, .mu = 0.5, .length = 1};
      measure(&scene, seconds);
    }
  return 0;
}
