/* Output of `cradle info`. */
#ifndef CRADLE_CLI_INFO_H
#define CRADLE_CLI_INFO_H

#include "common.h"

/* contacts: at the mechanism's state, -1 where the mass matrix is singular there. quiet: not what has no effect. */
void info_print_text(FILE *file, const cli_mechanism *mechanism, int contacts, bool quiet);
void info_print_problem(FILE *file, const char *input, const crd_contact_problem *problem);

#endif
