/* Memory and derived quantities of the contact problem. */
#include <cradle/contact.h>
#include <stdlib.h>
#include <string.h>

#include "base/layout.h"
#include "contact/problem.h"
#include "linalg/dense.h"

typedef struct crd_problem_memory {
  size_t nv, nc, m;         /* capacities of what every problem has */
  size_t mass, rows, dense; /* and of M (nv), of J and X (their rows), of W (its order); 0: not asked for yet */
  crd_arena arena;
  double *M, *J, *X, *W, *L;
  double *restitution_matrix, *restitution_full, *force, *rate; /* NULL until asked for */
  char *name;                                                   /* nc x CRD_CONTACT_NAME */
  size_t nf, dry_entries;                                       /* capacities: rows, and entries of W_dry */
  crd_arena dry_arena;
  crd_dry_friction *dry;
  double *W_dry, *u_dry;
  size_t groups, nblock, entries; /* capacities of the arrays below */
  crd_arena block_arena;
  crd_block_arrays arrays;
  crd_blocks blocks;
  crd_name_table table;
} crd_problem_memory;

crd_contact_problem *crd_contact_problem_new(void) {
  crd_contact_problem *problem = calloc(1, sizeof *problem);
  if (!problem) return NULL;
  problem->memory = calloc(1, sizeof *problem->memory);
  if (!problem->memory) {
    free(problem);
    return NULL;
  }
  return problem;
}

