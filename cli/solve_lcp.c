/* A bare complementarity problem: one solution with its verdict; on demand all solutions, and the classes of the matrix
 * with their proofs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve.h"

/* Everything that is printed. */
typedef struct solve_view {
  const char *input;
  const crd_lcp_file *file;
  const solve_options *options;
  crd_lcp_work *work;
  crd_status status;
  crd_lcp_report report;
  crd_lcp_residual_parts residual;
  double *z, *y, *W; /* n, n, n x n */
  crd_status all_status;
  crd_lcp_solutions all;
  crd_lcp_classification classes;
} solve_view;

static int count_free(const crd_lcp_problem *problem) {
  int count = 0;
  for (int i = 0; i < problem->n; i++)
    count += i < problem->free_leading || (problem->free_row && problem->free_row[i]);
  return count;
}

/* ------------------------------------------------------------------------------------------------ JSON */

static json_t *flags_json(int n, const unsigned char *flags) {
  json_t *list = json_array();
  for (int i = 0; i < n; i++)
    if (flags[i]) json_array_append_new(list, json_integer(i));
  return list;
}

static json_t *solutions_json(const crd_lcp_solutions *all) {
  json_t *list = json_array();
  for (int k = 0; k < all->count; k++) {
    const crd_lcp_piece *piece = &all->piece[k];
    json_t *entry = json_object();
    json_object_set_new(entry, "dim", json_integer(piece->dim));
    json_object_set_new(entry, "base", cli_json_vector(all->n, piece->base));
    json_object_set_new(entry, "directions", cli_json_matrix(piece->dim, all->n, piece->direction));
    json_object_set_new(entry, "vertices", cli_json_matrix(piece->vertices, all->n, piece->vertex));
    json_object_set_new(entry, "rays", cli_json_matrix(piece->rays, all->n, piece->ray));
    json_object_set_new(entry, "lines", cli_json_matrix(piece->lines, all->n, piece->line));
    json_object_set_new(entry, "basis", flags_json(all->n, piece->basis));
    json_object_set_new(entry, "residual", cli_json_number(piece->residual));
    json_array_append_new(list, entry);
  }
  return list;
}

static const char *answer_name(crd_lcp_answer answer) {
  return answer == CRD_LCP_YES ? "yes" : answer == CRD_LCP_NO ? "no" : "undecided";
}

static json_t *classes_json(const crd_lcp_classification *classes) {
  json_t *object = json_object();
  for (int k = 0; k < CRD_LCP_CLASSES; k++) {
    const crd_lcp_evidence *evidence = &classes->of[k];
    json_t *entry = json_pack("{s:s, s:s}", "answer", answer_name(evidence->answer), "reason", evidence->reason);
    if (evidence->vector) json_object_set_new(entry, "vector", cli_json_vector(classes->n, evidence->vector));
    if (evidence->set) json_object_set_new(entry, "set", flags_json(classes->n, evidence->set));
    if (evidence->row >= 0) json_object_set_new(entry, "entry", json_pack("[i,i]", evidence->row, evidence->col));
    if (evidence->vector) json_object_set_new(entry, "margin", cli_json_number(evidence->margin));
    json_object_set_new(object, crd_lcp_class_name((crd_lcp_class)k), entry);
  }
  return object;
}

static json_t *residual_json(const crd_lcp_residual_parts *parts) {
  json_t *object = json_object();
  json_object_set_new(object, "scaled", cli_json_number(parts->scaled));
  json_object_set_new(object, "natural", cli_json_number(parts->natural));
  json_object_set_new(object, "z_negative", cli_json_number(parts->z_negative));
  json_object_set_new(object, "y_negative", cli_json_number(parts->y_negative));
  json_object_set_new(object, "complementarity", cli_json_number(parts->complementarity));
  json_object_set_new(object, "equality", cli_json_number(parts->equality));
  return object;
}

