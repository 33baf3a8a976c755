/* Axes of the velocity space by name, and the outcomes seen in them. */
#include <cradle/outcome.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"

/* "n", "t", "t1", "t2" as the row within the contact, -1 where the contact has none of that name. */
static int row_of_part(const crd_contact *contact, const char *part) {
  if (strcmp(part, "n") == 0) return 0;
  if (strcmp(part, "t") == 0) return contact->ntangent == 1 ? 1 : -1;
  if (strcmp(part, "t1") == 0) return contact->ntangent >= 1 ? 1 : -1;
  if (strcmp(part, "t2") == 0) return contact->ntangent == 2 ? 2 : -1;
  return -1;
}

static crd_outcome_axis axis_of(const char *name, int row, int dof) {
  crd_outcome_axis axis = {.row = row, .dof = dof};
  snprintf(axis.name, sizeof axis.name, "%.*s", (int)sizeof axis.name - 1, name);
  return axis;
}

crd_status crd_outcome_axis_find(const crd_contact_problem *problem, const char *name, crd_outcome_axis *axis) {
  if (strncmp(name, "v[", 2) == 0) {
    char *end;
    long dof = strtol(name + 2, &end, 10);
    if (end == name + 2 || strcmp(end, "]") != 0 || dof < 0 || dof >= problem->nv) return CRD_ERR_ARGUMENT;
    *axis = axis_of(name, -1, (int)dof);
    return CRD_OK;
  }
  /* a contact's name may contain dots itself */
  const char *dot = strrchr(name, '.');
  for (int c = 0; c < problem->nc && dot; c++) {
    const crd_contact *contact = &problem->contact[c];
    size_t length = (size_t)(dot - name);
    if (strlen(contact->name) != length || strncmp(contact->name, name, length) != 0) continue;
    int part = row_of_part(contact, dot + 1);
    if (part < 0) continue;
    *axis = axis_of(name, contact->row + part, -1);
    return CRD_OK;
  }
  return CRD_ERR_ARGUMENT;
}

static void add_axis(crd_outcome_axis *axis, int *count, int row, int dof, const char *contact, const char *part) {
  char name[256];
  if (*count == 2) return;
  if (row >= 0) {
    snprintf(name, sizeof name, "%s.%s", contact, part);
  } else {
    snprintf(name, sizeof name, "v[%d]", dof);
  }
  axis[(*count)++] = axis_of(name, row, dof);
}

int crd_outcome_axis_default(const crd_contact_problem *problem, crd_outcome_axis axis[2]) {
  int count = 0;
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    add_axis(axis, &count, contact->row, -1, contact->name, "n");
  }
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    for (int t = 0; t < contact->ntangent; t++)
      add_axis(axis, &count, contact->row + 1 + t, -1, contact->name,
               contact->ntangent == 1 ? "t"
               : t == 0               ? "t1"
                                      : "t2");
  }
  for (int i = 0; i < problem->nv; i++) add_axis(axis, &count, -1, i, NULL, NULL);
  return count;
}

crd_status crd_outcome_points(const crd_contact_problem *problem, const crd_outcome_set *set,
                              const crd_outcome_axis *axis, int naxis, crd_arena *arena, double **point,
                              uint64_t **sample, size_t *count) {
  size_t total = 0, nv = (size_t)problem->nv;
  for (uint64_t i = 0; i < set->samples; i++) total += set->ending[i] == CRD_OUTCOME_DONE;
  double *x = crd_arena_alloc(arena, total * (size_t)naxis, sizeof *x);
  uint64_t *of = sample ? crd_arena_alloc(arena, total, sizeof *of) : NULL;
  if (total > 0 && (!x || (sample && !of))) return CRD_ERR_MEMORY;
  size_t next = 0;
  for (uint64_t i = 0; i < set->samples; i++) {
    const double *v = set->v_plus + nv * i;
    if (set->ending[i] != CRD_OUTCOME_DONE) continue;
    for (int a = 0; a < naxis; a++)
      x[next * (size_t)naxis + (size_t)a] =
          axis[a].row < 0 ? v[axis[a].dof] : crd_dense_dot(problem->nv, problem->J + nv * (size_t)axis[a].row, v);
    if (of) of[next] = i;
    next++;
  }
  *point = x, *count = total;
  if (sample) *sample = of;
  return CRD_OK;
}
