/* Memory of results and the small things all laws share. */
#include <cradle/lcp.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/layout.h"
#include "base/print.h"
#include "impact/impact.h"

crd_impact_options crd_impact_default(void) {
  return (crd_impact_options){
      .e = NAN, .facets = 8, .max_impacts = 100, .max_solutions = 64, .exponent = 1.5, .tolerance = CRD_APPROACH};
}

void crd_impact_result_reset(crd_impact_result *result) {
  crd_arena_reset(&result->arena);
  *result = (crd_impact_result){
      .arena = result->arena, .lcp = result->lcp, .lcp_rows = result->lcp_rows, .coulomb = result->coulomb};
}

void crd_impact_result_free(crd_impact_result *result) {
  crd_arena_free(&result->arena);
  crd_lcp_work_free(result->lcp);
  crd_coulomb_work_free(result->coulomb);
  *result = (crd_impact_result){0};
}

static void *copied(crd_arena *arena, const void *from, size_t count, size_t size) {
  void *copy = crd_arena_alloc(arena, count, size);
  if (copy && count) memcpy(copy, from, count * size);
  return copy;
}

static bool copy_solution(crd_arena *arena, const crd_contact_problem *problem, crd_impact_solution *s) {
  const size_t m = (size_t)crd_impact_rows(problem), nc = (size_t)problem->nc, nv = (size_t)problem->nv;
  s->p = copied(arena, s->p, m, sizeof *s->p), s->u_plus = copied(arena, s->u_plus, m, sizeof *s->u_plus);
  s->v_plus = copied(arena, s->v_plus, nv, sizeof *s->v_plus), s->work = copied(arena, s->work, nc, sizeof *s->work);
  s->mode = copied(arena, s->mode, nc, sizeof *s->mode), s->after = copied(arena, s->after, nc, sizeof *s->after);
  s->spin = copied(arena, s->spin, nc, sizeof *s->spin), s->roll = copied(arena, s->roll, nc, sizeof *s->roll);
  s->label = crd_arena_string(arena, s->label);
  return s->p && s->u_plus && s->v_plus && s->work && s->mode && s->after && s->spin && s->roll && s->label;
}

crd_status crd_impact_result_trim(crd_impact_result *result, const crd_contact_problem *problem) {
  crd_arena fresh = {0};
  crd_impact_solution *solution = copied(&fresh, result->solution, (size_t)result->count, sizeof *result->solution);
  const char **note = copied(&fresh, result->note, (size_t)result->nnote, sizeof *result->note);
  bool good = solution && note;
  for (int i = 0; good && i < result->count; i++) good = copy_solution(&fresh, problem, &solution[i]);
  for (int i = 0; good && i < result->nnote; i++) good = (note[i] = crd_arena_string(&fresh, note[i]));
  if (!good) {
    crd_arena_free(&fresh);
    return CRD_ERR_MEMORY;
  }
  crd_lcp_work_free(result->lcp);
  crd_coulomb_work_free(result->coulomb);
  crd_arena_free(&result->arena);
  result->arena = fresh, result->lcp = NULL, result->lcp_rows = 0, result->coulomb = NULL;
  result->solution = solution, result->capacity = result->count;
  result->note = note, result->note_capacity = result->nnote;
  return CRD_OK;
}

crd_coulomb_work *crd_impact_coulomb(crd_impact_result *result) {
  if (!result->coulomb) result->coulomb = crd_coulomb_work_new();
  return result->coulomb;
}

crd_lcp_work *crd_impact_lcp(crd_impact_result *result, int n) {
  if (result->lcp && n <= result->lcp_rows) return result->lcp;
  if (n < 1) n = 1; /* a problem without contacts still wants an answer */
  crd_lcp_work *fresh = crd_lcp_work_new(n, 0);
  if (!fresh) return NULL;
  crd_lcp_work_free(result->lcp);
  result->lcp = fresh, result->lcp_rows = n;
  return fresh;
}

double *crd_impact_scratch(crd_impact_result *result, size_t count) {
  return crd_arena_alloc(&result->arena, count, sizeof(double));
}

/* Room for one more item in an array of the arena; the old copy stays behind until the reset. */
static void *grown(crd_arena *arena, const void *old, int count, int *capacity, size_t size) {
  int larger = *capacity ? 2 * *capacity : 4;
  void *fresh = crd_arena_alloc(arena, (size_t)larger, size);
  if (!fresh) return NULL;
  if (count) memcpy(fresh, old, (size_t)count * size);
  *capacity = larger;
  return fresh;
}

