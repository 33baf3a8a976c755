/* Scenes as pictures: a trace at some of its times, side by side in one scale (--at), or a mechanism at a state with
 * its contacts and where they come from. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/plot.h"
#include "draw/scene.h"
#include "picture_files.h"
#include "view.h"

enum { MOST_MARKS = 256, FRAME = 260, CAPTION = 26, APPROACH = 0xcc4400 };

/* ------------------------------------------------------------------------------------------------ times */

typedef struct moment {
  double t;
  size_t row;         /* whose contacts belong to it */
  const double *qpos; /* of that row, or of the event at this instant */
} moment;

/* The row nearest to t, or the event at t itself. */
static moment moment_at(const crd_trace *trace, double t) {
  size_t row = 0;
  while (row + 1 < trace->nrow && trace->t[row + 1] - t <= t - trace->t[row]) row++;
  moment m = {trace->t[row], row, trace->qpos + row * (size_t)trace->nq};
  for (size_t e = 0; e < trace->nevent; e++)
    if (trace->event[e].t == t) m.t = t, m.qpos = trace->event_qpos + e * (size_t)trace->nq;
  return m;
}

/* ------------------------------------------------------------------------------------------------ contacts */

static int compare_numbers(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static void impulse_of(const crd_sim_contact *c, double impulse[3]) {
  for (int k = 0; k < 3; k++)
    impulse[k] = c->impulse_n * c->contact.normal[k] + c->impulse_t[0] * c->contact.tangent[0][k] +
                 c->impulse_t[1] * c->contact.tangent[1][k];
}

/* The 90th of 100 over the trace: rare peaks would make all else invisible. */
static double usual_impulse(const crd_trace *trace) {
  const size_t all = (size_t)trace->offset[trace->nrow];
  double *size = malloc((all + 1) * sizeof *size), usual = 0;
  size_t count = 0;
  for (size_t i = 0; size && i < all; i++) {
    double impulse[3];
    impulse_of(&trace->contact[i], impulse);
    size[count] = sqrt(impulse[0] * impulse[0] + impulse[1] * impulse[1] + impulse[2] * impulse[2]);
    count += size[count] > 0;
  }
  if (count > 0) {
    qsort(size, count, sizeof *size, compare_numbers);
    usual = size[(count - 1) * 9 / 10];
  }
  free(size);
  return usual;
}

/* The contacts of the row with their impulses; the usual one is drawn as 0.3 of the mechanism, peaks are cut. */
static int marks_of(const crd_trace *trace, size_t row, double usual, double size, scene_mark *mark, int capacity) {
  int count = 0;
  for (int64_t i = trace->offset[row]; i < trace->offset[row + 1] && count < capacity; i++) {
    const crd_sim_contact *c = &trace->contact[i];
    scene_mark *m = &mark[count++];
    double impulse[3];
    impulse_of(c, impulse);
    const double length = sqrt(impulse[0] * impulse[0] + impulse[1] * impulse[1] + impulse[2] * impulse[2]);
    const double drawn = usual > 0 ? fmin(0.3 * length / usual, 0.9) * size : 0;
    *m = (scene_mark){.mu = c->contact.mu, .colour = scene_mode_colour(c->mode)};
    memcpy(m->point, c->contact.point, sizeof m->point);
    memcpy(m->normal, c->contact.normal, sizeof m->normal);
    for (int k = 0; k < 3; k++)
      m->from[k] = m->point[k], m->to[k] = m->point[k] + (length > 0 ? drawn / length * impulse[k] : 0);
  }
  return count;
}

/* Those of the first row, without impulses: it belongs to no step. */
static int first_marks(const crd_trace *trace, const crd_model *model, scene_mark *mark, int capacity) {
  crd_contact_problem *problem = view_first_contacts(trace, model);
  int count = 0;
  for (int c = 0; problem && c < problem->nc && count < capacity; c++) {
    const crd_contact *contact = &problem->contact[c];
    scene_mark *m = &mark[count++];
    *m = (scene_mark){.mu = contact->ntangent ? contact->mu : 0, .colour = scene_mode_colour(CRD_MODE_NONE)};
    memcpy(m->point, contact->point, sizeof m->point);
    memcpy(m->normal, contact->normal, sizeof m->normal);
    memcpy(m->from, m->point, sizeof m->from), memcpy(m->to, m->point, sizeof m->to);
  }
  crd_contact_problem_free(problem);
  return count;
}

static crd_status draw_moments(picture *p, scene_camera *camera, const crd_trace *trace, const crd_model *model,
                               const moment *moments, int count) {
  const picture_font font = plot_font(PICTURE_MIDDLE, PLOT_INK);
  crd_workspace *work = crd_model_workspace_new(model);
  const size_t nq = (size_t)model->nq;
  double *qpos = malloc((nq * (size_t)count + 1) * sizeof *qpos);
  scene_mark *mark = malloc(MOST_MARKS * sizeof *mark);
  crd_status status = work && qpos && mark ? CRD_OK : CRD_ERR_MEMORY;
  for (int i = 0; status == CRD_OK && i < count; i++) memcpy(qpos + nq * (size_t)i, moments[i].qpos, nq * sizeof *qpos);
  if (status == CRD_OK) status = scene_fit(camera, model, work, qpos, count, FRAME, FRAME);
  const double usual = usual_impulse(trace);
  for (int i = 0; status == CRD_OK && i < count; i++) {
    char caption[64];
    camera->left = FRAME * i;
    int marks = marks_of(trace, moments[i].row, usual, camera->size, mark, MOST_MARKS);
    if (moments[i].row == 0 && marks == 0) marks = first_marks(trace, model, mark, MOST_MARKS);
    status = scene_draw(p, camera, model, work, moments[i].qpos, mark, marks);
    snprintf(caption, sizeof caption, "t = %.6g s", moments[i].t);
    picture_text(p, FRAME * (i + 0.5), FRAME + 17, &font, caption);
  }
  free(mark), free(qpos);
  crd_model_workspace_free(work);
  return status;
}

int view_trace_scenes(const crd_trace *trace, const view_picture *wanted) {
  double t[VIEW_MOST_TIMES];
  moment moments[VIEW_MOST_TIMES];
  scene_camera camera;
  crd_model *model = NULL;
  crd_error err = {0};
  const int count = view_times(wanted, trace->t[0], trace->t[trace->nrow - 1], t);
  if (count < 0) return CLI_BAD_INPUT;
  for (int i = 0; i < count; i++) moments[i] = moment_at(trace, t[i]);
  if (crd_io_trace_model(trace, &model, &err) != CRD_OK) return cli_report(&err);
  int code = CLI_BAD_INPUT;
  if (model->nq != trace->nq)
    cli_complain(wanted->verb, "found %d coordinates, expected the %d of the mechanism", trace->nq, model->nq);
  else if (scene_look(&camera, wanted->look, model)) {
    picture p = picture_begin(FRAME * count, FRAME + CAPTION);
    if (draw_moments(&p, &camera, trace, model, moments, count) != CRD_OK) p.failed = true;
    code = picture_write(&p, &wanted->files);
  }
  crd_model_free(model);
  return code;
}

/* ------------------------------------------------------------------------------------------------ a mechanism */

/* Contacts with where they come from: an arrow along the relative velocity that ends at the point. */
static int problem_marks(const crd_contact_problem *problem, double size, scene_mark *mark, int capacity) {
  double fastest = 0;
  for (int i = 0; i < problem->nrow; i++) fastest = fmax(fastest, fabs(problem->u[i]));
  int count = 0;
  for (int c = 0; c < problem->nc && count < capacity; c++) {
    const crd_contact *contact = &problem->contact[c];
    scene_mark *m = &mark[count++];
    *m = (scene_mark){.mu = contact->ntangent ? contact->mu : 0, .colour = scene_mode_colour(CRD_MODE_NONE)};
    memcpy(m->point, contact->point, sizeof m->point);
    memcpy(m->normal, contact->normal, sizeof m->normal);
    for (int k = 0; k < 3; k++) {
      double u = problem->u[contact->row] * contact->normal[k];
      for (int t = 0; t < contact->ntangent; t++) u += problem->u[contact->row + 1 + t] * contact->tangent[t][k];
      m->to[k] = m->point[k], m->from[k] = m->point[k] - (fastest > 0 ? 0.3 * size / fastest * u : 0);
    }
    if (m->from[0] != m->to[0] || m->from[1] != m->to[1] || m->from[2] != m->to[2]) m->colour = APPROACH;
  }
  return count;
}

int view_mechanism_picture(const cli_mechanism *mechanism, const crd_contact_problem *problem,
                           const view_picture *wanted) {
  scene_camera camera;
  const crd_model *model = mechanism->model;
  if (!scene_look(&camera, wanted->look, model)) return CLI_BAD_INPUT;
  crd_workspace *work = crd_model_workspace_new(model);
  scene_mark *mark = malloc(MOST_MARKS * sizeof *mark);
  picture p = picture_begin(FRAME, FRAME);
  crd_status status = work && mark ? scene_fit(&camera, model, work, mechanism->qpos, 1, FRAME, FRAME) : CRD_ERR_MEMORY;
  if (status == CRD_OK) {
    const int marks = problem_marks(problem, camera.size, mark, MOST_MARKS);
    status = scene_draw(&p, &camera, model, work, mechanism->qpos, mark, marks);
  }
  if (status != CRD_OK) p.failed = true;
  free(mark);
  crd_model_workspace_free(work);
  return picture_write(&p, &wanted->files);
}
