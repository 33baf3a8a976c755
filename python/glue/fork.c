/* Processes that fork, as multiprocessing does: the child is a copy with one thread, and what needs other threads, or a lock
 * that one of them held, would wait for ever. */
#include "internal.h"
#ifdef _OPENMP
#include <omp.h>
#endif

/* libgomp keeps the threads of a team for the next one; a child of the thread that had them waits for threads that it
 * does not have. Teams of one thread need none, and no result depends on their number. */
static _Thread_local bool had_team;

void crdpy_team(void) { had_team = true; }

void crdpy_fork_before(void) { pthread_mutex_lock(&crdpy_one_at_a_time); }
void crdpy_fork_parent(void) { pthread_mutex_unlock(&crdpy_one_at_a_time); }

void crdpy_fork_child(void) {
  pthread_mutex_unlock(&crdpy_one_at_a_time);
#ifdef _OPENMP
  if (had_team) omp_set_max_active_levels(0);
#endif
}
