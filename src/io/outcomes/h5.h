/* Names and formats shared by reader and writer of outcome files. */
#ifndef SRC_IO_OUTCOMES_H5_H
#define SRC_IO_OUTCOMES_H5_H

#include <cradle/outcome.h>

/* Value of the attribute "cradle" of the file. */
#define CRD_OUTCOMES_FORMAT "outcomes/2"

/* Columns of problem/contact_numbers, problem/contact_integers and problem/contact_frame. */
enum { CRD_OUTCOME_NUMBERS = 5, CRD_OUTCOME_INTEGERS = 5, CRD_OUTCOME_FRAME = 12 };
#define CRD_OUTCOME_NUMBER_NAMES "mu mu_static e e_t gap"
#define CRD_OUTCOME_INTEGER_NAMES "row ntangent body1 body2 npoint"
#define CRD_OUTCOME_FRAME_NAMES "point normal tangent1 tangent2"

/* Name of an object of a set: "/NAME" of the only one, "/set/0003/NAME" of a sweep. */
void crd_outcomes_name(char name[128], bool sweep, int index, const char *what);

#endif
