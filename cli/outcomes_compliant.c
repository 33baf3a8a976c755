/* --compliant of `cradle outcomes`: the same impact of stiff, damped bodies instead of rigid ones, for ratios of
 * stiffness between the first two contacts from 1e-5 to 1e5 [Halm & Posa, section 5.4.1, figure 12]. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "outcomes.h"

enum { RATIOS = 51 };

/* The contact velocities in the axes of the hull. */
static double distance_from(const crd_contact_problem *problem, const outcomes_shape *shape,
                            const crd_compliant_result *end) {
  double x[3] = {0};
  if (shape->hull_status != CRD_OK || end->nrow != problem->nrow) return NAN;
  for (int i = 0; i < shape->axes.count; i++) {
    const crd_outcome_axis *axis = &shape->axes.axis[i];
    x[i] = axis->row < 0 ? end->v_plus[axis->dof] : end->u_plus[axis->row];
  }
  return crd_outcome_hull_distance(&shape->hull, x);
}

static crd_status collide(const cli_problem *input, const cli_common *common, const outcomes_shape *shape,
                          outcomes_collision *item) {
  const cli_mechanism *mechanism = &input->mechanism;
  crd_compliant_options options = crd_compliant_default();
  int nc = input->problem->nc;
  double *k = malloc(sizeof *k * (size_t)nc);
  if (!k) return CRD_ERR_MEMORY;
  for (int i = 0; i < nc; i++) k[i] = options.stiffness;
  if (item->ratio > 1) k[0] *= item->ratio;
  if (item->ratio < 1) k[1] /= item->ratio;
  /* contacts of the impact alone, so that they are those of the problem */
  options.contact_k = k, options.mu = common->mu, options.distance = 1e-6;
  crd_status status = crd_outcome_compliant(mechanism->model, mechanism->qpos, mechanism->qvel, &options, &item->end);
  free(k);
  item->distance = status == CRD_OK ? distance_from(input->problem, shape, &item->end) : NAN;
  return status;
}

bool outcomes_compliant_run(const cli_problem *input, const cli_common *common, const outcomes_shape *shape,
                            outcomes_compliant *compliant) {
  compliant->count = input->problem->nc < 2 ? 1 : RATIOS;
  compliant->item = calloc((size_t)compliant->count, sizeof *compliant->item);
  if (!compliant->item) return false;
  for (int i = 0; i < compliant->count; i++) {
    outcomes_collision *item = &compliant->item[i];
    item->ratio = compliant->count == 1 ? 1 : pow(10, (i - RATIOS / 2) * 5.0 / (RATIOS / 2));
    item->status = collide(input, common, shape, item);
    if (item->status == CRD_ERR_MEMORY) return false;
  }
  return true;
}

void outcomes_compliant_free(outcomes_compliant *compliant) {
  for (int i = 0; i < compliant->count && compliant->item; i++) crd_compliant_free(&compliant->item[i].end);
  free(compliant->item);
  *compliant = (outcomes_compliant){0};
}

int outcomes_compliant_marks(const outcomes_compliant *compliant, const crd_contact_problem *problem, crd_arena *arena,
                             const crd_outcome_mark **marks) {
  const crd_contact *contact = problem->contact;
  int count = 0;
  crd_outcome_mark *mark = crd_arena_alloc(arena, (size_t)compliant->count + 1, sizeof *mark);
  *marks = mark;
  for (int i = 0; mark && i < compliant->count; i++) {
    const outcomes_collision *item = &compliant->item[i];
    char label[300] = "";
    if (item->status != CRD_OK) continue;
    if (compliant->count > 1)
      snprintf(label, sizeof label, "k %.100s / k %.100s = %.3g", contact[0].name, contact[1].name, item->ratio);
    const char *kept = crd_arena_string(arena, label);
    if (!kept) return -1;
    mark[count++] = (crd_outcome_mark){"compliant", kept, item->end.v_plus};
  }
  return mark ? count : -1;
}

json_t *outcomes_compliant_json(const outcomes_compliant *compliant) {
  json_t *list = json_array();
  for (int i = 0; i < compliant->count; i++) {
    const outcomes_collision *item = &compliant->item[i];
    json_t *one = json_object();
    json_object_set_new(one, "ratio", cli_json_number(item->ratio));
    json_object_set_new(one, "status", json_string(crd_status_text(item->status)));
    json_object_set_new(one, "u_plus", cli_json_vector(item->end.nrow, item->end.u_plus));
    json_object_set_new(one, "impulse", cli_json_vector(item->end.nc, item->end.impulse));
    json_object_set_new(one, "time", cli_json_number(item->end.time));
    json_object_set_new(one, "distance", cli_json_number(item->distance));
    json_array_append_new(list, one);
  }
  return list;
}

void outcomes_compliant_print(FILE *file, const outcomes_compliant *compliant) {
  double farthest = -INFINITY;
  fprintf(file, "\ncompliant contact (zeta 5, softest 1e6 N/m), velocities of the contacts at the end (m/s):\n");
  fprintf(file, "%12s %10s %12s  %s\n", "stiffness", "ms", "from hull", "normal, tangential");
  for (int i = 0; i < compliant->count; i++) {
    const outcomes_collision *item = &compliant->item[i];
    if (item->distance > farthest) farthest = item->distance;
    if (compliant->count > 1 && i % 5 != 0) continue;
    fprintf(file, "%12.4g", item->ratio);
    if (item->status != CRD_OK) {
      fprintf(file, " %s\n", crd_status_text(item->status));
      continue;
    }
    fprintf(file, " %10.4g %12.3g ", 1e3 * item->end.time, item->distance);
    for (int r = 0; r < item->end.nrow; r++)
      fprintf(file, " %9.5f", fabs(item->end.u_plus[r]) < 5e-6 ? 0 : item->end.u_plus[r]);
    fprintf(file, "\n");
  }
  if (farthest > -INFINITY) fprintf(file, "farthest from the hull of the samples: %.3g m/s\n", farthest);
}
