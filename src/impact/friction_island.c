/* The contacts of an impact as an island on the round cone (src/impact/island.h): the way that is tried first, since it
 * costs a few factorisations of the rows themselves where facets cost a complementarity problem of ten times as many.
 *
 * The modes it begins with are those of the velocity at hand: what parts is open, what slides slips. Impulses that are
 * not determined are those of least norm where these do not pull, else those in the middle of the cones.
 */
#include <math.h>
#include <string.h>

#include "impact/friction.h"
#include "impact/island.h"

enum { MOST_ROUNDS = 12 };

static crd_island_memory *memory_for(crd_impact_result *result, int rows) {
  if (!result->island) result->island = crd_island_new();
  if (!result->island || crd_island_reserve(result->island, rows) != CRD_OK) return NULL;
  return result->island;
}

static void set_mode(crd_island_contact *c, const double *u, double slow) {
  double x = c->ntangent > 0 ? u[1] : 0, y = c->ntangent > 1 ? u[2] : 0, speed = hypot(x, y);
  c->mode = u[0] > slow ? CRD_MODE_NONE : speed > slow ? CRD_MODE_SLIP : CRD_MODE_STICK;
  c->slide[0] = speed > 0 ? x / speed : 1, c->slide[1] = speed > 0 ? y / speed : 0;
}

/* The rows of one contact or all, and the bilateral ones: those of the problem into row. */
static void list_rows(const crd_friction *f, int contact, crd_island *s, int *row) {
  const crd_contact_problem *problem = f->problem;
  double slow = f->options->tolerance * s->natural;
  for (int c = 0; c < problem->nc; c++) {
    if (contact != CRD_ALL_CONTACTS && c != contact) continue;
    crd_cones_contact own = crd_cones_contact_of(&problem->contact[c]);
    crd_island_contact *held = &s->contact[s->ncontact++];
    *held = (crd_island_contact){.id = c, .row = s->n, .ntangent = own.ntangent, .mu = own.mu, .share = 1};
    set_mode(held, f->u + own.row, slow);
    for (int k = 0; k <= own.ntangent; k++) row[s->n++] = own.row + k;
  }
  s->first_b = s->n, s->nb = problem->nb;
  for (int b = 0; b < problem->nb; b++) row[s->n++] = problem->nrow + b;
  s->first_dry = s->n;
}

crd_status crd_friction_by_island(crd_friction *f, int contact, bool by_modes, double *p, double *violation) {
  const crd_contact_problem *problem = f->problem;
  crd_impact_result *result = f->result;
  size_t m = (size_t)crd_impact_rows(problem);
  crd_island_memory *memory = memory_for(result, (int)m);
  crd_island s = {.natural = crd_impact_scale_of(problem).velocity, .sharp = true};
  int *row = crd_arena_alloc(&result->arena, m, sizeof *row);
  s.contact = crd_arena_alloc(&result->arena, (size_t)problem->nc, sizeof *s.contact);
  s.G = crd_impact_scratch(result, m * m), s.w = crd_impact_scratch(result, m);
  s.p = crd_impact_scratch(result, m), s.u = crd_impact_scratch(result, m);
  if (!memory || !row || !s.contact || !s.G || !s.w || !s.p || !s.u) return CRD_ERR_MEMORY;
  list_rows(f, contact, &s, row);
  for (int i = 0; i < s.n; i++) {
    const double *from = problem->W + m * (size_t)row[i];
    double *to = s.G + (size_t)s.n * (size_t)i;
    s.w[i] = f->u[row[i]], s.p[i] = 0;
    for (int j = 0; j < s.n; j++) to[j] = from[row[j]];
  }
  long solves = 0;
  if (!by_modes)
    *violation = crd_island_settle(memory, &s, f->options->facets, &solves, NULL);
  else
    *violation = crd_island_by_modes(memory, &s, MOST_ROUNDS) ? crd_island_violation(&s) : INFINITY;
  memset(p, 0, sizeof *p * m);
  for (int i = 0; i < s.n; i++) p[row[i]] = s.p[i];
  return CRD_OK;
}
