#define _XOPEN_SOURCE 700 /* mkdtemp, symlink */
/* Claim: a bad file gives one message with file, line, what was found and what was expected, and the right status; no
 * crash, no leak, no model. Each case states the line and a phrase of the message. */
#include <cradle/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/cmocka_all.h"

typedef struct bad_case {
  const char *name, *text;
  crd_status status;
  int line; /* 0: the message is about the whole file */
  const char *phrase;
} bad_case;

/* Lines: <mujoco> 1, <worldbody> 2, the body 3. */
#define BODY(inner) "<mujoco>\n<worldbody>\n" inner "</worldbody></mujoco>"
#define ARM "<body name='arm'><joint name='j'/><geom name='g' size='1'/></body>"
#define WITH_ARM(section) "<mujoco>\n<worldbody>" ARM "</worldbody>\n" section "</mujoco>"

static const bad_case cases[] = {
    /* not XML, or not this XML */
    {"empty", "", CRD_ERR_FORMAT, 0, "expected XML text"},
    {"no XML at all", "hello", CRD_ERR_FORMAT, 1, "not well-formed"},
    {"truncated in a tag", "<mujoco>\n<worldbody>\n<body na", CRD_ERR_FORMAT, 3, "not well-formed"},
    {"truncated between tags", "<mujoco>\n<worldbody>\n<body>", CRD_ERR_FORMAT, 3, "not well-formed"},
    {"tags that cross", "<mujoco>\n<worldbody>\n</mujoco></worldbody>", CRD_ERR_FORMAT, 3, "not well-formed"},
    {"attribute twice", BODY("<body pos='0 0 0' pos='1 1 1'/>"), CRD_ERR_FORMAT, 3, "redefined"},
    {"wrong root", "<svg/>", CRD_ERR_FORMAT, 1, "expected <mujoco> (MJCF) or <robot> (URDF)"},
    {"billion laughs",
     "<!DOCTYPE m [\n<!ENTITY a 'ha'>\n<!ENTITY b '&a;&a;&a;&a;'>\n<!ENTITY c '&b;&b;&b;&b;'>]><mujoco model='&c;'/>",
     CRD_ERR_FORMAT, 2, "entities are not expanded"},
    {"external entity", "<!DOCTYPE m [\n<!ENTITY a SYSTEM 'file:///etc/hostname'>]><mujoco>&a;</mujoco>",
     CRD_ERR_FORMAT, 2, "entities are not expanded"},
    {"bytes that are no UTF-8", "<mujoco model='\xff\xfe'/>", CRD_ERR_FORMAT, 1, "not well-formed"},

    /* numbers */
    {"text for a number", BODY("<body pos='0 zero 0'/>"), CRD_ERR_FORMAT, 3,
     "<body> pos: found '0 zero 0', expected 3 numbers"},
    {"too few numbers", BODY("<body pos='0 0'/>"), CRD_ERR_FORMAT, 3, "expected 3 numbers"},
    {"too many numbers", BODY("<body quat='1 0 0 0 0'/>"), CRD_ERR_FORMAT, 3, "expected 4 numbers"},
    {"no number", BODY("<body pos=''/>"), CRD_ERR_FORMAT, 3, "expected 3 numbers"},
    {"not a number", BODY("<body pos='0 nan 0'/>"), CRD_ERR_NUMBER, 3, "expected finite numbers"},
    {"infinite", BODY("<body><joint damping='inf'/><geom size='1'/></body>"), CRD_ERR_NUMBER, 3,
     "expected finite numbers"},
    {"beyond double", BODY("<body pos='0 0 1e400'/>"), CRD_ERR_NUMBER, 3, "expected finite numbers"},
    {"decimal comma", BODY("<body pos='0,5 0 0'/>"), CRD_ERR_FORMAT, 3, "expected 3 numbers"},
    {"hexadecimal", BODY("<body pos='0x1p3 0 0'/>"), CRD_ERR_FORMAT, 3, "expected 3 numbers"},
    {"fraction for an integer", BODY("<geom size='1' contype='1.5'/>"), CRD_ERR_FORMAT, 3, "expected 1 integer"},
    {"integer beyond int", BODY("<geom size='1' contype='99999999999'/>"), CRD_ERR_FORMAT, 3, "expected 1 integer"},
    {"word for a truth value", "<mujoco>\n<compiler autolimits='yes'/></mujoco>", CRD_ERR_FORMAT, 2,
     "found 'yes', expected false or true"},
    {"negative time step", "<mujoco>\n<option timestep='-1'/></mujoco>", CRD_ERR_NUMBER, 2,
     "expected a positive number"},

    /* words */
    {"unknown joint type", BODY("<body><joint type='wheel'/><geom size='1'/></body>"), CRD_ERR_FORMAT, 3,
     "found 'wheel', expected free, ball, slide or hinge"},
    {"unknown geom type", BODY("<geom type='torus' size='1'/>"), CRD_ERR_FORMAT, 3, "found 'torus', expected plane"},
    {"unknown angle unit", "<mujoco>\n<compiler angle='turns'/></mujoco>", CRD_ERR_FORMAT, 2,
     "expected radian or degree"},
    {"bad euler sequence", "<mujoco>\n<compiler eulerseq='xyw'/></mujoco>", CRD_ERR_FORMAT, 2,
     "expected three letters of x y z X Y Z"},
    {"global coordinates", "<mujoco>\n<compiler coordinate='global'/></mujoco>", CRD_ERR_FORMAT, 2, "expected 'local'"},

    /* geometry */
    {"two orientations", BODY("<body quat='1 0 0 0' euler='0 0 0'/>"), CRD_ERR_FORMAT, 3, "found 2 orientations"},
    {"zero quaternion", BODY("<body quat='0 0 0 0'/>"), CRD_ERR_NUMBER, 3, "expected a rotation"},
    {"parallel axes", BODY("<body xyaxes='1 0 0 2 0 0'/>"), CRD_ERR_NUMBER, 3, "expected a direction"},
    {"zero joint axis", BODY("<body><joint axis='0 0 0'/><geom size='1'/></body>"), CRD_ERR_MODEL, 3, "axis"},
    {"fromto of a point", BODY("<geom type='capsule' size='.1' fromto='1 1 1 1 1 1'/>"), CRD_ERR_NUMBER, 3,
     "expected a segment"},
    {"fromto of a sphere", BODY("<geom size='.1' fromto='0 0 0 1 1 1'/>"), CRD_ERR_FORMAT, 3, "expected a capsule"},
    {"no size", BODY("<geom type='box' size='1'/>"), CRD_ERR_NUMBER, 3, "expected 3 positive numbers"},
    {"negative size", BODY("<geom size='-1'/>"), CRD_ERR_NUMBER, 3, "expected 1 positive number"},
    {"condim 2", BODY("<geom size='1' condim='2'/>"), CRD_ERR_NUMBER, 3, "expected 1, 3, 4 or 6"},
    {"negative friction", BODY("<geom size='1' friction='-.1'/>"), CRD_ERR_NUMBER, 3, "not negative"},

    /* mechanics */
    {"negative mass", BODY("<body><joint/><inertial pos='0 0 0' mass='-1' diaginertia='1 1 1'/></body>"), CRD_ERR_MODEL,
     3, "mass"},
    {"massless moving body", BODY("<body name='ghost'><joint/></body>"), CRD_ERR_MODEL, 3, "ghost"},
    {"negative density", BODY("<body><joint/><geom size='1' density='-5'/></body>"), CRD_ERR_MODEL, 3,
     "density: found -5"},
    {"zero inertia", BODY("<body><joint/><inertial pos='0 0 0' mass='1' diaginertia='0 0 0'/></body>"), CRD_ERR_MODEL,
     3, "inertia"},
    {"triangle inequality", BODY("<body><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 3'/></body>"),
     CRD_ERR_MODEL, 3, "inertia"},
    {"indefinite inertia", BODY("<body><joint/><inertial pos='0 0 0' mass='1' fullinertia='1 1 1 2 0 0'/></body>"),
     CRD_ERR_MODEL, 3, "inertia"},
    {"inertial without mass", BODY("<body><joint/><inertial pos='0 0 0' diaginertia='1 1 1'/></body>"), CRD_ERR_FORMAT,
     3, "no attribute 'mass'"},
    {"two inertials",
     BODY("<body>\n<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>\n<inertial pos='0 0 0' mass='1'/></body>"),
     CRD_ERR_FORMAT, 5, "found a second one"},
    {"joint in the world", BODY("<joint/>"), CRD_ERR_FORMAT, 3, "expected in a body"},
    {"inertial in the world", BODY("<inertial pos='0 0 0' mass='1'/>"), CRD_ERR_FORMAT, 3, "expected in a body"},
    {"limits the wrong way round", BODY("<body><joint range='10 -10'/><geom size='1'/></body>"), CRD_ERR_NUMBER, 3,
     "expected the smaller number first"},
    {"range without limited",
     "<mujoco>\n<compiler autolimits='false'/><worldbody>\n<body><joint range='-10 10'/><geom size='1'/></body>"
     "</worldbody></mujoco>",
     CRD_ERR_FORMAT, 3, "autolimits is false"},
    {"plane that moves", BODY("<body><freejoint/><geom type='plane' size='1 1 1'/><geom size='1'/></body>"),
     CRD_ERR_MODEL, 3, "plane"},
    {"mocap body that moves", BODY("<body mocap='true'><joint/><geom size='1'/></body>"), CRD_ERR_FORMAT, 3,
     "fixed child of the world"},
    {"negative armature", BODY("<body><joint armature='-1'/><geom size='1'/></body>"), CRD_ERR_MODEL, 3, "armature"},

    /* names */
    {"body name twice", BODY("<body name='a'/>\n<body name='a'/>"), CRD_ERR_FORMAT, 4,
     "found 'a' again, expected a new name"},
    {"joint name twice",
     BODY("<body><joint name='a'/><geom size='1'/></body>\n<body><joint name='a'/><geom size='1'/></body>"),
     CRD_ERR_FORMAT, 4, "found 'a' again"},
    {"class name twice", "<mujoco>\n<default>\n<default class='a'/>\n<default class='a'/></default></mujoco>",
     CRD_ERR_FORMAT, 4, "found 'a' again"},
    {"class without name", "<mujoco>\n<default>\n<default/></default></mujoco>", CRD_ERR_FORMAT, 3,
     "no attribute 'class'"},
    {"unknown class", BODY("<geom class='ghost' size='1'/>"), CRD_ERR_ARGUMENT, 3,
     "expected the name of a default class"},
    {"unknown childclass", BODY("<body childclass='ghost'/>"), CRD_ERR_ARGUMENT, 3,
     "expected the name of a default class"},
    {"unknown mesh", BODY("<geom type='mesh' mesh='ghost'/>"), CRD_ERR_ARGUMENT, 3, "expected the name of a mesh"},
    {"mesh without name", BODY("<geom type='mesh'/>"), CRD_ERR_FORMAT, 3, "expected the name of one"},
    {"motor on nothing", WITH_ARM("<actuator><motor joint='ghost'/></actuator>"), CRD_ERR_ARGUMENT, 3,
     "<motor> joint: found 'ghost', expected the name of a joint"},
    {"motor without target", WITH_ARM("<actuator><motor/></actuator>"), CRD_ERR_FORMAT, 3,
     "expected a joint, tendon, site or body"},
    {"motor with two targets", WITH_ARM("<actuator><motor joint='j' site='s'/></actuator>"), CRD_ERR_FORMAT, 3,
     "found 2 targets"},
    {"exclude of nothing", WITH_ARM("<contact><exclude body1='arm' body2='ghost'/></contact>"), CRD_ERR_ARGUMENT, 3,
     "name of a body"},
    {"pair of nothing", WITH_ARM("<contact><pair geom1='g' geom2='ghost'/></contact>"), CRD_ERR_ARGUMENT, 3,
     "name of a geom"},
    {"loop to nothing", WITH_ARM("<equality><connect body1='ghost' anchor='0 0 0'/></equality>"), CRD_ERR_ARGUMENT, 3,
     "name of a body"},
    {"loop to itself", WITH_ARM("<equality><weld body1='arm' body2='arm'/></equality>"), CRD_ERR_FORMAT, 3,
     "the same body twice"},
    {"loop without anchor", WITH_ARM("<equality><connect body1='arm'/></equality>"), CRD_ERR_FORMAT, 3,
     "no attribute 'anchor'"},
    {"coupling of one joint", WITH_ARM("<equality><joint joint1='j' joint2='j'/></equality>"), CRD_ERR_FORMAT, 3,
     "the same joint twice"},
    {"restitution of nothing",
     WITH_ARM(
         "<custom><tuple name='cradle_restitution'><element objtype='geom' objname='ghost' prm='1'/></tuple></custom>"),
     CRD_ERR_ARGUMENT, 3, "name of a geom"},
    {"restitution of no joint",
     WITH_ARM(
         "<custom><tuple name='cradle_restitution'><element objtype='joint' objname='arm' prm='1'/></tuple></custom>"),
     CRD_ERR_ARGUMENT, 3, "name of a joint"},
    {"restitution of a body",
     WITH_ARM(
         "<custom><tuple name='cradle_restitution'><element objtype='body' objname='arm' prm='1'/></tuple></custom>"),
     CRD_ERR_FORMAT, 3, "expected geom"},
    {"restitution above 1", "<mujoco>\n<custom><numeric name='cradle_restitution' data='1.5'/></custom></mujoco>",
     CRD_ERR_NUMBER, 2, "between 0 and 1"},
    {"key too long", WITH_ARM("<keyframe><key qpos='1 2 3'/></keyframe>"), CRD_ERR_MODEL, 3, "qpos"},
    {"key of a mocap body that there is not", WITH_ARM("<keyframe><key mpos='1 2 3'/></keyframe>"), CRD_ERR_FORMAT, 3,
     "<key> mpos: found 3 numbers, expected 0"},
    {"key that moves a mocap body",
     "<mujoco>\n<worldbody><body mocap='true' pos='1 2 3'><geom size='1'/></body></worldbody>\n"
     "<keyframe><key mpos='1 2 3.1'/></keyframe></mujoco>",
     CRD_ERR_FORMAT, 3, "mocap bodies stay where they are drawn"},
    {"key that turns a mocap body",
     "<mujoco>\n<worldbody><body mocap='true' pos='1 2 3'><geom size='1'/></body></worldbody>\n"
     "<keyframe><key mquat='1 0.1 0 0'/></keyframe></mujoco>",
     CRD_ERR_FORMAT, 3, "mocap bodies stay where they are drawn"},
    {"control of no actuator", WITH_ARM("<keyframe><key ctrl='1'/></keyframe>"), CRD_ERR_FORMAT, 3,
     "expected 0, one per actuator"},

    /* meshes and files */
    {"mesh of a triangle",
     "<mujoco>\n<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0'/></asset>\n"
     "<worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>",
     CRD_ERR_FORMAT, 2, "expected at least 12"},
    {"face beyond the vertices",
     "<mujoco>\n<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 9'/></asset>\n"
     "<worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>",
     CRD_ERR_FORMAT, 2, "found vertex 9, expected 0 to 3"},
    {"mesh file missing",
     "<mujoco>\n<asset><mesh file='ghost.stl'/></asset>\n"
     "<worldbody><geom type='mesh' mesh='ghost'/></worldbody></mujoco>",
     CRD_ERR_FILE, 2, "ghost.stl"},
    {"mesh of unknown format",
     "<mujoco>\n<asset><mesh file='test_mjcf_bad.c' name='m'/></asset>\n"
     "<worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>",
     CRD_ERR_FILE, 2, "expected an STL, OBJ or MSH file"},
#define FIELD(attributes)                \
  "<mujoco>\n<asset><hfield " attributes \
  "/></asset>\n"                         \
  "<worldbody><geom type='hfield' hfield='h'/></worldbody></mujoco>"
    {"height field of nothing", FIELD("name='h' size='1 1 1 1'"), CRD_ERR_FORMAT, 2,
     "found nrow 0 and ncol 0 and no file"},
    {"height field without size", FIELD("name='h' nrow='2' ncol='2'"), CRD_ERR_FORMAT, 2,
     "<hfield> size: found nothing"},
    {"height field without height", FIELD("name='h' nrow='2' ncol='2' size='1 1 0 1'"), CRD_ERR_NUMBER, 2,
     "<hfield> size: found 0 as number 3"},
    {"height field with three sizes", FIELD("name='h' nrow='2' ncol='2' size='1 1 1'"), CRD_ERR_FORMAT, 2, "size"},
    {"height field of one row", FIELD("name='h' nrow='1' ncol='3' size='1 1 1 1'"), CRD_ERR_FORMAT, 2,
     "found 1 x 3 heights, expected 2 x 2"},
    {"height field with too few heights", FIELD("name='h' nrow='2' ncol='2' size='1 1 1 1' elevation='0 1 0'"),
     CRD_ERR_FORMAT, 2, "found 3 numbers, expected nrow x ncol = 2 x 2"},
    {"height field with words", FIELD("name='h' nrow='2' ncol='2' size='1 1 1 1' elevation='0 1 0 up'"), CRD_ERR_FORMAT,
     2, "elevation"},
    {"height field beyond all memory", FIELD("name='h' nrow='2000000000' ncol='2000000000' size='1 1 1 1'"),
     CRD_ERR_CAPACITY, 2, "expected"},
    {"height field with a file and heights", FIELD("name='h' file='ghost.png' nrow='2' ncol='2' size='1 1 1 1'"),
     CRD_ERR_FORMAT, 2, "found a file and heights"},
    {"height field missing", FIELD("file='h.png' size='1 1 1 1'"), CRD_ERR_FILE, 2, "h.png"},
    {"height field from a text", FIELD("name='h' file='test_mjcf_bad.c' size='1 1 1 1'"), CRD_ERR_FILE, 2,
     "expected 8 + 4 x rows x columns"},
    {"height field twice",
     "<mujoco>\n<asset><hfield name='h' nrow='2' ncol='2' size='1 1 1 1'/>\n<hfield name='h' nrow='2' ncol='2' size='1 "
     "1 "
     "1 1'/></asset></mujoco>",
     CRD_ERR_FORMAT, 3, "found 'h' again"},
    {"include of nothing", "<mujoco>\n<include file='ghost.xml'/></mujoco>", CRD_ERR_FILE, 2, "ghost.xml"},
    {"include without file", "<mujoco>\n<include/></mujoco>", CRD_ERR_FORMAT, 2, "no attribute 'file'"},
    {"path that leaves the folder", "<mujoco>\n<include file='../CMakeLists.txt'/></mujoco>", CRD_ERR_FILE, 2,
     "outside the model's folder"},
    {"absolute path", "<mujoco>\n<include file='/etc/hostname'/></mujoco>", CRD_ERR_FILE, 2,
     "outside the model's folder"},

    {"no replica", BODY("<replicate count='0'><body/></replicate>"), CRD_ERR_NUMBER, 3, "expected a positive number"},
    {"a billion replicas",
     BODY("<replicate count='1000'><replicate count='1000'><replicate "
          "count='1000'><body/></replicate></replicate></replicate>"),
     CRD_ERR_FORMAT, 3, "elements in all"},

    /* what would change the motion */
    {"sensor of no site", WITH_ARM("<sensor><gyro site='nowhere'/></sensor>"), CRD_ERR_ARGUMENT, 3, "name of a site"},
    {"touch of no site", WITH_ARM("<sensor><touch site='nowhere'/></sensor>"), CRD_ERR_ARGUMENT, 3, "name of a site"},
    {"rangefinder of no site", WITH_ARM("<sensor><rangefinder/></sensor>"), CRD_ERR_FORMAT, 3, "site"},
    {"tendon sensor of none", WITH_ARM("<sensor><tendonpos tendon='t'/></sensor>"), CRD_ERR_ARGUMENT, 3,
     "name of a tendon"},
    {"site of an unknown shape", BODY("<site type='mesh'/>"), CRD_ERR_FORMAT, 3,
     "sphere, capsule, ellipsoid, cylinder or box"},
    {"site without extent", BODY("<site size='0'/>"), CRD_ERR_MODEL, 3, "size is 0, must be positive"},
    {"site of words", BODY("<site size='a'/>"), CRD_ERR_FORMAT, 3, "expected 1 to 3 numbers"},
    {"sensor without a site", WITH_ARM("<sensor><gyro/></sensor>"), CRD_ERR_FORMAT, 3, "site"},
    {"sensor of no actuator", WITH_ARM("<sensor><actuatorfrc actuator='a'/></sensor>"), CRD_ERR_ARGUMENT, 3,
     "name of an actuator"},
    {"ball sensor of a hinge", WITH_ARM("<sensor><ballquat joint='j'/></sensor>"), CRD_ERR_MODEL, 3, "ball joint"},
    {"frame of an unknown kind", WITH_ARM("<sensor><framepos objtype='mesh' objname='a'/></sensor>"), CRD_ERR_FORMAT, 3,
     "objtype"},
    {"frame without a kind", WITH_ARM("<sensor><framepos objname='a'/></sensor>"), CRD_ERR_FORMAT, 3, "objtype"},
    {"negative cutoff", WITH_ARM("<sensor><jointpos joint='j' cutoff='-1'/></sensor>"), CRD_ERR_NUMBER, 3,
     "cutoff: found -1"},
    {"negative viscosity", "<mujoco>\n<option viscosity='-1'/></mujoco>", CRD_ERR_NUMBER, 2, "viscosity: found -1"},
    {"wind of two numbers", "<mujoco>\n<option wind='1 2'/></mujoco>", CRD_ERR_FORMAT, 2, "wind"},
    {"fluidshape unknown", BODY("<geom size='1' fluidshape='cube'/>"), CRD_ERR_FORMAT, 3, "fluidshape"},
    {"negative fluidcoef", BODY("<geom size='1' fluidcoef='1 -2'/>"), CRD_ERR_NUMBER, 3, "fluidcoef: found -2"},
    {"a plane in a medium",
     "<mujoco>\n<option density='1'/><worldbody>\n<geom type='plane' size='1 1 1' fluidshape='ellipsoid'/></worldbody>"
     "</mujoco>",
     CRD_ERR_FORMAT, 3, "allowed with --lenient"},
    {"composite", BODY("<body><composite type='rope'/></body>"), CRD_ERR_FORMAT, 3, "allowed with --lenient"},
    {"gravity compensation that is no number", BODY("<body gravcomp='all'/>"), CRD_ERR_FORMAT, 3, "gravcomp"},
    {"muscle without length range", WITH_ARM("<actuator><muscle joint='j'/></actuator>"), CRD_ERR_FORMAT, 3,
     "<muscle> lengthrange: found 0 0, expected the shortest and the longest"},
    {"muscle with lengths turned round",
     WITH_ARM("<actuator><muscle joint='j' lengthrange='0 1' range='2 1'/></actuator>"), CRD_ERR_MODEL, 3,
     "range of the muscle is 2 1"},
    {"muscle without width", WITH_ARM("<actuator><muscle joint='j' lengthrange='0 1' lmin='1.2'/></actuator>"),
     CRD_ERR_MODEL, 3, "lmin and lmax of the muscle are 1.2 1.6"},
    {"muscle that is never stretched", WITH_ARM("<actuator><muscle joint='j' lengthrange='0 1' fvmax='1'/></actuator>"),
     CRD_ERR_MODEL, 3, "fvmax of the muscle is 1, must be greater"},
    {"muscle without time", WITH_ARM("<actuator><muscle joint='j' lengthrange='0 1' timeconst='.01 0'/></actuator>"),
     CRD_ERR_MODEL, 3, "timeconst is 0, must be positive"},
    {"filter without time", WITH_ARM("<actuator><general joint='j' dyntype='filter' dynprm='0'/></actuator>"),
     CRD_ERR_MODEL, 3, "timeconst is 0, must be positive"},
    {"position with negative filter", WITH_ARM("<actuator><position joint='j' timeconst='-1'/></actuator>"),
     CRD_ERR_NUMBER, 3, "<position> timeconst: found -1"},
    {"intvelocity without range", WITH_ARM("<actuator><intvelocity joint='j' kp='1'/></actuator>"), CRD_ERR_NUMBER, 3,
     "<intvelocity> actrange: found 0 0"},
    {"activation range turned round",
     WITH_ARM("<actuator><general joint='j' dyntype='integrator' actlimited='true' actrange='1 -1'/></actuator>"),
     CRD_ERR_NUMBER, 3, "<general> actrange: found 1 -1"},
    {"cylinder with two biases", WITH_ARM("<actuator><cylinder joint='j' bias='1 2'/></actuator>"), CRD_ERR_FORMAT, 3,
     "bias"},
    {"dynamics that there are not", WITH_ARM("<actuator><general joint='j' dyntype='fliter'/></actuator>"),
     CRD_ERR_FORMAT, 3, "dyntype"},
    {"dynamics of a user", WITH_ARM("<actuator><general joint='j' dyntype='user'/></actuator>"), CRD_ERR_FORMAT, 3,
     "allowed with --lenient"},
    {"several activations", WITH_ARM("<actuator><general joint='j' dyntype='filter' actdim='2'/></actuator>"),
     CRD_ERR_FORMAT, 3, "several activations"},
    {"adhesion that pushes", WITH_ARM("<actuator><adhesion body='arm' ctrlrange='-1 1'/></actuator>"), CRD_ERR_NUMBER,
     3, "found -1 1, expected no negative control"},
    {"adhesion without range", WITH_ARM("<actuator><adhesion body='arm'/></actuator>"), CRD_ERR_NUMBER, 3, "ctrlrange"},
    {"adhesion of nothing", WITH_ARM("<actuator><adhesion ctrlrange='0 1'/></actuator>"), CRD_ERR_FORMAT, 3,
     "found no target"},
    {"adhesion of a body that is not there", WITH_ARM("<actuator><adhesion body='leg' ctrlrange='0 1'/></actuator>"),
     CRD_ERR_ARGUMENT, 3, "leg"},
    {"key with too many activations", WITH_ARM("<keyframe><key act='1'/></keyframe>"), CRD_ERR_FORMAT, 3,
     "<key> act: found 1 numbers, expected 0"},
    {"height field without a name", BODY("<geom type='hfield'/>"), CRD_ERR_FORMAT, 3, "without one"},
    {"height field that is not there", BODY("<geom type='hfield' hfield='h'/>"), CRD_ERR_ARGUMENT, 3,
     "<geom> hfield: found 'h'"},
    {"tendon spring that is a polynomial",
     WITH_ARM("<tendon><fixed stiffness='1 2'><joint joint='j' coef='1'/></fixed></tendon>"), CRD_ERR_FORMAT, 3,
     "polynomials of springs"},
    {"tendon through nothing", WITH_ARM("<tendon><spatial/></tendon>"), CRD_ERR_FORMAT, 3,
     "<spatial>: found no path, expected at least two sites"},
    {"tendon through no site", WITH_ARM("<tendon><spatial><site site='ghost'/></spatial></tendon>"), CRD_ERR_ARGUMENT,
     3, "<site> site: found 'ghost', expected the name of a site"},
    {"tendon round no geom", WITH_ARM("<tendon><spatial><geom geom='ghost'/></spatial></tendon>"), CRD_ERR_ARGUMENT, 3,
     "<geom> geom: found 'ghost', expected the name of a geom"},
    {"tendon of one geom", WITH_ARM("<tendon><spatial name='t'><geom geom='g'/></spatial></tendon>"), CRD_ERR_MODEL, 3,
     "tendon \"t\""},
    {"pulley without divisor", WITH_ARM("<tendon><spatial><pulley/></spatial></tendon>"), CRD_ERR_FORMAT, 3,
     "no attribute 'divisor'"},
    {"three spring lengths",
     WITH_ARM("<tendon><fixed springlength='1 2 3'><joint joint='j' coef='1'/></fixed></tendon>"), CRD_ERR_FORMAT, 3,
     "<fixed> springlength: found 3 numbers"},
    {"crank without slider", WITH_ARM("<actuator><motor cranksite='ghost' cranklength='1'/></actuator>"),
     CRD_ERR_ARGUMENT, 3, "<motor> cranksite: found 'ghost', expected the name of a site"},
    {"motor on no site", WITH_ARM("<actuator><motor site='ghost'/></actuator>"), CRD_ERR_ARGUMENT, 3,
     "<motor> site: found 'ghost', expected the name of a site"},
};

