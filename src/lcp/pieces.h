/* The polyhedra of the solution set: vertices, rays, which lie within others. */
#ifndef SRC_LCP_PIECES_H
#define SRC_LCP_PIECES_H

#include "lcp/search.h"

/* A growing list of vectors of n numbers. */
typedef struct lcp_list {
  int n, count, capacity;
  double *data;
} lcp_list;

bool lcp_list_add(lcp_list *list, const double *vector);

typedef struct lcp_found {
  unsigned char basis[LCP_SEARCH_ROWS];
  int first_vertex, vertices, first_ray, rays; /* in the lists */
  int dim;
  double residual;
  bool inside; /* lies within another piece */
} lcp_found;

typedef struct lcp_collection {
  crd_lcp_work *work;
  const crd_lcp_enumerate_options *options;
  lcp_search search;
  lcp_list vertex, ray; /* scaled units: z' = z w_scale / col_scale */
  lcp_found *piece;
  int count, capacity;
  bool truncated, out_of_memory;
  uint64_t *visited; /* [LCP_PIECE_BASES][2] bases of the polyhedron at hand */
} lcp_collection;

enum { LCP_PIECE_BASES = 4096 }; /* bases of one polyhedron that are looked at */

/* Vertices and extreme rays of the dictionary's polyhedron, appended to the lists. */
bool lcp_piece_vertices(lcp_collection *all, lcp_found *piece, lcp_dictionary *dict);
/* Marks pieces that lie within others. */
void lcp_pieces_reduce(lcp_collection *all);

#endif
