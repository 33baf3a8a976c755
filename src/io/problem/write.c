/* Impact problems as JSON text, one row of a matrix per line. */
#include <cradle/io.h>
#include <string.h>

#include "io/json/text.h"

static void add_turning(crd_text *text, int nv, const char *name, int count, const double *row, double mu) {
  if (count == 0) return;
  crd_text_add(text, ",\n      \"%s\": ", name);
  crd_json_add_matrix(text, "               ", count, nv, row);
  crd_text_add(text, ", \"mu_%s\": ", name);
  crd_text_add_number(text, mu);
}

static void add_contact(crd_text *text, const crd_contact_problem *problem, const crd_contact *c) {
  const double *row = problem->J + (size_t)problem->nv * (size_t)c->row;
  crd_text_add(text, "    { \"name\": ");
  crd_json_add_string(text, c->name);
  crd_text_add(text, ",\n      \"n\": ");
  crd_json_add_vector(text, problem->nv, row);
  if (c->ntangent > 0) {
    crd_text_add(text, ",\n      \"t\": ");
    crd_json_add_matrix(text, "            ", c->ntangent, problem->nv, row + problem->nv);
  }
  const double *turning = row + (size_t)problem->nv * (size_t)(1 + c->ntangent);
  add_turning(text, problem->nv, "spin", c->nspin, turning, c->mu_spin);
  add_turning(text, problem->nv, "roll", c->nroll, turning + (size_t)problem->nv * (size_t)c->nspin, c->mu_roll);
  const struct {
    const char *name;
    double value;
  } numbers[] = {{"mu", c->mu}, {"mu_static", c->mu_static}, {"e", c->e}, {"e_t", c->e_t}};
  for (int i = 0; i < 4; i++) {
    crd_text_add(text, i ? ", \"%s\": " : ",\n      \"%s\": ", numbers[i].name);
    crd_text_add_number(text, numbers[i].value);
  }
  if (problem->rate) {
    crd_text_add(text, ",\n      \"rate\": ");
    crd_json_add_vector(text, crd_contact_rows(c), problem->rate + c->row);
  }
  crd_text_add(text, " }");
}

static bool is_zero(int n, const double *x) {
  for (int i = 0; i < n; i++)
    if (x[i] != 0) return false;
  return true;
}

static void add_problem(crd_text *text, const crd_contact_problem *problem) {
  int n = problem->nv;
  crd_text_add(text, "{ \"cradle\": \"impact-problem/1\",\n  \"M\": ");
  crd_json_add_matrix(text, "        ", n, n, problem->M);
  crd_text_add(text, ",\n  \"v\": ");
  crd_json_add_vector(text, n, problem->v);
  crd_text_add(text, ",\n  \"contacts\": [");
  for (int i = 0; i < problem->nc; i++) {
    crd_text_add(text, i ? ",\n" : "\n");
    add_contact(text, problem, &problem->contact[i]);
  }
  crd_text_add(text, "]");
  if (problem->nb > 0) {
    crd_text_add(text, ",\n  \"bilateral\": ");
    crd_json_add_matrix(text, "                ", problem->nb, n, problem->J + (size_t)n * (size_t)problem->nrow);
  }
  if (!is_zero(n, problem->impulse)) {
    crd_text_add(text, ",\n  \"impulse\": ");
    crd_json_add_vector(text, n, problem->impulse);
  }
  const double *E = problem->restitution_matrix ? problem->restitution_matrix : problem->restitution_full;
  if (E) {
    int size = problem->restitution_matrix ? problem->nc : n;
    crd_text_add(text, ",\n  \"restitution_matrix\": ");
    crd_json_add_matrix(text, "                         ", size, size, E);
  }
  if (problem->force) {
    crd_text_add(text, ",\n  \"force\": ");
    crd_json_add_vector(text, n, problem->force);
  }
  if (problem->rate && problem->nb > 0) {
    crd_text_add(text, ",\n  \"bilateral_rate\": ");
    crd_json_add_vector(text, problem->nb, problem->rate + problem->nrow);
  }
  crd_text_add(text, " }\n");
}

/* The text of the problem in a growing buffer; the caller frees it. */
static crd_status make_text(const crd_contact_problem *problem, crd_text *text, crd_error *err) {
  if (!problem->M)
    return crd_error_set(err, CRD_ERR_ARGUMENT, NULL, 0,
                         "the problem was assembled without its mass matrix, which the file needs");
  add_problem(text, problem);
  return text->failed ? crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "out of memory") : CRD_OK;
}

crd_status crd_io_problem_text(const crd_contact_problem *problem, crd_arena *arena, const char **text,
                               crd_error *err) {
  crd_text grown = {0};
  crd_status status = make_text(problem, &grown, err);
  if (status == CRD_OK) {
    *text = crd_arena_string(arena, grown.data);
    if (!*text) status = crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "out of memory");
  }
  crd_text_free(&grown);
  return status;
}

crd_status crd_io_write_problem(const char *path, const crd_contact_problem *problem, crd_error *err) {
  crd_text grown = {0};
  crd_status status = make_text(problem, &grown, err);
  if (status == CRD_OK) status = crd_io_write_file(path, grown.data, grown.size, err);
  crd_text_free(&grown);
  return status;
}
