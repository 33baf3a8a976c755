/* Shared by the parts of the MJCF reader: settings, default classes, elements found so far.
 *
 * As in MuJoCo's own compiler, a default class holds a complete joint, geom, ... A class starts as a copy of its
 * parent, and an element starts as a copy of what its class holds; the attributes in the file then overwrite single
 * values. One function per kind of element therefore serves both: mjcf_read_geom reads <geom> inside <default> and
 * inside <body>. Units, limits and frames are resolved only when an element is added to the builder, because the
 * settings of <compiler> count wherever they stand.
 */
#ifndef CRADLE_IO_MJCF_READER_H
#define CRADLE_IO_MJCF_READER_H

#include "io/file/name_table.h"
#include "io/mesh/file.h"
#include "io/visual/visual.h"
#include "io/xml/xml.h"

typedef enum mjcf_tristate { MJCF_FALSE, MJCF_TRUE, MJCF_AUTO } mjcf_tristate;

/* ------------------------------------------------------------------------------------------------ orientation */

typedef struct mjcf_frame {
  double pos[3], quat[4];
} mjcf_frame;

typedef enum mjcf_rotation_form {
  MJCF_AXISANGLE,
  MJCF_XYAXES,
  MJCF_ZAXIS,
  MJCF_EULER,
  MJCF_ROTATION_FORMS
} mjcf_rotation_form;

/* The ways to state a rotation, not yet resolved. Where several are known (one from a class, one from the element), the
 * last of the list wins, and any of them wins over quat, as in MuJoCo. */
typedef struct mjcf_orientation {
  double quat[4];
  bool has[MJCF_ROTATION_FORMS];
  double value[MJCF_ROTATION_FORMS][6];
} mjcf_orientation;

/* ------------------------------------------------------------------------------------------------ elements */

typedef struct mjcf_joint {
  crd_joint_def def; /* angles as in the file */
  mjcf_tristate limited, force_limited;
  double springdamper[2];
} mjcf_joint;

/* For show: of a geom its colour and material, of a material (`material` its texture) the colour. */
typedef struct mjcf_paint {
  double rgba[4];
  const char *material; /* NULL: none */
} mjcf_paint;

typedef struct mjcf_geom {
  crd_geom_def def;
  int shape; /* mjcf_shape; def.type is set when the geom is added */
  mjcf_orientation orientation;
  bool has_fromto;
  double fromto[6];
  const char *mesh, *field; /* their names, NULL: none */
  double fitscale;
  mjcf_paint paint;
} mjcf_geom;

typedef enum mjcf_shape {
  MJCF_PLANE,
  MJCF_HFIELD,
  MJCF_SPHERE,
  MJCF_CAPSULE,
  MJCF_ELLIPSOID,
  MJCF_CYLINDER,
  MJCF_BOX,
  MJCF_MESH,
  MJCF_SDF
} mjcf_shape;

typedef struct mjcf_site {
  int body; /* id of the body it is fixed to */
  mjcf_frame frame;
  mjcf_orientation orientation;
  bool has_fromto;
  double fromto[6];
  crd_geom_type type;
  double size[3];
} mjcf_site;

typedef enum mjcf_mesh_inertia {
  MJCF_INERTIA_CONVEX,
  MJCF_INERTIA_EXACT,
  MJCF_INERTIA_LEGACY,
  MJCF_INERTIA_SHELL
} mjcf_mesh_inertia;

typedef struct mjcf_mesh {
  double scale[3], refpos[3], refquat[4];
  mjcf_mesh_inertia inertia;
  bool has_inertia; /* the rule was stated */
  crd_xml_node *node;
  const char *name, *file;     /* file: NULL where the vertices stand in the element */
  const crd_mesh_data *loaded; /* NULL: not read (yet) */
  int id;                      /* in the builder, -1: not there (yet) */
} mjcf_mesh;

/* A height field. */
typedef struct mjcf_field {
  crd_xml_node *node;
  int id; /* of its mesh in the builder, -1: not there (yet) */
} mjcf_field;

typedef struct mjcf_tendon {
  mjcf_tristate limited;
  mjcf_tristate force_limited;
  double range[2], force_range[2], stiffness, damping, frictionloss, armature;
  double spring_length[2]; /* negative: that of qpos_spring */
  bool polynomial;         /* of spring or damper */
  bool fixed;
  int nterm;
  int *joint;
  double *coef;
  int nwrap; /* of the path of a spatial one */
  crd_wrap *wrap;
  int id; /* in the builder */
} mjcf_tendon;

