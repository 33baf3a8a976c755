/* Contacts, loops and joints that act on each other through the mechanism, treated apart from all others: the Delassus
 * matrix falls into blocks, and the modes of each are chosen by themselves. */
#include <math.h>
#include <string.h>

#include "sim/event_force.h"

static size_t at(int m, int i, int j) { return (size_t)m * (size_t)i + (size_t)j; }

/* A block: its contacts, their rows, and then its bilateral rows, in the order of the problem. */
typedef struct block {
  int nc, nrow, nb;
  int *contact, *row; /* of the problem */
} block;

static int leader(int *group, int i) {
  while (group[i] != i) i = group[i] = group[group[i]];
  return i;
}

/* group[row]: the lowest row that it is coupled with, -1 for those of contacts that part; the rows of a contact belong
 * together. */
static void find_blocks(const crd_force_problem *force, int *group) {
  const crd_contact_problem *problem = force->problem;
  int m = problem->nrow + problem->nb;
  for (int i = 0; i < m; i++) group[i] = i;
  for (int c = 0; c < problem->nc; c++) {
    int row = problem->contact[c].row, leads = force->parts && force->parts[c] ? -1 : row;
    for (int k = 0; k <= problem->contact[c].ntangent; k++) group[row + k] = leads;
  }
  for (int i = 0; i < m; i++)
    for (int j = i + 1; j < m; j++) {
      if (group[i] < 0 || group[j] < 0 || problem->W[at(m, i, j)] == 0) continue;
      int a = leader(group, i), b = leader(group, j);
      group[a > b ? a : b] = a > b ? b : a;
    }
  for (int i = 0; i < m; i++)
    if (group[i] >= 0) group[i] = leader(group, i);
}

static void list_block(const crd_contact_problem *problem, const int *group, int which, block *s) {
  s->nc = s->nrow = s->nb = 0;
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    if (group[contact->row] != which) continue;
    s->contact[s->nc++] = c;
    for (int k = 0; k <= contact->ntangent; k++) s->row[s->nrow++] = contact->row + k;
  }
  for (int b = problem->nrow; b < problem->nrow + problem->nb; b++)
    if (group[b] == which) s->row[s->nrow + s->nb++] = b;
}

/* Everything that the choice of a block's modes reads and writes. */
typedef struct part {
  crd_contact_problem problem;
  crd_force_problem force;
  double *a_free, *bound, *slip;
  bool is_known;
  crd_held *held, *before;
  int *sign;
} part;

static crd_status reserve(part *p, const block *s, crd_arena *arena) {
  size_t nc = (size_t)s->nc + 1, m = (size_t)(s->nrow + s->nb), nb = (size_t)s->nb + 1, d = sizeof(double);
  p->problem.contact = crd_arena_alloc(arena, nc, sizeof *p->problem.contact);
  p->problem.W = crd_arena_alloc(arena, m * m, d);
  p->a_free = crd_arena_alloc(arena, m, d), p->bound = crd_arena_alloc(arena, nb, d);
  p->slip = crd_arena_alloc(arena, nc, 2 * d);
  p->held = crd_arena_alloc(arena, nc, sizeof *p->held), p->before = crd_arena_alloc(arena, nc, sizeof *p->before);
  p->sign = crd_arena_alloc(arena, nb, sizeof *p->sign);
  bool all = p->problem.contact && p->problem.W && p->a_free && p->bound && p->slip && p->held && p->before && p->sign;
  return all ? CRD_OK : CRD_ERR_MEMORY;
}

static void copy_contacts(const crd_force_problem *force, const double *slip, const crd_held *before, const bool *known,
                          const block *s, part *p) {
  int row = 0;
  p->is_known = before != NULL;
  for (int i = 0; i < s->nc; i++) {
    int c = s->contact[i];
    p->problem.contact[i] = force->problem->contact[c];
    p->problem.contact[i].row = row;
    row += 1 + p->problem.contact[i].ntangent;
    for (int k = 0; k < 2; k++) p->slip[2 * i + k] = slip[2 * c + k];
    p->is_known = p->is_known && known[c];
    if (p->is_known) p->before[i] = before[c];
  }
}

/* A block's share of the problem. Its scale is its own, but not that of rounding. */
static crd_status cut_out(const crd_force_problem *force, const double *slip, const crd_held *before, const bool *known,
                          const block *s, crd_arena *arena, part *p) {
  const crd_contact_problem *whole = force->problem;
  int m = s->nrow + s->nb, all = whole->nrow + whole->nb;
  p->problem = *whole;
  p->problem.nc = s->nc, p->problem.nrow = s->nrow, p->problem.nb = s->nb;
  crd_status status = reserve(p, s, arena);
  if (status != CRD_OK) return status;
  copy_contacts(force, slip, before, known, s, p);
  for (int i = 0; i < m; i++) {
    p->a_free[i] = force->a_free[s->row[i]];
    for (int j = 0; j < m; j++) p->problem.W[at(m, i, j)] = whole->W[at(all, s->row[i], s->row[j])];
  }
  for (int b = 0; b < s->nb; b++)
    p->bound[b] = force->bound ? force->bound[s->row[s->nrow + b] - whole->nrow] : INFINITY;
  p->problem.u = p->problem.u_free = p->a_free;
  p->force = (crd_force_problem){.problem = &p->problem, .a_free = p->a_free, .share = force->share};
  p->force.scale = fmax(crd_force_scale(&p->problem, p->a_free), 1e-6 * force->scale);
  if (p->force.scale > force->scale) p->force.scale = force->scale; /* nothing accelerates here */
  p->force.bound = p->bound, p->force.sign = p->sign;
  return CRD_OK;
}

crd_status crd_force_choose(const crd_force_problem *force, const double *slip, const crd_held *before,
                            const bool *known, const crd_force_tools *tools, crd_held *held,
                            crd_force_verdict *verdict) {
  const crd_contact_problem *problem = force->problem;
  int m = problem->nrow + problem->nb;
  block s = {.contact = crd_arena_alloc(tools->arena, (size_t)problem->nc + 1, sizeof(int)),
             .row = crd_arena_alloc(tools->arena, (size_t)m + 1, sizeof(int))};
  int *group = crd_arena_alloc(tools->arena, (size_t)m + 1, sizeof *group);
  if (!s.contact || !s.row || !group) return CRD_ERR_MEMORY;
  *verdict = CRD_FORCE_UNIQUE;
  find_blocks(force, group);
  for (int c = 0; c < problem->nc; c++) held[c] = (crd_held){.hold = CRD_HOLD_OPEN};
  for (int first = 0; first < m; first++) {
    if (group[first] != first) continue;
    part p;
    crd_force_verdict one;
    list_block(problem, group, first, &s);
    crd_status status = cut_out(force, slip, before, known, &s, tools->arena, &p);
    if (status == CRD_OK)
      status = crd_force_choose_together(&p.force, p.slip, p.is_known ? p.before : NULL, tools, p.held, &one);
    if (status != CRD_OK) return status;
    if (one == CRD_FORCE_NONE) return *verdict = one, CRD_OK;
    if (one == CRD_FORCE_SEVERAL) *verdict = one;
    for (int i = 0; i < s.nc; i++) held[s.contact[i]] = p.held[i];
    for (int b = 0; force->sign && b < s.nb; b++) force->sign[s.row[s.nrow + b] - problem->nrow] = p.sign[b];
  }
  return CRD_OK;
}
