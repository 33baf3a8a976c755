/* Contact problems of many bodies with a known solution, G by blocks.
 *
 * Bodies have six velocities each; a contact acts on one or two of them with random rows of J, so that G = J M^-1 J' is
 * symmetric and, where there are more rows than velocities, singular. Impulses p and velocities u that obey the laws
 * are drawn, and w = u - G p. */
#ifndef TESTS_SUPPORT_SPARSE_CONTACTS_H
#define TESTS_SUPPORT_SPARSE_CONTACTS_H

#include <cradle/coulomb.h>

typedef struct sparse_recipe {
  int bodies, contacts;
  int ntangent, nspin, nroll;
  int bilateral, bounded; /* single rows beside the contacts */
  double mu;
  double mass_ratio; /* masses between 1 and this */
  double open, slip; /* shares of the contacts; the others stick, a third of them at the limit of the cone */
  double skew;       /* of G, relative: not symmetric */
  bool slides;       /* the slipping ones have a given direction */
  unsigned seed;
} sparse_recipe;

typedef struct sparse_contacts {
  crd_coulomb_problem problem;
  crd_coulomb_blocks blocks;
  crd_coulomb_contact *contact; /* of the problem, to be changed by a test */
  double *value;                /* of the blocks */
  int *list;                    /* 0, 1, 2, ... */
  double *p, *u;                /* the solution that was drawn */
  crd_arena arena;
} sparse_contacts;

sparse_contacts *sparse_contacts_new(const sparse_recipe *recipe);
/* G = diagonal blocks and the given dense matrix cut into blocks of one contact each. */
sparse_contacts *sparse_contacts_from_dense(int contacts, int rows_each, const double *G, const double *w, double mu);
void sparse_contacts_free(sparse_contacts *s);

#endif