typedef enum mjcf_transmission {
  MJCF_TO_NOTHING,
  MJCF_TO_JOINT,
  MJCF_TO_JOINT_IN_PARENT,
  MJCF_TO_TENDON,
  MJCF_TO_CRANK,
  MJCF_TO_SITE,
  MJCF_TO_BODY
} mjcf_transmission;

typedef enum mjcf_gain { MJCF_GAIN_FIXED, MJCF_GAIN_AFFINE, MJCF_GAIN_MUSCLE, MJCF_GAIN_OTHER } mjcf_gain;
typedef enum mjcf_bias { MJCF_BIAS_NONE, MJCF_BIAS_AFFINE, MJCF_BIAS_MUSCLE, MJCF_BIAS_OTHER } mjcf_bias;
typedef enum mjcf_dynamics {
  MJCF_DYNAMICS_NONE,
  MJCF_DYNAMICS_INTEGRATOR,
  MJCF_DYNAMICS_FILTER,
  MJCF_DYNAMICS_FILTEREXACT,
  MJCF_DYNAMICS_MUSCLE,
  MJCF_DYNAMICS_OTHER
} mjcf_dynamics;

typedef struct mjcf_actuator {
  crd_actuator_def def; /* gain and bias hold gainprm and biasprm */
  mjcf_gain gain_type;
  mjcf_bias bias_type;
  mjcf_dynamics dynamics;
  double dynprm[3];
  bool more_activations; /* than one */
  mjcf_tristate ctrl_limited, force_limited, act_limited;
  double position_damping; /* -kv that a <position> gave */
  double damping_ratio;    /* of the critical damping, 0: kv counts */
  double inherit_range;
  double damping, armature; /* of the transmission (newer MuJoCo) */
  mjcf_transmission transmission;
  const char *target, *target_attribute;
  const char *reference; /* refsite, slidersite; NULL: none */
} mjcf_actuator;

typedef struct mjcf_pair {
  crd_pair_def def;
  double friction[5]; /* two sliding, torsional, two rolling */
} mjcf_pair;

/* ------------------------------------------------------------------------------------------------ reader */

typedef struct mjcf_class {
  const char *name;
  mjcf_joint joint;
  mjcf_geom geom;
  mjcf_site site;
  mjcf_mesh mesh;
  mjcf_paint material;
  mjcf_pair pair;
  mjcf_tendon tendon;
  mjcf_actuator actuator;
  bool equality_active;
} mjcf_class;

typedef enum mjcf_collision { MJCF_COLLIDE_ALL, MJCF_COLLIDE_PREDEFINED, MJCF_COLLIDE_DYNAMIC } mjcf_collision;

/* Springs and dampers that are set from the mass matrix at qpos0; see mjcf_automatic.c. */
typedef struct mjcf_automatic {
  bool needed;
  double *stiffness, *damping;   /* by joint, NULL: not known yet */
  double *actuator_damping;      /* by actuator */
  double *spring_length;         /* by tendon, at qpos_spring */
  double *actuator_acceleration; /* by actuator: |M^-1 moment'| */
} mjcf_automatic;

/* Settings of <compiler> for the elements of a file. */
typedef struct mjcf_settings {
  bool length_uses_limit; /* lengthrange uselimit */
  bool degrees, autolimits, strip_path, fit_aabb, discard_visual;
  bool exact_mesh_inertia; /* of meshes that do not say (MuJoCo 2) */
  char eulerseq[4];
  const char *mesh_folder, *texture_folder;
} mjcf_settings;

/* A model that was attached: its elements have the places first + 1 .. last. */
typedef struct mjcf_attached {
  int first, last;
  const char *main_class; /* the name that its main default class has here */
  crd_xml_node *root;     /* of its file: what did not come along */
  mjcf_settings set;
} mjcf_attached;

/* A mocap body: where it is drawn, in the world. */
typedef struct mjcf_mocap mjcf_mocap;
struct mjcf_mocap {
  mjcf_frame frame;
  mjcf_mocap *next;
};

