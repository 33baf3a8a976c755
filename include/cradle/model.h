/* model: the constant description of a mechanism, and the builder that makes it.
 *
 * A mechanism is a tree of bodies under body 0, the world. A body hangs on its parent by the joints it has, in order
 * (none: welded). Joints, qpos and qvel have MuJoCo's order and meaning, so that states can be exchanged:
 *   free   qpos x y z qw qx qy qz   qvel: velocity of the body origin in world axes, then angular velocity in body axes
 *   ball   qpos qw qx qy qz         qvel: angular velocity in body axes
 *   slide  qpos distance            hinge  qpos angle (rad)      both measured from `ref` at the drawn position
 *
 * Definitions go into a crd_builder; crd_model_builder_build checks them and returns a frozen crd_model. A model is never
 * changed after that and can be shared by any number of threads, each with a workspace of its own (cradle/tree.h).
 */
#ifndef CRADLE_MODEL_H
#define CRADLE_MODEL_H

#include <cradle/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum crd_joint_type { CRD_FREE, CRD_BALL, CRD_SLIDE, CRD_HINGE } crd_joint_type;

/* Geom frames are centred, long axis z. size: plane (half x, half y, -; 0 = infinite), sphere (radius), capsule and
 * cylinder (radius, half length), ellipsoid and box (three half axes), mesh and hfield (unused). */
typedef enum crd_geom_type {
  CRD_PLANE,
  CRD_SPHERE,
  CRD_CAPSULE,
  CRD_ELLIPSOID,
  CRD_CYLINDER,
  CRD_BOX,
  CRD_MESH,
  CRD_HFIELD
} crd_geom_type;

typedef enum crd_loop_type {
  CRD_LOOP_CONNECT,
  CRD_LOOP_WELD,
  CRD_LOOP_JOINT,
  CRD_LOOP_HINGE,
  CRD_LOOP_SLIDE,
  CRD_LOOP_TENDON
} crd_loop_type;

/* Numbers of coordinates (qpos) and of velocities (qvel) of a joint type. */
CRD_API int crd_model_joint_nq(crd_joint_type type);
CRD_API int crd_model_joint_nv(crd_joint_type type);
/* "hinge", "box", "connect", ... as MJCF writes them. */
CRD_API const char *crd_model_joint_type_name(crd_joint_type type);
CRD_API const char *crd_model_geom_type_name(crd_geom_type type);
CRD_API const char *crd_model_loop_type_name(crd_loop_type type);

/* ---------------------------------------------------------------------------------------------- definitions
 * Each has a default function. `name` may be NULL or "" (unnamed); texts are copied. `line` is the line of the file the
 * definition came from (0: none), for messages. Angles in rad, SI units. */

/* How a geom is met by the medium as an ellipsoid (MJCF fluidcoef): drag of a blunt and of a slender body, drag of
 * turning, lift by the angle of attack (Kutta) and by spin (Magnus). */
typedef struct crd_fluid_coef {
  double blunt, slender, angular, kutta, magnus;
} crd_fluid_coef;

/* A medium that fills space (MJCF option density, viscosity, wind). */
typedef struct crd_medium {
  double density;   /* kg/m^3; 0: no inertial forces */
  double viscosity; /* Pa s; 0: no viscous forces; with both 0 there is no medium */
  double wind[3];   /* m/s: velocity of the medium, world axes */
} crd_medium;

/* Mass, centre of mass and inertia about it: [xx yy zz xy xz yz] in the axes of quat. */
typedef struct crd_inertial {
  double mass, pos[3], quat[4], inertia[6];
} crd_inertial;

typedef struct crd_body_def {
  const char *name;
  int parent;             /* body id; 0 is the world */
  double pos[3], quat[4]; /* in the parent body's frame */
  bool has_inertial;      /* else the inertia comes from the geoms */
  crd_inertial inertial;
  double gravcomp; /* share of its weight that is carried for it (MJCF gravcomp): 1 floats, 0 does not */
  int line;
} crd_body_def;

typedef struct crd_joint_def {
  const char *name;
  crd_joint_type type;
  double pos[3], axis[3]; /* in the body's frame; axis of hinge and slide, any length */
  double ref, springref;  /* qpos at the drawn position, and where the spring is at rest */
  double stiffness, damping, armature, frictionloss;
  bool limited;
  double range[2]; /* ball: range[1] is the largest angle */
  double margin;
  double restitution;   /* e of the limits: 0 unless set */
  bool force_limited;   /* hinge and slide: the sum of all actuator forces is clamped */
  bool carries_gravity; /* the forces of gravcomp are the actuators': clamped together with theirs */
  double force_range[2];
  int line;
} crd_joint_def;

