/* Objects of the module as the views that the program prints (cli/). */
#ifndef CRADLE_PYTHON_VIEW_H
#define CRADLE_PYTHON_VIEW_H

#include "check_print.h"
#include "glue.h"

/* Nothing of it is to be freed. */
void crdpy_view_input(const crdpy_problem *problem, cli_problem *input);
/* What is printed from here to crdpy_print_end is printed in the program's locale. false: no memory. */
bool crdpy_print_begin(cli_output *output);
/* The text that was written; NULL where memory was out, or what was written is not good. */
char *crdpy_print_end(cli_output *written, bool good);
void crdpy_view_check(const crdpy_check *check, const cli_problem *input, check_view *view);

#endif
