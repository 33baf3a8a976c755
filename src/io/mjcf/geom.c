/* <geom> and <site>. Sites move nothing, but constraints, tendons, actuators and sensors may name them. */
#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "io/mjcf/reader.h"

mjcf_geom mjcf_geom_start(void) {
  return (mjcf_geom){.def = crd_model_geom_default(),
                     .shape = MJCF_SPHERE,
                     .orientation = mjcf_orientation_default(),
                     .fitscale = 1,
                     .paint = mjcf_paint_start()};
}

static void read_mass(mjcf_reader *reader, crd_xml_node *node, mjcf_geom *geom) {
  crd_xml_document *doc = reader->doc;
  if (crd_xml_number(doc, node, "mass", &geom->def.mass)) geom->def.has_mass = true;
  crd_xml_number(doc, node, "density", &geom->def.density);
  if (geom->def.has_mass ? geom->def.mass < 0 : geom->def.density < 0)
    crd_xml_fail(doc, node, CRD_ERR_MODEL, "<geom> %s: found %g, expected a number that is not negative",
                 geom->def.has_mass ? "mass" : "density", geom->def.has_mass ? geom->def.mass : geom->def.density);
  crd_xml_bool(doc, node, "shellinertia", &geom->def.shell);
}

static void read_contact_numbers(mjcf_reader *reader, crd_xml_node *node, crd_geom_def *def) {
  crd_xml_document *doc = reader->doc;
  crd_xml_int(doc, node, "contype", &def->contype);
  crd_xml_int(doc, node, "conaffinity", &def->conaffinity);
  crd_xml_int(doc, node, "priority", &def->priority);
  crd_xml_int(doc, node, "group", &def->group);
  crd_xml_numbers(doc, node, "friction", def->friction, 1, 3);
  crd_xml_number(doc, node, "solmix", &def->solmix);
  crd_xml_number(doc, node, "margin", &def->margin);
  crd_xml_number(doc, node, "gap", &def->gap);
  if (crd_xml_int(doc, node, "condim", &def->condim) && def->condim != 1 && def->condim != 3 && def->condim != 4 &&
      def->condim != 6)
    crd_xml_fail(doc, node, CRD_ERR_NUMBER, "<geom> condim: found %d, expected 1, 3, 4 or 6", def->condim);
  for (int i = 0; i < 3; i++)
    if (def->friction[i] < 0)
      crd_xml_fail(doc, node, CRD_ERR_NUMBER, "<geom> friction: found %g, expected numbers that are not negative",
                   def->friction[i]);
}

static void read_fluid(mjcf_reader *reader, crd_xml_node *node, crd_geom_def *def) {
  static const char *const shapes[] = {"none", "ellipsoid"};
  crd_fluid_coef *c = &def->fluid_coef;
  double coef[5] = {c->blunt, c->slender, c->angular, c->kutta, c->magnus};
  int shape;
  if (crd_xml_keyword(reader->doc, node, "fluidshape", shapes, 2, &shape)) def->in_fluid = shape == 1;
  if (!crd_xml_numbers(reader->doc, node, "fluidcoef", coef, 1, 5)) return;
  *c = (crd_fluid_coef){coef[0], coef[1], coef[2], coef[3], coef[4]};
  for (int i = 0; i < 5; i++)
    if (coef[i] < 0)
      crd_xml_fail(reader->doc, node, CRD_ERR_NUMBER,
                   "<geom> fluidcoef: found %g, expected numbers that are not negative", coef[i]);
}

void mjcf_read_geom(mjcf_reader *reader, crd_xml_node *node, mjcf_geom *geom) {
  static const char *const shapes[] = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                       "cylinder", "box",    "mesh",   "sdf"};
  crd_xml_document *doc = reader->doc;
  crd_xml_enter(node);
  crd_xml_use(node, "class");
  crd_xml_use(node, "name");
  crd_xml_keyword(doc, node, "type", shapes, 9, &geom->shape);
  crd_xml_numbers(doc, node, "size", geom->def.size, 1, 3);
  crd_xml_numbers(doc, node, "pos", geom->def.pos, 3, 3);
  mjcf_read_orientation(reader, node, &geom->orientation);
  if (crd_xml_numbers(doc, node, "fromto", geom->fromto, 6, 6)) geom->has_fromto = true;
  const char *mesh = crd_xml_string(node, "mesh");
  if (mesh) geom->mesh = mesh;
  const char *field = crd_xml_string(node, "hfield");
  if (field) geom->field = field;
  crd_xml_number(doc, node, "fitscale", &geom->fitscale);
  read_mass(reader, node, geom);
  read_fluid(reader, node, &geom->def);
  read_contact_numbers(reader, node, &geom->def);
  mjcf_read_paint(reader, node, &geom->paint);
}

/* How many numbers of `size` count, and must be positive. */
static int size_count(mjcf_shape shape) {
  switch (shape) {
    case MJCF_SPHERE: return 1;
    case MJCF_CAPSULE:
    case MJCF_CYLINDER: return 2;
    case MJCF_ELLIPSOID:
    case MJCF_BOX: return 3;
    default: return 0;
  }
}

