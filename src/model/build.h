/* The build in progress: definitions on one side, the model being filled on the other.
 *
 * Stages, in order (crd_model_builder_build calls them; each reads what the ones before it wrote):
 *   crd_build_check         numbers, sizes, names and references of all definitions
 *   crd_build_order         depth-first order of the bodies, joints and geoms grouped by body
 *   crd_build_meshes        copies, convex hulls and volume integrals
 *   crd_build_bodies        mass, centre of mass and principal inertia of each body
 *   crd_build_tree          joints, links, numbering of qpos and qvel
 *   crd_build_link_inertia  bodies that move together become one inertia; is every moving one positive
 *   crd_build_geoms, crd_build_sites   placement in bodies and links
 *   crd_build_medium        boxes and ellipsoids that a surrounding medium acts on
 *   crd_build_loops, crd_build_actuators, crd_build_tendons, crd_build_pairs, crd_build_sensors,
 *     crd_build_keys   the parts outside the tree
 */
#ifndef CRADLE_MODEL_BUILD_H
#define CRADLE_MODEL_BUILD_H

#include <cradle/model.h>

#include "model/builder.h"
#include "model/massprops.h"

/* Least mass (kg) and principal inertia (kg m^2) of a moving body: far below any body (a grain of 0.01 mm
 * has 1e-21 kg m^2; MuJoCo's limit of 1e-15 would refuse beads of 0.1 mm), far above what rounding leaves of zero. */
#define CRD_LEAST_MASS 1e-30

typedef struct crd_build {
  const crd_builder *in;
  const crd_build_options *options;
  crd_error *err;
  crd_model *model;
  crd_arena *arena;  /* the model's memory */
  crd_arena scratch; /* freed when the build ends */

  /* the definitions */
  const crd_body_def *body_def;
  const crd_joint_entry *joint_def;
  const crd_geom_entry *geom_def;
  const crd_site_entry *site_def;
  const crd_mesh_def *mesh_def;
  const crd_loop_def *loop_def;
  const crd_actuator_def *actuator_def;
  const crd_tendon_def *tendon_def;
  const crd_sensor_def *sensor_def;
  const crd_pair_def *pair_def;
  const crd_key_entry *key_def;
  const crd_exclude_entry *exclude_def;

  /* frozen id of a definition, and definition of a frozen id */
  int *body_id, *joint_id, *geom_id;
  int *body_source, *joint_source, *geom_source;

  /* the model's arrays while they may still be written */
  crd_body *body;
  crd_joint *joint;
  crd_link *link;
  crd_geom *geom;
  crd_mesh *mesh;

  crd_massprops *mesh_props; /* per mesh: of a solid of mass 1, in the mesh's frame; mass 0 where not needed */
  crd_massprops *body_props; /* per frozen body, in its own frame */
  bool out_of_memory;        /* a text could not be copied; looked at once, at the end */
} crd_build;

crd_status crd_build_check(crd_build *b);
crd_status crd_build_order(crd_build *b);
crd_status crd_build_meshes(crd_build *b);
crd_status crd_build_bodies(crd_build *b);
crd_status crd_build_tree(crd_build *b);
crd_status crd_build_link_inertia(crd_build *b);
crd_status crd_build_geoms(crd_build *b);
crd_status crd_build_sites(crd_build *b);
crd_status crd_build_medium(crd_build *b);
crd_status crd_build_loops(crd_build *b);
crd_status crd_build_actuators(crd_build *b);
crd_status crd_build_tendons(crd_build *b);
crd_status crd_build_pairs(crd_build *b);
crd_status crd_build_sensors(crd_build *b);
crd_status crd_build_keys(crd_build *b);

/* A copy of text in the model's memory. */
const char *crd_build_text(crd_build *b, const char *text);

/* Does this geom count in the inertia of its body (definition ids)? */
bool crd_build_geom_has_inertia(const crd_build *b, int geom);

/* The thing a message speaks of: kind "body", its name or else its id, and the line it was defined in. */
typedef struct crd_element {
  const char *kind, *name;
  int id, line;
} crd_element;

crd_element crd_element_body(const crd_build *b, int id);
crd_element crd_element_joint(const crd_build *b, int id);
crd_element crd_element_geom(const crd_build *b, int id);
crd_element crd_element_site(const crd_build *b, int id);
crd_element crd_element_mesh(const crd_build *b, int id);
crd_element crd_element_loop(const crd_build *b, int id);
crd_element crd_element_actuator(const crd_build *b, int id);
crd_element crd_element_tendon(const crd_build *b, int id);
crd_element crd_element_sensor(const crd_build *b, int id);
crd_element crd_element_pair(const crd_build *b, int id);
crd_element crd_element_key(const crd_build *b, int id);

/* Reports `kind "name": message` with file and line, and returns status. */
crd_status crd_build_fail(const crd_build *b, crd_status status, const crd_element *element, const char *format, ...)
    CRD_PRINTF(4, 5);
crd_status crd_build_no_memory(const crd_build *b);

/* Leaves the function with the status of a call that failed. */
#define CRD_TRY(call)                                    \
  do {                                                   \
    crd_status crd_try_status = (call);                  \
    if (crd_try_status != CRD_OK) return crd_try_status; \
  } while (0)

#endif
