/* Vertices and rays of one polyhedron by walking along its edges, and containment among polyhedra.
 *
 * A dictionary with d columns left is a polyhedron of d nonnegative variables; its vertices are its feasible bases,
 * reached from each other by exchanging one row and one column. Degenerate vertices have several bases: all of them are
 * visited, equal points are kept once.
 */
#include "lcp/pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TIED = 1e-9; /* relative difference of two ratios that block an edge together */
static const double UNMET =
    1e-7; /* of the terms of an equation, or of the largest entry: more than rounding of vertices found by pivots */
static const double UNMET_ABSOLUTE = 1e-9; /* of the largest entry: the same for rows whose terms are tiny */

bool lcp_list_add(lcp_list *list, const double *vector) {
  if (list->count == list->capacity) {
    int capacity = list->capacity ? 2 * list->capacity : 16;
    double *data = realloc(list->data, sizeof(double) * (size_t)capacity * (size_t)list->n);
    if (!data) return false;
    list->data = data, list->capacity = capacity;
  }
  memcpy(list->data + (ptrdiff_t)list->count++ * list->n, vector, sizeof(double) * (size_t)list->n);
  return true;
}

static bool is_close(const double *a, const double *b, int n, double tolerance) {
  double most = 0, apart = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fmax(fabs(a[i]), fabs(b[i])));
    apart = fmax(apart, fabs(a[i] - b[i]));
  }
  return apart <= tolerance * most;
}

static bool add_once(lcp_collection *all, lcp_list *list, int first, const double *vector) {
  for (int k = first; k < list->count; k++)
    if (is_close(list->data + (ptrdiff_t)k * list->n, vector, list->n, all->options->merge_tolerance)) return true;
  return lcp_list_add(list, vector);
}

/* The vertex solved afresh on the data as given: rows whose y is not basic, columns whose z is. */
static void refine(lcp_collection *all, const lcp_dictionary *dict, double *z) {
  crd_lcp_work *work = all->work;
  lcp_basis *basis = &work->basis;
  unsigned char basic_y[LCP_SEARCH_ROWS] = {0};
  int n = dict->n, rows = 0;
  basis->k = basis->border = 0;
  for (int i = 0; i < dict->rows; i++) {
    int var = dict->row_var[i];
    if (var < n)
      basic_y[var] = 1;
    else
      basis->col[basis->k++] = var - n;
  }
  for (int i = 0; i < n; i++)
    if (!basic_y[i] && rows < basis->k)
      basis->row[rows++] = i;
    else if (!basic_y[i])
      return;
  if (rows != basis->k || !lcp_basis_factor(work) || !lcp_basis_point(work, work->trial, 1)) return;
  for (int i = 0; i < n; i++)
    if (work->trial[i] < 0 && !work->is_free[i]) work->trial[i] = 0;
  memcpy(z, work->trial, sizeof(double) * (size_t)n);
}

static double residual_of(crd_lcp_work *work, const double *z) {
  crd_lcp_residual_parts parts;
  double bound = lcp_residual_bound(work, z);
  if (bound <= LCP_SURE) return bound;
  lcp_residual_measure(work, z, &parts);
  return parts.scaled;
}

/* Takes the vertex of the dictionary into the list; a vertex that does not satisfy the problem is left out. */
static bool add_vertex(lcp_collection *all, lcp_found *piece, const lcp_dictionary *dict) {
  crd_lcp_work *work = all->work;
  int n = dict->n;
  double rough[LCP_SEARCH_ROWS], fine[LCP_SEARCH_ROWS];
  lcp_search_point(work, dict, rough);
  memcpy(fine, rough, sizeof(double) * (size_t)n);
  refine(all, dict, fine);
  double residual = residual_of(work, fine);
  if (!(residual <= all->options->tolerance)) {
    residual = residual_of(work, rough);
    memcpy(fine, rough, sizeof(double) * (size_t)n);
  }
  if (!(residual <= all->options->tolerance)) return true;
  piece->residual = fmax(piece->residual, residual);
  for (int i = 0; i < n; i++) fine[i] *= work->w_scale / work->col_scale[i];
  return add_once(all, &all->vertex, piece->first_vertex, fine);
}

static bool add_ray(lcp_collection *all, const lcp_found *piece, const lcp_dictionary *dict, int col) {
  double ray[LCP_SEARCH_ROWS] = {0}, most = 0;
  int n = dict->n, var = dict->col_var[col];
  if (var >= n) ray[var - n] = 1;
  for (int i = 0; i < dict->rows; i++)
    if (dict->row_var[i] >= n) ray[dict->row_var[i] - n] = lcp_dictionary_row(dict, i)[col];
  for (int i = 0; i < n; i++) most = fmax(most, fabs(ray[i]));
  if (!(most > DICT_ZERO)) return true;
  for (int i = 0; i < n; i++) ray[i] = fabs(ray[i]) > DICT_ZERO * most ? ray[i] / most : 0;
  return add_once(all, &all->ray, piece->first_ray, ray);
}

