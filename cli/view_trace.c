/* The page of a trace and its pictures. */
#include <cradle/sim.h>

#include <math.h>
#include <string.h>

#include "torque_file.h"
#include "view.h"

crd_contact_problem *view_first_contacts(const crd_trace *trace, const crd_model *model) {
  crd_contact_options options = crd_contact_default();
  options.mu = trace->header.options.mu, options.e = trace->header.options.e;
  options.distance = fmax(options.distance, crd_sim_contact_band(model, &trace->header.options));
  crd_contact_assembler *assembler = crd_contact_assembler_new(model);
  crd_workspace *work = crd_model_workspace_new(model);
  crd_contact_problem *problem = crd_contact_problem_new();
  const bool found = assembler && work && problem &&
                     crd_contact_at_state(assembler, work, trace->qpos, trace->qvel, &options, problem) == CRD_OK;
  crd_contact_assembler_free(assembler), crd_model_workspace_free(work);
  if (found) return problem;
  crd_contact_problem_free(problem);
  return NULL;
}

static void add_torques(void *context, double t, double *ctrl, double *tau) {
  const torque_file *file = context;
  torque_file_apply(file, torque_file_row(file, t), t, ctrl, tau);
}

static crd_status run_text(const crd_trace *trace, const crd_model *model, crd_arena *arena, const char **text,
                           crd_error *err) {
  const crd_trace_header *header = &trace->header;
  torque_file torque = {0};
  const crd_run_inputs inputs = {add_torques, &torque};
  crd_status status = CRD_OK;
  if (header->torque) status = torque_file_read(&torque, header->torque, header->torque_input, model, err);
  if (header->torque) torque.linear = strcmp(header->torque_hold, "linear") == 0;
  if (status == CRD_OK) status = crd_io_run_text(trace, model, header->torque ? &inputs : NULL, arena, text, err);
  torque_file_free(&torque);
  return status;
}

static int write_page(const crd_trace *trace, const char *html, bool fresh) {
  cli_page page = {0};
  crd_model *model = NULL;
  crd_visuals visuals = {0};
  crd_error err = {0};
  const char *run = NULL, *scene = NULL;
  crd_status status = crd_io_trace_model(trace, &model, &err);
  if (status == CRD_OK && (model->nq != trace->nq || trace->nrow == 0))
    status = crd_error_set(&err, CRD_ERR_MODEL, NULL, 0,
                           "the trace has %zu rows of %d coordinates, expected rows of the %d of its mechanism",
                           trace->nrow, trace->nq, model->nq);
  crd_contact_problem *problem = status == CRD_OK ? view_first_contacts(trace, model) : NULL;
  if (status == CRD_OK) status = crd_io_trace_visuals(trace, &visuals, &err);
  if (status == CRD_OK)
    status = crd_io_scene_text(model, trace->qpos, trace->qvel, problem, &visuals, &page.arena, &scene, &err);
  if (status == CRD_OK) status = run_text(trace, model, &page.arena, &run, &err);
  cli_page_add_text(&page, "run", run);
  cli_page_add_text(&page, "scene", scene);
  if (fresh) cli_page_add_source(&page, trace->header.input[0] == '@' ? 0 : trace->header.nfile, trace->header.file);
  cli_note_visuals(&visuals);
  crd_io_visuals_free(&visuals);
  crd_contact_problem_free(problem);
  crd_model_free(model);
  if (status == CRD_OK) return cli_page_write(&page, html, "run");
  crd_arena_free(&page.arena);
  return cli_report(&err);
}

int view_trace(const crd_trace *trace, const char *html, const view_picture *wanted, bool fresh) {
  int code = html ? write_page(trace, html, fresh) : CLI_DONE;
  if (code == CLI_DONE && picture_wanted(&wanted->files)) code = view_trace_picture(trace, wanted);
  return code;
}
