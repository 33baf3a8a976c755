/* The URDF reader's parts and the data they exchange; for the files of this folder only.
 *
 * Stages, in order:
 *   crd_urdf_collect    all <link> and <joint> elements, names resolved
 *   crd_urdf_order      the tree: one parent each, no cycle; depth-first order
 *   crd_urdf_geoms      geoms of the links' collisions, meshes into the builder
 *   crd_urdf_inertials  mass and inertia of each link; which joints move nothing
 *   crd_urdf_assemble   bodies, joints, geoms and mimic loops into the builder
 *   crd_urdf_show       visuals, where a page asks for them
 */
#ifndef CRADLE_SRC_IO_URDF_PARTS_H
#define CRADLE_SRC_IO_URDF_PARTS_H

#include <cradle/io.h>

#include "io/file/name_table.h"
#include "io/mesh/file.h"
#include "io/visual/visual.h"
#include "io/xml/xml.h"

#define CRD_URDF_NO_DIRECTION 1e-10 /* length of an axis or normal below which the file means zero */

typedef enum crd_urdf_joint_type {
  CRD_URDF_REVOLUTE,
  CRD_URDF_CONTINUOUS,
  CRD_URDF_PRISMATIC,
  CRD_URDF_FIXED,
  CRD_URDF_FLOATING,
  CRD_URDF_PLANAR,
  CRD_URDF_SPHERICAL,
  CRD_URDF_JOINT_TYPES
} crd_urdf_joint_type;

typedef struct crd_urdf_joint crd_urdf_joint;

typedef struct crd_urdf_geom {
  crd_geom_def def;
  struct crd_urdf_geom *next;
} crd_urdf_geom;

typedef struct crd_urdf_link {
  crd_xml_node *node;
  const char *name;
  crd_urdf_joint *above;                    /* the joint whose child it is, NULL: a root */
  crd_urdf_joint *first_below, *last_below; /* joints whose parent it is, in the order of the text */
  crd_urdf_geom *geom, **geom_end;          /* in the order of the text; where the next one is hung on */
  bool has_inertial;
  bool mass_behind; /* it or a link further out has mass */
  bool still;       /* fixed in the world, at pos, quat */
  double pos[3], quat[4];
  crd_inertial inertial;
  int body;
} crd_urdf_link;

struct crd_urdf_joint {
  crd_xml_node *node;
  const char *name;
  crd_urdf_joint_type type; /* fixed also where nothing behind it has mass and the reading is lenient */
  crd_urdf_link *parent, *child;
  crd_urdf_joint *next_below; /* next joint with the same parent */
  int id;                     /* in the builder, of the first if it is several; -1: none */
};

/* A mesh file that has been read, at one scale. */
typedef struct crd_urdf_mesh {
  const char *path;
  double scale[3];
  int id; /* in the builder */
  struct crd_urdf_mesh *next;
} crd_urdf_mesh;

/* A mesh file that has been read for show, at one scale. */
typedef struct crd_urdf_shown {
  const char *path;
  double scale[3];
  int npart, first; /* its parts are the meshes first, first + 1, ... of the list */
  crd_mesh_part *part;
  struct crd_urdf_shown *next;
} crd_urdf_shown;

typedef struct crd_urdf_reader {
  crd_xml_document *doc;
  const crd_read_options *options;
  crd_builder *builder;
  crd_build_options *build;
  crd_visual_list *visuals; /* NULL: visuals are not read */
  crd_name_table link_names, joint_names;
  int nlink, njoint;
  crd_urdf_link *link;
  crd_urdf_joint *joint;
  crd_urdf_link **order; /* links depth first */
  crd_urdf_mesh *mesh;
  crd_urdf_shown *shown;

  /* from MuJoCo's extension */
  const char *meshdir; /* "" where not given */
  bool strip_path;     /* mesh files are looked up by their bare name in meshdir only */
  bool keep_path;      /* they are never looked up by their bare name */
  bool exact_mesh_inertia;
  bool no_limit, no_damper, no_frictionloss, no_equality, no_contact;
} crd_urdf_reader;

void crd_urdf_collect(crd_urdf_reader *reader);
void crd_urdf_order(crd_urdf_reader *reader);
void crd_urdf_geoms(crd_urdf_reader *reader);
void crd_urdf_inertials(crd_urdf_reader *reader);
void crd_urdf_assemble(crd_urdf_reader *reader);

/* Joints of the child's body, and the loops of all <mimic> elements once every joint has its id. */
void crd_urdf_add_joint(crd_urdf_reader *reader, crd_urdf_joint *joint, int body);
void crd_urdf_add_mimics(crd_urdf_reader *reader);

/* The file a mesh's filename means (package://, file://, relative), or NULL with the error set. */
char *crd_urdf_mesh_path(crd_urdf_reader *reader, const crd_xml_node *node, const char *filename, crd_error *err);

/* The only child of that name, marked as read; NULL if there is none. A second one is an error. */
crd_xml_node *crd_urdf_child(crd_urdf_reader *reader, crd_xml_node *node, const char *name);
/* The same, but its absence is an error as well. */
crd_xml_node *crd_urdf_need_child(crd_urdf_reader *reader, crd_xml_node *node, const char *name);

/* The <origin> of an element: xyz, and rpy: turn about the fixed axes x, y, z in this order. Identity if absent. */
void crd_urdf_origin(crd_urdf_reader *reader, crd_xml_node *node, double pos[3], double quat[4]);

/* A shape in <geometry> other than a mesh, its sizes unchecked; false: it is not known. */
bool crd_urdf_primitive(crd_urdf_reader *reader, crd_xml_node *shape, crd_geom_def *def);

/* Enters the visuals of the links, whose bodies have their ids, and the colours of colliding geoms. */
void crd_urdf_show(crd_urdf_reader *reader);

/* Is it an id? A negative status of the builder is recorded as an error. */
bool crd_urdf_added(crd_urdf_reader *reader, int id);

#endif