typedef struct mjcf_reader {
  crd_xml_document *doc;
  const crd_read_options *options;
  crd_builder *builder;
  crd_build_options *build;
  crd_visual_list *visuals; /* receives the visuals; NULL: they are not read */

  mjcf_settings set; /* that hold for the element being read, */
  mjcf_settings own; /* those of the main file, */
  mjcf_attached *attached;
  int nattached; /* and models with settings of their own */

  /* option */
  bool no_constraint, no_passive, no_gravity;
  bool no_equality, no_frictionloss, no_limit, no_contact, no_spring, no_damper, no_clamp, no_actuation;
  mjcf_collision collision;

  mjcf_class *main_class;
  crd_name_table classes, bodies, joints, geoms, sites, tendons, meshes; /* mjcf_class, mjcf_name, mjcf_mesh */
  crd_name_table fields;                                                 /* mjcf_field */
  crd_name_table materials;                                              /* mjcf_paint */
  crd_name_table restitution;                           /* geom name -> crd_xml_node of its <element> */
  crd_name_table limit_restitution, tendon_restitution; /* the same by the name of a joint, of a tendon */
  crd_name_table paired;           /* names of the geoms in contact/pair: they collide whatever their masks say */
  mjcf_mocap *mocap, **next_mocap; /* in the order of the file */
  int nmocap;
  int ntendon;
  int njoint, nactuator;    /* added to the builder */
  const mjcf_joint **joint; /* by id, as finally read */
  int joint_capacity;
  const mjcf_actuator **actuator; /* by id */
  int nactuator_in_file;
  bool *actuator_kept;   /* nactuator_in_file */
  bool *actuator_active; /* nactuator_in_file: has an activation */
  mjcf_automatic automatic;
} mjcf_reader;

/* Entry of a name in the tables of bodies, joints, geoms, sites and tendons. */
typedef struct mjcf_name {
  int id;      /* in the builder, -1: was left out */
  void *thing; /* mjcf_site, mjcf_tendon */
  crd_xml_node *node;
} mjcf_name;

/* ---- mjcf.c */

/* For what changes the physics and cannot be represented: an error, or with `lenient` a line in the report. True: go on
 * without it. */
bool mjcf_leave_out(mjcf_reader *reader, crd_xml_node *node, const char *attribute, const char *reason);
/* Enters name -> id; a name that is taken is an error. Unnamed things are let through. */
void mjcf_enter_name(mjcf_reader *reader, crd_name_table *table, crd_xml_node *node, const char *name, int id,
                     void *thing);
/* The id of the thing that an attribute names, -1 with the error set when there is none. kind is for the message. */
int mjcf_find(mjcf_reader *reader, const crd_name_table *table, crd_xml_node *node, const char *attribute,
              const char *kind);
/* Gives the element a reason for not being used, with all it contains. */
void mjcf_ignore(crd_xml_node *node, const char *reason);
void *mjcf_alloc(mjcf_reader *reader, size_t count, size_t size);
/* The result of a crd_builder call: an id, or -1 with the error set. */
int mjcf_added(mjcf_reader *reader, int id);

/* ---- mjcf_orientation.c */

mjcf_orientation mjcf_orientation_default(void);
void mjcf_read_orientation(mjcf_reader *reader, crd_xml_node *node, mjcf_orientation *orientation);
/* The unit quaternion of an orientation; errors are about node. */
void mjcf_resolve_orientation(mjcf_reader *reader, const crd_xml_node *node, const mjcf_orientation *orientation,
                              double quat[4]);
/* quat of the angles in the compiler's unit and sequence. */
void mjcf_euler_quat(const mjcf_reader *reader, const double angles[3], double quat[4]);
/* Centre, half length and orientation (z along it, from the second point to the first) of a segment. */
void mjcf_resolve_fromto(mjcf_reader *reader, const crd_xml_node *node, const double fromto[6], double pos[3],
                         double quat[4], double *half_length);
/* frame in outer becomes a frame in what outer is in. */
void mjcf_compose(const mjcf_frame *outer, mjcf_frame *frame);
double mjcf_angle(const mjcf_reader *reader, double angle);

/* ---- mjcf_settings.c */

void mjcf_read_compiler(mjcf_reader *reader, crd_xml_node *node);
void mjcf_read_option(mjcf_reader *reader, crd_xml_node *node);
/* Draws the conclusions from the flags, after all options were read. */
void mjcf_resolve_options(mjcf_reader *reader);

mjcf_settings mjcf_settings_start(void);