typedef struct crd_geom_def {
  const char *name;
  crd_geom_type type;
  double size[3], pos[3], quat[4]; /* in the body's frame */
  int mesh;                        /* id of the mesh, types CRD_MESH and CRD_HFIELD (a mesh with a field) only */
  bool has_mass;                   /* mass given; else density times volume */
  bool shell;                      /* mass lies on the surface, density is kg/m^2; not for ellipsoids, and meshes have
                                    * their own rule */
  double mass, density;
  int contype, conaffinity, condim, priority, group;
  double friction[3]; /* sliding, torsional, rolling */
  double margin, gap, solmix;
  double restitution; /* e of this geom; of a pair the larger counts. NaN: the model's default */
  bool in_inertia;    /* counts when a body's inertia is taken from its geoms */
  bool in_fluid; /* the medium meets this geom as an ellipsoid (not planes and meshes); a body without such geoms is
                  * met as the box that has its inertia */
  crd_fluid_coef fluid_coef;
  int line;
} crd_geom_def;

/* A frame fixed to a body (MJCF `site`): where things act, are measured or are tied. It has no mass and touches nothing.
 */
typedef struct crd_site_def {
  const char *name;
  double pos[3], quat[4]; /* in the body's frame */
  crd_geom_type type; /* where a touch sensor feels: sphere, capsule, ellipsoid, cylinder or box; CRD_PLANE (0): what
                           * presses on the face of the half space below its z axis */
  double size[3];     /* m */
  int line;
} crd_site_def;

/* Distribution of the mass of a mesh (MJCF mesh inertia; `convex` is the exact rule on the hull's faces). Density is
 * per volume found; for a shell per area of the faces (kg/m^2). */
typedef enum crd_mesh_inertia {
  CRD_MESH_EXACT,  /* in the solid inside the faces, by signed volumes; they must be oriented consistently */
  CRD_MESH_LEGACY, /* in pyramids over the faces with a common apex, for any orientation: too much where the mesh
                    * is not star-shaped about its centre */
  CRD_MESH_SHELL   /* on the faces, which need not enclose a volume */
} crd_mesh_inertia;

/* A height field: nrow x ncol heights over the rectangle |x| <= half[0] (columns), |y| <= half[1] (rows), z up, solid
 * from there down to z = -base. Each cell is cut into two triangles, from its corner of the lowest x and y to that of the
 * highest. nrow 0: none. */
typedef struct crd_field {
  int nrow, ncol;       /* at least 2 */
  double half[2], base; /* m, positive */
} crd_field;

/* A triangle mesh in its own frame. face holds 3 vertex ids per triangle, counter-clockwise seen from outside; with no
 * faces the convex hull of the vertices is used. With a field, vert and face are not read: they are the surface over the
 * heights, for geoms of type CRD_HFIELD. */
typedef struct crd_mesh_def {
  const char *name;
  crd_field field;
  const double *height; /* nrow x ncol, m, rows by rising y; at least -base */
  int nvert, nface;
  const double *vert; /* nvert x 3 */
  const int *face;    /* nface x 3 */
  crd_mesh_inertia inertia;
  int line;
} crd_mesh_def;

/* A loop closure (MJCF `equality`). connect: anchor of body1 and of body2 coincide. weld: pose of body2 in body1 is
 * relpose. joint: q1 - q1(0) = polynomial in q2 - q2(0) (joint2 = -1: constant). tendon: the same of the lengths of two
 * tendons, which move at most two mechanisms that no joint connects. hinge: as connect, and body2 turns in
 * body1 about the axis only. slide: body2 keeps its orientation in body1, and its anchor stays on the line through
 * body1's along the axis. */
typedef struct crd_loop_def {
  const char *name;
  crd_loop_type type;
  bool active;
  int body1, body2;  /* connect and weld */
  double anchor1[3]; /* connect, hinge, slide: in body1's frame; weld: unused */
  double anchor2[3]; /* connect, hinge, slide: in body2's frame, weld: the welded point, in body2's frame */
  double axis[3];    /* hinge, slide: in body1's frame, any length */
  bool at_qpos0;     /* sets anchor2 (weld: relpose; hinge, slide: and relquat) from the drawn position (default) */
  double relpos[3], relquat[4]; /* weld: place of anchor2 and orientation of body2 in body1's frame; hinge, slide: this
                                 * orientation (hinge: at any angle) */
  int joint1, joint2;           /* joint */
  int tendon1, tendon2;         /* tendon; tendon2 = -1: its length is constant */
  double polycoef[5];
  int line;
} crd_loop_def;

/* Dynamics of the input u of an actuator (MJCF dyntype). Without activation u = ctrl. An activation a is a coordinate
 * of the state, u = a, and depends on ctrl alone:
 *   integrator   a' = ctrl
 *   filter       a' = (ctrl - a) / T                 MJCF filter and filterexact are this equation, T = time_constant[0]
 *   muscle       a' = (clip(ctrl) - a) / T(a, ctrl),  T = time_constant[0] s where a rises, time_constant[1] / s where it
 *                falls, s = 0.5 + 1.5 clip(a), clip: to 0..1; over a width `smoothing` of clip(ctrl) - a the two times
 *                pass smoothly into each other (0: they switch) */
typedef enum crd_dynamics {
  CRD_DYNAMICS_NONE,
  CRD_DYNAMICS_INTEGRATOR,
  CRD_DYNAMICS_FILTER,
  CRD_DYNAMICS_MUSCLE
} crd_dynamics;

