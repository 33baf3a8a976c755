/* Impact problems in HDF5, as whole arrays: what has one dimension less is the same in all rows.
 *
 *   /v           rows x nv                      /M            nv x nv, or rows x nv x nv
 *   /contacts/n  nc x nv, or rows x nc x nv     /contacts/t   nc x k x nv, or rows x nc x k x nv, k = 1 or 2 tangents
 *   /contacts/mu, mu_static, e, e_t             nc, or rows x nc; zero where absent, mu_static as mu
 *   /bilateral   nb x nv, or rows x nb x nv     /impulse      nv, or rows x nv
 *   /v_plus      rows x nv                      /sigma        nv, or rows x nv        /group   rows, texts
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact/problem.h"
#include "io/hdf5/file.h"
#include "io/problem/row.h"

/* An array of all rows (stride of a row > 0), or one for all (0); NULL: absent. */
typedef struct part {
  const double *value;
  size_t stride;
} part;

enum { MU, MU_STATIC, E, E_T, COEFFICIENTS };
static const char *const coefficient_name[COEFFICIENTS] = {"/contacts/mu", "/contacts/mu_static", "/contacts/e",
                                                           "/contacts/e_t"};

struct crd_problem_columns {
  size_t rows, nv, nc, nt, nb;
  crd_problem_read_options options;
  part M, v, n, t, coefficient[COEFFICIENTS], bilateral, impulse, v_plus, sigma;
  const char *const *group; /* rows; NULL: none */
};

typedef struct reading {
  crd_h5_input *file;
  crd_problem_columns *columns;
  crd_arena *arena;
  crd_error *err;
  crd_status status;
} reading;

bool crd_problem_columns_in(const char *path) {
  crd_h5_input *file = NULL;
  crd_error err;
  if (crd_h5_open(path, &file, &err) != CRD_OK) return false;
  bool found = crd_h5_has(file, "/v") && crd_h5_has(file, "/M") && crd_h5_has(file, "/contacts");
  crd_h5_close(file);
  return found;
}

/* The array `name`, of `rank` dimensions for each row: with the rows before them, or without where all share it. */
static part read_part(reading *r, const char *name, bool needed, int rank, size_t *size) {
  part found = {0};
  double *value;
  if (r->status != CRD_OK || (!needed && !crd_h5_has(r->file, name))) return found;
  bool each = crd_h5_rank(r->file, name) == rank + 1;
  size_t whole[4] = {r->columns->rows, 0, 0, 0}, *own = each ? whole + 1 : whole;
  memcpy(own, size, sizeof *size * (size_t)rank);
  r->status = crd_h5_read(r->file, name, CRD_H5_DOUBLE, rank + each, whole, r->arena, &value, r->err);
  if (r->status != CRD_OK) return found;
  memcpy(size, own, sizeof *size * (size_t)rank);
  found = (part){value, each};
  for (int i = 0; i < rank; i++) found.stride *= size[i];
  return found;
}

static void read_sizes(reading *r) {
  size_t size[2] = {CRD_H5_ANY, CRD_H5_ANY};
  const double *v;
  r->status = crd_h5_read(r->file, "/v", CRD_H5_DOUBLE, 2, size, r->arena, &v, r->err);
  if (r->status != CRD_OK) return;
  r->columns->rows = size[0], r->columns->nv = size[1], r->columns->v = (part){v, size[1]};
  if (size[0] == 0 || size[1] == 0 || size[1] > 8192)
    r->status =
        crd_error_set(r->err, CRD_ERR_FORMAT, NULL, 0,
                      "/v: found %zu rows of %zu velocities, expected at least one row of 1 to 8192", size[0], size[1]);
}