/* ---- attach.c */

/* Puts the attached models in the place of <attach>; the list of them lies in the document's memory. */
void mjcf_expand_attachments(crd_xml_document *doc, const crd_read_options *options, mjcf_attached **list, int *count);
/* The attached model that the element comes from; NULL: the main one. */
const mjcf_attached *mjcf_attached_of(const mjcf_reader *reader, const crd_xml_node *node);
/* From now on the settings of the element's model hold. */
void mjcf_use_settings(mjcf_reader *reader, const crd_xml_node *node);
/* After the main model's own. */
void mjcf_read_attached_settings(mjcf_reader *reader);

/* ---- mjcf_default.c */

void mjcf_start_classes(mjcf_reader *reader);
void mjcf_read_defaults(mjcf_reader *reader, crd_xml_node *root);
/* The main class of the element's model. */
mjcf_class *mjcf_main_class_of(const mjcf_reader *reader, const crd_xml_node *node);
/* The class named by the element's `class`, else the given one (main_class: that of the element's model). From now on the
 * settings of that model hold. */
const mjcf_class *mjcf_class_of(mjcf_reader *reader, crd_xml_node *node, const char *attribute,
                                const mjcf_class *otherwise);

/* ---- mjcf_body.c */

void mjcf_read_bodies(mjcf_reader *reader, crd_xml_node *root);

/* ---- mjcf_replicate.c */

/* Puts copies in the place of every <replicate>. After the settings were read. */
void mjcf_expand_replicas(mjcf_reader *reader, crd_xml_node *root);

/* ---- mjcf_joint.c */

mjcf_joint mjcf_joint_start(void);
void mjcf_read_joint(mjcf_reader *reader, crd_xml_node *node, mjcf_joint *joint);
void mjcf_add_joint(mjcf_reader *reader, crd_xml_node *node, int body, const mjcf_frame *frame,
                    const mjcf_class *defaults);
void mjcf_add_freejoint(mjcf_reader *reader, crd_xml_node *node, int body);
/* Does the range count? auto: where one is given. Fails where autolimits is off and a range is given without saying. */
bool mjcf_is_limited(mjcf_reader *reader, const crd_xml_node *node, mjcf_tristate limited, const double range[2],
                     const char *attribute);
void mjcf_read_tristate(mjcf_reader *reader, crd_xml_node *node, const char *attribute, mjcf_tristate *value);

/* ---- mjcf_geom.c */

mjcf_geom mjcf_geom_start(void);
void mjcf_read_geom(mjcf_reader *reader, crd_xml_node *node, mjcf_geom *geom);
/* infers: the body's inertia is taken from its geoms. */
void mjcf_add_geom(mjcf_reader *reader, crd_xml_node *node, int body, bool infers, const mjcf_frame *frame,
                   const mjcf_class *defaults);
mjcf_site mjcf_site_start(void);
void mjcf_read_site(mjcf_reader *reader, crd_xml_node *node, mjcf_site *site);
void mjcf_add_site(mjcf_reader *reader, crd_xml_node *node, int body, const mjcf_frame *frame,
                   const mjcf_class *defaults);

/* ---- mjcf_asset.c */

mjcf_mesh mjcf_mesh_start(void);
void mjcf_read_mesh(mjcf_reader *reader, crd_xml_node *node, mjcf_mesh *mesh);
void mjcf_read_assets(mjcf_reader *reader, crd_xml_node *root);
/* The name of an asset without one: that of its file, without folders and ending. NULL: no memory. */
const char *mjcf_name_from_file(mjcf_reader *reader, const char *file);
/* The bytes of the file of a mesh or height field, and its path. Where it fails, the error is set. */
crd_status mjcf_read_asset(mjcf_reader *reader, const crd_xml_node *node, const char *file, char **path, char **bytes,
                           size_t *size);
/* field.c: an <hfield> becomes known; the mesh of one that a geom names (NULL: none) is put into the builder unless it is
 * there: its id, or -1 with the error set. */
