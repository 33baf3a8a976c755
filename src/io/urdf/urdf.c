/* The URDF reader, stage by stage, and the part of MuJoCo's extension <mujoco> that it honours. */
#include "io/urdf/urdf.h"

#include <string.h>

#include "io/mjcf/reader.h"
#include "io/urdf/parts.h"
#include "io/xml/schema.h"

/* <compiler> and <option> mean what they mean in MJCF, except that angles of a URDF file are in rad and turn about
 * fixed axes whatever they say, and that bare file names of meshes are tried unless strippath is "false". */
static void read_extension(crd_urdf_reader *reader, crd_xml_node *extension) {
  static const char *const fixed[] = {"angle",         "eulerseq", "coordinate", "autolimits",
                                      "discardvisual", "fitaabb",  NULL};
  mjcf_reader settings = {.doc = reader->doc,
                          .options = reader->options,
                          .builder = reader->builder,
                          .build = reader->build,
                          .set = {.eulerseq = "xyz", .mesh_folder = ""}};
  crd_xml_enter(extension);
  crd_schema_check(reader->doc, &crd_mjcf_schema, extension, reader->options->lenient);
  if (!crd_xml_ok(reader->doc)) return;
  crd_xml_node *compiler = crd_urdf_child(reader, extension, "compiler");
  crd_xml_node *option = crd_urdf_child(reader, extension, "option");
  if (compiler) {
    mjcf_read_compiler(&settings, compiler);
    for (int i = 0; fixed[i]; i++) crd_xml_ignore(compiler, fixed[i], "has no meaning for a URDF file");
    crd_xml_bool(reader->doc, compiler, "fusestatic", &reader->build->mujoco_fusing);
    if (crd_xml_has(compiler, "strippath"))
      reader->strip_path = settings.set.strip_path, reader->keep_path = !settings.set.strip_path;
  }
  if (option) mjcf_read_option(&settings, option);
  mjcf_resolve_options(&settings);
  reader->exact_mesh_inertia = settings.set.exact_mesh_inertia;
  reader->meshdir = settings.set.mesh_folder;
  reader->no_limit = settings.no_limit;
  reader->no_damper = settings.no_damper;
  reader->no_frictionloss = settings.no_frictionloss;
  reader->no_equality = settings.no_equality;
  reader->no_contact = settings.no_contact;
}

crd_status crd_urdf_read(crd_xml_document *doc, const crd_read_options *options, crd_builder *builder,
                         crd_build_options *build, crd_visual_list *visuals) {
  crd_urdf_reader reader = {
      .doc = doc, .options = options, .builder = builder, .build = build, .visuals = visuals, .meshdir = ""};
  crd_schema_check(doc, &crd_urdf_schema, doc->root, options->lenient);
  if (!crd_xml_ok(doc)) return doc->status;
  crd_xml_enter(doc->root);
  crd_xml_use(doc->root, "version");
  build->name = crd_xml_string(doc->root, "name");
  build->mujoco_rounding = build->mujoco_fusing = true;
  build->allow_massless = true; /* links that only join two joints are common in URDF files */
  crd_xml_node *extension = crd_urdf_child(&reader, doc->root, "mujoco");
  if (extension) read_extension(&reader, extension);

  static void (*const stages[])(crd_urdf_reader *) = {crd_urdf_collect,   crd_urdf_order,    crd_urdf_geoms,
                                                      crd_urdf_inertials, crd_urdf_assemble, crd_urdf_show};
  for (size_t i = 0; i < sizeof stages / sizeof *stages && crd_xml_ok(doc); i++) stages[i](&reader);
  crd_name_free(&reader.link_names);
  crd_name_free(&reader.joint_names);
  return doc->status;
}
