/* Links that can only move in a plane, known from the model alone: all hinges above them are parallel to one axis a,
 * all slides perpendicular to it, whatever the state. Then no motion has a velocity along a or a turn across it, and a
 * row that asks for one is zero. This spares a planar mechanism, in every step, the test of its rows' entries.
 */
#include <cradle/linalg.h>
#include <string.h>

#include "contact/assemble.h"

static const double PARALLEL = 1e-6; /* sine below which two slides span no plane */

/* Axes count as parallel or perpendicular within this (sine, cosine). */
static const double ALIGNED = 1e-12;

/* World direction of a joint's axis where all joints stand at zero: turning about a changes neither a nor what is
 * perpendicular to it in any way that matters here. */
static void place_axes(const crd_model *model, double (*R)[9]) {
  static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (int k = 0; k < model->nlink; k++) {
    const crd_link *link = &model->link[k];
    crd_mat3_mul(R[k], link->parent < 0 ? identity : R[link->parent], link->R0);
  }
}

/* Does the joint keep all motion perpendicular to a? */
static bool keeps_plane(const crd_link *link, const double R[9], const double a[3]) {
  double z[3] = {R[2], R[5], R[8]}, cross[3];
  if (link->type == CRD_SLIDE) return fabs(crd_vec3_dot(z, a)) <= ALIGNED;
  crd_vec3_cross(cross, z, a);
  return link->type == CRD_HINGE && crd_vec3_norm(cross) <= ALIGNED;
}

/* The axis that the joints from the base to link k leave: that of a hinge, else across two slides. */
static bool find_axis(const crd_model *model, double (*R)[9], int k, double a[3]) {
  double first[3] = {0};
  bool slides = false;
  for (; k >= 0; k = model->link[k].parent) {
    double z[3] = {R[k][2], R[k][5], R[k][8]};
    crd_vec3_copy(a, z);
    if (model->link[k].type == CRD_HINGE) return true;
    if (model->link[k].type != CRD_SLIDE) return false;
    crd_vec3_cross(a, first, z);
    if (slides && crd_vec3_normalize(a) > PARALLEL) return true;
    if (!slides) crd_vec3_copy(first, z);
    slides = true;
  }
  return false;
}

crd_status crd_planes_find(crd_contact_assembler *s) {
  const crd_model *model = s->model;
  crd_arena scratch = {0};
  double(*R)[9] = crd_arena_alloc(&scratch, (size_t)model->nlink, sizeof *R);
  s->plane = crd_arena_alloc(&s->arena, (size_t)model->nlink, sizeof *s->plane);
  if (R && s->plane) place_axes(model, R);
  for (int k = 0; R && s->plane && k < model->nlink; k++) {
    double *a = s->plane[k].axis;
    s->plane[k].planar = find_axis(model, R, k, a);
    for (int j = k; j >= 0 && s->plane[k].planar; j = model->link[j].parent)
      s->plane[k].planar = keeps_plane(&model->link[j], R[j], a);
  }
  crd_arena_free(&scratch);
  return R && s->plane ? CRD_OK : CRD_ERR_MEMORY;
}

/* Is the row's velocity of this body zero in every motion? */
static bool body_cannot(const crd_contact_assembler *s, int body, const double d[6]) {
  int link = s->model->body[body].link;
  if (link < 0) return true;
  if (!s->plane[link].planar) return false;
  const double *a = s->plane[link].axis;
  double cross[3];
  crd_vec3_cross(cross, d + 3, a);
  return fabs(crd_vec3_dot(d, a)) <= ALIGNED && crd_vec3_norm(cross) <= ALIGNED;
}

bool crd_planes_forbid(const crd_contact_assembler *s, const crd_row *row) {
  return body_cannot(s, row->body[0], row->direction) && body_cannot(s, row->body[1], row->direction);
}
