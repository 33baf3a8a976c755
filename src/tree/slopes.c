/* Slopes of the forces of springs, dampers and actuators. */
#include "tree/slopes.h"

#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "model/workspace.h"
#include "tree/tendon.h"
#include "tree/transmission.h"

/* Does the force depend on length or rate? */
static bool has_slope(const crd_actuator *actuator) {
  const double *gain = actuator->gain, *bias = actuator->bias;
  if (actuator->gain_law == CRD_FORCE_MUSCLE || actuator->bias_law == CRD_FORCE_MUSCLE) return true;
  return bias[1] != 0 || bias[2] != 0 || gain[1] != 0 || gain[2] != 0;
}

/* The velocity that the actuator acts on, -1 where it acts on several. */
static int only_velocity(const crd_actuator *actuator) {
  int found = actuator->ndof == 1 ? actuator->dof[0] : -1;
  if (actuator->in_parent || actuator->joint < 0 || actuator->ndof == 1) return found; /* one, or unknown */
  for (int k = 0; k < actuator->ndof; k++) {
    if (actuator->gear[k] != 0 && found >= 0) return -1;
    if (actuator->gear[k] != 0) found = actuator->dof[k];
  }
  return found;
}

static int only_place(const crd_actuator *actuator, int velocity) {
  int place = 0;
  while (actuator->dof[place] != velocity) place++;
  return place;
}

/* -df/dl and -df/dl' of an actuator's law at a length and rate; those that would drive the motion apart are zero. The
 * curves of a muscle, made of parabolas, by central differences over a small part of their unit. */
static void law_slopes(const crd_actuator *actuator, double length, double rate, double input, double *k, double *d) {
  const double *gain = actuator->gain, *bias = actuator->bias;
  if (actuator->gain_law == CRD_FORCE_MUSCLE || actuator->bias_law == CRD_FORCE_MUSCLE) {
    const double *prm = actuator->gain_law == CRD_FORCE_MUSCLE ? gain : bias;
    const double step = 1e-6 * (actuator->length_range[1] - actuator->length_range[0]) / (prm[1] - prm[0]);
    const double step_rate = step * prm[6];
    *k = (crd_actuator_law(actuator, length - step, rate, input) -
          crd_actuator_law(actuator, length + step, rate, input)) /
         (2 * step);
    *d = (crd_actuator_law(actuator, length, rate - step_rate, input) -
          crd_actuator_law(actuator, length, rate + step_rate, input)) /
         (2 * step_rate);
  } else {
    *k = -(gain[1] * input + bias[1]);
    *d = -(gain[2] * input + bias[2]);
  }
  *k = fmax(0, *k), *d = fmax(0, *d);
}

static bool is_elastic(const crd_tendon *tendon) { return tendon->stiffness > 0 || tendon->damping > 0; }

bool crd_slopes_exist(const crd_model *model) {
  for (int i = 0; i < model->nv; i++)
    if (model->dof_damping[i] > 0) return true;
  for (int j = 0; j < model->njoint; j++)
    if (model->joint[j].stiffness > 0) return true;
  for (int a = 0; a < model->nactuator; a++)
    if (has_slope(&model->actuator[a])) return true;
  return model->elastic_tendons;
}

bool crd_slopes_reserve(crd_slopes *slopes, const crd_model *model, crd_arena *arena) {
  size_t nv = (size_t)model->nv, n = 0;
  for (int a = 0; a < model->nactuator; a++)
    n += has_slope(&model->actuator[a]) && only_velocity(&model->actuator[a]) < 0;
  for (int t = 0; t < model->ntendon; t++) n += is_elastic(&model->tendon[t]);
  const crd_layout table[] = {
      CRD_ARRAY(slopes->k, nv),
      CRD_ARRAY(slopes->d, nv),
      CRD_ARRAY(slopes->driven_k, nv),
      CRD_ARRAY(slopes->driven_d, nv),
      CRD_ARRAY(slopes->coupling, model->nactuator),
      CRD_ARRAY(slopes->tendon_coupling, model->ntendon),
      CRD_ARRAY(slopes->driven, n),
      CRD_ARRAY(slopes->active, n),
      CRD_ARRAY(slopes->g, n * nv),
      CRD_ARRAY(slopes->length1, model->nactuator),
      CRD_ARRAY(slopes->rate1, model->nactuator),
      CRD_ARRAY(slopes->coupled_k, n),
      CRD_ARRAY(slopes->coupled_d, n),
  };
  bool done = CRD_LAYOUT_TAKE(arena, table) == CRD_OK;
  for (int a = 0; done && a < model->nactuator; a++)
    if (has_slope(&model->actuator[a]) && only_velocity(&model->actuator[a]) < 0) slopes->coupling[a] = slopes->room++;
  for (int t = 0; done && t < model->ntendon; t++)
    if (is_elastic(&model->tendon[t])) slopes->tendon_coupling[t] = slopes->room++;
  slopes->nv = model->nv;
  return done;
}

static void add_passive_slopes(const crd_model *model, const crd_part *part, crd_slopes *slopes) {
  CRD_EACH (part, v, i) slopes->d[i] += model->dof_damping[i];
  CRD_EACH (part, link, j)
    for (int i = 0; i < model->joint[j].nv; i++) slopes->k[model->joint[j].v + i] += model->joint[j].stiffness;
}

/* At the same bound with both values. */
static bool stays_clamped(double x, double x1, bool limited, const double range[2]) {
  return limited && ((x <= range[0] && x1 <= range[0]) || (x >= range[1] && x1 >= range[1]));
}

