/* <compiler> and <option>: meaning of the numbers in the file, and active forces.
 *
 * Several <compiler> or <option> elements (from includes) add up, the last value counts, as in MuJoCo. Disabled kinds
 * of forces are taken out of the model when their elements are read.
 */
#include <string.h>

#include "io/mjcf/reader.h"

/* ------------------------------------------------------------------------------------------------ compiler */

static void read_eulerseq(mjcf_reader *reader, crd_xml_node *node) {
  const char *text = crd_xml_string(node, "eulerseq");
  if (!text) return;
  if (strlen(text) != 3 || strspn(text, "xyzXYZ") != 3) {
    crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT,
                 "<compiler> eulerseq: found '%.20s', expected three letters of x y z X Y Z", text);
    return;
  }
  memcpy(reader->set.eulerseq, text, 3);
}

static void read_inertia_settings(mjcf_reader *reader, crd_xml_node *node) {
  crd_xml_document *doc = reader->doc;
  crd_build_options *build = reader->build;
  double total;
  if (crd_xml_number(doc, node, "settotalmass", &total)) build->total_mass = total > 0 ? total : 0;
  crd_xml_number(doc, node, "boundmass", &build->bound_mass);
  crd_xml_number(doc, node, "boundinertia", &build->bound_inertia);
  if (build->bound_mass < 0 || build->bound_inertia < 0)
    crd_xml_fail(doc, node, CRD_ERR_NUMBER,
                 "<compiler> boundmass, boundinertia: found a negative number, expected at least 0");
  crd_xml_bool(doc, node, "balanceinertia", &build->balance_inertia);
  crd_xml_bool(doc, node, "exactmeshinertia", &reader->set.exact_mesh_inertia);
  crd_xml_ints(doc, node, "inertiagrouprange", build->inertia_groups, 2, 2);
  static const char *const from_geom[] = {"false", "true", "auto"};
  static const crd_inertia_source source[] = {CRD_INERTIA_GIVEN, CRD_INERTIA_GEOMS, CRD_INERTIA_AUTO};
  int which;
  if (crd_xml_keyword(doc, node, "inertiafromgeom", from_geom, 3, &which)) build->inertia_source = source[which];
}

mjcf_settings mjcf_settings_start(void) {
  return (mjcf_settings){.degrees = true, .autolimits = true, .eulerseq = "xyz"};
}

void mjcf_read_compiler(mjcf_reader *reader, crd_xml_node *node) {
  static const char *const angle[] = {"radian", "degree"}, *const coordinate[] = {"local", "global"};
  crd_xml_document *doc = reader->doc;
  crd_xml_enter(node);
  int which;
  if (crd_xml_keyword(doc, node, "angle", angle, 2, &which)) reader->set.degrees = which == 1;
  if (crd_xml_keyword(doc, node, "coordinate", coordinate, 2, &which) && which == 1)
    crd_xml_fail(doc, node, CRD_ERR_FORMAT,
                 "<compiler> coordinate: found 'global', expected 'local': MuJoCo dropped global coordinates");
  read_eulerseq(reader, node);
  read_inertia_settings(reader, node);
  crd_xml_bool(doc, node, "autolimits", &reader->set.autolimits);
  crd_xml_bool(doc, node, "strippath", &reader->set.strip_path);
  crd_xml_bool(doc, node, "fitaabb", &reader->set.fit_aabb);
  crd_xml_bool(doc, node, "discardvisual", &reader->set.discard_visual);
  for (crd_xml_node *range = crd_xml_child(node, "lengthrange"); range; range = crd_xml_next(range)) {
    crd_xml_enter(range);
    crd_xml_bool(doc, range, "uselimit", &reader->set.length_uses_limit);
  }
  const char *assets = crd_xml_string(node, "assetdir"), *meshes = crd_xml_string(node, "meshdir");
  if (meshes || assets) reader->set.mesh_folder = meshes ? meshes : assets;
  const char *textures = reader->visuals ? crd_xml_string(node, "texturedir") : NULL;
  if (textures || assets) reader->set.texture_folder = textures ? textures : assets;
}

