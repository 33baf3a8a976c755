/* The hot loops of sampling, compiled once for any processor and, on x86-64, once more for AVX2 and FMA: the files
 * kernel_*.c, with CRD_KERNEL_AVX2 defined the second time. */
#ifndef SRC_OUTCOME_KERNELS_H
#define SRC_OUTCOME_KERNELS_H

#include "outcome/finish.h"
#include "outcome/table.h"

/* Samples that are computed together, all in the same step of their paths. */
typedef struct outcome_batch {
  int size;       /* samples */
  uint64_t first; /* number of the first one */
  double *x;      /* size x stride: y, then lambda_max */
  int nactive;
  int *active; /* samples still approaching */
  int nhard;
  int *hard;        /* samples of this step that need more than the first fitting mode, */
  int *hard_entry;  /* which is this one (-1: none fits) */
  uint32_t *lcps;   /* size */
  double *y_next;   /* 4 next_blocks: scratch */
  uint64_t gained;  /* steps that contradict Theorem 7: kinetic energy rises */
  uint64_t stalled; /* steps that contradict Lemma 13: a contact still approaches, and none took its whole bound */
} outcome_batch;

/* Every step is held against what is proved of it [Halm & Posa, Theorem 7 and Lemma 13]. full: a contact takes its whole
 * bound; approaching: at y_next. */
static inline void outcome_batch_check(outcome_batch *batch, const outcome_table *table, const double *y,
                                       const double *y_next, bool full, bool approaching) {
  double rise = -table->gain;
  for (int k = 0; k < table->rank; k++) rise += (y_next[k] - y[k]) * (y_next[k] + y[k]);
  batch->gained += !(rise <= 0);
  batch->stalled += approaching && !full;
}

typedef struct outcome_kernels {
  /* The first entry not before `from` whose checks hold at x; count where there is none. */
  int (*find)(const outcome_table *table, const double *x, int from);
  /* An entry whose checks hold at x, those of the guide first; count where there is none. */
  int (*fit)(const outcome_table *table, const double *x);
  /* Those of the listed entries that hold at x, in this order, into held; returns how many. */
  int (*holding)(const outcome_table *table, const double *x, const int *list, int count, int *held);
  /* y' of the entry at x; y_next has room for 4 next_blocks. */
  void (*follow)(const outcome_table *table, const double *x, int entry, double *y_next);
  /* Is a contact approaching at y? */
  bool (*approaches)(const outcome_table *table, const double *y);
  /* lambda_max = h (independent, uniform) for all active samples in step `step`. */
  void (*draw_uniform)(const outcome_table *table, outcome_batch *batch, uint64_t seed, uint32_t step, double h);
  /* One step of all active samples whose first fitting mode has no rivals; the others become the hard ones. Active
   * afterwards are those that still approach. */
  void (*step)(const outcome_table *table, outcome_batch *batch);
  /* v_plus (size x nv) of all samples of the batch, which ended so, and their part in the summary. */
  void (*finish)(const outcome_table *table, const outcome_finish *f, const outcome_batch *batch,
                 const unsigned char *ending, double *v_plus, outcome_summary *s);
} outcome_kernels;

extern const outcome_kernels outcome_kernels_portable;
extern const outcome_kernels outcome_kernels_avx2;

const outcome_kernels *outcome_kernels_of_cpu(void);

#ifdef CRD_KERNEL_AVX2
#define OUTCOME_KERNEL(name) outcome_kernel_##name##_avx2
#define OUTCOME_KERNEL_TABLE outcome_kernels_avx2
#else
#define OUTCOME_KERNEL(name) outcome_kernel_##name##_portable
#define OUTCOME_KERNEL_TABLE outcome_kernels_portable
#endif

void OUTCOME_KERNEL(draw_uniform)(const outcome_table *table, outcome_batch *batch, uint64_t seed, uint32_t step,
                                  double h);
void OUTCOME_KERNEL(finish)(const outcome_table *table, const outcome_finish *f, const outcome_batch *batch,
                            const unsigned char *ending, double *v_plus, outcome_summary *s);

#endif
