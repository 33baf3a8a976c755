#include "outcomes_sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "FROM:TO:COUNT" */
static bool read_range(const char *text, outcomes_sweep *sweep) {
  char *end;
  sweep->from = strtod(text, &end);
  if (end == text || *end != ':') return false;
  text = end + 1, sweep->to = strtod(text, &end);
  if (end == text || *end != ':') return false;
  text = end + 1;
  long count = strtol(text, &end, 10);
  sweep->count = count >= 1 && count <= 10000 ? (int)count : 0;
  return end != text && *end == 0 && sweep->count && isfinite(sweep->from) && isfinite(sweep->to);
}

/* The hinge or slide of that name. */
static bool find_joint(outcomes_sweep *sweep, const cli_problem *input) {
  if (!input->from_model) return false;
  const crd_model *model = input->mechanism.model;
  for (int j = 0; j < model->njoint; j++) {
    const crd_joint *joint = &model->joint[j];
    if (strcmp(joint->name, sweep->name) || (joint->type != CRD_HINGE && joint->type != CRD_SLIDE)) continue;
    sweep->kind = SWEEP_JOINT, sweep->qpos = joint->q;
    return true;
  }
  return false;
}

bool outcomes_sweep_read(outcomes_sweep *sweep, const char *text, const cli_problem *input) {
  *sweep = (outcomes_sweep){.count = 1};
  if (!text) return true;
  const char *equals = strchr(text, '=');
  size_t length = equals ? (size_t)(equals - text) : 0;
  if (!equals || length == 0 || length >= sizeof sweep->name || !read_range(equals + 1, sweep)) {
    cli_complain("outcomes", "--sweep: found '%s', expected NAME=FROM:TO:COUNT with 1 to 10000 values", text);
    return false;
  }
  memcpy(sweep->name, text, length);
  double least = fmin(sweep->from, sweep->to), most = fmax(sweep->from, sweep->to);
  if (strcmp(sweep->name, "mu") == 0)
    sweep->kind = SWEEP_MU;
  else if (strcmp(sweep->name, "e") == 0)
    sweep->kind = SWEEP_E;
  else if (strcmp(sweep->name, "h") == 0)
    sweep->kind = SWEEP_H;
  else if (!find_joint(sweep, input)) {
    cli_hint hint = cli_hint_begin(sweep->name);
    for (int i = 0; input->from_model && i < input->mechanism.model->njoint; i++)
      cli_hint_add(&hint, input->mechanism.model->joint[i].name);
    cli_complain("outcomes", "--sweep: found '%s', expected mu, e, h or the name of a hinge or slide joint%s",
                 sweep->name, hint.text);
    return false;
  }
  bool fits = sweep->kind == SWEEP_MU  ? least >= 0
              : sweep->kind == SWEEP_E ? least >= 0 && most <= 1
              : sweep->kind == SWEEP_H ? least > 0
                                       : true;
  if (!fits)
    cli_complain("outcomes", "--sweep: found %g to %g, expected %s", sweep->from, sweep->to,
                 sweep->kind == SWEEP_MU  ? "friction of at least 0"
                 : sweep->kind == SWEEP_E ? "restitution from 0 to 1"
                                          : "impulses above 0");
  return fits;
}

double outcomes_sweep_apply(const outcomes_sweep *sweep, int i, const outcomes_settings *settings, cli_problem *input,
                            crd_outcome_options *options, crd_status *status) {
  double share = sweep->count > 1 ? (double)i / (sweep->count - 1) : 0;
  double value = sweep->from + share * (sweep->to - sweep->from);
  crd_contact_problem *problem = input->problem;
  *status = CRD_OK;
  for (int c = 0; c < problem->nc; c++) {
    if (sweep->kind == SWEEP_MU) problem->contact[c].mu = problem->contact[c].mu_static = value;
    if (sweep->kind == SWEEP_E) problem->contact[c].e = value;
  }
  if (sweep->kind == SWEEP_H) options->h = value;
  if (sweep->kind == SWEEP_JOINT) {
    input->mechanism.qpos[sweep->qpos] = value;
    *status = cli_contact_problem(&input->mechanism, &settings->common, input->work, true, false, problem);
  }
  return value;
}