static void expect_refusal(const bad_case *bad, size_t size) {
  crd_model other, *model = &other; /* anything but NULL */
  crd_error err = {0};
  crd_read_report report = {0};
  crd_status status =
      crd_io_read_model_text(bad->text, size, CRADLE_SOURCE_DIR "/tests/io/bad.xml", NULL, &model, &report, &err);
  crd_io_read_report_free(&report);
  assert_null(model);
  if (status != bad->status || err.line != bad->line || !strstr(err.text, bad->phrase))
    fail_msg("%s: status %d, line %d, '%s'; expected %d, %d, '...%s...'", bad->name, status, err.line, err.text,
             bad->status, bad->line, bad->phrase);
  assert_string_equal(err.file, CRADLE_SOURCE_DIR "/tests/io/bad.xml");
}

static void bad_files_are_refused_with_line_and_reason(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) expect_refusal(&cases[i], strlen(cases[i].text));
}

static void bodies_nested_a_hundred_thousand_deep_are_refused(void **state) {
  (void)state;
  enum { DEPTH = 100000 };
  char *text = malloc(DEPTH * 13 + 100), *end = text;
  end += sprintf(end, "<mujoco><worldbody>\n");
  for (int i = 0; i < DEPTH; i++) end += sprintf(end, "<body>");
  for (int i = 0; i < DEPTH; i++) end += sprintf(end, "</body>");
  sprintf(end, "</worldbody></mujoco>");
  expect_refusal(&(bad_case){"deep", text, CRD_ERR_FORMAT, 2, "nested too deeply"}, strlen(text));
  free(text);
}

