/* The laws that --law names. */
#ifndef CRADLE_CLI_LAWS_H
#define CRADLE_CLI_LAWS_H

#include <cradle/impact.h>

enum { CLI_MAX_LAWS = 32 };

/* "all" or names separated by commas, which the parser has looked at (CLI_WORDS, cli_law_names); the number, or -1 after
 * a message. */
int cli_choose_laws(const char *verb, const char *text, const crd_impact_law *law[CLI_MAX_LAWS]);

#endif