/* Force as a function of length l and rate l' of the transmission: affine, g[0] + g[1] l + g[2] l', or the curves of a
 * muscle (src/tree/muscle.h), parameters range[2], force, scale, lmin, lmax, vmax, fpmax, fvmax. */
typedef enum crd_force_law { CRD_FORCE_AFFINE, CRD_FORCE_MUSCLE } crd_force_law;
enum { CRD_FORCE_PARAMETERS = 9 };

/* Transmission of an actuator.
 *   joint    a hinge or slide: l = gear[0] q, generalised force gear[0] f. A ball or free joint: gear has one entry per
 *            velocity, the generalised force is gear f, l' = gear . qvel; in_parent: rotations are about axes of the
 *            parent body, not of the moving one
 *   tendon   l = gear[0] times the tendon's length
 *   site     force gear[0..2] f and moment gear[3..5] f at the site, in its axes; l = 0. With a reference site in its
 *            axes, and opposite on its body; l = gear . (position, rotation vector) of the site in the reference site
 *   crank    a rod of length crank_length from the site to a slider, which moves along the z axis of the reference site:
 *            l = gear[0] times the position of the slider
 *   body     adhesion: of n points in which the body touches others, each is drawn together by gear[0] f / n along its
 *            normal, as long as it touches; l = 0 (crd_sim) */
typedef enum crd_transmission { CRD_ON_JOINT, CRD_ON_TENDON, CRD_ON_SITE, CRD_ON_CRANK, CRD_ON_BODY } crd_transmission;

/* A force along a transmission of length l (MJCF actuators):
 *   f = gain(l, l') u + bias(l, l'),   ctrl and f clamped to their ranges, u: see crd_dynamics.
 * A motor has gain 1 0 0 and bias 0 0 0. */
typedef struct crd_actuator_def {
  const char *name;
  crd_transmission transmission;
  int joint;
  bool in_parent;
  int tendon;
  int site, reference; /* reference: -1: none, of a crank the slider's */
  int body;
  double crank_length; /* m */
  double gear[6];
  crd_force_law gain_law, bias_law;
  double gain[CRD_FORCE_PARAMETERS], bias[CRD_FORCE_PARAMETERS];
  double length_range[2]; /* m, muscle: l at which the muscle has the lengths range[0], range[1] */
  crd_dynamics dynamics;
  double time_constant[2], smoothing; /* s, s, 1 */
  bool ctrl_limited, force_limited, act_limited;
  double ctrl_range[2], force_range[2];
  double act_range[2]; /* an activation stays in it */
  int line;
} crd_actuator_def;

/* A part of the path of a spatial tendon: a site that it passes through; a sphere or cylinder (infinite) between two
 * sites, round which it bends, on the side of a site (-1: on the shorter way; a site inside the geom: through the inside);
 * a pulley, behind which a new branch begins, whose length counts divided by the divisor. */
typedef enum crd_wrap_type { CRD_WRAP_SITE, CRD_WRAP_GEOM, CRD_WRAP_PULLEY } crd_wrap_type;
typedef struct crd_wrap {
  crd_wrap_type type;
  int site, geom;
  double divisor;
} crd_wrap;

/* A length with forces of its own, on which actuators may act: a weighted sum of hinge and slide joints (MJCF fixed
 * tendon), or the length of a string through sites (spatial). The force along it is
 * -stiffness (l - rest) - damping l', rest the nearest of spring_length[0] .. spring_length[1]. Limited: range[0] <= l <=
 * range[1], by which at most two kinematic trees may be held; of a string with range[0] <= 0 only the upper limit counts:
 * it is a rope of the length range[1]. Dry friction is a force along it of at most frictionloss that opposes l', between
 * at most two trees as well. Armature is an inertia that l' has: 1/2 armature l'^2 of kinetic energy; of a weighted sum of
 * one joint only. */
typedef struct crd_tendon_def {
  const char *name;
  int nterm;               /* of the weighted sum; 0: spatial */
  const int *term_joint;   /* nterm */
  const double *term_coef; /* nterm, not zero where limited */
  int nwrap;               /* of the path of a spatial one */
  const crd_wrap *wrap;    /* nwrap */
  double stiffness, damping, spring_length[2];
  bool limited;
  double range[2];
  double restitution;  /* of an impact at the limit */
  double frictionloss; /* N, or N m of angles */
  double armature;     /* kg, or kg m^2; at least 0 */
  int line;
} crd_tendon_def;

/* Quantity of a sensor (MJCF `sensor`; dimension in brackets). Sensors of sites use the site's axes, accelerations less
 * gravity, as an accelerometer shows them; force and torque act from the parent on the site's body. */