static void check_size(mjcf_reader *reader, const crd_xml_node *node, const mjcf_geom *geom) {
  const double *size = geom->def.size;
  int count = size_count((mjcf_shape)geom->shape);
  for (int i = 0; i < count; i++) {
    if (!(size[i] > 0)) {
      crd_xml_fail(reader->doc, node, CRD_ERR_NUMBER,
                   "<geom> size: found %g as number %d, expected %d positive number%s", size[i], i + 1, count,
                   count > 1 ? "s" : "");
      return;
    }
  }
  if (geom->shape == MJCF_PLANE && (size[0] < 0 || size[1] < 0))
    crd_xml_fail(reader->doc, node, CRD_ERR_NUMBER,
                 "<geom> size: found %g %g, expected half sizes of a plane, not negative", size[0], size[1]);
}

static void resolve_fromto(mjcf_reader *reader, const crd_xml_node *node, mjcf_geom *geom) {
  crd_geom_def *def = &geom->def;
  int shape = geom->shape;
  if (shape != MJCF_CAPSULE && shape != MJCF_CYLINDER && shape != MJCF_ELLIPSOID && shape != MJCF_BOX) {
    crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT,
                 "<geom> fromto: found on another type, expected a capsule, cylinder, box or ellipsoid");
    return;
  }
  if (geom->mesh || def->pos[0] != 0 || def->pos[1] != 0 || def->pos[2] != 0) {
    crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT, "<geom> fromto: found together with %s, expected one of them",
                 geom->mesh ? "mesh" : "pos");
    return;
  }
  double half;
  mjcf_resolve_fromto(reader, node, geom->fromto, def->pos, def->quat, &half);
  if (shape == MJCF_ELLIPSOID || shape == MJCF_BOX) {
    def->size[1] = def->size[0];
    def->size[2] = half;
  } else {
    def->size[1] = half;
  }
}

/* e of the geom, where <custom> gives it one. */
static void resolve_restitution(mjcf_reader *reader, crd_geom_def *def) {
  crd_xml_node *element = def->name ? crd_name_find(&reader->restitution, def->name) : NULL;
  if (element) crd_xml_number(reader->doc, element, "prm", &def->restitution);
}

static bool collides(const mjcf_reader *reader, const crd_geom_def *def) {
  if (def->contype != 0 || def->conaffinity != 0) return true;
  return def->name && crd_name_find(&reader->paired, def->name);
}

/* Is mass taken from this geom? */
static bool weighs(const mjcf_reader *reader, const crd_geom_def *def, bool infers) {
  const int *groups = reader->build->inertia_groups;
  return infers && def->group >= groups[0] && def->group <= groups[1] &&
         (def->has_mass ? def->mass : def->density) != 0;
}

static bool resolve_mesh(mjcf_reader *reader, crd_xml_node *node, mjcf_geom *geom) {
  mjcf_mesh *mesh = mjcf_find_mesh(reader, node, geom);
  if (!mesh) return false;
  geom->def.type = CRD_MESH;
  geom->def.mesh = mjcf_need_mesh(reader, mesh);
  return crd_xml_ok(reader->doc);
}

/* Determines type and role of the geom; false where it is left out (or an error is set). */
static bool resolve_shape(mjcf_reader *reader, crd_xml_node *node, mjcf_geom *geom, bool infers) {
  static const crd_geom_type type[] = {CRD_PLANE,     CRD_PLANE,    CRD_SPHERE, CRD_CAPSULE,
                                       CRD_ELLIPSOID, CRD_CYLINDER, CRD_BOX,    CRD_MESH};
  bool mass = geom->shape != MJCF_HFIELD && weighs(reader, &geom->def, infers),
       matters = mass || collides(reader, &geom->def);
  bool from_file = geom->mesh || geom->shape == MJCF_MESH || geom->shape == MJCF_HFIELD || geom->shape == MJCF_SDF;
  const crd_medium *medium = &reader->build->medium;
  if (medium->density == 0 && medium->viscosity == 0) geom->def.in_fluid = false;
  if (geom->def.in_fluid && (from_file || geom->shape == MJCF_PLANE)) {
    if (!mjcf_leave_out(reader, node, "fluidshape",
                        "ellipsoids of meshes, planes and fields in a medium are not supported"))
      return false;
    geom->def.in_fluid = false;
  }
  if (from_file && !matters) {
    if (geom->mesh) mjcf_find_mesh(reader, node, geom);
    mjcf_ignore(node, "only for show, its file is not read");
    return false;
  }
  if (geom->shape == MJCF_SDF) {
    mjcf_leave_out(reader, node, NULL, "signed distance fields are not supported");
    return false;
  }
  if (geom->shape == MJCF_HFIELD) {
    geom->def.type = CRD_HFIELD;
    geom->def.mesh = mjcf_need_field(reader, node, geom->field);
    return crd_xml_ok(reader->doc);
  }
  if (mass && geom->def.shell && (geom->shape == MJCF_ELLIPSOID || geom->shape == MJCF_MESH)) {
    mjcf_leave_out(reader, node, "shellinertia",
                   geom->shape == MJCF_MESH ? "a shell of a mesh is said by inertia=\"shell\" of the mesh"
                                            : "the shell of an ellipsoid has no closed form");
    geom->def.shell = false;
  }
  if (geom->shape == MJCF_MESH) return resolve_mesh(reader, node, geom);
  if (geom->mesh) return mjcf_fit_mesh(reader, node, geom);
  geom->def.type = type[geom->shape];
  return true;
}

