/* Several processes under mpirun that share the work of one command. Without MPI, or when not started by mpirun, there
 * is one rank and nothing happens. */
#ifndef CRADLE_CLI_RANKS_H
#define CRADLE_CLI_RANKS_H

#include <cradle/outcome.h>

/* Joins the others where mpirun started this process. Ranks other than 0 print nothing from now on. */
void cli_ranks_begin(void);
/* Number of this process; 0 is the one that writes. */
int cli_rank(void);
/* Leaves the others; where code is a failure they are ended, because they may be waiting for this one. Returns code. */
int cli_ranks_end(int code);

/* crd_outcome_sample with the samples spread over the ranks: rank 0 gets the whole set, bit by bit that of one process,
 * the others keep their part. The status is the same on all. */
crd_status cli_ranks_sample(const crd_contact_problem *problem, const crd_outcome_options *options,
                            crd_outcome_set *set);

#endif
