/* Contacts that last: what acts on them, and the motions that Coulomb's law then admits. */
#ifndef CRADLE_CLI_MOTIONS_H
#define CRADLE_CLI_MOTIONS_H

#include <cradle/analysis.h>

#include "common.h"

/* Motions of the problem's contacts under the load of the mechanism at its state, or under the one that the problem
 * states itself (mechanism NULL), and b of the contact LCP. A contact that ceases at once has no load: *bias stays NULL,
 * persistent->applies false. stop (NULL: never) ends the search for motions. */
crd_status cli_motions_find(const cli_mechanism *mechanism, crd_workspace *work, const crd_contact_problem *problem,
                            int modes, bool (*stop)(void *context), crd_persistent *persistent, const double **bias,
                            crd_arena *arena);

/* A load speaks of contacts that last: where one closes there is an impact first. */
bool cli_contacts_last(const crd_contact_problem *problem);

/* As JSON (null where persistent is NULL) and as a table. */
json_t *cli_motions_json(const crd_contact_problem *problem, const crd_persistent *persistent);
void cli_motions_print(FILE *file, const crd_contact_problem *problem, const crd_persistent *persistent);

#endif