void mjcf_add_field(mjcf_reader *reader, crd_xml_node *node);
int mjcf_need_field(mjcf_reader *reader, const crd_xml_node *node, const char *name);
/* The mesh a geom names, or NULL with the error set. */
mjcf_mesh *mjcf_find_mesh(mjcf_reader *reader, const crd_xml_node *node, const mjcf_geom *geom);
/* Vertices and faces, read on the first call; NULL with the error set when that fails. */
const crd_mesh_data *mjcf_load_mesh(mjcf_reader *reader, mjcf_mesh *mesh);
/* Puts the mesh into the builder unless it is there; its id, or -1 with the error set. */
int mjcf_need_mesh(mjcf_reader *reader, mjcf_mesh *mesh);
/* The rule by which masses are taken from it, once it is loaded. */
crd_mesh_inertia mjcf_inertia_rule(const mjcf_reader *reader, const mjcf_mesh *mesh);

/* ---- visual.c */

mjcf_paint mjcf_paint_start(void);
mjcf_paint mjcf_material_start(void);
void mjcf_read_paint(mjcf_reader *reader, crd_xml_node *node, mjcf_paint *paint);
void mjcf_read_material(mjcf_reader *reader, crd_xml_node *node, mjcf_paint *material);
void mjcf_add_material(mjcf_reader *reader, crd_xml_node *node);
/* Tells the visuals which of their meshes the model has too. */
void mjcf_share_meshes(mjcf_reader *reader);
/* Enters a geom that was read and resolved, for show. counts: it is one of the model, placed in its body already (frame
 * NULL). Does nothing where nothing is shown. */
void mjcf_show_geom(mjcf_reader *reader, crd_xml_node *node, int body, const mjcf_frame *frame, mjcf_geom geom,
                    bool counts);

/* ---- mjcf_fit.c */

/* The primitive that stands for the mesh of a geom whose type is not mesh: sets type, size, pos and quat. False: left
 * out. */
bool mjcf_fit_mesh(mjcf_reader *reader, crd_xml_node *node, mjcf_geom *geom);

/* ---- mjcf_contact.c, mjcf_equality.c */

mjcf_pair mjcf_pair_start(void);
void mjcf_read_pair(mjcf_reader *reader, crd_xml_node *node, mjcf_pair *pair);
/* Notes the geoms that <pair> names, before the bodies are read. */
void mjcf_note_pairs(mjcf_reader *reader, crd_xml_node *root);
void mjcf_read_contact(mjcf_reader *reader, crd_xml_node *root);
void mjcf_read_equality(mjcf_reader *reader, crd_xml_node *root);
void mjcf_read_equality_default(mjcf_reader *reader, crd_xml_node *node, bool *active);

/* ---- mjcf_tendon.c, mjcf_actuator.c */

mjcf_tendon mjcf_tendon_start(void);
void mjcf_read_tendon(mjcf_reader *reader, crd_xml_node *node, mjcf_tendon *tendon);
void mjcf_read_tendons(mjcf_reader *reader, crd_xml_node *root);
mjcf_actuator mjcf_actuator_start(void);
void mjcf_read_actuator(mjcf_reader *reader, crd_xml_node *node, mjcf_actuator *actuator);
void mjcf_read_actuators(mjcf_reader *reader, crd_xml_node *root);
bool mjcf_is_actuator(const crd_xml_node *node);

/* ---- mjcf_actuator_kind.c */

/* The attributes that belong to the element's own kind. */
void mjcf_read_actuator_kind(mjcf_reader *reader, crd_xml_node *node, mjcf_actuator *actuator);
/* Why its law cannot be represented, NULL: it can. */
const char *mjcf_actuator_unsupported(const crd_xml_node *node, const mjcf_actuator *actuator);
/* The numbers of the law, from the parameters and the types of gain, bias and dynamics. */
void mjcf_resolve_law(mjcf_reader *reader, crd_xml_node *node, mjcf_actuator *actuator);
bool mjcf_actuator_inherits_range(const crd_xml_node *node, const mjcf_actuator *actuator);

/* ---- mjcf_sensor.c */

void mjcf_read_sensors(mjcf_reader *reader, crd_xml_node *root);

/* ---- mjcf_custom.c */

void mjcf_read_custom(mjcf_reader *reader, crd_xml_node *root);
void mjcf_read_keyframes(mjcf_reader *reader, crd_xml_node *root);
/* Every geom, joint and tendon that has a restitution of its own has to exist. */
void mjcf_check_restitution(mjcf_reader *reader, crd_xml_node *root);

/* ---- mjcf_automatic.c */

/* Builds the model as read so far and fills in reader->automatic for a second reading. */
void mjcf_find_automatic(mjcf_reader *reader);

#endif
