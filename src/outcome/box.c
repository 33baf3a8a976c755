/* Outcomes when friction, restitution and the velocity before the impact are known only up to a box.
 *
 * A draw is a problem in the box, each coefficient and velocity uniform and by itself; it has a pure function of (seed,
 * draw) for its numbers and an equal share of the samples, numbered as without a box. The set is the union. Every draw
 * has a Delassus matrix of the same W but modes of its own, so a draw costs about a millisecond beside its samples.
 */
#include <math.h>
#include <string.h>

#include "outcome/engine.h"

enum { BOX_STREAM = 0x0b0c5 }; /* of the random numbers; those of the sampler have others */

crd_outcome_box crd_outcome_box_default(void) { return (crd_outcome_box){.draws = 64}; }

static bool is_width(double x) { return x >= 0 && x < INFINITY; }

/* x +- width, the index-th number of the draw. */
static double draw_near(double x, double width, uint64_t seed, uint64_t draw, uint64_t index) {
  return x + width * (2 * crd_random_uniform(seed, BOX_STREAM, (draw << 20) + index) - 1);
}

static crd_status draw_problem(const crd_contact_problem *middle, const crd_outcome_box *box, uint64_t seed,
                               uint64_t draw, crd_contact_problem *p) {
  crd_status status = crd_contact_problem_copy(middle, p);
  if (status != CRD_OK) return status;
  uint64_t index = 0;
  for (int c = 0; c < p->nc; c++) {
    crd_contact *contact = &p->contact[c];
    double slack = contact->mu_static - contact->mu;
    if (contact->mu > 0 || box->mu > 0) contact->mu = fmax(0, draw_near(contact->mu, box->mu, seed, draw, index));
    contact->mu_static = contact->mu + slack;
    contact->e = fmin(1, fmax(0, draw_near(contact->e, box->e, seed, draw, index + 1)));
    index += 2;
  }
  for (uint64_t k = 0; k < (uint64_t)p->nv; k++) p->v[k] = draw_near(middle->v[k], box->v, seed, draw, index + k);
  return crd_contact_problem_complete(p);
}

/* The empty union, with the options as the first draw used them. */
static crd_status union_begin(crd_outcome_set *all, const crd_contact_problem *problem, const crd_outcome_set *first,
                              const crd_outcome_options *options) {
  crd_outcome_options used = first->options;
  used.samples = options->samples, used.first = options->first;
  crd_status status = outcome_set_begin(all, problem, &used);
  if (status != CRD_OK) return status;
  all->ended[CRD_OUTCOME_MISSING] = all->samples;
  all->energy_ratio = (crd_outcome_range){INFINITY, -INFINITY};
  for (int i = 0; i < all->nrow; i++) all->extent[i] = (crd_outcome_range){INFINITY, -INFINITY};
  all->ambiguity_known = true;
  return CRD_OK;
}

static void widen(crd_outcome_range *range, const crd_outcome_range *by) {
  range->min = fmin(range->min, by->min), range->max = fmax(range->max, by->max);
}

static void union_add(crd_outcome_set *all, const crd_outcome_set *part, uint64_t at) {
  size_t count = (size_t)part->samples;
  memcpy(all->v_plus + (size_t)at * (size_t)all->nv, part->v_plus, count * (size_t)all->nv * sizeof *all->v_plus);
  memcpy(all->lcps + at, part->lcps, count * sizeof *all->lcps);
  memcpy(all->ending + at, part->ending, count);
  for (int e = 0; e < CRD_OUTCOME_ENDS; e++) all->ended[e] += part->ended[e];
  all->ended[CRD_OUTCOME_MISSING] -= part->samples;
  all->total_lcps += part->total_lcps, all->ambiguous_lcps += part->ambiguous_lcps, all->slow_lcps += part->slow_lcps;
  all->ambiguity_known = all->ambiguity_known && part->ambiguity_known;
  if (part->max_lcps > all->max_lcps) all->max_lcps = part->max_lcps;
  if (part->modes > all->modes) all->modes = part->modes;
  all->at_rest += part->at_rest, all->wall_s += part->wall_s;
  widen(&all->energy_ratio, &part->energy_ratio);
  for (int i = 0; i < all->nrow; i++) widen(&all->extent[i], &part->extent[i]);
  all->claim = part->claim == CRD_OUTCOME_TRUNCATED ? CRD_OUTCOME_TRUNCATED : CRD_OUTCOME_INNER;
  all->gaining_lcps += part->gaining_lcps, all->stalled_lcps += part->stalled_lcps;
}

crd_status crd_outcome_sample_box(const crd_contact_problem *problem, const crd_outcome_box *box,
                                  const crd_outcome_options *options, crd_outcome_set *set) {
  *set = (crd_outcome_set){0};
  if (!problem->M || !is_width(box->mu) || !is_width(box->e) || !is_width(box->v) || box->draws < 1)
    return CRD_ERR_ARGUMENT;
  uint64_t draws = (uint64_t)box->draws < options->samples ? (uint64_t)box->draws : options->samples, at = 0;
  crd_contact_problem *drawn = crd_contact_problem_new();
  crd_status status = drawn && draws > 0 ? CRD_OK : draws > 0 ? CRD_ERR_MEMORY : CRD_ERR_ARGUMENT;
  crd_outcome_options own = *options;
  own.h = options->h > 0 ? options->h : crd_outcome_default_h(problem);
  set->claim = CRD_OUTCOME_INNER;
  for (uint64_t k = 0; status == CRD_OK && k < draws && set->claim != CRD_OUTCOME_TRUNCATED; k++) {
    crd_outcome_set part = {0};
    uint64_t end = options->samples / draws * (k + 1) + (k + 1 == draws ? options->samples % draws : 0);
    own.first = options->first + at, own.samples = end - at;
    status = draw_problem(problem, box, options->seed, k, drawn);
    if (status == CRD_OK) status = crd_outcome_sample(drawn, &own, &part);
    if (status == CRD_OK && k == 0) status = union_begin(set, problem, &part, options);
    if (status == CRD_OK) union_add(set, &part, at);
    crd_outcome_free(&part);
    at = end;
  }
  crd_contact_problem_free(drawn);
  if (status != CRD_OK) crd_outcome_free(set);
  set->kinetic_before = status == CRD_OK ? problem->kinetic_free : 0;
  return status;
}
