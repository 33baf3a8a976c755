/* The contact problem of a built-in example at its first keyframe. */
#ifndef TESTS_EXAMPLE_PROBLEM_H
#define TESTS_EXAMPLE_PROBLEM_H

#include <cradle/contact.h>

typedef struct example_problem {
  crd_model *model;
  crd_workspace *work;
  crd_contact_assembler *assembler;
  crd_contact_problem *problem;
} example_problem;

/* The test fails where the example cannot be read or has no contact problem. */
example_problem example_problem_open(const char *name);
void example_problem_close(example_problem *example);

/* The number of the contact with this name; the test fails where there is none. */
int example_contact(const crd_contact_problem *problem, const char *name);

#endif