/* A chain of 5000 bodies is a model like any other. */
static void long_chains_are_read(void **state) {
  (void)state;
  enum { DEPTH = 5000 };
  char *text = malloc(DEPTH * 80 + 100), *end = text;
  end += sprintf(end, "<mujoco><worldbody>");
  for (int i = 0; i < DEPTH; i++)
    end += sprintf(end, "<body pos='0 0 -1'><joint axis='%d 1 0'/><geom size='.1'/>", i % 2);
  for (int i = 0; i < DEPTH; i++) end += sprintf(end, "</body>");
  sprintf(end, "</worldbody></mujoco>");
  crd_model *model;
  assert_int_equal(crd_io_read_model_text(text, strlen(text), "chain.xml", NULL, &model, NULL, NULL), CRD_OK);
  assert_int_equal(model->nv, DEPTH);
  crd_model_free(model);
  free(text);
}

/* Every prefix of a good file is refused or read; none crashes. */
static void a_file_cut_anywhere_is_harmless(void **state) {
  (void)state;
  char path[512], text[8192];
  snprintf(path, sizeof path, "%s/models/gyroscope.xml", CRADLE_SOURCE_DIR);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  size_t size = fread(text, 1, sizeof text, file);
  fclose(file);
  for (size_t length = 0; length < size; length++) {
    crd_model *model;
    crd_error err = {0};
    if (crd_io_read_model_text(text, length, "cut.xml", NULL, &model, NULL, &err) != CRD_OK)
      assert_true(err.text[0] != 0);
    crd_model_free(model);
  }
}

