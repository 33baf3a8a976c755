/* Adhesion: actuators that draw a body towards the bodies it touches.
 *
 * A normal impulse l of a contact that is drawn together by the impulse a lies above -a, and friction is bounded by
 * mu (l + a). Stated of the pressure p = l + a between the surfaces the problem is the usual one,
 *   u = w + G l = (w - G a) + G p ,
 * so that the rows are solved for p from velocities that the pull has changed, and what acts on the bodies is l.
 */
#include <math.h>
#include <string.h>

#include "coulomb/problem.h"
#include "sim/rows.h"
#include "tree/transmission.h"

/* Force of an actuator on a body: it draws together, or does nothing. */
static double force_of(const crd_group *group, int a) {
  const double *ctrl = group->options->control ? group->stage->ctrl : group->inputs->ctrl;
  const double force = crd_actuator_clamped(group->model, a, 0, 0, group->trial->act, ctrl);
  return fmax(0, group->model->actuator[a].gear[0] * force);
}

/* A point that takes part and touches. */
static bool touches(const crd_group *group, int i) {
  const crd_sim_touch *touch = &group->rows->touches.item[i];
  return group->rows->contact_of[i] >= 0 && touch->at.geomA != CRD_SIM_LIMIT &&
         (touch->active || touch->at.gap <= group->scene->contact_band);
}

static bool is_of_body(const crd_group *group, int i, int body) {
  const crd_contact_point *at = &group->rows->touches.item[i].at;
  return group->model->geom[at->geomA].body == body || group->model->geom[at->geomB].body == body;
}

bool crd_rows_pull(crd_group *group, double dt) {
  double *pull = group->rows->pull;
  const crd_contact_problem *problem = group->rows->problem;
  bool any = false;
  if (group->model->nadhesive == 0) return false;
  memset(pull, 0, (size_t)(problem->nrow + problem->nb + problem->nf) * sizeof *pull);
  for (int a = 0; a < group->model->nactuator; a++) {
    const int body = group->model->actuator[a].body;
    int count = 0;
    if (group->model->actuator[a].transmission != CRD_ON_BODY) continue;
    for (int i = 0; i < group->rows->touches.count; i++) count += touches(group, i) && is_of_body(group, i, body);
    const double share = count > 0 ? dt * force_of(group, a) / count : 0;
    for (int i = 0; share > 0 && i < group->rows->touches.count; i++)
      if (touches(group, i) && is_of_body(group, i, body))
        pull[problem->contact[group->rows->contact_of[i]].row] += share, any = true;
  }
  return any;
}

void crd_rows_press(crd_group *group, double sign) {
  const crd_contact_problem *problem = group->rows->problem;
  const int n = problem->nrow + problem->nb + problem->nf;
  double *pull = group->rows->pull;
  const crd_coulomb_problem s = {.n = n, .w = group->rows->w, .blocks = problem->blocks};
  for (int i = 0; i < n; i++) pull[i] *= -sign;
  crd_coulomb_velocity(&s, pull, group->rows->u);
  memcpy(group->rows->w, group->rows->u, (size_t)n * sizeof *group->rows->w);
  for (int i = 0; i < n; i++) group->rows->p[i] -= pull[i], pull[i] *= -sign;
}