/* ------------------------------------------------------------------------------------------------ option */

/* Reads enable/disable; true where the flag is there and its state is the one asked for. */
static bool flag_is(mjcf_reader *reader, crd_xml_node *node, const char *attribute, const char *state) {
  static const char *const words[] = {"disable", "enable"};
  int which;
  return crd_xml_keyword(reader->doc, node, attribute, words, 2, &which) && strcmp(words[which], state) == 0;
}

static void read_switch(mjcf_reader *reader, crd_xml_node *node, const char *attribute, bool *off) {
  if (crd_xml_has(node, attribute)) *off = flag_is(reader, node, attribute, "disable");
}

static void read_flags(mjcf_reader *reader, crd_xml_node *node) {
  crd_xml_enter(node);
  read_switch(reader, node, "constraint", &reader->no_constraint);
  read_switch(reader, node, "equality", &reader->no_equality);
  read_switch(reader, node, "frictionloss", &reader->no_frictionloss);
  read_switch(reader, node, "limit", &reader->no_limit);
  read_switch(reader, node, "contact", &reader->no_contact);
  read_switch(reader, node, "passive", &reader->no_passive);
  read_switch(reader, node, "spring", &reader->no_spring);
  read_switch(reader, node, "damper", &reader->no_damper);
  read_switch(reader, node, "clampctrl", &reader->no_clamp);
  read_switch(reader, node, "actuation", &reader->no_actuation);
  read_switch(reader, node, "gravity", &reader->no_gravity);
}

static void read_medium(mjcf_reader *reader, crd_xml_node *node) {
  static const char *const name[] = {"density", "viscosity"};
  crd_medium *medium = &reader->build->medium;
  double *const value[] = {&medium->density, &medium->viscosity};
  for (int i = 0; i < 2; i++)
    if (crd_xml_number(reader->doc, node, name[i], value[i]) && *value[i] < 0)
      crd_xml_fail(reader->doc, node, CRD_ERR_NUMBER, "<option> %s: found %g, expected at least 0", name[i], *value[i]);
  crd_xml_numbers(reader->doc, node, "wind", medium->wind, 3, 3);
}

void mjcf_read_option(mjcf_reader *reader, crd_xml_node *node) {
  static const char *const collision[] = {"all", "predefined", "dynamic"};
  crd_xml_document *doc = reader->doc;
  crd_xml_enter(node);
  if (crd_xml_number(doc, node, "timestep", &reader->build->timestep) && !(reader->build->timestep > 0))
    crd_xml_fail(doc, node, CRD_ERR_NUMBER, "<option> timestep: found %g, expected a positive number",
                 reader->build->timestep);
  crd_xml_numbers(doc, node, "gravity", reader->build->gravity, 3, 3);
  crd_xml_numbers(doc, node, "magnetic", reader->build->magnetic, 3, 3);
  read_medium(reader, node);
  int which;
  if (crd_xml_keyword(doc, node, "collision", collision, 3, &which)) reader->collision = (mjcf_collision)which;
  for (crd_xml_node *flag = crd_xml_child(node, "flag"); flag; flag = crd_xml_next(flag)) read_flags(reader, flag);
}

void mjcf_resolve_options(mjcf_reader *reader) {
  if (reader->no_constraint)
    reader->no_equality = reader->no_frictionloss = reader->no_limit = reader->no_contact = true;
  if (reader->no_passive) reader->no_spring = reader->no_damper = true;
  if (reader->no_spring && reader->no_damper) reader->build->medium = (crd_medium){0}; /* as MuJoCo 3 says */
  if (reader->no_gravity) memset(reader->build->gravity, 0, sizeof reader->build->gravity);
}
