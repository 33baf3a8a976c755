/* What the assembly needs of the contact problem beyond its public face. */
#ifndef SRC_CONTACT_PROBLEM_H
#define SRC_CONTACT_PROBLEM_H

#include <cradle/contact.h>

/* Longest name of an assembled contact, the end of the text included. */
enum { CRD_CONTACT_NAME = 96 };

/* crd_problem_resize with a choice of the large arrays; those not asked for are NULL. */
enum { CRD_PROBLEM_MASS = 1, CRD_PROBLEM_ROWS = 2 }; /* M; J and X */
crd_status crd_problem_size(crd_contact_problem *problem, int nv, int nc, int nrow, int nb, unsigned parts);

/* Room for the name of a contact (CRD_CONTACT_NAME bytes), which lives as long as the problem keeps its size. */
char *crd_problem_name(crd_contact_problem *problem, int contact);

#endif