static void read_contacts(reading *r) {
  crd_problem_columns *c = r->columns;
  size_t n[2] = {CRD_H5_ANY, c->nv};
  c->n = read_part(r, "/contacts/n", true, 2, n);
  c->nc = n[0];
  size_t t[3] = {c->nc, CRD_H5_ANY, c->nv};
  c->t = read_part(r, "/contacts/t", false, 3, t);
  c->nt = c->t.value ? t[1] : 0;
  static const char *const turning[] = {"/contacts/spin", "/contacts/mu_spin", "/contacts/roll", "/contacts/mu_roll"};
  for (size_t k = 0; k < sizeof turning / sizeof *turning && r->status == CRD_OK; k++)
    if (crd_h5_has(r->file, turning[k]))
      r->status = crd_error_set(
          r->err, CRD_ERR_FORMAT, NULL, 0,
          "%s: found torsional or rolling friction, expected it in JSON: HDF5 has no place for it", turning[k]);
  if (r->status == CRD_OK && c->nt > 2)
    r->status =
        crd_error_set(r->err, CRD_ERR_FORMAT, NULL, 0, "/contacts/t: found %zu tangents, expected 1 or 2", c->nt);
  for (int k = 0; k < COEFFICIENTS; k++) c->coefficient[k] = read_part(r, coefficient_name[k], false, 1, &c->nc);
}

static void read_rest(reading *r) {
  crd_problem_columns *c = r->columns;
  size_t M[2] = {c->nv, c->nv}, b[2] = {CRD_H5_ANY, c->nv}, group = c->rows;
  c->M = read_part(r, "/M", true, 2, M);
  c->bilateral = read_part(r, "/bilateral", false, 2, b);
  c->nb = c->bilateral.value ? b[0] : 0;
  c->impulse = read_part(r, "/impulse", false, 1, &c->nv);
  c->v_plus = read_part(r, "/v_plus", false, 1, &c->nv), c->sigma = read_part(r, "/sigma", false, 1, &c->nv);
  if (r->status == CRD_OK && c->v_plus.value && c->v_plus.stride == 0)
    r->status = crd_error_set(r->err, CRD_ERR_FORMAT, NULL, 0, "/v_plus: found one row, expected %zu", c->rows);
  if (r->status == CRD_OK && crd_h5_has(r->file, "/group"))
    r->status = crd_h5_read(r->file, "/group", CRD_H5_TEXT, 1, &group, r->arena, &c->group, r->err);
}

crd_status crd_problem_columns_read(const char *path, const crd_problem_read_options *options, crd_arena *arena,
                                    crd_problem_columns **columns, size_t *count, crd_error *err) {
  crd_error own;
  reading r = {.arena = arena, .err = err ? err : &own, .columns = crd_arena_alloc(arena, 1, sizeof **columns)};
  if (!r.columns) return crd_error_set(err, CRD_ERR_MEMORY, path, 0, "out of memory");
  if (options) r.columns->options = *options;
  r.status = crd_h5_open(path, &r.file, r.err);
  if (r.status == CRD_OK) read_sizes(&r);
  read_contacts(&r);
  read_rest(&r);
  crd_h5_close(r.file);
  if (r.status != CRD_OK && !r.err->file[0]) snprintf(r.err->file, sizeof r.err->file, "%s", path);
  *columns = r.columns, *count = r.columns->rows;
  return r.status;
}

/* ------------------------------------------------------------------------------------------------ one row */

typedef struct taking {
  const char *file;
  size_t row;
  crd_error *err;
  crd_status status;
} taking;

static const double *row_of(part p, size_t row) { return p.value ? p.value + p.stride * row : NULL; }

/* The entries of a row; they have to be finite. */
static void take(taking *t, const char *name, part from, size_t count, double *to) {
  const double *value = row_of(from, t->row);
  if (t->status != CRD_OK || !value) return;
  for (size_t i = 0; i < count; i++) {
    to[i] = value[i];
    if (isfinite(value[i])) continue;
    t->status = crd_error_set(t->err, CRD_ERR_NUMBER, t->file, 0,
                              "%s, row %zu, entry %zu: found a number that is not finite", name, t->row + 1, i + 1);
    return;
  }
}