typedef enum crd_sensor_type {
  CRD_SENSOR_ACCELEROMETER,    /* [3] m/s^2 */
  CRD_SENSOR_VELOCIMETER,      /* [3] m/s */
  CRD_SENSOR_GYRO,             /* [3] rad/s */
  CRD_SENSOR_FORCE,            /* [3] N */
  CRD_SENSOR_TORQUE,           /* [3] N m */
  CRD_SENSOR_MAGNETOMETER,     /* [3] */
  CRD_SENSOR_JOINTPOS,         /* [1] rad or m */
  CRD_SENSOR_JOINTVEL,         /* [1] */
  CRD_SENSOR_BALLQUAT,         /* [4] */
  CRD_SENSOR_BALLANGVEL,       /* [3] rad/s, body axes */
  CRD_SENSOR_JOINTACTUATORFRC, /* [1] N m or N: of all actuators on a joint */
  CRD_SENSOR_ACTUATORPOS,      /* [1] length of the transmission */
  CRD_SENSOR_ACTUATORVEL,      /* [1] */
  CRD_SENSOR_ACTUATORFRC,      /* [1] force along it */
  CRD_SENSOR_FRAMEPOS,         /* [3] m; this and the next six in the reference's frame where there is one */
  CRD_SENSOR_FRAMEQUAT,        /* [4] */
  CRD_SENSOR_FRAMEXAXIS,       /* [3] */
  CRD_SENSOR_FRAMEYAXIS,
  CRD_SENSOR_FRAMEZAXIS,
  CRD_SENSOR_FRAMELINVEL,   /* [3] m/s */
  CRD_SENSOR_FRAMEANGVEL,   /* [3] rad/s */
  CRD_SENSOR_FRAMELINACC,   /* [3] m/s^2, less gravity */
  CRD_SENSOR_FRAMEANGACC,   /* [3] rad/s^2 */
  CRD_SENSOR_SUBTREECOM,    /* [3] m: of a body and all that hangs on it */
  CRD_SENSOR_SUBTREELINVEL, /* [3] m/s */
  CRD_SENSOR_SUBTREEANGMOM, /* [3] kg m^2/s, about the centre of mass */
  CRD_SENSOR_CLOCK,         /* [1] s */
  CRD_SENSOR_TOUCH, /* [1] N: normal forces of the site's body whose line meets the site's shape (crd_sim_sensors) */
  CRD_SENSOR_RANGEFINDER, /* [1] m: along the site's z axis to the first geom of another body; -1: none */
  CRD_SENSOR_TENDONPOS,   /* [1] m or rad */
  CRD_SENSOR_TENDONVEL,   /* [1] */
  CRD_SENSOR_E_POTENTIAL, /* [1] J */
  CRD_SENSOR_E_KINETIC,   /* [1] J */
  CRD_SENSOR_TYPES
} crd_sensor_type;

/* Measured object: a body's inertial frame, or its own (xbody), and so on. */
typedef enum crd_sensor_object {
  CRD_OBJECT_NONE,
  CRD_OBJECT_BODY,
  CRD_OBJECT_XBODY,
  CRD_OBJECT_GEOM,
  CRD_OBJECT_SITE,
  CRD_OBJECT_JOINT,
  CRD_OBJECT_ACTUATOR,
  CRD_OBJECT_TENDON
} crd_sensor_object;

typedef struct crd_sensor_def {
  const char *name;
  crd_sensor_type type;
  crd_sensor_object object, reference; /* reference: of frame* except for accelerations; none: the world */
  int object_id, reference_id;
  double cutoff; /* > 0: each number is clamped to it, except for quaternions */
  int line;
} crd_sensor_def;

/* "gyro", ... as MJCF writes them, and how many numbers they give. */
CRD_API const char *crd_model_sensor_type_name(crd_sensor_type type);
CRD_API int crd_model_sensor_dim(crd_sensor_type type);

/* A stored state; a NULL array means qpos0, zero velocity, zero activation, zero control. */
typedef struct crd_key_def {
  const char *name;
  double time;
  const double *qpos, *qvel, *act, *ctrl;
  int line;
} crd_key_def;

/* An explicit contact pair: collides regardless of the masks, with these coefficients. */
typedef struct crd_pair_def {
  const char *name;
  int geom1, geom2, condim;
  double friction[3], margin, gap, restitution;
  int line;
} crd_pair_def;

typedef enum crd_inertia_source { CRD_INERTIA_GIVEN, CRD_INERTIA_GEOMS, CRD_INERTIA_AUTO } crd_inertia_source;

/* Restitution as a function of the speed of approach: linear between the entries, constant outside. */
enum { CRD_RESTITUTION_ENTRIES = 16 };
typedef struct crd_restitution_table {
  int count;                             /* 0: none */
  double speed[CRD_RESTITUTION_ENTRIES]; /* m/s, rising, not negative */
  double e[CRD_RESTITUTION_ENTRIES];     /* 0 to 1 */
} crd_restitution_table;
/* e at a speed (m/s; negative counts as 0) of a table with entries. */
CRD_API double crd_model_restitution_at(const crd_restitution_table *table, double speed);
/* The first entry that breaks the rules above, -1: none does. */
CRD_API int crd_model_restitution_table_error(const crd_restitution_table *table);