crd_impact_solution *crd_impact_add(crd_impact_result *result, const crd_contact_problem *problem) {
  if (result->count == result->capacity) {
    void *fresh = grown(&result->arena, result->solution, result->count, &result->capacity, sizeof *result->solution);
    if (!fresh) return NULL;
    result->solution = fresh;
  }
  size_t m = (size_t)crd_impact_rows(problem), nc = (size_t)problem->nc;
  crd_impact_solution s = {.label = ""};
  if (CRD_TAKE(&result->arena, CRD_ARRAY(s.p, m), CRD_ARRAY(s.u_plus, m), CRD_ARRAY(s.v_plus, problem->nv),
               CRD_ARRAY(s.work, nc), CRD_ARRAY(s.mode, nc), CRD_ARRAY(s.after, nc), CRD_ARRAY(s.spin, nc),
               CRD_ARRAY(s.roll, nc)))
    return NULL;
  result->solution[result->count] = s;
  return &result->solution[result->count++];
}

crd_status crd_impact_add_distinct(crd_impact_result *result, const crd_contact_problem *problem,
                                   const crd_impact_options *options, const double *p, const char *label) {
  int m = crd_impact_rows(problem);
  crd_impact_scale scale = crd_impact_scale_of(problem);
  for (int k = 0; k < result->count; k++) {
    double difference = 0;
    for (int i = 0; i < m; i++) {
      double du = 0;
      for (int j = 0; j < m; j++)
        du += problem->W[(size_t)m * (size_t)i + (size_t)j] * (p[j] - result->solution[k].p[j]);
      difference = fmax(difference, fabs(du));
    }
    if (difference <= options->tolerance * scale.velocity) return CRD_OK;
  }
  crd_impact_solution *s = crd_impact_add(result, problem);
  if (!s) return CRD_ERR_MEMORY;
  memcpy(s->p, p, sizeof *p * (size_t)m);
  s->label = crd_arena_string(&result->arena, label);
  return s->label ? CRD_OK : CRD_ERR_MEMORY;
}

crd_status crd_impact_note(crd_impact_result *result, const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  crd_vprint(text, sizeof text, format, args);
  va_end(args);
  if (result->nnote == result->note_capacity) {
    void *fresh = grown(&result->arena, result->note, result->nnote, &result->note_capacity, sizeof *result->note);
    if (!fresh) return CRD_ERR_MEMORY;
    result->note = fresh;
  }
  const char *copy = crd_arena_string(&result->arena, text);
  if (!copy) return CRD_ERR_MEMORY;
  result->note[result->nnote++] = copy;
  return CRD_OK;
}

double crd_impact_restitution(const crd_contact_problem *problem, const crd_impact_options *options, int contact) {
  return isnan(options->e) ? problem->contact[contact].e : options->e;
}

static void measure_rows(const crd_contact_problem *problem, int first, int count, double *u, double *compliance) {
  size_t m = (size_t)crd_impact_rows(problem);
  for (int i = first; i < first + count; i++) {
    *u = fmax(*u, fmax(fabs(problem->u[i]), fabs(problem->u_free[i])));
    *compliance = fmax(*compliance, problem->W[(m + 1) * (size_t)i]);
  }
}

crd_impact_scale crd_impact_scale_of(const crd_contact_problem *problem) {
  int m = crd_impact_rows(problem);
  double u = 0, compliance = 0;
  /* rows of turning at contacts have another unit and are left out */
  for (int c = 0; c < problem->nc; c++)
    measure_rows(problem, problem->contact[c].row, 1 + problem->contact[c].ntangent, &u, &compliance);
  measure_rows(problem, problem->nrow, problem->nb, &u, &compliance);
  /* spatial contacts: lengths that do not depend on how the tangents are turned */
  for (int c = 0; c < problem->nc; c++) {
    int r = problem->contact[c].row + 1;
    if (problem->contact[c].ntangent < 2) continue;
    u = fmax(u, fmax(hypot(problem->u[r], problem->u[r + 1]), hypot(problem->u_free[r], problem->u_free[r + 1])));
    size_t first = (size_t)(m + 1) * (size_t)r;
    compliance = fmax(compliance, problem->W[first] + problem->W[first + (size_t)m + 1]);
  }
  /* a contact moved by the whole kinetic energy: |u| <= sqrt(2 K W_ii) (Cauchy-Schwarz) */
  u = fmax(u, sqrt(2 * fmax(problem->kinetic, problem->kinetic_free) * compliance));
  if (!(u > 0)) u = 1;
  if (!(compliance > 0)) compliance = 1;
  return (crd_impact_scale){.velocity = u, .impulse = u / compliance};
}
