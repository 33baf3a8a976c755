/* How often a measured outcome lies in the set that a box of coefficients predicts, and how far from it where it does not. */
#include <math.h>

#include "fit/fit.h"
#include "fit/order.h"

/* Share of a contact's speed that counts as inside: rounding of the hull. */
static const double INSIDE = 1e-6;

/* Normal and tangents of the first contact, or the axes people look at first where it has no tangent. */
static int choose_axes(const crd_contact_problem *p, crd_outcome_axis axis[3]) {
  const crd_contact *contact = &p->contact[0];
  if (contact->ntangent == 0) return crd_outcome_axis_default(p, axis);
  for (int k = 0; k <= contact->ntangent; k++) axis[k] = (crd_outcome_axis){.row = contact->row + k, .dof = -1};
  return 1 + contact->ntangent;
}

static crd_status cover_row(const crd_fit_row *row, const crd_outcome_box *box, const crd_outcome_options *options,
                            double *distance) {
  crd_outcome_set set = {0};
  crd_outcome_axis axis[3];
  const int naxis = choose_axes(row->problem, axis);
  crd_status status = crd_outcome_sample_box(row->problem, box, options, &set);
  if (status == CRD_OK) status = crd_outcome_distance(row->problem, &set, axis, naxis, row->v_plus, distance);
  crd_outcome_free(&set);
  return status;
}

/* Wilson's interval of a share [J. Am. Stat. Assoc. 22, 1927]. */
static void share_of(crd_fit_coverage *c) {
  const double z = 1.959964, n = c->rows - c->undecided, p = n > 0 ? c->inside / n : 0;
  const double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
  const double width = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
  c->share = n > 0 ? p : NAN;
  c->low = n > 0 ? fmax(0, middle - width) : NAN, c->high = n > 0 ? fmin(1, middle + width) : NAN;
}

crd_status crd_fit_cover(const crd_fit_data *data, int group, const double value[CRD_FIT_PARAMETERS],
                         const crd_outcome_box *box, uint64_t samples, const crd_fit_options *options,
                         crd_fit_coverage *coverage) {
  crd_outcome_options outcome = crd_outcome_default();
  outcome.samples = samples, outcome.seed = options->seed, outcome.threads = options->threads;
  outcome.facets = options->facets, outcome.restitution = true, outcome.steps = 0;
  crd_fit_coverage_free(coverage);
  if (data->count > 0 && data->row[0].toss) return CRD_ERR_ARGUMENT;
  double *outside = crd_arena_alloc(&coverage->arena, (size_t)data->count + 1, sizeof *outside);
  double *distance = crd_arena_alloc(&coverage->arena, (size_t)data->count + 1, sizeof *distance);
  if (!outside || !distance) return CRD_ERR_MEMORY;
  const double speed = fit_median_speed(data, group, outside);
  int far = 0;
  crd_status status = CRD_OK;
  for (int i = 0; i < data->count && status == CRD_OK; i++) {
    const crd_fit_row *row = &data->row[i];
    double away = NAN;
    if (group >= 0 && row->group != group) continue;
    if (options->progress && !options->progress(options->context, (double)i / data->count)) {
      status = CRD_STOPPED;
      break;
    }
    if (fit_set(row, options, value, speed) == CRD_OK && cover_row(row, box, &outcome, &away) == CRD_ERR_MEMORY)
      status = CRD_ERR_MEMORY;
    distance[coverage->rows++] = away;
    if (isnan(away))
      coverage->undecided++;
    else if (away <= INSIDE * crd_contact_problem_speed(row->problem, row->problem->contact[0].row))
      coverage->inside++;
    else
      outside[far++] = away;
  }
  fit_restore(data, options);
  crd_fit_sort(far, outside);
  for (int k = 0; k < CRD_FIT_QUANTILES; k++) coverage->outside[k] = crd_fit_quantile(far, outside, crd_fit_levels[k]);
  coverage->distance = distance;
  share_of(coverage);
  return status;
}

void crd_fit_coverage_free(crd_fit_coverage *coverage) {
  crd_arena_free(&coverage->arena);
  *coverage = (crd_fit_coverage){0};
}
