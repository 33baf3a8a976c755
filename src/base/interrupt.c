/* The wish to stop, and the limit on work. One flag for the process, since a signal stops all of it. */
#include <cradle/base.h>

#include <stdatomic.h>

static atomic_bool asked;
static atomic_uint_fast64_t work, most;

void crd_interrupt(void) { atomic_store_explicit(&asked, true, memory_order_relaxed); }

void crd_interrupt_reset(uint64_t most_work) {
  atomic_store_explicit(&asked, false, memory_order_relaxed);
  atomic_store_explicit(&most, most_work, memory_order_relaxed);
  atomic_store_explicit(&work, 0, memory_order_relaxed);
}

void crd_interrupt_restart(void) { atomic_store_explicit(&work, 0, memory_order_relaxed); }

static bool spent(uint64_t done) {
  const uint64_t limit = atomic_load_explicit(&most, memory_order_relaxed);
  return limit > 0 && done > limit;
}

bool crd_interrupted(void) {
  const uint64_t done = atomic_fetch_add_explicit(&work, 1, memory_order_relaxed) + 1;
  return atomic_load_explicit(&asked, memory_order_relaxed) || spent(done);
}

crd_status crd_interrupt_status(void) {
  if (atomic_load_explicit(&asked, memory_order_relaxed)) return CRD_STOPPED;
  return spent(atomic_load_explicit(&work, memory_order_relaxed)) ? CRD_LIMIT : CRD_OK;
}
