/* The modes of a problem as linear maps, packed for the kernels, in the order in which they are tried.
 *
 * A map's rows are packed four to a block, a block column by column, so that the product with x is one multiplication
 * and addition of four numbers per column: block b, column j, row 4 b + l at 4 (nx b + j) + l. Missing rows are zero,
 * which every check passes.
 */
#ifndef SRC_OUTCOME_TABLE_H
#define SRC_OUTCOME_TABLE_H

#include "outcome/mode.h"

typedef struct outcome_entry {
  const double *check; /* blocks of 4 rows */
  const double *next;  /* next_blocks of 4 rows */
  int blocks;
  bool full;        /* a contact takes its whole bound */
  int rivals;       /* number of entries in rival; -1: not known, so every entry may be one */
  const int *rival; /* entries that can hold for the same x with another v' */

  long code;     /* of the mode, -1: from a basis */
  int order;     /* in which it was added */
  uint64_t hits; /* steps of the pilot samples that it was the first to fit */
} outcome_entry;

/* Which entries to try first (guide.h). NULL before it is built: all, in order. */
typedef struct outcome_guide {
  int blocks;          /* of forms */
  const double *forms; /* blocks of four rows */
  const int **list;    /* by the signs of the forms */
  int *length;
} outcome_guide;

typedef struct outcome_table {
  int nx, rank, nc, stride; /* stride: doubles from one x to the next, a multiple of 4 */
  int next_blocks, normal_blocks;
  int count, capacity;
  outcome_entry *entry;
  bool complete;   /* all regular modes are here */
  double margin;   /* a check holds down to -margin: rounding noise, m/s */
  double approach; /* a contact approaches below -approach, in units of its speed */
  double gain;     /* J: twice the rise of kinetic energy that is rounding */
  outcome_guide guide;
  const double *normals; /* normal_blocks: rows of C of the contacts' normals over their speed, as columns y only */
} outcome_table;

/* doubles of a packed matrix of `rows` rows */
static inline size_t outcome_packed(int rows, int columns) { return (size_t)((rows + 3) / 4) * 4 * (size_t)columns; }
/* Packs a row-major matrix. */
void outcome_pack(int rows, int columns, const double *matrix, double *packed);

/* An empty table for the reduced problem. CRD_ERR_MEMORY. */
crd_status outcome_table_begin(outcome_table *table, const outcome_reduced *reduced, double approach, int capacity,
                               crd_arena *arena);
/* Appends a map, whose rivals are not known (code >= 0: the table will have all modes) or not yet met (code -1).
 * CRD_ERR_CAPACITY, CRD_ERR_MEMORY. */
crd_status outcome_table_add(outcome_table *table, const outcome_map *map, long code, crd_arena *arena);
/* All regular modes. */
crd_status outcome_table_fill(outcome_table *table, outcome_mode_work *work, crd_arena *arena);
/* Most hits first; the maps are copied behind each other in this order. */
crd_status outcome_table_sort(outcome_table *table, crd_arena *arena);

#endif
