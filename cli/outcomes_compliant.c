/* --compliant of `cradle outcomes`: the same impact of stiff, damped bodies instead of rigid ones, for ratios of
 * stiffness between the first two contacts from 1e-5 to 1e5, or (--compliant-starts) from positions nearby at which the
 * contacts close one after the other [Halm & Posa, section 5.4.1, figure 12, top and bottom]. */
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
  crd_compliant_options options = crd_sim_compliant_default();
  int nc = input->problem->nc;
  double *k = malloc(sizeof *k * (size_t)nc);
  if (!k) return CRD_ERR_MEMORY;
  for (int i = 0; i < nc; i++) k[i] = options.stiffness;
  if (item->ratio > 1) k[0] *= item->ratio;
  if (item->ratio < 1) k[1] /= item->ratio;
  /* contacts of the impact alone, so that they are those of the problem */
  options.contact_k = k, options.mu = common->mu, options.distance = 1e-6;
  crd_status status = crd_sim_compliant(mechanism->model, mechanism->qpos, mechanism->qvel, &options, &item->end);
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

/* ------------------------------------------------------------------------------------------------ starts nearby */

enum { MOST_MOVES = 60 };
static const double FIRST_TOUCH = 1e-13; /* m: gap of the first contact at the start */

/* Moves qpos along qvel, back or on, until the contact that is closest has no gap. CRD_NO_SOLUTION: it does not approach;
 * CRD_LIMIT: not reached. */
static crd_status move_to_first_touch(const crd_model *model, crd_workspace *work, double distance, double *qpos,
                                      const double *qvel) {
  crd_contact_assembler *assembler = crd_contact_assembler_new(model);
  crd_contact_problem *problem = crd_contact_problem_new();
  crd_contact_options options = crd_contact_default();
  options.distance = distance, options.limits = false;
  crd_status status = assembler && problem ? CRD_LIMIT : CRD_ERR_MEMORY;
  for (int k = 0; k < MOST_MOVES && status == CRD_LIMIT; k++) {
    crd_status found = crd_contact_at_state(assembler, work, qpos, qvel, &options, problem);
    int first = 0;
    for (int c = 1; found == CRD_OK && c < problem->nc; c++)
      if (problem->contact[c].gap < problem->contact[first].gap) first = c;
    if (found != CRD_OK || problem->nc == 0) {
      status = found != CRD_OK ? found : CRD_NO_SOLUTION;
    } else if (fabs(problem->contact[first].gap) <= FIRST_TOUCH) {
      status = CRD_OK;
    } else {
      double speed = -problem->u[problem->contact[first].row];
      if (!(speed > 0)) status = CRD_NO_SOLUTION;
      if (speed > 0) crd_tree_integrate_position(model, qpos, qvel, problem->contact[first].gap / speed, qpos);
    }
  }
  crd_contact_problem_free(problem);
  crd_contact_assembler_free(assembler);
  return status;
}

static crd_status collide_from(const cli_problem *input, const cli_common *common, const outcomes_shape *shape,
                               int address, double *qpos, outcomes_collision *item) {
  const cli_mechanism *mechanism = &input->mechanism;
  crd_compliant_options options = crd_sim_compliant_default(); /* contacts within a millimetre take part */
  memcpy(qpos, mechanism->qpos, sizeof *qpos * (size_t)mechanism->model->nq);
  qpos[address] += item->offset;
  options.mu = common->mu;
  crd_status status = move_to_first_touch(mechanism->model, input->work, options.distance, qpos, mechanism->qvel);
  if (status == CRD_OK) status = crd_sim_compliant(mechanism->model, qpos, mechanism->qvel, &options, &item->end);
  item->distance = status == CRD_OK ? distance_from(input->problem, shape, &item->end) : NAN;
  return status;
}

int outcomes_compliant_starts(const cli_problem *input, const cli_common *common, const outcomes_shape *shape,
                              const char *range, outcomes_compliant *compliant) {
  const crd_model *model = input->mechanism.model;
  const char *colon = strchr(range, ':');
  char name[128] = "", *end = NULL;
  if (colon && (size_t)(colon - range) < sizeof name) memcpy(name, range, (size_t)(colon - range));
  int joint = colon ? crd_model_find_joint(model, name) : -1;
  double from = colon ? strtod(colon + 1, &end) : NAN, to = end && *end == ':' ? strtod(end + 1, &end) : NAN;
  if (joint < 0 || model->joint[joint].nq != 1 || !(to > from) || !isfinite(to - from) || *end)
    return cli_complain(
        "outcomes", "--compliant-starts: found '%s', expected JOINT:FROM:TO, a hinge or slide and two rising numbers",
        range);
  double *qpos = malloc(sizeof *qpos * (size_t)model->nq);
  compliant->count = RATIOS, compliant->joint = model->joint[joint].name;
  compliant->item = calloc((size_t)compliant->count, sizeof *compliant->item);
  bool memory = qpos && compliant->item;
  for (int i = 0; i < RATIOS && memory; i++) {
    outcomes_collision *item = &compliant->item[i];
    item->ratio = 1, item->offset = from + (to - from) * i / (RATIOS - 1);
    item->status = collide_from(input, common, shape, model->joint[joint].q, qpos, item);
    memory = item->status != CRD_ERR_MEMORY;
  }
  free(qpos);
  return memory ? CLI_DONE : CLI_SYSTEM;
}

void outcomes_compliant_free(outcomes_compliant *compliant) {
  for (int i = 0; i < compliant->count && compliant->item; i++) crd_sim_compliant_free(&compliant->item[i].end);
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
    if (compliant->joint)
      snprintf(label, sizeof label, "%.100s off by %.3g", compliant->joint, item->offset);
    else if (compliant->count > 1)
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
    if (compliant->joint) json_object_set_new(one, "offset", cli_json_number(item->offset));
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
  fprintf(file, "%12.12s %10s %12s  %s\n", compliant->joint ? compliant->joint : "stiffness", "ms", "from hull",
          "normal, tangential");
  for (int i = 0; i < compliant->count; i++) {
    const outcomes_collision *item = &compliant->item[i];
    if (item->distance > farthest) farthest = item->distance;
    if (compliant->count > 1 && i % 5 != 0) continue;
    fprintf(file, "%12.4g", compliant->joint ? item->offset : item->ratio);
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
