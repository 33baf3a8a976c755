#include "problem_input.h"

#include <cradle/sim.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void cli_problem_override(crd_contact_problem *problem, const cli_common *common) {
  for (int c = 0; c < problem->nc; c++) {
    crd_contact *contact = &problem->contact[c];
    if (!isnan(common->mu)) contact->mu = contact->mu_static = common->mu;
    if (!isnan(common->e)) contact->e = common->e;
  }
}

bool cli_problem_slides_only(const char *verb, const char *name, const crd_contact_problem *problem) {
  const int c = crd_contact_problem_turning(problem);
  if (c < 0) return true;
  cli_complain(verb,
               "'%s': found torsional or rolling friction at contact %s, expected friction of sliding alone (spin and "
               "roll: `impact` has laws that carry them)",
               name, problem->contact[c].name);
  return false;
}

static int read_file(cli_problem *input, const cli_common *common, bool allow) {
  crd_error err;
  const crd_problem_read_options options = {.any_restitution = allow};
  crd_status status = crd_io_read_problem(input->input, &options, &input->problem, &err);
  if (status) return cli_report(&err);
  cli_problem_override(input->problem, common);
  return CLI_DONE;
}

static int read_model(cli_problem *input, const char *verb, const cli_common *common) {
  input->from_model = true;
  int code = cli_mechanism_read(&input->mechanism, verb, input->input, common);
  if (code != CLI_DONE) return code;
  cli_mechanism_warn(&input->mechanism, common);
  if (!common->quiet && crd_model_has_torsion(input->mechanism.model))
    fprintf(stderr,
            "cradle: impacts of a model have no torsional or rolling friction (condim 4 and 6): `dynamics --problem` "
            "writes it for the laws that have, `run` has it in contacts that persist\n");
  input->work = crd_model_workspace_new(input->mechanism.model);
  input->problem = crd_contact_problem_new();
  crd_status status = CRD_ERR_MEMORY;
  if (input->work && input->problem)
    status = cli_contact_problem(&input->mechanism, common, input->work, true, false, input->problem);
  if (status == CRD_OK) return CLI_DONE;
  int joint = input->work ? crd_model_workspace_singular_joint(input->work) : -1;
  if (status == CRD_SINGULAR && joint >= 0)
    fprintf(stderr, "cradle %s: M is singular: joint '%s' has no inertia to move\n", verb,
            input->mechanism.model->joint[joint].name);
  else
    fprintf(stderr, "cradle %s: the contact problem of '%s': %s\n", verb, input->input, crd_status_text(status));
  return cli_exit_code(status);
}

/* "0, 3, 6 ...": the events at which velocities are known to jump. */
static void list_impacts(const crd_trace *trace, char *text, size_t size) {
  text[0] = '\0';
  for (size_t i = 0, used = 0; i < trace->nevent && used + 24 < size; i++) {
    const double *before = trace->event_qvel_before + i * (size_t)trace->nv;
    if (isnan(before[0]) ||
        memcmp(before, trace->event_qvel + i * (size_t)trace->nv, sizeof *before * (size_t)trace->nv) == 0)
      continue;
    used += (size_t)snprintf(text + used, size - used, "%s%zu", used ? ", " : "", i);
    if (used + 32 > size) snprintf(text + used, size - used, ", ...");
  }
}