void mjcf_add_geom(mjcf_reader *reader, crd_xml_node *node, int body, bool infers, const mjcf_frame *frame,
                   const mjcf_class *defaults) {
  mjcf_geom geom = mjcf_class_of(reader, node, "class", defaults)->geom;
  mjcf_read_geom(reader, node, &geom);
  crd_geom_def *def = &geom.def;
  def->name = crd_xml_string(node, "name");
  def->line = node->place;
  if (geom.has_fromto) {
    resolve_fromto(reader, node, &geom);
  } else {
    mjcf_resolve_orientation(reader, node, &geom.orientation, def->quat);
  }
  if (!crd_xml_ok(reader->doc)) return;
  if (reader->set.discard_visual && def->contype == 0 && def->conaffinity == 0) {
    mjcf_ignore(node, "discardvisual takes it away, and its mass with it, as in MuJoCo 2");
    return;
  }
  resolve_restitution(reader, def);
  const mjcf_geom stated = geom;
  if (!resolve_shape(reader, node, &geom, infers)) {
    mjcf_enter_name(reader, &reader->geoms, node, def->name, -1, NULL);
    mjcf_show_geom(reader, node, body, frame, stated, false);
    return;
  }
  check_size(reader, node, &geom);
  if (reader->no_contact || reader->collision == MJCF_COLLIDE_PREDEFINED) def->contype = def->conaffinity = 0;
  mjcf_frame place;
  crd_vec3_copy(place.pos, def->pos);
  memcpy(place.quat, def->quat, sizeof place.quat);
  mjcf_compose(frame, &place);
  crd_vec3_copy(def->pos, place.pos);
  memcpy(def->quat, place.quat, sizeof place.quat);
  if (!crd_xml_ok(reader->doc)) return;
  int id = mjcf_added(reader, crd_model_builder_geom(reader->builder, body, def));
  mjcf_enter_name(reader, &reader->geoms, node, def->name, id, NULL);
  mjcf_show_geom(reader, node, body, NULL, geom, true);
}

/* ------------------------------------------------------------------------------------------------ sites */

mjcf_site mjcf_site_start(void) {
  const crd_site_def def = crd_model_site_default();
  return (mjcf_site){
      .orientation = mjcf_orientation_default(), .type = def.type, .size = {def.size[0], def.size[1], def.size[2]}};
}

void mjcf_read_site(mjcf_reader *reader, crd_xml_node *node, mjcf_site *site) {
  crd_xml_enter(node);
  crd_xml_use(node, "class");
  static const char *const words[] = {"sphere", "capsule", "ellipsoid", "cylinder", "box"};
  int which;
  crd_xml_use(node, "name");
  if (crd_xml_keyword(reader->doc, node, "type", words, 5, &which))
    site->type = (crd_geom_type)((int)CRD_SPHERE + which);
  crd_xml_numbers(reader->doc, node, "size", site->size, 1, 3);
  crd_xml_numbers(reader->doc, node, "pos", site->frame.pos, 3, 3);
  mjcf_read_orientation(reader, node, &site->orientation);
  if (crd_xml_numbers(reader->doc, node, "fromto", site->fromto, 6, 6)) site->has_fromto = true;
}

void mjcf_add_site(mjcf_reader *reader, crd_xml_node *node, int body, const mjcf_frame *frame,
                   const mjcf_class *defaults) {
  mjcf_site *site = mjcf_alloc(reader, 1, sizeof *site);
  if (!site) return;
  *site = mjcf_class_of(reader, node, "class", defaults)->site;
  mjcf_read_site(reader, node, site);
  site->body = body;
  double half;
  if (site->has_fromto) {
    mjcf_resolve_fromto(reader, node, site->fromto, site->frame.pos, site->frame.quat, &half);
    const bool long_axis_last = site->type == CRD_ELLIPSOID || site->type == CRD_BOX;
    if (long_axis_last) site->size[1] = site->size[0];
    site->size[long_axis_last ? 2 : 1] = half;
  } else {
    mjcf_resolve_orientation(reader, node, &site->orientation, site->frame.quat);
  }
  mjcf_compose(frame, &site->frame);
  crd_site_def def = {.name = crd_xml_string(node, "name"), .type = site->type, .line = node->place};
  crd_vec3_copy(def.size, site->size);
  crd_vec3_copy(def.pos, site->frame.pos);
  memcpy(def.quat, site->frame.quat, sizeof def.quat);
  if (!crd_xml_ok(reader->doc)) return;
  int id = mjcf_added(reader, crd_model_builder_site(reader->builder, body, &def));
  mjcf_enter_name(reader, &reader->sites, node, def.name, id, site);
}
