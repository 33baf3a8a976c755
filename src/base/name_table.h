/* Equal names found in O(1) each: a table of texts with open addressing, so that lists of n names are compared in O(n).
 */
#ifndef SRC_BASE_NAME_TABLE_H
#define SRC_BASE_NAME_TABLE_H

#include <cradle/base.h>

typedef struct crd_name_table {
  int capacity;     /* places there are */
  int size;         /* of them in use: a power of two, more than twice the names */
  const char **key; /* size; NULL: free */
  int *value;
} crd_name_table;

/* An empty table for at most `names`. Allocates only when there are more than ever before. CRD_ERR_MEMORY. */
crd_status crd_name_table_begin(crd_name_table *table, int names);
void crd_name_table_free(crd_name_table *table);
/* Value kept with the name; NULL: it is not there. */
const int *crd_name_table_find(const crd_name_table *table, const char *name);
/* The same; the name gets `fresh` where it is new. The text is not copied. */
int *crd_name_table_at(crd_name_table *table, const char *name, int fresh);

#endif
