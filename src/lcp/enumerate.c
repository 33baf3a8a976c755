/* crd_lcp_enumerate: collects the pieces of the search and presents them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/layout.h"
#include "lcp/pieces.h"

static const double DEPENDENT = 1e-14; /* of the squared length: what rounding leaves of a dependent direction */

crd_lcp_enumerate_options crd_lcp_enumerate_default(void) {
  return (crd_lcp_enumerate_options){
      .max_nodes = 1000000, .max_pieces = 10000, .tolerance = 1e-9, .merge_tolerance = 1e-8};
}

void crd_lcp_solutions_free(crd_lcp_solutions *solutions) {
  crd_arena_free(&solutions->arena);
  *solutions = (crd_lcp_solutions){0};
}

static bool grow(lcp_collection *all) {
  if (all->count < all->capacity) return true;
  int capacity = all->capacity ? 2 * all->capacity : 16;
  lcp_found *piece = realloc(all->piece, sizeof *piece * (size_t)capacity);
  if (!piece) return false;
  all->piece = piece, all->capacity = capacity;
  return true;
}

static bool collect(void *context, const unsigned char *basis, lcp_dictionary *dict) {
  lcp_collection *all = context;
  if (all->count == all->options->max_pieces) {
    all->truncated = true;
    return false;
  }
  if (!grow(all)) {
    all->out_of_memory = true;
    return false;
  }
  lcp_found *piece = &all->piece[all->count];
  *piece = (lcp_found){0};
  memcpy(piece->basis, basis, (size_t)dict->n);
  if (!lcp_piece_vertices(all, piece, dict)) {
    all->out_of_memory = true;
    return false;
  }
  if (piece->vertices > 0) {
    all->count++;
  } else {
    all->ray.count = piece->first_ray; /* no vertex satisfies the problem: the piece was a rounding error wide */
  }
  return true;
}

/* Appends the part of v that is orthogonal to the directions so far, normalised, if it is not rounding. */
static int add_direction(double *direction, int dim, int n, const double *v) {
  double *out = direction + (ptrdiff_t)dim * n, before = 0, after = 0;
  for (int i = 0; i < n; i++) out[i] = v[i], before += v[i] * v[i];
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < dim; k++) {
      const double *d = direction + (ptrdiff_t)k * n;
      double dot = 0;
      for (int i = 0; i < n; i++) dot += d[i] * out[i];
      for (int i = 0; i < n; i++) out[i] -= dot * d[i];
    }
  for (int i = 0; i < n; i++) after += out[i] * out[i];
  if (!(after > DEPENDENT * before)) return dim;
  for (int i = 0; i < n; i++) out[i] /= sqrt(after);
  return dim + 1;
}

/* Vectors of the list from `first` on, in the units of the problem. factor is 1 / w_scale for points and 1 for
 * directions. */
static double *unscaled(crd_arena *arena, const crd_lcp_work *work, const lcp_list *list, int first, int count,
                        double factor) {
  int n = work->n;
  double *out = crd_arena_alloc(arena, (size_t)count * (size_t)n, sizeof *out);
  for (int k = 0; out && k < count * n; k++)
    out[k] = list->data[(ptrdiff_t)first * n + k] * work->col_scale[k % n] * factor;
  return out;
}

static void normalize_rays(double *ray, int count, int n) {
  for (int k = 0; k < count; k++, ray += n) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(ray[i]));
    for (int i = 0; i < n; i++) ray[i] /= most;
  }
}

/* The least-norm point of p plus the lines (orthogonal, normalised). */
static void shorten(double *p, const double *lines, int count, int n) {
  for (int k = 0; k < count; k++) {
    double dot = 0;
    for (int i = 0; i < n; i++) dot += lines[k * n + i] * p[i];
    for (int i = 0; i < n; i++) p[i] -= dot * lines[k * n + i];
  }
}

static bool present(lcp_collection *all, const lcp_found *found, const double *lines, int nlines, crd_arena *arena,
                    crd_lcp_piece *out) {
  crd_lcp_work *work = all->work;
  int n = work->n, dim = 0;
  double *vertex = unscaled(arena, work, &all->vertex, found->first_vertex, found->vertices, 1 / work->w_scale);
  double *ray = unscaled(arena, work, &all->ray, found->first_ray, found->rays, 1);
  double *base, *direction;
  unsigned char *basis;
  if (CRD_TAKE(arena, CRD_ARRAY(base, n), CRD_MATRIX(direction, n + 1, n), CRD_ARRAY(basis, n))) return false;
  if (!vertex || !ray) return false;
  normalize_rays(ray, found->rays, n);
  for (int k = 0; k < found->vertices; k++) {
    shorten(vertex + (ptrdiff_t)k * n, lines, nlines, n);
    for (int i = 0; i < n; i++) base[i] += vertex[(ptrdiff_t)k * n + i] / found->vertices;
  }
  for (int k = 0; k < nlines; k++) dim = add_direction(direction, dim, n, lines + (ptrdiff_t)k * n);
  for (int k = 0; k < found->rays; k++) dim = add_direction(direction, dim, n, ray + (ptrdiff_t)k * n);
  for (int k = 1; k < found->vertices && dim < n; k++) {
    for (int i = 0; i < n; i++) work->trial[i] = vertex[(ptrdiff_t)k * n + i] - vertex[i];
    dim = add_direction(direction, dim, n, work->trial);
  }
  memcpy(basis, found->basis, (size_t)n);
  *out = (crd_lcp_piece){.dim = dim,
                         .base = base,
                         .direction = direction,
                         .vertices = found->vertices,
                         .rays = found->rays,
                         .lines = nlines,
                         .vertex = vertex,
                         .ray = ray,
                         .line = lines,
                         .basis = basis,
                         .residual = found->residual};
  return true;
}