typedef struct crd_build_options {
  const char *name; /* of the model */
  const char *file; /* named in messages */
  double gravity[3], timestep;
  crd_medium medium;
  double magnetic[3];                /* field that magnetometers show, world axes */
  crd_inertia_source inertia_source; /* auto: from the geoms where no inertial is given */
  int inertia_groups[2];             /* geoms of other groups do not count (inclusive range) */
  double total_mass;                 /* > 0: scale all masses and inertias to this total */
  double bound_mass, bound_inertia;  /* > 0: lower bounds put on every body but the world */
  bool balance_inertia;              /* correct inertias that violate the triangle inequality */
  bool mujoco_rounding; /* round as MuJoCo 2.2.2 does (mesh vertices to float, principal axes to 1e-6 rad), so
                              that inertias agree with it to 1e-9; readers of MJCF set this */
  bool mujoco_fusing;   /* with mujoco_rounding: round also where MuJoCo merges a body without joints into its parent,
                             as it does for URDF files; readers of URDF set this */
  double restitution;   /* e of geoms that give none */
  crd_restitution_table restitution_of_speed; /* with entries: e of all contacts of geoms, instead */
  bool allow_static_root; /* bodies without any joint above them may lack mass (always true in MJCF) */
  bool allow_massless;    /* moving bodies may lack mass or inertia if the bodies they carry have it (URDF) */
} crd_build_options;

CRD_API crd_body_def crd_model_body_default(void);
CRD_API crd_joint_def crd_model_joint_default(void);
CRD_API crd_geom_def crd_model_geom_default(void);
CRD_API crd_site_def crd_model_site_default(void);
CRD_API crd_sensor_def crd_model_sensor_default(void);
CRD_API crd_loop_def crd_model_loop_default(void);
CRD_API crd_actuator_def crd_model_actuator_default(void);
CRD_API crd_tendon_def crd_model_tendon_default(void);
CRD_API crd_pair_def crd_model_pair_default(void);
CRD_API crd_build_options crd_model_build_default(void);

/* ---------------------------------------------------------------------------------------------- frozen model */

/* One joint and the bodies that move rigidly with it. Bodies welded together are one link, and a body with several
 * joints is several links, all but the last without mass. Link frame: origin at the joint's anchor, z along the joint's
 * axis (hinge, slide), or the body's axes (ball, free). Parents come before children; links are in the order of the
 * joints.
 */
typedef struct crd_link {
  crd_joint_type type;
  int parent;          /* link id, -1: fixed ground */
  int q, v, nv;        /* first entry in qpos and qvel, number of velocities */
  int body;            /* the body whose joint this is */
  double R0[9], p0[3]; /* placement in the parent link at joint coordinate 0 */
  double ref;          /* subtracted from qpos (hinge, slide) */
  double mass;
  double com[3];     /* centre of mass, link frame */
  double inertia[6]; /* about the link origin, link axes: xx yy zz xy xz yz */
} crd_link;

typedef struct crd_body {
  const char *name;
  int parent, link; /* link it moves with, -1: fixed */
  int weld;         /* topmost body it is welded to (itself if it has joints, 0 if it is fixed) */
  int first_joint, njoint, first_geom, ngeom;
  double pos[3], quat[4];                     /* as defined, in the parent body's frame */
  double link_pos[3], link_R[9];              /* body frame in the link's frame (in the world if link is -1) */
  double mass, ipos[3], iquat[4], inertia[3]; /* principal inertia about the centre of mass */
  double gravcomp;
} crd_body;

typedef struct crd_joint {
  const char *name;
  crd_joint_type type;
  int body, q, v, nq, nv;
  double pos[3], axis[3]; /* body frame, unit axis */
  double stiffness, frictionloss, damping, armature, range[2], margin, restitution, force_range[2];
  bool limited, force_limited, carries_gravity; /* the last only together with force_limited */
} crd_joint;

typedef struct crd_geom {
  const char *name;
  crd_geom_type type;
  int body, link, mesh;
  double size[3];
  double pos[3], R[9];           /* in the body's frame */
  double link_pos[3], link_R[9]; /* in the link's frame (in the world if link is -1) */
  double radius;                 /* of the sphere about the geom's origin that holds it, infinite for a plane */
  int contype, conaffinity, condim, priority, group;
  double friction[3], margin, gap, solmix, restitution;
  bool in_fluid;
  crd_fluid_coef fluid_coef;
} crd_geom;

typedef struct crd_site {
  const char *name;
  int body, link;
  double pos[3], R[9];           /* in the body's frame */
  double link_pos[3], link_R[9]; /* in the link's frame (in the world if link is -1) */
  crd_geom_type type;
  double size[3];
} crd_site;

/* A shape on which the medium acts: the box of a body's inertia, or the ellipsoid of a geom. */
typedef struct crd_immersed {
  int link;            /* moves with it */
  double pos[3], R[9]; /* centre and principal axes in the link's frame */
  double axes[3];      /* m: half axes */
  bool is_ellipsoid;   /* the fields below are for ellipsoids only */
  crd_fluid_coef coef;
  double mass[3], inertia[3]; /* added by a medium of unit density, along and about the axes [m^3, m^5] */
} crd_immersed;

