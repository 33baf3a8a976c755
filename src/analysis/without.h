/* A contact problem without some of its contacts. */
#ifndef SRC_ANALYSIS_WITHOUT_H
#define SRC_ANALYSIS_WITHOUT_H

#include <cradle/contact.h>

/* The problem of the contacts with !leave[c] (nc); arrays live in the arena, or are those of `problem` where it keeps
 * all. A restitution matrix keeps their entries; one over all velocities is lost with the contacts. CRD_ERR_MEMORY. */
crd_status crd_problem_without(const crd_contact_problem *problem, const bool *leave, crd_contact_problem *without,
                               crd_arena *arena);

#endif
