/* Impacts per second of every law, one thread: drops of one body with one contact, planar (as a plate on a floor) and
 * spatial (a box on a corner), polygons of friction and the round cone.
 *
 * Velocities and places of contact are drawn; the problem is posed by M, J, v as a file states it, and completed and
 * resolved again for every impact. One solution is asked for (max_solutions 1: what a fit and a run need) or all of them.
 * Usage: bench_impact [seconds per measurement [law]]
 */
#include <cradle/impact.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timing.h"

enum { PROBLEMS = 64 };

typedef struct measured {
  crd_contact_problem *problem[PROBLEMS];
  const crd_impact_law *law;
  crd_impact_options options;
  crd_impact_result result;
  int next, answered, resolved;
} measured;

static double uniform(uint64_t *counter) { return 2 * crd_random_uniform(11, 0, (*counter)++) - 1; }

static crd_contact_problem *sized(int nv, int ntangent) {
  crd_contact_problem *p = crd_contact_problem_new();
  if (!p || crd_contact_problem_resize(p, nv, 1, 1 + ntangent, 0, true) != CRD_OK) exit(3);
  p->contact[0] = (crd_contact){.name = "corner", .ntangent = ntangent, .mu = 0.3, .mu_static = 0.3, .e = 0.5};
  memset(p->M, 0, sizeof *p->M * (size_t)(nv * nv));
  memset(p->J, 0, sizeof *p->J * (size_t)(nv * (1 + ntangent)));
  return p;
}

/* x, y, angle; contact at r = (x, y) from the centre: n = (0, 1, r_x), t = (1, 0, -r_y). */
static crd_contact_problem *planar(uint64_t *counter) {
  crd_contact_problem *p = sized(3, 1);
  double rx = 0.05 * uniform(counter), ry = -0.03;
  p->M[0] = p->M[4] = 0.1, p->M[8] = 1e-4;
  p->J[1] = 1, p->J[2] = rx, p->J[3] = 1, p->J[5] = -ry;
  p->v[0] = uniform(counter), p->v[1] = -1.5 + uniform(counter), p->v[2] = 20 * uniform(counter);
  return p;
}

/* Angular velocity first: rows (r x d, d) for the directions z, x, y. */
static crd_contact_problem *spatial(uint64_t *counter) {
  crd_contact_problem *p = sized(6, 2);
  const double r[3] = {0.05 * uniform(counter), 0.05 * uniform(counter), -0.04};
  const double direction[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
  for (int i = 0; i < 3; i++) {
    const double *d = direction[i];
    const double row[6] = {
        r[1] * d[2] - r[2] * d[1], r[2] * d[0] - r[0] * d[2], r[0] * d[1] - r[1] * d[0], d[0], d[1], d[2]};
    memcpy(p->J + 6 * i, row, sizeof row);
    p->M[7 * i] = 3e-4 * (1 + 0.3 * i), p->M[7 * (i + 3)] = 0.4;
  }
  for (int i = 0; i < 6; i++) p->v[i] = (i < 3 ? 10 : 1) * uniform(counter);
  p->v[5] -= 1.5;
  return p;
}

static void resolve(void *context) {
  measured *m = context;
  crd_contact_problem *problem = m->problem[m->next++ % PROBLEMS];
  if (crd_contact_problem_complete(problem) != CRD_OK) exit(3);
  m->resolved++, m->answered += crd_impact_resolve(m->law, problem, &m->options, &m->result) == CRD_OK;
}

static double rate(measured *m, crd_contact_problem *(*make)(uint64_t *), bool round, int solutions, double budget) {
  uint64_t counter = 0;
  for (int i = 0; i < PROBLEMS; i++) m->problem[i] = make(&counter);
  m->options = crd_impact_default();
  m->options.round_cone = round, m->options.max_solutions = solutions;
  m->resolved = m->answered = 0;
  const double start = cpu_seconds();
  while (cpu_seconds() - start < budget || m->resolved < PROBLEMS)
    for (int i = 0; i < PROBLEMS; i++) resolve(m);
  double spent = cpu_seconds() - start;
  for (int i = 0; i < PROBLEMS; i++) crd_contact_problem_free(m->problem[i]);
  return m->resolved / spent;
}

int main(int argc, char **argv) {
  const double budget = argc > 1 ? atof(argv[1]) : 0.1;
  const int all = crd_impact_default().max_solutions;
  printf("impacts a second and thread\n%-16s %10s %10s %10s %10s %10s %10s   %s\n", "law", "planar", "(all)",
         "polygons", "(all)", "round", "(all)", "answered");
  for (int i = 0; crd_impact_law_at(i); i++) {
    measured m = {.law = crd_impact_law_at(i)};
    if (argc > 2 && strcmp(argv[2], m.law->name) != 0) continue;
    printf("%-16s", m.law->name);
    printf(" %10.0f", rate(&m, planar, true, 1, budget));
    printf(" %10.0f", rate(&m, planar, true, all, budget));
    printf(" %10.0f", rate(&m, spatial, false, 1, budget));
    printf(" %10.0f", rate(&m, spatial, false, all, budget));
    printf(" %10.0f", rate(&m, spatial, true, 1, budget));
    printf(" %10.0f", rate(&m, spatial, true, all, budget));
    printf("   %d %%\n", (int)(100.0 * m.answered / m.resolved));
    crd_impact_result_free(&m.result);
  }
  return 0;
}