void crd_contact_problem_free(crd_contact_problem *problem) {
  if (!problem) return;
  crd_arena_free(&problem->memory->arena);
  crd_arena_free(&problem->memory->dry_arena);
  crd_arena_free(&problem->memory->block_arena);
  crd_name_table_free(&problem->memory->table);
  free(problem->memory);
  free(problem);
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* New arrays for the larger sizes; the old ones stay if memory is out. */
static crd_status grow(crd_contact_problem *problem, size_t nv, size_t nc, size_t m, unsigned parts) {
  crd_problem_memory *old = problem->memory, fresh = *old; /* parts with an arena of their own stay */
  fresh.nv = larger(nv, old->nv), fresh.arena = (crd_arena){0};
  fresh.restitution_matrix = fresh.restitution_full = fresh.force = fresh.rate = NULL;
  /* contacts come and go: some room for more */
  if (nc > fresh.nc) fresh.nc = nc + nc / 2;
  size_t room = m + m / 4;
  if (m > fresh.m) fresh.m = room;
  /* a square of rows only where a problem of that size asks for one: a start may have thousands of contacts in blocks */
  if (parts & CRD_PROBLEM_MASS || old->mass > 0) fresh.mass = fresh.nv;
  if (parts & CRD_PROBLEM_ROWS && m > fresh.rows) fresh.rows = room;
  if (parts & CRD_PROBLEM_DENSE && m > fresh.dense) fresh.dense = room;
  crd_contact_problem p = *problem;
  size_t square = fresh.mass * fresh.mass, rows = fresh.rows * fresh.nv;
  const crd_layout table[] = {
      CRD_ARRAY(p.contact, fresh.nc),
      CRD_ARRAY(p.v, fresh.nv),
      CRD_ARRAY(p.v_free, fresh.nv),
      CRD_ARRAY(p.impulse, fresh.nv),
      CRD_ARRAY(fresh.J, rows),
      CRD_ARRAY(fresh.X, rows),
      CRD_ARRAY(fresh.W, fresh.dense * fresh.dense),
      CRD_ARRAY(p.residual, fresh.m),
      CRD_ARRAY(fresh.name, fresh.nc * CRD_CONTACT_NAME),
      CRD_ARRAY(p.u, fresh.m),
      CRD_ARRAY(p.u_free, fresh.m),
      CRD_ARRAY(fresh.M, square),
      CRD_ARRAY(fresh.L, square),
  };
  if (CRD_LAYOUT_TAKE(&fresh.arena, table) != CRD_OK || crd_name_table_begin(&old->table, (int)fresh.nc) != CRD_OK) {
    crd_arena_free(&fresh.arena);
    return CRD_ERR_MEMORY;
  }
  crd_arena_free(&old->arena);
  fresh.table = old->table;
  *old = fresh;
  *problem = p;
  return CRD_OK;
}

crd_status crd_contact_problem_resize(crd_contact_problem *problem, int nv, int nc, int nrow, int nb,
                                      bool with_mass_matrix) {
  return crd_problem_size(problem, nv, nc, nrow, nb,
                          CRD_PROBLEM_ROWS | CRD_PROBLEM_DENSE | (with_mass_matrix ? CRD_PROBLEM_MASS : 0));
}

crd_status crd_problem_size(crd_contact_problem *problem, int nv, int nc, int nrow, int nb, unsigned parts) {
  crd_problem_memory *memory = problem->memory;
  if (nv < 0 || nc < 0 || nb < 0 || nrow < nc || nrow > 6 * nc) return CRD_ERR_ARGUMENT;
  size_t n = (size_t)nv, c = (size_t)nc, m = (size_t)nrow + (size_t)nb;
  if (n > memory->nv || c > memory->nc || m > memory->m || (parts & CRD_PROBLEM_MASS && n > memory->mass) ||
      (parts & CRD_PROBLEM_ROWS && m > memory->rows) || (parts & CRD_PROBLEM_DENSE && m > memory->dense) ||
      !problem->v) {
    crd_status status = grow(problem, n, c, m, parts);
    if (status != CRD_OK) return status;
  }
  problem->nv = nv, problem->nc = nc, problem->nrow = nrow, problem->nb = nb;
  problem->M = parts & CRD_PROBLEM_MASS ? memory->M : NULL;
  problem->J = parts & CRD_PROBLEM_ROWS ? memory->J : NULL;
  problem->X = parts & CRD_PROBLEM_ROWS ? memory->X : NULL;
  problem->W = parts & CRD_PROBLEM_DENSE ? memory->W : NULL;
  problem->blocks = NULL;
  problem->restitution_matrix = problem->restitution_full = problem->force = problem->rate = NULL;
  problem->nf = 0, problem->dry = NULL, problem->W_dry = problem->u_dry = NULL;
  memset(problem->impulse, 0, n * sizeof *problem->impulse);
  memset(problem->residual, 0, (size_t)nb * sizeof *problem->residual);
  return CRD_OK;
}

static crd_status add_dry(crd_contact_problem *problem, size_t rows, size_t entries) {
  crd_problem_memory *memory = problem->memory;
  if (rows > memory->nf || entries > memory->dry_entries) {
    rows = larger(rows, memory->nf), entries = larger(entries + entries / 2, memory->dry_entries);
    const crd_layout table[] = {CRD_ARRAY(memory->dry, rows), CRD_ARRAY(memory->W_dry, entries),
                                CRD_ARRAY(memory->u_dry, rows)};
    crd_status status = crd_layout_renew(&memory->dry_arena, table, sizeof table / sizeof *table);
    if (status != CRD_OK) return status;
    memory->nf = rows, memory->dry_entries = entries;
  }
  problem->dry = memory->dry, problem->u_dry = memory->u_dry;
  return CRD_OK;
}

crd_status crd_contact_problem_add_dry_friction(crd_contact_problem *problem, int nf) {
  if (nf < 0) return CRD_ERR_ARGUMENT;
  size_t rows = (size_t)nf;
  crd_status status = add_dry(problem, rows, rows * ((size_t)(problem->nrow + problem->nb) + rows));
  if (status == CRD_OK) problem->nf = nf, problem->W_dry = problem->memory->W_dry;
  return status;
}

crd_status crd_problem_add_dry_rows(crd_contact_problem *problem, int nf) {
  crd_status status = add_dry(problem, (size_t)nf, 0);
  if (status == CRD_OK) problem->nf = nf, problem->W_dry = NULL;
  return status;
}

crd_status crd_problem_add_blocks(crd_contact_problem *problem, int groups, size_t blocks, size_t entries,
                                  crd_block_arrays *arrays) {
  crd_problem_memory *memory = problem->memory;
  size_t needed = (size_t)groups + 1;
  if (needed > memory->groups || blocks > memory->nblock || entries > memory->entries) {
    crd_arena fresh = {0};
    if (needed > memory->groups) needed += needed / 4;
    needed = larger(needed, memory->groups);
    blocks = blocks > memory->nblock ? blocks + blocks / 4 : memory->nblock;
    entries = entries > memory->entries ? entries + entries / 4 : memory->entries;
    crd_block_arrays a = {.first_row = crd_arena_alloc(&fresh, needed, sizeof(int)),
                          .first = crd_arena_alloc(&fresh, needed, sizeof(int)),
                          .column = crd_arena_alloc(&fresh, blocks, sizeof(int)),
                          .offset = crd_arena_alloc(&fresh, blocks, sizeof(size_t)),
                          .value = crd_arena_alloc(&fresh, entries, sizeof(double))};
    if (!a.first_row || !a.first || !a.column || !a.offset || !a.value) {
      crd_arena_free(&fresh);
      return CRD_ERR_MEMORY;
    }
    crd_arena_free(&memory->block_arena);
    memory->block_arena = fresh, memory->arrays = a;
    memory->groups = needed, memory->nblock = blocks, memory->entries = entries;
  }
  *arrays = memory->arrays;
  memory->blocks =
      (crd_blocks){groups, arrays->first_row, arrays->first, arrays->column, arrays->offset, arrays->value};
  problem->blocks = &memory->blocks;
  return CRD_OK;
}

crd_name_table *crd_problem_name_table(crd_contact_problem *problem) {
  crd_name_table *table = &problem->memory->table;
  crd_name_table_begin(table, problem->nc); /* has had room since the problem was sized */
  return table;
}

char *crd_problem_name(crd_contact_problem *problem, int contact) {
  return problem->memory->name + (size_t)CRD_CONTACT_NAME * (size_t)contact;
}

crd_status crd_contact_problem_add_restitution_matrix(crd_contact_problem *problem) {
  crd_problem_memory *memory = problem->memory;
  if (!memory->restitution_matrix)
    memory->restitution_matrix = crd_arena_alloc(&memory->arena, memory->nc * memory->nc, sizeof(double));
  if (!memory->restitution_matrix) return CRD_ERR_MEMORY;
  problem->restitution_matrix = memory->restitution_matrix;
  return CRD_OK;
}

crd_status crd_contact_problem_add_restitution_full(crd_contact_problem *problem) {
  crd_problem_memory *memory = problem->memory;
  if (!memory->restitution_full)
    memory->restitution_full = crd_arena_alloc(&memory->arena, memory->nv * memory->nv, sizeof(double));
  if (!memory->restitution_full) return CRD_ERR_MEMORY;
  problem->restitution_full = memory->restitution_full;
  return CRD_OK;
}

crd_status crd_contact_problem_add_load(crd_contact_problem *problem) {
  crd_problem_memory *memory = problem->memory;
  if (!memory->force) memory->force = crd_arena_alloc(&memory->arena, memory->nv, sizeof(double));
  if (!memory->rate) memory->rate = crd_arena_alloc(&memory->arena, memory->m, sizeof(double));
  if (!memory->force || !memory->rate) return CRD_ERR_MEMORY;
  problem->force = memory->force, problem->rate = memory->rate;
  memset(problem->force, 0, sizeof(double) * (size_t)problem->nv);
  memset(problem->rate, 0, sizeof(double) * (size_t)(problem->nrow + problem->nb));
  return CRD_OK;
}

const char *crd_contact_problem_text(crd_contact_problem *problem, const char *text) {
  return crd_arena_string(&problem->memory->arena, text);
}

crd_status crd_contact_problem_complete(crd_contact_problem *problem) {
  int n = problem->nv, m = problem->nrow + problem->nb;
  double *L = problem->memory->L;
  if (!problem->M) return CRD_ERR_ARGUMENT;
  memcpy(L, problem->M, sizeof(double) * (size_t)n * (size_t)n);
  if (!crd_dense_cholesky(n, L)) return CRD_SINGULAR;
  memcpy(problem->X, problem->J, sizeof(double) * (size_t)m * (size_t)n);
  crd_dense_cholesky_solve(n, L, m, problem->X);
  for (int i = 0; i < m; i++)
    for (int j = 0; j <= i; j++)
      problem->W[(size_t)m * i + j] = problem->W[(size_t)m * j + i] =
          crd_dense_dot(n, problem->J + (size_t)n * i, problem->X + (size_t)n * j);
  memcpy(problem->v_free, problem->impulse, sizeof(double) * (size_t)n);
  crd_dense_cholesky_solve(n, L, 1, problem->v_free);
  for (int i = 0; i < n; i++) problem->v_free[i] += problem->v[i];
  for (int i = 0; i < m; i++) {
    problem->u[i] = crd_dense_dot(n, problem->J + (size_t)n * i, problem->v);
    problem->u_free[i] = crd_dense_dot(n, problem->J + (size_t)n * i, problem->v_free);
  }
  problem->kinetic = 0.5 * crd_dense_quadratic(n, problem->M, problem->v);
  problem->kinetic_free = 0.5 * crd_dense_quadratic(n, problem->M, problem->v_free);
  return CRD_OK;
}

/* Names are kept with the copy, which may outlive what it was made from. */
static crd_status copy_contacts(const crd_contact_problem *from, crd_contact_problem *to) {
  for (int c = 0; c < from->nc; c++) {
    to->contact[c] = from->contact[c];
    to->contact[c].name = crd_contact_problem_text(to, from->contact[c].name);
    if (!to->contact[c].name) return CRD_ERR_MEMORY;
  }
  return CRD_OK;
}

crd_status crd_contact_problem_copy(const crd_contact_problem *from, crd_contact_problem *to) {
  if (!from->M || !from->J) return CRD_ERR_ARGUMENT;
  const size_t n = (size_t)from->nv, c = (size_t)from->nc, m = (size_t)(from->nrow + from->nb), d = sizeof(double);
  crd_status status = crd_contact_problem_resize(to, from->nv, from->nc, from->nrow, from->nb, true);
  if (status == CRD_OK && from->restitution_matrix) status = crd_contact_problem_add_restitution_matrix(to);
  if (status == CRD_OK && from->restitution_full) status = crd_contact_problem_add_restitution_full(to);
  if (status == CRD_OK && from->force) status = crd_contact_problem_add_load(to);
  if (status == CRD_OK) status = copy_contacts(from, to);
  if (status != CRD_OK) return status;
  memcpy(to->M, from->M, n * n * d);
  memcpy(to->J, from->J, m * n * d);
  memcpy(to->v, from->v, n * d);
  memcpy(to->impulse, from->impulse, n * d);
  memcpy(to->residual, from->residual, (size_t)from->nb * d);
  if (from->restitution_matrix) memcpy(to->restitution_matrix, from->restitution_matrix, c * c * d);
  if (from->restitution_full) memcpy(to->restitution_full, from->restitution_full, n * n * d);
  if (from->force) memcpy(to->force, from->force, n * d), memcpy(to->rate, from->rate, m * d);
  return crd_contact_problem_complete(to);
}

void crd_contact_problem_velocity(const crd_contact_problem *problem, const double *p, double *v_plus) {
  int n = problem->nv, m = problem->nrow + problem->nb;
  memcpy(v_plus, problem->v_free, sizeof(double) * (size_t)n);
  for (int i = 0; i < m; i++)
    for (int k = 0; k < n; k++) v_plus[k] += problem->X[(size_t)n * i + k] * p[i];
}

void crd_contact_problem_contact_velocity(const crd_contact_problem *problem, const double *p, double *u_plus) {
  int m = problem->nrow + problem->nb;
  for (int i = 0; i < m; i++) u_plus[i] = problem->u_free[i] + crd_dense_dot(m, problem->W + (size_t)m * i, p);
}

double crd_contact_problem_kinetic_after(const crd_contact_problem *problem, const double *p) {
  int m = problem->nrow + problem->nb;
  double work = 0;
  for (int i = 0; i < m; i++)
    work += p[i] * (problem->u_free[i] + 0.5 * crd_dense_dot(m, problem->W + (size_t)m * i, p));
  return problem->kinetic_free + work;
}
