/* Rules for geoms, meshes and stated contact pairs. */
#include "model/check.h"
#include "model/shape.h"

static crd_status check_field(const crd_build *b, const crd_element *element, const crd_mesh_def *def) {
  const crd_field *field = &def->field;
  if (field->nrow < 2 || field->ncol < 2 || !def->height)
    return crd_build_fail(b, CRD_ERR_MODEL, element, "is a field of %d x %d heights, must be one of at least 2 x 2",
                          field->nrow, field->ncol);
  CRD_TRY(crd_check_positive(b, element, "half size", field->half, 2));
  CRD_TRY(crd_check_positive(b, element, "base", &field->base, 1));
  CRD_TRY(crd_check_finite(b, element, "height", def->height, field->nrow * field->ncol));
  for (int i = 0; i < field->nrow * field->ncol; i++)
    if (!(def->height[i] > -field->base))
      return crd_build_fail(b, CRD_ERR_MODEL, element, "height %d is %g, must lie above the base at %g", i,
                            def->height[i], -field->base);
  return CRD_OK;
}

crd_status crd_check_meshes(const crd_build *b) {
  for (int i = 0; i < b->in->mesh.count; i++) {
    const crd_mesh_def *def = &b->mesh_def[i];
    crd_element element = crd_element_mesh(b, i);
    CRD_TRY(crd_check_name(b, &element, &b->in->mesh.names));
    if (def->field.nrow != 0) CRD_TRY(check_field(b, &element, def));
    CRD_TRY(crd_check_finite(b, &element, "vertex", def->vert, 3 * def->nvert));
    for (int k = 0; k < 3 * def->nface; k++)
      if (def->face[k] < 0 || def->face[k] >= def->nvert)
        return crd_build_fail(b, CRD_ERR_MODEL, &element, "face %d refers to vertex %d, there are %d (ids from 0)",
                              k / 3, def->face[k], def->nvert);
  }
  return CRD_OK;
}

static crd_status check_size(const crd_build *b, const crd_element *element, const crd_geom_def *def) {
  if (def->type == CRD_PLANE) return crd_check_not_negative(b, element, "size", def->size, 2);
  return crd_check_positive(b, element, "size", def->size, crd_shape_sizes(def->type));
}

static crd_status check_fluid(const crd_build *b, const crd_element *element, const crd_geom_def *def) {
  const crd_fluid_coef *c = &def->fluid_coef;
  const double numbers[] = {c->blunt, c->slender, c->angular, c->kutta, c->magnus};
  if (def->type == CRD_PLANE || def->type == CRD_MESH || def->type == CRD_HFIELD)
    return crd_build_fail(b, CRD_ERR_MODEL, element, "is a %s in a medium, must be a shape with half axes",
                          crd_model_geom_type_name(def->type));
  return crd_check_not_negative(b, element, "coefficients of the medium", numbers, 5);
}

static crd_status check_geom(const crd_build *b, const crd_element *element, const crd_geom_def *def) {
  if ((int)def->type < CRD_PLANE || (int)def->type > CRD_HFIELD)
    return crd_build_fail(b, CRD_ERR_ARGUMENT, element, "type is %d, must be one of crd_geom_type", (int)def->type);
  if (def->type == CRD_MESH || def->type == CRD_HFIELD) {
    CRD_TRY(crd_check_reference(b, element, "mesh", def->mesh, b->in->mesh.count));
    const bool field = b->mesh_def[def->mesh].field.nrow > 0;
    if (field != (def->type == CRD_HFIELD))
      return crd_build_fail(b, CRD_ERR_MODEL, element, "is a %s of a mesh %s, must have one of its own kind",
                            crd_model_geom_type_name(def->type),
                            field ? "with a height field" : "without height field");
  }
  CRD_TRY(check_size(b, element, def));
  CRD_TRY(crd_check_finite(b, element, "pos", def->pos, 3));
  CRD_TRY(crd_check_direction(b, element, "quat", def->quat, 4));
  if (def->has_mass) {
    CRD_TRY(crd_check_not_negative(b, element, "mass", &def->mass, 1));
  } else {
    CRD_TRY(crd_check_not_negative(b, element, "density", &def->density, 1));
  }
  if (def->shell && def->type == CRD_ELLIPSOID)
    return crd_build_fail(b, CRD_ERR_MODEL, element, "is the shell of an ellipsoid, must be a solid or another shape");
  if (def->in_fluid) CRD_TRY(check_fluid(b, element, def));
  CRD_TRY(crd_check_condim(b, element, def->condim));
  CRD_TRY(crd_check_not_negative(b, element, "friction", def->friction, 3));
  CRD_TRY(crd_check_finite(b, element, "margin", &def->margin, 1));
  CRD_TRY(crd_check_finite(b, element, "gap", &def->gap, 1));
  CRD_TRY(crd_check_finite(b, element, "solmix", &def->solmix, 1));
  return crd_check_restitution(b, element, def->restitution);
}

crd_status crd_check_geoms(const crd_build *b) {
  for (int i = 0; i < b->in->geom.count; i++) {
    crd_element element = crd_element_geom(b, i);
    CRD_TRY(crd_check_name(b, &element, &b->in->geom.names));
    CRD_TRY(crd_check_reference(b, &element, "body", b->geom_def[i].body, b->in->body.count));
    CRD_TRY(check_geom(b, &element, &b->geom_def[i].def));
  }
  return CRD_OK;
}

crd_status crd_check_pairs(const crd_build *b) {
  for (int i = 0; i < b->in->pair.count; i++) {
    const crd_pair_def *def = &b->pair_def[i];
    crd_element element = crd_element_pair(b, i);
    CRD_TRY(crd_check_name(b, &element, &b->in->pair.names));
    CRD_TRY(crd_check_reference(b, &element, "geom", def->geom1, b->in->geom.count));
    CRD_TRY(crd_check_reference(b, &element, "geom", def->geom2, b->in->geom.count));
    if (def->geom1 == def->geom2)
      return crd_build_fail(b, CRD_ERR_MODEL, &element, "both geoms are geom %d, must be two", def->geom1);
    CRD_TRY(crd_check_condim(b, &element, def->condim));
    CRD_TRY(crd_check_not_negative(b, &element, "friction", def->friction, 3));
    CRD_TRY(crd_check_finite(b, &element, "margin", &def->margin, 1));
    CRD_TRY(crd_check_finite(b, &element, "gap", &def->gap, 1));
    CRD_TRY(crd_check_restitution(b, &element, def->restitution));
  }
  for (int i = 0; i < b->in->exclude.count; i++) {
    crd_element element = {"exclude", NULL, i, 0};
    CRD_TRY(crd_check_reference(b, &element, "body", b->exclude_def[i].body1, b->in->body.count));
    CRD_TRY(crd_check_reference(b, &element, "body", b->exclude_def[i].body2, b->in->body.count));
  }
  return CRD_OK;
}