/* The mesh as drawn, and the vertices of its convex hull (the shape that collides). */
/* Faces of a convex hull: coplanar triangles are one. */
typedef struct crd_hull_faces {
  int count;
  const int *first, *corner; /* vertex ids of face f: corner[first[f]] .. corner[first[f + 1] - 1], counter-clockwise
                              * seen from outside, without vertices on its edges */
  const double *normal;      /* count x 3: unit, outward */
  double uneven;             /* m; how far a vertex of a face lies off its plane, at most */
  const int *at_first, *at;  /* faces at the vertex hull[i]: at[at_first[i]] .. at[at_first[i + 1] - 1] */
} crd_hull_faces;

typedef struct crd_mesh {
  const char *name;
  int nvert, nface, nhull;
  const double *vert;
  const int *face;
  const int *hull; /* vertex ids, ascending; all of them where no geom with this mesh may collide */
  /* Neighbours on the hull: those of hull[i] are hull[hull_next[k]], hull_first[i] <= k < hull_first[i + 1], ascending;
   * hull_seed: the ones farthest along +x -x +y -y +z -z. NULL where the hull was not made. */
  const int *hull_first, *hull_next, *hull_seed;
  crd_hull_faces faces; /* of the hull; count 0 where it was not made */
  crd_field field;
  double volume; /* that density refers to (shell: area, m^2); 0 where no body has its inertia from it */
} crd_mesh;

typedef struct crd_loop {
  const char *name;
  crd_loop_type type;
  bool active;
  int body1, body2, joint1, joint2, rows; /* rows: 3 connect, 6 weld, 1 joint and tendon, 5 hinge and slide */
  int tendon1, tendon2;                   /* tendon; tendon2 may be -1 */
  double anchor1[3], anchor2[3];          /* the common point in the frames of body1 and body2 */
  double relpos[3], relquat[4];           /* weld: pose of body2 in body1's frame; slide: relquat */
  double axis1[3], axis2[3];              /* hinge, slide: unit axis in the frames of body1 and body2 */
  double polycoef[5];
} crd_loop;

typedef struct crd_actuator {
  const char *name;
  crd_transmission transmission;
  int joint; /* -1: it acts on something else */
  bool in_parent;
  int tendon, site, reference, body;
  double crank_length;
  int nterm;             /* not on a joint: joints that it acts on, */
  const int *term_joint; /* nterm */
  int ndof, moment;      /* velocities it acts on; where its row of the moments begins (crd_tree_transmissions) */
  const int *dof;        /* ndof */
  double gear[6], ctrl_range[2], force_range[2], act_range[2], length_range[2], time_constant[2], smoothing;
  crd_force_law gain_law, bias_law;
  double gain[CRD_FORCE_PARAMETERS], bias[CRD_FORCE_PARAMETERS];
  crd_dynamics dynamics;
  int act; /* its activation in the state, -1: none */
  bool ctrl_limited, force_limited, act_limited;
} crd_actuator;

typedef struct crd_tendon {
  const char *name;
  int nterm;          /* joints that it depends on */
  const int *joint;   /* nterm */
  const double *coef; /* nterm, of a weighted sum; NULL: spatial */
  int nwrap;
  const crd_wrap *wrap;   /* nwrap */
  int ndof, row;          /* velocities that change it; where its row begins (src/tree/tendon.h) */
  const int *dof, *chain; /* ndof; nchain: all velocities that move some part of its path */
  int nchain;
  double stiffness, damping, spring_length[2], range[2], restitution, frictionloss;
  bool limited;
} crd_tendon;

typedef struct crd_sensor {
  const char *name;
  crd_sensor_type type;
  crd_sensor_object object, reference;
  int object_id, reference_id;
  int first, dim; /* its numbers in the sensors' data */
  double cutoff;
} crd_sensor;

typedef struct crd_key {
  const char *name;
  double time;
  const double *qpos, *qvel, *act, *ctrl;
} crd_key;

typedef struct crd_pair {
  const char *name;
  int geom1, geom2, condim;
  double friction[3], margin, gap, restitution;
} crd_pair;

typedef struct crd_model {
  const char *name;
  int nq, nv, nbody, njoint, nlink, ngeom, nmesh, nloop, nactuator, nkey, npair, nexclude, ntendon,
      nsite;         /* nlink = njoint */
  int nimmersed;     /* 0 where there is no medium */
  int ntendon_row;   /* entries of all rows of tendons */
  int nact, nmoment; /* activations; entries of all rows of actuator moments */
  int nadhesive;     /* actuators on bodies */
  double gravity[3], timestep;
  crd_medium medium;
  int nsensor, nsensordata;
  double magnetic[3];
  double mass; /* of all bodies */
  crd_restitution_table restitution_of_speed;
  bool needs_sites;       /* some tendon or actuator depends on the place of sites */
  bool elastic_tendons;   /* some tendon has a spring or damper */
  bool compensated;       /* some moving body has gravcomp */
  bool carried;           /* and some joint's actuators carry it within a range */
  const crd_link *link;   /* read by the tree recursions */
  const crd_body *body;   /* body 0 is the world */
  const crd_joint *joint; /* joint i moves link i */
  const crd_geom *geom;
  const crd_site *site; /* in the order of addition; readers of MJCF keep MuJoCo's */
  const crd_mesh *mesh;
  const crd_loop *loop;
  const crd_actuator *actuator;
  const crd_tendon *tendon;
  const crd_immersed *immersed; /* by body */
  const crd_sensor *sensor;
  const crd_key *key;
  const crd_pair *pair;                                        /* sorted by geom1 < geom2 */
  const int *exclude;                                          /* nexclude x 2 body ids, smaller first, sorted */
  const double *qpos0, *qpos_spring;                           /* nq */
  const double *dof_armature, *dof_damping, *dof_frictionloss; /* nv */
  const int *dof_link;                                         /* nv: the link a velocity belongs to */
  const int *dof_parent; /* nv: the next velocity towards the base, -1 at the base */
} crd_model;

