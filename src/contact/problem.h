/* Functions of the contact problem for the assembly, beyond the public ones. */
#ifndef SRC_CONTACT_PROBLEM_H
#define SRC_CONTACT_PROBLEM_H

#include <cradle/contact.h>

#include "base/name_table.h"

/* Longest name of an assembled contact, the end of the text included. */
enum { CRD_CONTACT_NAME = 96 };

/* crd_contact_problem_resize with a choice of the large arrays; those not asked for are NULL. */
enum { CRD_PROBLEM_MASS = 1, CRD_PROBLEM_ROWS = 2, CRD_PROBLEM_DENSE = 4 }; /* M; J and X; W */
crd_status crd_problem_size(crd_contact_problem *problem, int nv, int nc, int nrow, int nb, unsigned parts);

/* Arrays of problem->blocks, to be filled. */
typedef struct crd_block_arrays {
  int *first_row, *first; /* groups + 1 */
  int *column;
  size_t *offset; /* blocks */
  double *value;  /* entries */
} crd_block_arrays;
/* Gives the problem a block matrix with room for so many groups, blocks and entries; ngroup is to be set. */
crd_status crd_problem_add_blocks(crd_contact_problem *problem, int groups, size_t blocks, size_t entries,
                                  crd_block_arrays *arrays);
/* crd_contact_problem_add_dry_friction without W_dry. */
crd_status crd_problem_add_dry_rows(crd_contact_problem *problem, int nf);

/* An empty table with room for the names of the problem's contacts. */
crd_name_table *crd_problem_name_table(crd_contact_problem *problem);

/* Room for the name of a contact (CRD_CONTACT_NAME bytes), which lives as long as the problem keeps its size. */
char *crd_problem_name(crd_contact_problem *problem, int contact);

#endif