static bool print_json(FILE *file, const solve_view *view) {
  int n = view->file->problem.n;
  const crd_lcp_report *report = &view->report;
  json_t *object = json_pack("{s:s, s:s, s:i, s:i, s:s, s:s, s:s, s:i, s:i}", "input", view->input, "format",
                             view->file->format, "n", n, "free", count_free(&view->file->problem), "status",
                             crd_status_text(view->status), "path", crd_lcp_path_name(report->path), "proof",
                             crd_lcp_proof_name(report->proof), "pivots", report->pivots, "runs", report->runs);
  if (view->status == CRD_OK) {
    json_object_set_new(object, "z", cli_json_vector(n, view->z));
    json_object_set_new(object, "y", cli_json_vector(n, view->y));
    json_object_set_new(object, "residual", residual_json(&view->residual));
  }
  if (report->has_ray) {
    double cover;
    const double *ray = crd_lcp_ray(view->work, &cover);
    json_object_set_new(object, "ray", cli_json_vector(n, ray));
    json_object_set_new(object, "ray_cover", cli_json_number(cover));
  }
  if (view->options->all) {
    json_object_set_new(object, "all", json_string(crd_status_text(view->all_status)));
    json_object_set_new(object, "nodes", json_integer(view->all.nodes));
    json_object_set_new(object, "solutions", solutions_json(&view->all));
  }
  if (view->options->classes) json_object_set_new(object, "classes", classes_json(&view->classes));
  return cli_json_print(file, object);
}

/* ------------------------------------------------------------------------------------------------ text */

static void print_solutions(FILE *file, const solve_view *view) {
  const crd_lcp_solutions *all = &view->all;
  if (view->all_status < 0) {
    fprintf(file, "\nall solutions: %s\n", crd_status_text(view->all_status));
    return;
  }
  fprintf(file, "\nall solutions%s: %d (%d of them points), %d nodes\n",
          all->complete ? "" : " as far as they were found before a limit", all->count, all->points, all->nodes);
  for (int k = 0; k < all->count; k++) {
    const crd_lcp_piece *piece = &all->piece[k];
    if (piece->dim > 0)
      fprintf(file, "  dimension %d: %d vertices, %d rays, %d lines\n", piece->dim, piece->vertices, piece->rays,
              piece->lines);
    for (int v = 0; v < piece->vertices; v++)
      cli_print_vector(file, piece->dim ? "vertex" : "z", all->n, piece->vertex + (size_t)v * (size_t)all->n);
    for (int r = 0; r < piece->rays; r++)
      cli_print_vector(file, "ray", all->n, piece->ray + (size_t)r * (size_t)all->n);
    for (int l = 0; l < piece->lines; l++)
      cli_print_vector(file, "line", all->n, piece->line + (size_t)l * (size_t)all->n);
  }
}

static void print_classes(FILE *file, const crd_lcp_classification *classes) {
  fprintf(file, "\nclasses of W\n");
  for (int k = 0; k < CRD_LCP_CLASSES; k++) {
    const crd_lcp_evidence *evidence = &classes->of[k];
    fprintf(file, "  %-22s %-9s %s", crd_lcp_class_name((crd_lcp_class)k), answer_name(evidence->answer),
            evidence->reason);
    if (evidence->row >= 0) fprintf(file, ": row %d, column %d", evidence->row, evidence->col);
    fputc('\n', file);
    if (evidence->vector && evidence->answer == CRD_LCP_NO)
      cli_print_vector(file, "   x", classes->n, evidence->vector);
  }
}

static void print_text(FILE *file, const solve_view *view) {
  int n = view->file->problem.n, nfree = count_free(&view->file->problem);
  const crd_lcp_report *report = &view->report;
  fprintf(file, "%s: %s, %d rows", view->input, view->file->format, n);
  if (nfree) fprintf(file, ", %d of them free", nfree);
  fprintf(file, "\n  %s", crd_status_text(view->status));
  if (report->proof) fprintf(file, ", proved by %s", crd_lcp_proof_name(report->proof));
  fprintf(file, " (path %s, %d pivots, %d runs)\n", crd_lcp_path_name(report->path), report->pivots, report->runs);
  if (view->status == CRD_OK) {
    cli_print_vector(file, "z", n, view->z);
    cli_print_vector(file, "Wz + w", n, view->y);
    fprintf(file, "  residual   %.3g relative, %.3g absolute\n", view->residual.scaled, view->residual.natural);
  }
  if (report->rank_dropped)
    fprintf(file, "  %d free row%s from others; multipliers have least norm\n", report->rank_dropped,
            report->rank_dropped == 1 ? " follows" : "s follow");
  if (report->has_ray) {
    double cover;
    const double *ray = crd_lcp_ray(view->work, &cover);
    cli_print_vector(file, "ray", n, ray);
    fprintf(file, "  its z0     %g\n", cover);
  }
  if (view->options->all) print_solutions(file, view);
  if (view->options->classes) print_classes(file, &view->classes);
}

/* ------------------------------------------------------------------------------------------------ solving */