/* ---------------------------------------------------------------------------------------------- builder */

typedef struct crd_builder crd_builder;

/* An empty builder, whose body 0 is the world; NULL when memory is out. */
CRD_API crd_builder *crd_model_builder_new(void);
CRD_API void crd_model_builder_free(crd_builder *builder);

/* Each copies the definition and returns its id (>= 0), or a negative crd_status (memory). References are checked by
 * crd_model_builder_build, not here. Bodies get ids in the order of addition; the build reorders nothing when each parent was
 * added before its children in depth-first order, as readers do. */
CRD_API int crd_model_builder_body(crd_builder *builder, const crd_body_def *def);
CRD_API int crd_model_builder_joint(crd_builder *builder, int body, const crd_joint_def *def);
CRD_API int crd_model_builder_geom(crd_builder *builder, int body, const crd_geom_def *def);
CRD_API int crd_model_builder_site(crd_builder *builder, int body, const crd_site_def *def);
CRD_API int crd_model_builder_mesh(crd_builder *builder, const crd_mesh_def *def);
CRD_API int crd_model_builder_loop(crd_builder *builder, const crd_loop_def *def);
CRD_API int crd_model_builder_actuator(crd_builder *builder, const crd_actuator_def *def);
CRD_API int crd_model_builder_tendon(crd_builder *builder, const crd_tendon_def *def);
CRD_API int crd_model_builder_sensor(crd_builder *builder, const crd_sensor_def *def);
CRD_API int crd_model_builder_pair(crd_builder *builder, const crd_pair_def *def);
CRD_API int crd_model_builder_exclude(crd_builder *builder, int body1, int body2);

/* Keyframes need the model's sizes, so the arrays of a key are taken with their lengths and checked by the build, which
 * also normalises the quaternions in qpos (a zero one becomes the identity, as in MuJoCo). */
CRD_API int crd_model_builder_key(crd_builder *builder, const crd_key_def *def, int nqpos, int nqvel, int nact,
                                  int nctrl);

/* Ids by name, -1 where there is none. */
CRD_API int crd_model_builder_find_body(const crd_builder *builder, const char *name);
CRD_API int crd_model_builder_find_joint(const crd_builder *builder, const char *name);
CRD_API int crd_model_builder_find_geom(const crd_builder *builder, const char *name);
CRD_API int crd_model_builder_find_site(const crd_builder *builder, const char *name);
CRD_API int crd_model_builder_find_actuator(const crd_builder *builder, const char *name);
CRD_API int crd_model_builder_find_mesh(const crd_builder *builder, const char *name);

/* Checks everything and freezes it into *model. On failure *model is NULL and *err names the element, the number found
 * and the rule it breaks: CRD_ERR_MODEL, CRD_ERR_NUMBER, CRD_ERR_ARGUMENT (a reference that does not exist),
 * CRD_ERR_MEMORY. The builder is unchanged and can be built again. */
CRD_API crd_status crd_model_builder_build(const crd_builder *builder, const crd_build_options *options,
                                           crd_model **model, crd_error *err);

/* Frees a model, or a variant; NULL: nothing. Nothing made from it may be used afterwards. */
CRD_API void crd_model_free(crd_model *model);

/* ---------------------------------------------------------------------------------------------- variants
 * Numbers that experiments vary. A model that was built is never changed; a variant of it is a model of its own, whose numbers
 * the setters change before simulations, workspaces and assemblers are made of it (these read some of them once, so
 * that a variant must not be changed while one exists). It shares names, meshes and keyframes with its base, which must
 * outlive it, and costs some kilobytes. Variants of one base may be used by different threads.
 *
 * Setters return CRD_OK, or refuse and change nothing: CRD_ERR_ARGUMENT (the model is no variant, there is no such element, a
 * number is out of its range), CRD_ERR_NUMBER (not finite), CRD_ERR_MODEL (the model lacks the property to be set);
 * *err (may be NULL) names the element, what was found and what was expected. Ids: crd_model_find_*. */

/* A variant with the numbers of `base` (which may be a variant itself); freed by crd_model_free. CRD_ERR_MEMORY: *variant is
 * NULL. */
CRD_API crd_status crd_model_variant(const crd_model *base, crd_model **variant, crd_error *err);
CRD_API bool crd_model_is_variant(const crd_model *model);

