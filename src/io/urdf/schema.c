/* URDF's elements and attributes, and their treatment by the reader. Programs put elements of their own into <robot>,
 * <link> and <joint>: there an unknown name is listed, unless it is so near to a known one that it must be meant. */
#include "io/xml/schema.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

static const char show[] = "only for show", gazebo[] = "Gazebo's extension", bullet[] = "Bullet's extension",
                  moveit[] = "MoveIt's extension";

#define READ CRD_SCHEMA_READ
#define NONE CRD_SCHEMA_NO_EFFECT

static const crd_schema_element elements[] = {
    {"robot", "link joint mujoco", READ, NULL},
    {"robot visual", "material", NONE, show},
    {"material", "color texture", NONE, show},
    {"robot link joint", "gazebo", NONE, gazebo},
    {"robot", "transmission", NONE, "a URDF file states no actuator that cradle models"},
    {"robot", "sensor", NONE, "sensors are not modelled"},
    {"robot", "group disable_collisions", NONE, moveit},
    {"link", "inertial collision", READ, NULL},
    {"link", "visual", NONE, show},
    {"link", "contact", NONE, bullet},
    {"inertial collision visual joint", "origin", READ, NULL},
    {"inertial", "mass inertia", READ, NULL},
    {"collision visual", "geometry", READ, NULL},
    {"geometry", "box sphere cylinder capsule plane mesh cdf heightmap", READ, NULL},
    {"joint", "parent child axis dynamics mimic", READ, NULL},
    {"joint", "limit", READ, NULL},
    {"joint", "safety_controller", NONE, "controllers are not modelled"},
    {"joint", "calibration", NONE, "sensors are not modelled"},
};

static const crd_schema_attribute attributes[] = {
    {"robot", "name version", READ, NULL, NULL},
    {"robot/link", "name", READ, NULL, NULL},
    {"robot/joint", "name type", READ, NULL, NULL},
    {"link/collision", "name", READ, NULL, NULL},
    {"link/visual robot/material visual/material", "name", NONE, show, NULL},
    {"material/color", "rgba", NONE, show, NULL},
    {"material/texture", "filename", NONE, show, NULL},
    {"inertial/origin collision/origin visual/origin joint/origin", "xyz rpy", READ, NULL, NULL},
    {"inertial/mass", "value", READ, NULL, NULL},
    {"inertial/inertia", "ixx ixy ixz iyy iyz izz", READ, NULL, NULL},
    {"geometry/box", "size", READ, NULL, NULL},
    {"geometry/sphere", "radius", READ, NULL, NULL},
    {"geometry/cylinder geometry/capsule", "radius length", READ, NULL, NULL},
    {"geometry/plane", "normal", READ, NULL, NULL},
    {"geometry/mesh", "filename scale", READ, NULL, NULL},
    {"joint/parent joint/child", "link", READ, NULL, NULL},
    {"joint/axis", "xyz", READ, NULL, NULL},
    {"joint/dynamics", "damping friction", READ, NULL, NULL},
    {"joint/mimic", "joint multiplier offset", READ, NULL, NULL},
    {"joint/limit", "lower upper effort", READ, NULL, NULL},
    {"joint/limit", "velocity", NONE, "velocities are not limited", NULL},
};

const crd_schema crd_urdf_schema = {
    .format = "URDF",
    .element = elements,
    .nelement = COUNT(elements),
    .attribute = attributes,
    .nattribute = COUNT(attributes),
    .open = "robot link joint collision visual geometry box sphere cylinder capsule plane mesh inertial dynamics limit",
    .except = "mujoco gazebo transmission sensor contact safety_controller calibration group disable_collisions"};
