#include "support/make_model.h"

#include <math.h>

#include "model/hull.h"
#include "model/massprops.h"
#include "support/cmocka_all.h"

int make_bare_body(crd_builder *builder, const char *name, int parent, double x, double y, double z) {
  crd_body_def def = crd_model_body_default();
  def.name = name;
  def.parent = parent;
  def.pos[0] = x, def.pos[1] = y, def.pos[2] = z;
  return crd_model_builder_body(builder, &def);
}

int make_body(crd_builder *builder, const char *name, int parent, double x, double y, double z) {
  crd_body_def def = crd_model_body_default();
  def.name = name;
  def.parent = parent;
  def.pos[0] = x, def.pos[1] = y, def.pos[2] = z;
  def.has_inertial = true;
  def.inertial.mass = 1;
  for (int i = 0; i < 3; i++) def.inertial.inertia[i] = 0.4;
  return crd_model_builder_body(builder, &def);
}

int make_joint(crd_builder *builder, int body, crd_joint_type type, double x, double y, double z) {
  crd_joint_def def = crd_model_joint_default();
  def.type = type;
  def.axis[0] = x, def.axis[1] = y, def.axis[2] = z;
  return crd_model_builder_joint(builder, body, &def);
}

int make_geom(crd_builder *builder, int body, crd_geom_type type, double a, double b, double c) {
  crd_geom_def def = crd_model_geom_default();
  def.type = type;
  def.size[0] = a, def.size[1] = b, def.size[2] = c;
  return crd_model_builder_geom(builder, body, &def);
}

crd_model *make_model(const crd_builder *builder, const crd_build_options *options) {
  crd_build_options standard = crd_model_build_default();
  crd_model *model;
  crd_error err = {0};
  if (crd_model_builder_build(builder, options ? options : &standard, &model, &err) != CRD_OK) fail_msg("%s", err.text);
  return model;
}

void body_inertia(double inertia[6], const crd_body *body) {
  double diagonal[6] = {body->inertia[0], body->inertia[1], body->inertia[2]}, R[9];
  crd_quat_to_mat3(R, body->iquat);
  crd_sym3_rotate(inertia, R, diagonal);
}

void check_body_inertia(const crd_body *body, double mass, const double ipos[3], const double iquat[4],
                        const double moments[3], double tolerance) {
  double found[6], expected[6], diagonal[6] = {moments[0], moments[1], moments[2]}, R[9];
  double relative_mass = body->mass / mass, one = 1;
  check_close(&relative_mass, &one, 1, tolerance);
  check_close(body->ipos, ipos, 3, tolerance);
  body_inertia(found, body);
  crd_quat_to_mat3(R, iquat);
  crd_sym3_rotate(expected, R, diagonal);
  double scale = fmax(expected[0], fmax(expected[1], expected[2]));
  for (int i = 0; i < 6; i++) found[i] /= scale, expected[i] /= scale;
  check_close(found, expected, 6, tolerance);
}

void check_close(const double *found, const double *expected, int n, double tolerance) {
  for (int i = 0; i < n; i++) {
    double allowed = tolerance * fmax(1, fabs(expected[i]));
    if (!(fabs(found[i] - expected[i]) <= allowed))
      fail_msg("entry %d is %.17g, expected %.17g (differs by %g, allowed %g)", i, found[i], expected[i],
               found[i] - expected[i], allowed);
  }
}

crd_model *make_hull_model(const double *vert, int n) {
  if (!crd_hull_available()) skip();
  crd_builder *builder = crd_model_builder_new();
  crd_mesh_def mesh = {.name = "m", .nvert = n, .vert = vert};
  crd_geom_def geom = crd_model_geom_default();
  geom.type = CRD_MESH, geom.mesh = crd_model_builder_mesh(builder, &mesh);
  crd_model_builder_geom(builder, make_body(builder, "b", 0, 0, 0, 0), &geom);
  crd_model *model = make_model(builder, NULL);
  crd_model_builder_free(builder);
  return model;
}
