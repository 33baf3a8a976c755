/* Contacts that last, as a Coulomb problem of forces and accelerations:
 *
 *   a = a_free + W f
 *
 *   contact at rest   its cone: at rest accelerations and forces obey the law that velocities and impulses do
 *   sliding contact   f_t = -mu f_n d against its velocity [Brogliato, eq. 26]
 *   bilateral row     a = 0
 *   bounded row       |f| <= bound: a joint at rest that its dry friction holds
 *
 * What `check` judges and what the event-driven integrator chooses its modes by is this one problem. */
#ifndef SRC_ANALYSIS_ACCELERATION_ROWS_H
#define SRC_ANALYSIS_ACCELERATION_ROWS_H

#include <cradle/contact.h>
#include <cradle/coulomb.h>

typedef struct crd_acceleration_input {
  const crd_contact_problem *problem;
  const double *a_free; /* nrow + nb: accelerations of the rows without contact forces */
  const double *slip;   /* nc x 2: unit direction in which a contact slides, zero where it is at rest */
  const bool *parts;    /* nc: contacts that part with a velocity and have no force; NULL: none */
  const double *bound;  /* nb: infinite for a bilateral row, 0 for one that carries nothing; NULL: all are bilateral */
  const double *share;  /* nc: of a contact's mu that it may use; NULL: all */
  double scale;         /* m/s^2: what accelerations are judged by where those of the rows cancel */
} crd_acceleration_input;

/* The rows that can carry. */
typedef struct crd_acceleration_rows {
  crd_coulomb_problem problem;
  int *row, *contact; /* of the contact problem: n and ncontact entries */
} crd_acceleration_rows;

/* Is the row bounded? */
bool crd_acceleration_bounded(const crd_acceleration_input *input, int b);
/* Has friction at all; slides with a velocity, so that its friction is known. */
bool crd_contact_rubs(const crd_contact *contact);
bool crd_contact_slides(const double *slip, int contact);

/* The scale of accelerations a_free of n rows: the largest, or of `parts` (n; NULL: not known), of which they are the
 * sums and which may cancel (bodies that fall together), a share. The second: with the parts of J qacc (nv; may be NULL). */
double crd_acceleration_scale_of(int n, const double *a_free, const double *parts);
double crd_acceleration_scale(const crd_contact_problem *problem, const double *a_free, const double *qacc);

/* CRD_ERR_MEMORY. Memory comes from the arena. */
crd_status crd_acceleration_rows_form(crd_acceleration_rows *rows, const crd_acceleration_input *input,
                                      crd_arena *arena);

#endif
