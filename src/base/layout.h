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

/* Takes the n arrays of the table from the arena, which goes on to hold what it held. CRD_ERR_MEMORY: no pointer of the
 * table has changed (what was taken goes with the arena). */
crd_status crd_layout_take(crd_arena *arena, const crd_layout *table, size_t n);
/* The same for a table of known length. */
#define CRD_LAYOUT_TAKE(arena, table) crd_layout_take(arena, table, sizeof(table) / sizeof *(table))

/* Takes the n arrays of the table anew and frees the arena they were in, which holds nothing else. CRD_ERR_MEMORY: all
 * is as it was. */
crd_status crd_layout_renew(crd_arena *arena, const crd_layout *table, size_t n);

#endif