/* Remembers the dictionary's basis; false if it was seen before. */
static bool is_new(uint64_t *visited, int *count, const lcp_dictionary *dict) {
  uint64_t key[2] = {0, 0};
  for (int j = 0; j < dict->cols; j++) key[dict->col_var[j] / 64] |= (uint64_t)1 << dict->col_var[j] % 64;
  for (int k = 0; k < *count; k++)
    if (visited[2 * k] == key[0] && visited[2 * k + 1] == key[1]) return false;
  visited[2 * *count] = key[0], visited[2 * *count + 1] = key[1];
  (*count)++;
  return true;
}

/* How far column col can grow: the least ratio, or infinity. */
static double edge_length(const lcp_dictionary *dict, int col) {
  double length = INFINITY;
  for (int i = 0; i < dict->rows; i++) {
    if (lcp_dictionary_unsigned(dict, dict->row_var[i])) continue;
    const double *a = lcp_dictionary_row(dict, i);
    if (a[col] < -DICT_ZERO) length = fmin(length, fmax(a[dict->n], 0) / -a[col]);
  }
  return length;
}

typedef struct walk {
  lcp_collection *all;
  lcp_found *piece;
  int seen;
  bool ok;
} walk;

static void visit(walk *w, lcp_dictionary *dict) {
  if (w->seen == LCP_PIECE_BASES) {
    w->all->truncated = true;
    return;
  }
  if (!is_new(w->all->visited, &w->seen, dict)) return;
  w->ok = w->ok && add_vertex(w->all, w->piece, dict);
  for (int col = 0; col < dict->cols && w->ok; col++) {
    double length = edge_length(dict, col);
    if (length == INFINITY) {
      w->ok = add_ray(w->all, w->piece, dict, col);
      continue;
    }
    for (int i = 0; i < dict->rows && w->ok; i++) {
      const double *a = lcp_dictionary_row(dict, i);
      if (lcp_dictionary_unsigned(dict, dict->row_var[i]) || !(a[col] < -DICT_ZERO)) continue;
      if (fmax(a[dict->n], 0) / -a[col] > length * (1 + TIED) + DICT_VALUE) continue;
      lcp_dictionary_pivot(dict, i, col);
      visit(w, dict);
      lcp_dictionary_pivot(dict, i, col); /* and back */
    }
  }
}

bool lcp_piece_vertices(lcp_collection *all, lcp_found *piece, lcp_dictionary *dict) {
  piece->first_vertex = all->vertex.count, piece->first_ray = all->ray.count;
  piece->residual = 0;
  walk w = {.all = all, .piece = piece, .ok = true};
  visit(&w, dict);
  piece->vertices = all->vertex.count - piece->first_vertex;
  piece->rays = all->ray.count - piece->first_ray;
  return w.ok;
}

/* Does the vector satisfy the equations that piece `of` stands for? constant is 1 for points and 0 for directions. */
static bool satisfies(const lcp_collection *all, const double *vector, double constant, const lcp_found *of) {
  const crd_lcp_work *work = all->work;
  int n = work->n;
  double most = constant;
  for (int j = 0; j < n; j++) most = fmax(most, fabs(vector[j]));
  for (int i = 0; i < n; i++) {
    if (work->is_free[i]) continue;
    if (!of->basis[i]) {
      if (fabs(vector[i]) > UNMET * most) return false;
      continue;
    }
    const double *row = work->W + (ptrdiff_t)i * work->ld;
    double r = work->row_scale[i], sum = constant * work->w[i] * r * work->w_scale, size = fabs(sum);
    for (int j = 0; j < n; j++) {
      double term = row[j] * r * work->col_scale[j] * vector[j];
      sum += term, size += fabs(term);
    }
    if (fabs(sum) > UNMET * size && fabs(sum) > UNMET_ABSOLUTE * most) return false;
  }
  return true;
}

static bool lies_within(const lcp_collection *all, const lcp_found *piece, const lcp_found *of) {
  int n = all->work->n;
  for (int k = 0; k < piece->vertices; k++)
    if (!satisfies(all, all->vertex.data + (ptrdiff_t)(piece->first_vertex + k) * n, 1, of)) return false;
  for (int k = 0; k < piece->rays; k++)
    if (!satisfies(all, all->ray.data + (ptrdiff_t)(piece->first_ray + k) * n, 0, of)) return false;
  return true;
}

void lcp_pieces_reduce(lcp_collection *all) {
  for (int a = 0; a < all->count; a++)
    for (int b = 0; b < all->count && !all->piece[a].inside; b++) {
      if (a == b || all->piece[b].inside || !lies_within(all, &all->piece[a], &all->piece[b])) continue;
      /* of two equal pieces the first stays */
      all->piece[a].inside = a > b || !lies_within(all, &all->piece[b], &all->piece[a]);
    }
}
