/* The cost of crd_analysis_check, everything `cradle check` decides, on mechanisms of n velocities with k spatial
 * contacts: random inertia and rows, as dense as a problem can be.
 *
 * Columns: time of a check; of its parts restitution (verdict, worst velocity), semidefinite program, well-posedness;
 * faces the search for the worst velocity looked at, of 2^k; and whether an exact test gave up. Then the growth with
 * the contacts, and the number of contacts where the exact tests switch to `unknown`: coefficients are drawn anew until
 * the search is hard. Usage: bench_check [seconds per measurement]
 */
#include <cradle/analysis.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "timing.h"

typedef struct measured {
  crd_contact_problem *problem;
  crd_check check;
  crd_arena arena;
  double t;
  crd_worst_velocity worst;
} measured;

static double uniform(uint64_t *counter) { return crd_random_uniform(5, 0, (*counter)++); }

/* M = I + B B'/n with random B; rows of unit order, contacts approach, e between 0.3 and 1. */
static crd_contact_problem *make(int n, int contacts, uint64_t *counter) {
  crd_contact_problem *p = crd_contact_problem_new();
  if (!p || crd_contact_problem_resize(p, n, contacts, 3 * contacts, 0, true) != CRD_OK) exit(3);
  double *B = malloc(sizeof *B * (size_t)n * (size_t)n);
  if (!B) exit(3);
  for (int i = 0; i < n * n; i++) B[i] = 2 * uniform(counter) - 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      p->M[i * n + j] = i == j;
      for (int k = 0; k < n; k++) p->M[i * n + j] += B[i * n + k] * B[j * n + k] / n;
    }
  free(B);
  for (int i = 0; i < 3 * contacts * n; i++) p->J[i] = 2 * uniform(counter) - 1;
  for (int i = 0; i < n; i++) p->v[i] = 2 * uniform(counter) - 1;
  for (int c = 0; c < contacts; c++) {
    double e = 0.3 + 0.7 * uniform(counter);
    p->contact[c] = (crd_contact){.name = "c", .row = 3 * c, .ntangent = 2, .mu = 0.5, .mu_static = 0.5, .e = e};
  }
  if (crd_contact_problem_complete(p) != CRD_OK) exit(3);
  return p;
}

static void all(void *context) {
  measured *m = context;
  crd_arena_reset(&m->arena);
  if (crd_analysis_check(&m->check, m->problem, NULL, true, &m->arena) != CRD_OK) exit(3);
}

/* The parts run on the memory behind the finished check. */
static void restitution(void *context) {
  measured *m = context;
  crd_restitution_verdict verdict;
  crd_arena arena = {0};
  if (crd_analysis_restitution_check(&verdict, &m->check.restitution, m->check.E, &arena) != CRD_OK) exit(3);
  m->worst = verdict.worst;
  crd_arena_free(&arena);
}

static void semidefinite(void *context) {
  measured *m = context;
  crd_arena arena = {0};
  crd_analysis_restitution_scaling(&m->check.restitution, m->check.E, CRD_LMI_SDP, &m->t, &arena);
  crd_arena_free(&arena);
}

static void wellposed(void *context) {
  measured *m = context;
  crd_wellposed w;
  crd_arena arena = {0};
  if (crd_analysis_wellposed_form(&w, &m->check.quasi, m->problem, NULL, NULL, &arena) != CRD_OK) exit(3);
  crd_arena_free(&arena);
}

static double line(int n, int contacts, double budget, uint64_t *counter) {
  measured m = {.problem = make(n, contacts, counter)};
  double total = time_per_call(all, &m, budget), energy = time_per_call(restitution, &m, budget),
         sdp = crd_analysis_has_sdp() ? time_per_call(semidefinite, &m, budget) : NAN,
         posed = time_per_call(wellposed, &m, budget);
  all(&m);
  const crd_check *c = &m.check;
  printf("%5d %9d %10.3f %12.3f %8.3f %12.3f %9d   %s%s\n", n, contacts, 1e3 * total, 1e3 * energy, 1e3 * sdp,
         1e3 * posed, c->energy.worst.faces, c->energy.worst.status == CRD_UNKNOWN ? "energy unknown " : "",
         isnan(c->wellposed.mu_critical) ? "critical friction unknown" : "");
  crd_arena_free(&m.arena);
  crd_contact_problem_free(m.problem);
  return total;
}

int main(int argc, char **argv) {
  const double budget = argc > 1 ? atof(argv[1]) : 0.05;
  const int contacts[] = {1, 2, 4, 6, 8, 10, 12, 16, 24};
  enum { COUNT = sizeof contacts / sizeof contacts[0] };
  double time[COUNT];
  uint64_t counter = 0;
  printf("%5s %9s %10s %12s %8s %12s %9s\n", "nv", "contacts", "check ms", "restitution", "SDP", "well-posed", "faces");
  for (int i = 0; i < COUNT; i++) time[i] = line(30, contacts[i], budget, &counter);
  line(6, 4, budget, &counter);
  line(100, 8, budget, &counter);
  printf("growth with contacts (2 to 12): exponent %.2f\n", growth_exponent(contacts + 1, time + 1, 6));
  printf("a check of 30 velocities with 8 contacts: %.2f ms, %s 10 ms\n", 1e3 * time[4],
         time[4] < 10e-3 ? "under" : "NOT under");
  printf(
      "limits: %d faces for the worst velocity, 200000 minors or faces for P and copositive, %d contacts for critical "
      "friction\n",
      (int)CRD_RESTITUTION_FACES, (int)CRD_WELLPOSED_CONTACTS);
  return 0;
}
