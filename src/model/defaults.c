/* Default definitions (MuJoCo's values, angles in rad) and the names and sizes of the types. */
#include <cradle/model.h>

#include <math.h>

int crd_model_joint_nq(crd_joint_type type) {
  switch (type) {
    case CRD_FREE: return 7;
    case CRD_BALL: return 4;
    default: return 1;
  }
}

int crd_model_joint_nv(crd_joint_type type) {
  switch (type) {
    case CRD_FREE: return 6;
    case CRD_BALL: return 3;
    default: return 1;
  }
}

const char *crd_model_joint_type_name(crd_joint_type type) {
  switch (type) {
    case CRD_FREE: return "free";
    case CRD_BALL: return "ball";
    case CRD_SLIDE: return "slide";
    case CRD_HINGE: return "hinge";
  }
  return "unknown";
}

const char *crd_model_geom_type_name(crd_geom_type type) {
  switch (type) {
    case CRD_PLANE: return "plane";
    case CRD_SPHERE: return "sphere";
    case CRD_CAPSULE: return "capsule";
    case CRD_ELLIPSOID: return "ellipsoid";
    case CRD_CYLINDER: return "cylinder";
    case CRD_BOX: return "box";
    case CRD_MESH: return "mesh";
    case CRD_HFIELD: return "hfield";
  }
  return "unknown";
}

const char *crd_model_loop_type_name(crd_loop_type type) {
  switch (type) {
    case CRD_LOOP_CONNECT: return "connect";
    case CRD_LOOP_WELD: return "weld";
    case CRD_LOOP_JOINT: return "joint";
    case CRD_LOOP_TENDON: return "tendon";
    case CRD_LOOP_HINGE: return "hinge";
    case CRD_LOOP_SLIDE: return "slide";
  }
  return "unknown";
}

crd_body_def crd_model_body_default(void) {
  return (crd_body_def){.quat = {1, 0, 0, 0}, .inertial = {.quat = {1, 0, 0, 0}}};
}

crd_joint_def crd_model_joint_default(void) { return (crd_joint_def){.type = CRD_HINGE, .axis = {0, 0, 1}}; }

crd_geom_def crd_model_geom_default(void) {
  return (crd_geom_def){.type = CRD_SPHERE,
                        .quat = {1, 0, 0, 0},
                        .mesh = -1,
                        .density = 1000,
                        .contype = 1,
                        .conaffinity = 1,
                        .condim = 3,
                        .friction = {1, 0.005, 0.0001},
                        .solmix = 1,
                        .restitution = NAN,
                        .in_inertia = true,
                        .fluid_coef = {0.5, 0.25, 1.5, 1, 1}};
}

crd_site_def crd_model_site_default(void) {
  return (crd_site_def){.quat = {1, 0, 0, 0}, .type = CRD_SPHERE, .size = {0.005, 0.005, 0.005}};
}

crd_loop_def crd_model_loop_default(void) {
  return (crd_loop_def){.type = CRD_LOOP_CONNECT,
                        .active = true,
                        .at_qpos0 = true,
                        .axis = {0, 0, 1},
                        .relquat = {1, 0, 0, 0},
                        .joint1 = -1,
                        .joint2 = -1,
                        .tendon2 = -1,
                        .polycoef = {0, 1, 0, 0, 0}};
}

crd_actuator_def crd_model_actuator_default(void) {
  return (crd_actuator_def){
      .joint = -1, .tendon = -1, .site = -1, .reference = -1, .gear = {1}, .gain = {1}, .time_constant = {1, 1}};
}

crd_tendon_def crd_model_tendon_default(void) { return (crd_tendon_def){.nterm = 0}; }

crd_pair_def crd_model_pair_default(void) {
  return (crd_pair_def){.geom1 = -1, .geom2 = -1, .condim = 3, .friction = {1, 0.005, 0.0001}, .restitution = NAN};
}

crd_build_options crd_model_build_default(void) {
  return (crd_build_options){.gravity = {0, 0, -9.81},
                             .magnetic = {0, -0.5, 0},
                             .timestep = 0.002,
                             .inertia_source = CRD_INERTIA_AUTO,
                             .inertia_groups = {0, 5},
                             .allow_static_root = true};
}