static void take_contact(const crd_problem_columns *c, taking *t, size_t index, crd_contact_problem *problem) {
  const bool any = c->options.any_restitution;
  crd_contact *contact = &problem->contact[index];
  char name[32];
  double value[COEFFICIENTS] = {0};
  for (int k = 0; k < COEFFICIENTS && t->status == CRD_OK; k++) {
    const double *all = row_of(c->coefficient[k], t->row);
    value[k] = all ? all[index] : k == MU_STATIC ? value[MU] : 0;
    const double low = k <= MU_STATIC ? 0 : any ? -INFINITY : k == E_T ? -1 : 0;
    const double high = k <= MU_STATIC || any ? INFINITY : 1;
    if (value[k] >= low && value[k] <= high && isfinite(value[k])) continue;
    t->status =
        crd_error_set(t->err, CRD_ERR_NUMBER, t->file, 0, "%s, row %zu: found %g, expected a number from %g to %g",
                      coefficient_name[k], t->row + 1, value[k], low, high);
  }
  snprintf(name, sizeof name, "%zu", index + 1);
  *contact = (crd_contact){.name = memcpy(crd_problem_name(problem, (int)index), name, sizeof name),
                           .row = (int)(index * (1 + c->nt)),
                           .ntangent = (int)c->nt,
                           .mu = value[MU],
                           .mu_static = value[MU_STATIC],
                           .e = value[E],
                           .e_t = value[E_T],
                           .body1 = -1,
                           .body2 = -1,
                           .joint = -1};
}

static void take_rows(const crd_problem_columns *c, taking *t, crd_contact_problem *problem) {
  const size_t n = c->nv;
  for (size_t i = 0; i < c->nc && t->status == CRD_OK; i++) {
    double *J = problem->J + n * i * (1 + c->nt);
    const part normal = {c->n.value + n * i, c->n.stride},
               tangent = {c->t.value ? c->t.value + n * c->nt * i : NULL, c->t.stride};
    take(t, "/contacts/n", normal, n, J);
    take(t, "/contacts/t", tangent, n * c->nt, J + n);
    take_contact(c, t, i, problem);
  }
  take(t, "/bilateral", c->bilateral, c->nb * n, problem->J + n * (size_t)problem->nrow);
  for (size_t i = 0; i < (size_t)(problem->nrow + problem->nb) && t->status == CRD_OK; i++) {
    bool zero = true;
    for (size_t k = 0; k < n; k++) zero = zero && problem->J[n * i + k] == 0;
    if (zero)
      t->status = crd_error_set(t->err, CRD_ERR_MODEL, t->file, 0,
                                "row %zu: row %zu of J is zero, expected a direction", t->row + 1, i + 1);
  }
}

static void take_measured(const crd_problem_columns *c, taking *t, crd_measured *measured) {
  if (!measured) return;
  crd_measured_reset(measured);
  measured->nv = (int)c->nv;
  double *value[2] = {NULL, NULL};
  const part from[2] = {c->v_plus, c->sigma};
  for (int k = 0; k < 2 && t->status == CRD_OK; k++) {
    if (!from[k].value) continue;
    value[k] = crd_arena_alloc(&measured->arena, c->nv, sizeof **value);
    if (!value[k])
      t->status = crd_error_set(t->err, CRD_ERR_MEMORY, t->file, 0, "out of memory");
    else
      take(t, k ? "/sigma" : "/v_plus", from[k], c->nv, value[k]);
    for (size_t i = 0; k == 1 && t->status == CRD_OK && i < c->nv; i++)
      if (!(value[1][i] > 0))
        t->status = crd_error_set(t->err, CRD_ERR_NUMBER, t->file, 0,
                                  "/sigma, row %zu, entry %zu: found %g, expected a positive number", t->row + 1, i + 1,
                                  value[1][i]);
  }
  measured->v_plus = value[0], measured->sigma = value[1];
  if (c->group) measured->group = c->group[t->row];
}

crd_status crd_problem_columns_take(const crd_problem_columns *c, const char *file, size_t row,
                                    crd_contact_problem *problem, crd_measured *measured, crd_error *err) {
  taking t = {.file = file, .row = row, .err = err};
  t.status = crd_contact_problem_resize(problem, (int)c->nv, (int)c->nc, (int)(c->nc * (1 + c->nt)), (int)c->nb, true);
  if (t.status != CRD_OK) return crd_error_set(err, t.status, file, 0, "out of memory");
  take(&t, "/M", c->M, c->nv * c->nv, problem->M);
  take(&t, "/v", c->v, c->nv, problem->v);
  take(&t, "/impulse", c->impulse, c->nv, problem->impulse);
  take_rows(c, &t, problem);
  take_measured(c, &t, measured);
  crd_problem_finish(file, problem, err, &t.status);
  return t.status;
}
