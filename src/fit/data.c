/* Measured impacts as rows. */
#include <math.h>
#include <string.h>

#include "fit/fit.h"

static bool is_finite(int n, const double *x) {
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

/* Room for one more item of an array in the arena. */
static void *grown(crd_arena *arena, const void *old, int count, int *capacity, size_t size) {
  const int larger = *capacity ? 2 * *capacity : 64;
  void *fresh = crd_arena_alloc(arena, (size_t)larger, size);
  if (!fresh) return NULL;
  if (count) memcpy(fresh, old, (size_t)count * size);
  *capacity = larger;
  return fresh;
}

static int find_group(crd_fit_data *data, const char *name) {
  for (int g = 0; g < data->ngroup; g++)
    if (strcmp(data->group[g], name) == 0) return g;
  if (data->ngroup == data->group_capacity) {
    void *fresh = grown(&data->arena, data->group, data->ngroup, &data->group_capacity, sizeof *data->group);
    if (!fresh) return -1;
    data->group = fresh;
  }
  data->group[data->ngroup] = crd_arena_string(&data->arena, name);
  return data->group[data->ngroup] ? data->ngroup++ : -1;
}

static const double *copied(crd_arena *arena, int n, const double *x) {
  double *copy = crd_arena_alloc(arena, (size_t)n, sizeof *copy);
  if (copy) memcpy(copy, x, (size_t)n * sizeof *copy);
  return copy;
}

crd_status fit_keep_row(crd_fit_data *data, const crd_fit_row *row, const char *group) {
  if (data->count == data->capacity) {
    void *fresh = grown(&data->arena, data->row, data->count, &data->capacity, sizeof *data->row);
    if (!fresh) return CRD_ERR_MEMORY;
    data->row = fresh;
  }
  const int place = find_group(data, group ? group : "");
  if (place < 0) return CRD_ERR_MEMORY;
  data->row[data->count] = *row;
  data->row[data->count++].group = place;
  return CRD_OK;
}

crd_status crd_fit_add(crd_fit_data *data, const crd_contact_problem *problem, const double *v_plus,
                       const double *sigma, const char *group, size_t number) {
  const int nv = problem->nv;
  if (crd_contact_problem_turning(problem) >= 0) return CRD_ERR_ARGUMENT;
  if (problem->nc == 0 || !problem->M || !problem->J || (data->count > 0 && data->row[0].toss)) return CRD_ERR_ARGUMENT;
  if (!is_finite(nv, v_plus) || (sigma && !is_finite(nv, sigma))) return CRD_ERR_NUMBER;
  for (int i = 0; sigma && i < nv; i++)
    if (!(sigma[i] > 0)) return CRD_ERR_NUMBER;
  crd_fit_row row = {.number = number};
  row.v_plus = copied(&data->arena, nv, v_plus);
  if (sigma) row.sigma = copied(&data->arena, nv, sigma);
  row.M = copied(&data->arena, nv * nv, problem->M);
  row.J = copied(&data->arena, (problem->nrow + problem->nb) * nv, problem->J);
  row.problem = crd_contact_problem_new();
  crd_status status = row.problem && row.v_plus && (row.sigma || !sigma) && row.M && row.J ? CRD_OK : CRD_ERR_MEMORY;
  if (status == CRD_OK) status = crd_contact_problem_copy(problem, row.problem);
  if (status == CRD_OK) status = fit_keep_row(data, &row, group);
  if (status != CRD_OK) crd_contact_problem_free(row.problem);
  return status;
}

void crd_fit_data_free(crd_fit_data *data) {
  for (int i = 0; i < data->count; i++) crd_contact_problem_free(data->row[i].problem);
  crd_arena_free(&data->arena);
  *data = (crd_fit_data){0};
}
