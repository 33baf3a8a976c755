/* Memory of a struct as one table: all of its arrays or none. */
#ifndef SRC_BASE_LAYOUT_H
#define SRC_BASE_LAYOUT_H

#include <cradle/base.h>

typedef struct crd_layout {
  void *to; /* address of the pointer to the array */
  size_t count, size;
  size_t kept; /* entries of the array so far that the new one begins with; the rest is zero */
} crd_layout;

/* The entry of a typed pointer: count zeroed elements, nothing kept. */
#define CRD_ARRAY(pointer, count) \
  { (void *)&(pointer), (size_t)(count), sizeof *(pointer), 0 }

/* The entry of a row-major matrix. */
#define CRD_MATRIX(pointer, rows, columns) CRD_ARRAY(pointer, (size_t)(rows) * (size_t)(columns))

/* Takes the n arrays of the table from the arena, which goes on to hold what it held. CRD_ERR_MEMORY: no pointer of the
 * table has changed (what was taken goes with the arena). */
crd_status crd_layout_take(crd_arena *arena, const crd_layout *table, size_t n);
/* The same for a table of known length. */
#define CRD_LAYOUT_TAKE(arena, table) crd_layout_take(arena, table, sizeof(table) / sizeof *(table))
/* The same for entries written out: if (CRD_TAKE(arena, CRD_ARRAY(x, n), CRD_MATRIX(A, n, n))) return CRD_ERR_MEMORY; */
#define CRD_TAKE(arena, ...)                                \
  crd_layout_take(arena, (const crd_layout[]){__VA_ARGS__}, \
                  sizeof((const crd_layout[]){__VA_ARGS__}) / sizeof(crd_layout))

/* Takes the n arrays of the table anew and frees the arena they were in, which holds nothing else. CRD_ERR_MEMORY: all
 * is as it was. */
crd_status crd_layout_renew(crd_arena *arena, const crd_layout *table, size_t n);

#endif
