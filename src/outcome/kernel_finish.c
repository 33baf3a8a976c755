/* The ends of a batch: v of each sample, and for the outcomes among them the ranges of contact velocities and energy.
 */
#include <string.h>

#include "outcome/kernel_rows.h"
#include "outcome/kernels.h"

static void write_velocity(const outcome_finish *f, const double *y, double *v) {
  const crd_v4_unaligned *base = (const crd_v4_unaligned *)f->v_base;
  for (int b = 0; b < f->v_blocks; b++) {
    crd_v4 four = base[b] + outcome_four_rows(f->v_map + 4 * (size_t)f->rank * (size_t)b, y, f->rank);
    if (4 * b + 4 <= f->nv)
      *(crd_v4_unaligned *)(v + 4 * b) = four;
    else
      memcpy(v + 4 * b, &four, sizeof *v * (size_t)(f->nv - 4 * b));
  }
}

/* Takes the contact velocities of y into the ranges; true where all are zero. */
static bool take_extents(const outcome_finish *f, const double *y, outcome_summary *s) {
  const crd_v4 most = CRD_V4_SPLAT(f->rest);
  bool rest = true;
  for (int b = 0; b < f->u_blocks; b++) {
    crd_v4 u = outcome_four_rows(f->u_map + 4 * (size_t)f->rank * (size_t)b, y, f->rank);
    crd_v4_unaligned *low = (crd_v4_unaligned *)(s->least + 4 * b), *high = (crd_v4_unaligned *)(s->most + 4 * b);
    *low = crd_v4_min(u, *low), *high = crd_v4_max(u, *high);
    rest = rest && !crd_v4_bits(crd_v4_abs(u) > most);
  }
  return rest;
}

void OUTCOME_KERNEL(finish)(const outcome_table *table, const outcome_finish *f, const outcome_batch *batch,
                            const unsigned char *ending, double *v_plus, outcome_summary *s) {
  for (int i = 0; i < batch->size; i++) {
    const double *y = batch->x + (size_t)table->stride * (size_t)i;
    write_velocity(f, y, v_plus + (size_t)f->nv * (size_t)i);
    s->ended[ending[i]]++;
    s->lcps += batch->lcps[i];
    if (batch->lcps[i] > s->max_lcps) s->max_lcps = batch->lcps[i];
    if (ending[i] != CRD_OUTCOME_DONE) continue;
    double square = 0;
    for (int k = 0; k < f->rank; k++) square += y[k] * y[k];
    if (square < s->least_square) s->least_square = square;
    if (square > s->most_square) s->most_square = square;
    s->at_rest += take_extents(f, y, s);
  }
}