static bool present_all(lcp_collection *all, crd_lcp_solutions *solutions) {
  int n = all->work->n, kept = 0, nlines = 0;
  crd_arena *arena = &solutions->arena;
  for (int k = 0; k < all->count; k++) kept += !all->piece[k].inside;
  crd_lcp_piece *piece;
  double *lines;
  if (CRD_TAKE(arena, CRD_ARRAY(piece, kept), CRD_ARRAY(lines, (size_t)(all->search.lines + 1) * (size_t)n)))
    return false;
  for (int k = 0; k < all->search.lines; k++) {
    for (int i = 0; i < n; i++) all->work->trial[i] = all->search.line[(ptrdiff_t)k * n + i] * all->work->col_scale[i];
    nlines = add_direction(lines, nlines, n, all->work->trial);
  }
  crd_lcp_piece *unsorted = crd_arena_alloc(arena, (size_t)kept, sizeof *unsorted);
  if (!unsorted) return false;
  for (int k = 0, at = 0; k < all->count; k++)
    if (!all->piece[k].inside && !present(all, &all->piece[k], lines, nlines, arena, &unsorted[at++])) return false;
  for (int dim = 0; dim <= n; dim++) {
    for (int k = 0; k < kept; k++)
      if (unsorted[k].dim == dim) piece[solutions->count++] = unsorted[k];
    if (dim == 0) solutions->points = solutions->count;
  }
  solutions->piece = piece;
  return true;
}

static crd_status enumerate(lcp_collection *all, crd_lcp_solutions *solutions) {
  crd_arena scratch = {0};
  crd_lcp_work *work = all->work;
  all->vertex.n = all->ray.n = work->n;
  all->visited = crd_arena_alloc(&scratch, 2 * LCP_PIECE_BASES, sizeof *all->visited);
  bool ok = all->visited && lcp_search_allocate(&all->search, work->n, &scratch);
  if (ok) {
    lcp_need_dense(work);
    all->search.max_nodes = all->options->max_nodes;
    all->search.visit = collect;
    all->search.context = all;
    lcp_search_run(&all->search, work);
    lcp_pieces_reduce(all);
    ok = !all->out_of_memory && present_all(all, solutions);
  }
  solutions->nodes = all->search.nodes;
  solutions->complete = ok && !all->truncated && !all->search.truncated;
  crd_arena_free(&scratch);
  free(all->vertex.data), free(all->ray.data), free(all->piece);
  if (!ok) return CRD_ERR_MEMORY;
  if (!solutions->complete) return CRD_LIMIT;
  return solutions->count > 0 ? CRD_OK : CRD_NO_SOLUTION;
}

crd_status crd_lcp_enumerate(crd_lcp_work *work, const crd_lcp_problem *problem,
                             const crd_lcp_enumerate_options *options, crd_lcp_solutions *solutions) {
  if (!work || !problem || !solutions) return CRD_ERR_ARGUMENT;
  crd_lcp_enumerate_options defaults = crd_lcp_enumerate_default();
  if (!options) options = &defaults;
  if (options->max_nodes < 1 || options->max_pieces < 1 || !(options->tolerance > 0) || !(options->merge_tolerance > 0))
    return CRD_ERR_ARGUMENT;
  crd_lcp_solutions_free(solutions);
  crd_status status = lcp_begin(work, problem);
  if (status) return status;
  if (problem->n > LCP_SEARCH_ROWS) return CRD_ERR_CAPACITY;
  crd_lcp_report report = {0};
  status = lcp_check_numbers(work, false, &report);
  if (status) return status;
  solutions->n = problem->n;
  work->basis.n = 0; /* its memory is used here */
  work->warm.ready = false;
  lcp_collection all = {.work = work, .options = options};
  status = enumerate(&all, solutions);
  if (status == CRD_ERR_MEMORY) crd_lcp_solutions_free(solutions);
  return status;
}