/* ------------------------------------------------------------------------------------------------ files */

static char folder[] = CRADLE_BINARY_DIR "/mjcf-bad-XXXXXX";

static const char *in_folder(const char *name) {
  static char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void put_file(const char *name, const char *text) {
  FILE *file = fopen(in_folder(name), "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
  (void)state;
  static const char *const names[] = {"main.xml", "a.xml", "b.xml", "empty.xml", "link.xml"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) unlink(in_folder(names[i]));
  return rmdir(folder);
}

static crd_error read_error(const char *name) {
  crd_model *model;
  crd_error err = {0};
  assert_true(crd_io_read_model(in_folder(name), NULL, &model, NULL, &err) != CRD_OK);
  assert_null(model);
  return err;
}

static void includes_that_go_round_are_refused(void **state) {
  (void)state;
  put_file("main.xml", "<mujoco>\n<include file='a.xml'/></mujoco>");
  put_file("a.xml", "<x>\n\n<include file='./b.xml'/></x>");
  put_file("b.xml", "<x><include file='a.xml'/></x>");
  crd_error err = read_error("main.xml");
  assert_int_equal(err.status, CRD_ERR_FORMAT);
  assert_non_null(strstr(err.file, "b.xml"));
  assert_non_null(strstr(err.text, "included already"));
  put_file("b.xml", "<x><include file='main.xml'/></x>");
  assert_non_null(strstr(read_error("main.xml").text, "included already"));
}

static void errors_in_included_files_name_that_file(void **state) {
  (void)state;
  put_file("main.xml", "<mujoco>\n<include file='a.xml'/>\n<worldbody/></mujoco>");
  put_file("a.xml", "<x>\n\n<worldbody>\n<body pos='x'/></worldbody></x>");
  crd_error err = read_error("main.xml");
  assert_non_null(strstr(err.file, "a.xml"));
  assert_int_equal(err.line, 4);
  /* found by the builder, which knows nothing of files */
  put_file("a.xml", "<x>\n\n<worldbody>\n\n<body name='ghost'><joint/></body></worldbody></x>");
  err = read_error("main.xml");
  assert_int_equal(err.status, CRD_ERR_MODEL);
  assert_non_null(strstr(err.file, "a.xml"));
  assert_int_equal(err.line, 5);
  put_file("a.xml", "<x>\n<worldbody>");
  err = read_error("main.xml");
  assert_non_null(strstr(err.file, "a.xml"));
  assert_int_equal(err.line, 2);
}

static void empty_includes_and_links_that_lead_out_are_refused(void **state) {
  (void)state;
  put_file("empty.xml", "<x/>");
  put_file("main.xml", "<mujoco>\n<include file='empty.xml'/></mujoco>");
  assert_non_null(strstr(read_error("main.xml").text, "expected at least one"));
  assert_int_equal(symlink("/etc/passwd", in_folder("link.xml")), 0);
  put_file("main.xml", "<mujoco>\n<include file='link.xml'/></mujoco>");
  crd_error err = read_error("main.xml");
  assert_int_equal(err.status, CRD_ERR_FILE);
  assert_non_null(strstr(err.text, "outside the model's folder"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(bad_files_are_refused_with_line_and_reason),
                                     cmocka_unit_test(bodies_nested_a_hundred_thousand_deep_are_refused),
                                     cmocka_unit_test(long_chains_are_read),
                                     cmocka_unit_test(a_file_cut_anywhere_is_harmless),
                                     cmocka_unit_test(includes_that_go_round_are_refused),
                                     cmocka_unit_test(errors_in_included_files_name_that_file),
                                     cmocka_unit_test(empty_includes_and_links_that_lead_out_are_refused)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