static int choose_event(cli_problem *input, const char *verb, uint64_t event) {
  const crd_trace *trace = &input->trace;
  cli_mechanism *mechanism = &input->mechanism;
  char known[160], key[32];
  if (event >= trace->nevent)
    return cli_complain(verb, "--event: found %llu, expected a number below %zu, the events of '%s'",
                        (unsigned long long)event, trace->nevent, input->input);
  if (!trace->event_qvel_before || trace->nv == 0)
    return cli_complain(
        verb, "--event: '%s' does not hold the velocities before its impacts: expected a trace of this version",
        input->input);
  const size_t i = (size_t)event, nq = (size_t)trace->nq, nv = (size_t)trace->nv;
  const double *before = trace->event_qvel_before + i * nv;
  if (isnan(before[0]) || memcmp(before, trace->event_qvel + i * nv, sizeof *before * nv) == 0) {
    list_impacts(trace, known, sizeof known);
    return cli_complain(verb, "--event: found %llu, %s, expected one at which velocities jump (%s)",
                        (unsigned long long)event,
                        isnan(before[0]) ? "an impact within a step, whose instant is not known"
                                         : crd_sim_event_name(trace->event[i].kind),
                        known[0] ? known : "there is none");
  }
  mechanism->qpos = crd_arena_alloc(&mechanism->arena, nq + 1, sizeof *mechanism->qpos);
  mechanism->qvel = crd_arena_alloc(&mechanism->arena, nv + 1, sizeof *mechanism->qvel);
  snprintf(key, sizeof key, "event %llu", (unsigned long long)event);
  mechanism->key = crd_arena_string(&mechanism->arena, key);
  if (!mechanism->qpos || !mechanism->qvel || !mechanism->key) return CLI_SYSTEM;
  memcpy(mechanism->qpos, trace->event_qpos + i * nq, sizeof *before * nq);
  memcpy(mechanism->qvel, before, sizeof *before * nv);
  return CLI_DONE;
}

static bool is_trace(const char *name) {
  size_t length = strlen(name);
  return length > 3 && strcmp(name + length - 3, ".h5") == 0;
}

int cli_problem_read_event(cli_problem *input, const char *verb, const char *name, const cli_common *common,
                           uint64_t event, bool allow) {
  crd_error err = {0};
  *input = (cli_problem){.input = name, .from_model = true};
  cli_mechanism *mechanism = &input->mechanism;
  mechanism->input = name;
  if (!is_trace(name)) return cli_complain(verb, "--event: found '%s', expected a trace (`run -o FILE.h5`)", name);
  if (common->state || common->qpos || common->qvel)
    return cli_complain(verb, "--event: found it beside --state, --qpos or --qvel, expected one state");
  if (!allow && !isnan(common->e) && !(common->e >= 0 && common->e <= 1))
    return cli_complain(verb, "--e: found %g, expected 0 to 1 (--allow takes any)", common->e);
  if (crd_io_read_trace(name, &input->trace, &err) || crd_io_trace_model(&input->trace, &mechanism->model, &err))
    return cli_report(&err);
  int code = choose_event(input, verb, event);
  if (code != CLI_DONE) return code;
  const crd_sim_options *run = &input->trace.header.options;
  crd_contact_options options = crd_contact_default();
  options.distance = fmax(options.distance, crd_sim_contact_band(mechanism->model, run));
  options.mu = isnan(common->mu) ? run->mu : common->mu, options.e = isnan(common->e) ? run->e : common->e;
  crd_contact_assembler *assembler = crd_contact_assembler_new(mechanism->model);
  input->work = crd_model_workspace_new(mechanism->model), input->problem = crd_contact_problem_new();
  crd_status status = CRD_ERR_MEMORY;
  if (assembler && input->work && input->problem)
    status = crd_contact_at_state(assembler, input->work, mechanism->qpos, mechanism->qvel, &options, input->problem);
  crd_contact_assembler_free(assembler);
  if (status == CRD_OK) return CLI_DONE;
  fprintf(stderr, "cradle %s: the contact problem of '%s': %s\n", verb, name, crd_status_text(status));
  return cli_exit_code(status);
}

int cli_problem_read(cli_problem *input, const char *verb, const char *name, const cli_common *common, bool allow) {
  *input = (cli_problem){.input = name};
  if (!allow && !isnan(common->e) && !(common->e >= 0 && common->e <= 1))
    return cli_complain(verb, "--e: found %g, expected 0 to 1 (--allow takes any)", common->e);
  if (is_trace(name))
    return cli_complain(verb,
                        "found the trace '%s', expected a model or a problem (of a trace, `impact` and `outcomes` "
                        "take an impact: --event K)",
                        name);
  return cli_is_problem(name) ? read_file(input, common, allow) : read_model(input, verb, common);
}

void cli_problem_free(cli_problem *input) {
  crd_contact_problem_free(input->problem);
  crd_model_workspace_free(input->work);
  if (input->from_model) cli_mechanism_free(&input->mechanism);
  crd_io_trace_free(&input->trace);
}