/* Springs that are stretched, and dampers, of tendons, whose rows the workspace has. */
static void add_tendon_slopes(const crd_model *model, const crd_workspace *work, crd_slopes *slopes) {
  for (int t = 0; model->elastic_tendons && t < model->ntendon; t++) {
    const crd_tendon *tendon = &model->tendon[t];
    const double k = crd_tendon_stretch(tendon, work->tendon_length[t]) != 0 ? tendon->stiffness : 0;
    if ((k == 0 && tendon->damping == 0) || !crd_tendon_in_part(tendon, work)) continue;
    const int coupling = slopes->tendon_coupling[t];
    double *g = slopes->g + (size_t)slopes->nv * (size_t)coupling;
    crd_part_clear_v(work->part, g);
    crd_tendon_add(tendon, work, 1, g);
    slopes->coupled_k[slopes->ncoupling] = k, slopes->coupled_d[slopes->ncoupling] = tendon->damping;
    slopes->driven[slopes->ncoupling] = false;
    slopes->active[slopes->ncoupling++] = coupling;
  }
}

/* Does the force of an actuator stay at a bound from (l, r) to (l1, r1)? */
static bool stays_bounded(const crd_actuator *actuator, double l, double r, double l1, double r1, double input) {
  return stays_clamped(crd_actuator_law(actuator, l, r, input), crd_actuator_law(actuator, l1, r1, input),
                       actuator->force_limited, actuator->force_range);
}

void crd_slopes_at(crd_slopes *slopes, const crd_model *model, crd_workspace *work, const double *act,
                   const double *ctrl, const double *q, const double *v, const double *q1, const double *v1) {
  const crd_part *part = work->part;
  double *now = work->actuation, *then = work->tau;
  crd_part_clear_v(part, slopes->driven_k), crd_part_clear_v(part, slopes->driven_d);
  crd_actuators_sum(model, work, q1, v1, act, ctrl, then);
  for (int at = 0; at < part->nactuator; at++) {
    const int a = part->actuator[at];
    slopes->length1[a] = work->length[a];
    slopes->rate1[a] = crd_transmission_rate(&model->actuator[a], work, v1);
  }
  crd_actuators_sum(model, work, q, v, act, ctrl, now);
  slopes->ncoupling = 0;
  for (int at = 0; at < part->nactuator; at++) {
    const int a = part->actuator[at];
    const crd_actuator *actuator = &model->actuator[a];
    if (!has_slope(actuator)) continue;
    const double input = crd_actuator_input(model, a, act, ctrl), rate = crd_transmission_rate(actuator, work, v);
    double k, d;
    law_slopes(actuator, work->length[a], rate, input, &k, &d);
    int i = only_velocity(actuator);
    const crd_joint *joint = i >= 0 ? &model->joint[model->dof_link[i]] : NULL;
    if (stays_bounded(actuator, work->length[a], rate, slopes->length1[a], slopes->rate1[a], input) ||
        (joint && joint->nv == 1 && stays_clamped(now[i], then[i], joint->force_limited, joint->force_range)))
      k = d = 0;
    if (i < 0 && k == 0 && d == 0) continue;
    if (i < 0) {
      double *g = slopes->g + (size_t)slopes->nv * (size_t)slopes->coupling[a];
      crd_part_clear_v(part, g);
      crd_transmission_add(actuator, work, 1, g);
      slopes->coupled_k[slopes->ncoupling] = k, slopes->coupled_d[slopes->ncoupling] = d;
      slopes->driven[slopes->ncoupling] = true;
      slopes->active[slopes->ncoupling++] = slopes->coupling[a];
    } else {
      const double gear = work->moment[actuator->moment + only_place(actuator, i)];
      slopes->driven_k[i] += gear * gear * k, slopes->driven_d[i] += gear * gear * d;
    }
  }
  crd_part_copy_v(part, slopes->k, slopes->driven_k), crd_part_copy_v(part, slopes->d, slopes->driven_d);
  add_passive_slopes(model, part, slopes);
  add_tendon_slopes(model, work, slopes);
}

const double *crd_slopes_coupling(const crd_slopes *slopes, int t) {
  return slopes->g + (size_t)slopes->nv * (size_t)slopes->active[t];
}

void crd_slopes_apply(const crd_slopes *slopes, const crd_part *part, bool driven, double factor, const double *dq,
                      const double *dv, double *f) {
  const double *k = driven ? slopes->driven_k : slopes->k, *d = driven ? slopes->driven_d : slopes->d;
  CRD_EACH (part, v, i) f[i] += factor * (k[i] * dq[i] + d[i] * dv[i]);
  for (int t = 0; t < slopes->ncoupling; t++) {
    const double *g = crd_slopes_coupling(slopes, t);
    double pull = 0;
    if (driven && !slopes->driven[t]) continue;
    CRD_EACH (part, v, i) pull += g[i] * (slopes->coupled_k[t] * dq[i] + slopes->coupled_d[t] * dv[i]);
    CRD_EACH (part, v, i) f[i] += factor * pull * g[i];
  }
}

void crd_slopes_damp(const crd_slopes *slopes, const crd_part *part, double factor, const double *way, double *f) {
  for (int t = 0; t < slopes->ncoupling; t++) {
    const double *g = crd_slopes_coupling(slopes, t);
    double rate = 0;
    if (slopes->driven[t]) continue;
    CRD_EACH (part, v, i) rate += g[i] * way[i];
    CRD_EACH (part, v, i) f[i] += factor * slopes->coupled_d[t] * rate * g[i];
  }
}
