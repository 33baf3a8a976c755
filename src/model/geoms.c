/* The geoms of the frozen model: placed in their body and in the link they move with. */
#include "model/build.h"
#include "model/check.h"
#include "model/placement.h"
#include "model/shape.h"

#include <math.h>

/* Largest distance of a vertex from the mesh's origin, of a field also of the corners of its base. */
static double mesh_radius(const crd_mesh *mesh) {
  const crd_field *field = &mesh->field;
  double most = field->nrow > 0 ? hypot(hypot(field->half[0], field->half[1]), field->base) : 0;
  for (int i = 0; i < mesh->nvert; i++) most = fmax(most, crd_vec3_norm(mesh->vert + 3 * i));
  return most;
}

static void fill_geom(crd_build *b, int id) {
  const crd_geom_entry *entry = &b->geom_def[b->geom_source[id]];
  const crd_geom_def *def = &entry->def;
  const crd_body *body = &b->body[b->body_id[entry->body]];
  crd_geom *geom = &b->geom[id];
  const bool meshed = def->type == CRD_MESH || def->type == CRD_HFIELD;
  *geom = (crd_geom){.name = crd_build_text(b, def->name),
                     .type = def->type,
                     .body = b->body_id[entry->body],
                     .link = body->link,
                     .mesh = meshed ? def->mesh : -1,
                     .radius = meshed ? mesh_radius(&b->mesh[def->mesh]) : crd_shape_radius(def->type, def->size),
                     .contype = def->contype,
                     .conaffinity = def->conaffinity,
                     .condim = def->condim,
                     .priority = def->priority,
                     .group = def->group,
                     .margin = def->margin,
                     .gap = def->gap,
                     .solmix = def->solmix,
                     .in_fluid = def->in_fluid,
                     .fluid_coef = def->fluid_coef,
                     .restitution = isnan(def->restitution) ? b->options->restitution : def->restitution};
  crd_vec3_copy(geom->size, def->size);
  crd_vec3_copy(geom->friction, def->friction);

  crd_pose in_body = crd_pose_make(def->pos, def->quat), of_body;
  crd_vec3_copy(of_body.p, body->link_pos);
  for (int i = 0; i < 9; i++) of_body.R[i] = body->link_R[i];
  crd_pose in_link = crd_pose_mul(&of_body, &in_body);
  crd_vec3_copy(geom->pos, in_body.p);
  crd_vec3_copy(geom->link_pos, in_link.p);
  for (int i = 0; i < 9; i++) geom->R[i] = in_body.R[i], geom->link_R[i] = in_link.R[i];
}

/* Checks of the placed geom: distances may add up to infinity, and a plane must not move. */
static crd_status check_placed(const crd_build *b, int id) {
  const crd_geom *geom = &b->geom[id];
  crd_element element = crd_element_geom(b, b->geom_source[id]);
  CRD_TRY(crd_check_finite(b, &element, "sum of distances", geom->link_pos, 3));
  if (geom->type != CRD_PLANE) return crd_check_finite(b, &element, "extent", &geom->radius, 1);
  if (geom->link < 0) return CRD_OK;
  return crd_build_fail(b, CRD_ERR_MODEL, &element,
                        "is a plane in the moving body \"%s\" (id %d), planes must be fixed", b->body[geom->body].name,
                        b->geom_def[b->geom_source[id]].body);
}

crd_status crd_build_geoms(crd_build *b) {
  b->geom = crd_arena_alloc(b->arena, (size_t)b->model->ngeom, sizeof *b->geom);
  if (!b->geom) return crd_build_no_memory(b);
  b->model->geom = b->geom;
  for (int i = 0; i < b->model->nbody; i++) b->body[i].first_geom = b->model->ngeom;
  for (int i = b->model->ngeom - 1; i >= 0; i--) {
    fill_geom(b, i);
    CRD_TRY(check_placed(b, i));
    crd_body *body = &b->body[b->geom[i].body];
    body->first_geom = i;
    body->ngeom++;
  }
  return CRD_OK;
}
