/* Matrices in the plain text files of Siconos. */
#ifndef CRADLE_SRC_IO_SICONOS_MATRIX_H
#define CRADLE_SRC_IO_SICONOS_MATRIX_H

#include "io/file/entries.h"
#include "io/file/scan.h"

/* Reads a matrix of rows x cols (negative: any size) in any of the storages:
 *
 *   0  whole      rows, cols, "rows cols", the values column by column
 *   1  by blocks  rows, cols, number of blocks, of block rows, of block columns, last rows of the block rows, last
 *                 columns of the block columns, lengths of two lists, first blocks of the block rows, block columns of
 *                 the blocks; for each block its number and its values column by column
 *   2  sparse     rows, cols, layout (1 entries, 2 compressed columns, 3 compressed rows), the text of CSparse
 *
 * what: its name for messages, "M". */
void crd_siconos_matrix(crd_scan *s, crd_arena *arena, int rows, int cols, const char *what, crd_entries *matrix);

#endif