/* y = W z + w */
static void slack(solve_view *view) {
  const crd_lcp_problem *problem = &view->file->problem;
  for (int i = 0; i < problem->n; i++) {
    view->y[i] = problem->w[i];
    for (int j = 0; j < problem->n; j++) view->y[i] += view->W[(size_t)i * (size_t)problem->n + (size_t)j] * view->z[j];
  }
}

/* Nodes of a search that takes milliseconds where few rows leave few pieces; none beyond. */
static int default_search(int n) { return n <= SOLVE_SEARCH_ROWS ? SOLVE_SEARCH_NODES : 0; }

/* The residual decides: no `ok` above the tolerance. */
static crd_status judge(solve_view *view, double tolerance) {
  crd_status status = crd_lcp_residual(view->work, &view->file->problem, view->z, &view->residual);
  if (!status && !(view->residual.scaled <= tolerance)) view->status = CRD_UNKNOWN;
  slack(view);
  return status;
}

/* The list of all solutions knows better than a path that ended on a ray. An empty list proves nothing beside an answer
 * that only the residual refused. */
static crd_status take_from_list(solve_view *view, double tolerance) {
  const crd_lcp_solutions *all = &view->all;
  if (view->all_status < 0 || view->status == CRD_OK) return CRD_OK;
  if (all->count == 0 && all->complete && (view->status == CRD_RAY || view->status == CRD_LIMIT)) {
    view->status = CRD_NO_SOLUTION;
    view->report.proof = CRD_LCP_PROOF_SEARCH;
  }
  if (all->count == 0) return CRD_OK;
  memcpy(view->z, all->piece[0].base, (size_t)all->n * sizeof *view->z);
  view->status = CRD_OK, view->report.path = CRD_LCP_PATH_SEARCH, view->report.proof = CRD_LCP_PROOF_NONE;
  view->report.has_ray = false;
  return judge(view, tolerance);
}

static crd_status run(solve_view *view) {
  const solve_options *asked = view->options;
  const crd_lcp_problem *problem = &view->file->problem;
  crd_lcp_options options = crd_lcp_default();
  if (!isnan(asked->tolerance)) options.tolerance = asked->tolerance;
  options.max_pivots = (int)asked->max_pivots;
  options.search_nodes = asked->search == SOLVE_NOT_GIVEN ? default_search(problem->n) : (int)asked->search;
  view->status = crd_lcp_solve(view->work, problem, &options, view->z, &view->report);
  if (view->status < 0) return view->status;
  crd_status status = crd_lcp_form(view->work, problem, view->W);
  if (!status && view->status == CRD_OK) status = judge(view, options.tolerance);
  if (!status && asked->classes) status = crd_lcp_classify(problem->n, view->W, 0, 0, &view->classes);
  if (status || !asked->all) return status;
  /* the ray lies in the workspace, so the solutions get one of their own */
  crd_lcp_work *other = crd_lcp_work_new(problem->n, problem->nv);
  if (!other) return CRD_ERR_MEMORY;
  view->all_status = crd_lcp_enumerate(other, problem, NULL, &view->all);
  crd_lcp_work_free(other);
  return view->all_status == CRD_ERR_MEMORY ? CRD_ERR_MEMORY : take_from_list(view, options.tolerance);
}

int solve_lcp(const char *input, const crd_lcp_file *file, const solve_options *options) {
  size_t n = (size_t)file->problem.n;
  solve_view view = {.input = input, .file = file, .options = options};
  view.work = crd_lcp_work_new(file->problem.n, file->problem.nv);
  view.z = calloc(n, sizeof(double)), view.y = calloc(n, sizeof(double)), view.W = calloc(n * n, sizeof(double));
  cli_output output;
  int code = CLI_SYSTEM;
  crd_status status = view.work && view.z && view.y && view.W ? run(&view) : CRD_ERR_MEMORY;
  if (status < 0) {
    cli_complain("solve", "%s: %s", input, crd_status_text(status));
    code = cli_exit_code(status);
  } else if (cli_output_begin(&output)) {
    bool done = true;
    if (options->json)
      done = print_json(output.file, &view);
    else
      print_text(output.file, &view), cli_output_fit(&output);
    code = cli_output_end(&output, options->output, done ? cli_exit_code(view.status) : CLI_SYSTEM);
  }
  crd_lcp_solutions_free(&view.all);
  crd_lcp_classification_free(&view.classes);
  crd_lcp_work_free(view.work);
  free(view.z), free(view.y), free(view.W);
  return code;
}
