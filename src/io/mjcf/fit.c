/* A geom with a mesh whose type is a primitive: the primitive is fitted to the mesh.
 *
 * It lies at the mesh's centre of mass, along its principal axes (largest moment first), with the sizes of the box of
 * equal inertia. With fitaabb it is the smallest one whose bounding box along these axes holds that of the mesh (MuJoCo
 * 3; MuJoCo 2 fitted the vertices, and put the centre of the box in the wrong frame). [MuJoCo, XML reference, geom/mesh
 * and compiler/fitaabb]
 */
#include <cradle/linalg.h>
#include <math.h>

#include "io/mjcf/reader.h"
#include "model/hull.h"
#include "model/mesh.h"

/* Centre of mass, principal axes and, about them, the half sizes of the box of equal inertia. */
static bool find_inertia_box(mjcf_reader *reader, const crd_xml_node *node, const crd_mesh_data *mesh,
                             crd_mesh_inertia inertia, mjcf_frame *frame, double box[3]) {
  crd_xml_document *doc = reader->doc;
  crd_hull hull = {.nface = mesh->nface, .face = mesh->face};
  crd_status status = mesh->nface ? CRD_OK : crd_hull_make(&hull, &doc->arena, mesh->nvert, mesh->vert);
  const crd_mesh_rule rule = {.inertia = inertia};
  crd_massprops solid;
  double volume, moment[3];
  if (status == CRD_OK) status = crd_mesh_integrate(mesh->vert, hull.nface, hull.face, rule, &solid, &volume);
  if (status != CRD_OK) {
    crd_xml_fail(doc, node, CRD_ERR_MODEL, "<geom> mesh: found a mesh without volume, expected one to fit a shape to");
    return false;
  }
  crd_sym3_eigen(moment, frame->quat, solid.inertia);
  crd_vec3_copy(frame->pos, solid.com);
  /* A box of mass 1 and half sizes a b c has the moments (b^2 + c^2)/3, ... */
  double sum = moment[0] + moment[1] + moment[2];
  for (int i = 0; i < 3; i++) box[i] = sqrt(fmax(0, 3 * (sum - 2 * moment[i]) / 2));
  return true;
}

static void fit_to_inertia(int shape, const double box[3], double size[3]) {
  double radius = (box[0] + box[1]) / 2;
  switch (shape) {
    case MJCF_SPHERE: size[0] = (box[0] + box[1] + box[2]) / 3; break;
    case MJCF_CAPSULE: size[0] = radius, size[1] = fmax(0, box[2] - radius / 2); break;
    case MJCF_CYLINDER: size[0] = radius, size[1] = box[2]; break;
    default: crd_vec3_copy(size, box);
  }
}

/* The bounding box along the axes of frame: half sizes, and its centre becomes the frame's origin. */
static void find_bounding_box(const crd_mesh_data *mesh, mjcf_frame *frame, double half[3]) {
  double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, R[9], centre[3];
  crd_quat_to_mat3(R, frame->quat);
  for (int i = 0; i < mesh->nvert; i++) {
    double d[3];
    crd_mat3_tmul_vec(d, R, mesh->vert + 3 * i);
    for (int k = 0; k < 3; k++) low[k] = fmin(low[k], d[k]), high[k] = fmax(high[k], d[k]);
  }
  for (int k = 0; k < 3; k++) {
    centre[k] = 0.5 * (low[k] + high[k]);
    half[k] = high[k] - centre[k];
  }
  crd_mat3_mul_vec(frame->pos, R, centre);
}

static void fit_to_box(int shape, const double half[3], double size[3]) {
  double radius = fmax(half[0], half[1]);
  switch (shape) {
    case MJCF_SPHERE: size[0] = fmax(radius, half[2]); break;
    case MJCF_CAPSULE: size[0] = radius, size[1] = half[2] - radius; break;
    case MJCF_CYLINDER: size[0] = radius, size[1] = half[2]; break;
    default: crd_vec3_copy(size, half);
  }
}

bool mjcf_fit_mesh(mjcf_reader *reader, crd_xml_node *node, mjcf_geom *geom) {
  static const crd_geom_type type[] = {[MJCF_SPHERE] = CRD_SPHERE,
                                       [MJCF_CAPSULE] = CRD_CAPSULE,
                                       [MJCF_ELLIPSOID] = CRD_ELLIPSOID,
                                       [MJCF_CYLINDER] = CRD_CYLINDER,
                                       [MJCF_BOX] = CRD_BOX};
  if (geom->shape < MJCF_SPHERE || geom->shape > MJCF_BOX) {
    crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT,
                 "<geom> mesh: found on a plane, expected a type that can be fitted to a mesh");
    return false;
  }
  mjcf_mesh *mesh = mjcf_find_mesh(reader, node, geom);
  const crd_mesh_data *data = mesh ? mjcf_load_mesh(reader, mesh) : NULL;
  mjcf_frame frame;
  double box[3];
  if (!data || !find_inertia_box(reader, node, data, mjcf_inertia_rule(reader, mesh), &frame, box)) return false;
  if (reader->set.fit_aabb) {
    find_bounding_box(data, &frame, box);
    fit_to_box(geom->shape, box, geom->def.size);
  } else {
    fit_to_inertia(geom->shape, box, geom->def.size);
  }
  crd_vec3_scale(geom->def.size, geom->fitscale, geom->def.size);
  mjcf_frame outer;
  crd_vec3_copy(outer.pos, geom->def.pos);
  for (int i = 0; i < 4; i++) outer.quat[i] = geom->def.quat[i];
  mjcf_compose(&outer, &frame);
  crd_vec3_copy(geom->def.pos, frame.pos);
  for (int i = 0; i < 4; i++) geom->def.quat[i] = frame.quat[i];
  geom->def.type = type[geom->shape];
  return true;
}
