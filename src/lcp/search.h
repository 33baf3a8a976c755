/* Search over the complementary pieces of a problem: each pair is decided, z_i = 0 or y_i = 0, as long as some z, y >=
 * 0 with the decisions so far exist. */
#ifndef SRC_LCP_SEARCH_H
#define SRC_LCP_SEARCH_H

#include "lcp/dictionary.h"
#include "lcp/work.h"

enum { LCP_SEARCH_ROWS = 60 };

/* A piece that is not empty: basis[i] = 1 where y_i = 0 was chosen, dict a feasible dictionary of it. Return false to
 * end the search. */
typedef bool lcp_visit(void *context, const unsigned char *basis, lcp_dictionary *dict);

typedef struct lcp_search {
  int n, max_nodes, nodes;
  bool truncated; /* a limit was reached, or a piece could not be decided */
  bool stopped;   /* visit said so */
  int lines;
  double *line;                   /* [n][n] directions of free variables that move nothing, scaled */
  unsigned char *decided, *basis; /* [n] */
  lcp_dictionary *level;          /* [n+2] */
  lcp_visit *visit;
  void *context;
} lcp_search;

/* Memory for n rows from the arena. False when it is out. */
bool lcp_search_allocate(lcp_search *search, int n, crd_arena *arena);
/* Visits every piece of the problem at hand. The problem is equilibrated; the dictionary is in scaled units
 * (z = col_scale z' / w_scale). */
void lcp_search_run(lcp_search *search, crd_lcp_work *work);
/* z of the dictionary's vertex, in the units of the problem. */
void lcp_search_point(const crd_lcp_work *work, const lcp_dictionary *dict, double *z);

#endif