/* Mass of a body, kg, positive; its inertia grows with it, its centre of mass stays. */
CRD_API crd_status crd_model_set_mass(crd_model *variant, int body, double mass, crd_error *err);
/* Mass (kg), centre of mass pos (m) and principal axes quat (any length) in the body's frame, and the principal inertias
 * `moment` (kg m^2) about the centre of mass, none larger than the sum of the other two. */
CRD_API crd_status crd_model_set_inertial(crd_model *variant, int body, double mass, const double pos[3],
                                          const double quat[4], const double moment[3], crd_error *err);
/* Friction of a geom: sliding (1), torsional, rolling (m), at least 0; of two geoms the larger counts (crd_geom_def). */
CRD_API crd_status crd_model_set_friction(crd_model *variant, int geom, const double friction[3], crd_error *err);
/* Restitution of a geom, 0 to 1. CRD_ERR_MODEL: the model's depends on speed (restitution_of_speed), and so on no geom. */
CRD_API crd_status crd_model_set_restitution(crd_model *variant, int geom, double e, crd_error *err);
/* Both of a stated pair. */
CRD_API crd_status crd_model_set_pair(crd_model *variant, int pair, const double friction[3], double e, crd_error *err);
/* m/s^2, world axes. */
CRD_API crd_status crd_model_set_gravity(crd_model *variant, const double gravity[3], crd_error *err);
/* Of all velocities of a joint, N s/m or N m s/rad, at least 0. */
CRD_API crd_status crd_model_set_damping(crd_model *variant, int joint, double damping, crd_error *err);
/* Parameters of an actuator's gain and bias (crd_actuator_def); NULL: as they are. */
CRD_API crd_status crd_model_set_gain(crd_model *variant, int actuator, const double gain[CRD_FORCE_PARAMETERS],
                                      const double bias[CRD_FORCE_PARAMETERS], crd_error *err);

/* The same mechanism in maximal coordinates: every body that has a joint is free, and the joint is a loop
 * (CRD_LOOP_HINGE, _SLIDE, _CONNECT for a ball) with its parent; [Jain, V-E] calls this fully augmented. Bodies, geoms,
 * sites and pairs keep their names, a free joint has the name of the joint it replaces; keyframes are not taken over. States
 * go both ways by crd_tree_to_maximal and crd_tree_from_maximal. CRD_ERR_MODEL: forces
 * in a joint's own coordinate are refused (springs, dampers, armature, dry friction, limits, actuators, couplings), and
 * so is a body with several joints. */
CRD_API crd_status crd_model_maximal(const crd_model *model, crd_model **maximal, crd_error *err);

/* Ids by name in the frozen model, -1 where there is none (or the name is ""): indices into model->body, ->joint and so on,
 * stable as long as the model. O(1). Loops are MJCF's `equality`; pairs the stated ones of `contact`. */
CRD_API int crd_model_find_body(const crd_model *model, const char *name);
CRD_API int crd_model_find_joint(const crd_model *model, const char *name);
CRD_API int crd_model_find_geom(const crd_model *model, const char *name);
CRD_API int crd_model_find_site(const crd_model *model, const char *name);
CRD_API int crd_model_find_mesh(const crd_model *model, const char *name);
CRD_API int crd_model_find_loop(const crd_model *model, const char *name);
CRD_API int crd_model_find_actuator(const crd_model *model, const char *name);
CRD_API int crd_model_find_tendon(const crd_model *model, const char *name);
CRD_API int crd_model_find_sensor(const crd_model *model, const char *name);
CRD_API int crd_model_find_key(const crd_model *model, const char *name);
CRD_API int crd_model_find_pair(const crd_model *model, const char *name);

/* Has any geom that may collide, or stated pair, torsional or rolling friction (condim 4 or 6, coefficient not zero)? */
CRD_API bool crd_model_has_torsion(const crd_model *model);

/* May these two geoms collide? MuJoCo's rules: not within a body or between bodies welded together, not between a body
 * and its parent (unless that is the world), not where excluded, and only if the contype of one meets the conaffinity
 * of the other; a stated pair collides always. *pair is the id of the stated pair or -1 (may be NULL). */
CRD_API bool crd_model_may_collide(const crd_model *model, int geom1, int geom2, int *pair);

/* ---------------------------------------------------------------------------------------------- workspace */

/* Results of the tree algorithms (cradle/tree.h) for one state; one per thread. */
typedef struct crd_workspace crd_workspace;

/* A workspace for the model, which must outlive it, or NULL when memory is out. Its size is linear in the model's. */
CRD_API crd_workspace *crd_model_workspace_new(const crd_model *model);
CRD_API void crd_model_workspace_free(crd_workspace *work);
/* Bytes held. */
CRD_API size_t crd_model_workspace_bytes(const crd_workspace *work);
/* Makes room for nnode nodes, so that crd_tree_oscm with up to that many allocates nothing. CRD_ERR_MEMORY: as it was.
 */
CRD_API crd_status crd_model_workspace_reserve_nodes(crd_workspace *work, int nnode);
/* The joint that the last CRD_SINGULAR of a tree algorithm names, else -1. */
CRD_API int crd_model_workspace_singular_joint(const crd_workspace *work);

#ifdef __cplusplus
}
#endif
#endif
