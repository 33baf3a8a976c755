/* Claim: MuJoCo and cradle, reading the same file, agree to 1e-9 (relative; agreement_allowed) on masses, inertias,
 * body poses, mass matrix, bias force, spring and damper forces, actuator forces and acceleration, at qpos0, in every
 * keyframe and in random states. The models of models/ between them use every part of MJCF that is read and that
 * MuJoCo 2.2.2 knows; what is newer is compared with the same mechanism written the old way. */
#include <cradle/io.h>
#include <stdio.h>
#include <string.h>

#include "mujoco/agreement.h"
#include "support/cmocka_all.h"
#include "support/mujoco_load.h"

static const double tolerance = 1e-9;
enum { RANDOM_STATES = 20, MODELS = 15 };

static const char *const models[MODELS] = {"cart_pole", "quadruped", "crane",   "gyroscope",    "ragdoll",
                                           "dice",      "clock",     "gripper", "scissor_lift", "spinning_top",
                                           "glider",    "actuators", "tendons", "ring",         "sensors"};

static void model_path(char *path, size_t size, const char *name) {
  snprintf(path, size, "%s/models/%s.xml", CRADLE_SOURCE_DIR, name);
}

static crd_model *read_file(const char *path) {
  crd_model *model;
  crd_error err = {0};
  if (crd_io_read_model(path, NULL, &model, NULL, &err) != CRD_OK) fail_msg("%s:%d: %s", err.file, err.line, err.text);
  return model;
}

static void assert_agreement(const agreement *a, const char *name) {
  for (int kind = 0; kind < AGREE_KINDS; kind++)
    if (!(a->worst[kind] <= agreement_allowed(name)))
      fail_msg("%s: %s differs by %g", name, agreement_name[kind], a->worst[kind]);
}

static agreement compare(const crd_model *ours, mjModel *theirs) {
  agreement a = {0};
  mjData *data = mj_makeData(theirs);
  double *qpos = calloc((size_t)theirs->nq + 1, sizeof(double)), *qvel = calloc((size_t)theirs->nv + 1, sizeof(double)),
         *ctrl = calloc((size_t)theirs->nu + 1, sizeof(double));
  agreement_bodies(&a, ours, theirs);
  assert_true(agreement_added_mass(ours, theirs));
  assert_true(agreement_at(&a, ours, theirs, data, theirs->qpos0, qvel, ctrl));
  assert_int_equal(ours->nkey, theirs->nkey);
  for (int k = 0; k < theirs->nkey; k++) {
    const crd_key *key = &ours->key[k];
    assert_true(agreement_vector(key->qpos, theirs->key_qpos + k * theirs->nq, theirs->nq, 1) <= tolerance);
    assert_true(agreement_vector(key->qvel, theirs->key_qvel + k * theirs->nv, theirs->nv, 1) <= tolerance);
    assert_true(agreement_vector(key->act, theirs->key_act + k * theirs->na, theirs->na, 1) <= tolerance);
    assert_true(agreement_at(&a, ours, theirs, data, key->qpos, key->qvel, theirs->key_ctrl + k * theirs->nu));
  }
  for (uint64_t seed = 1; seed <= RANDOM_STATES; seed++) {
    agreement_random_state(theirs, seed, 0.8, qpos, qvel, ctrl);
    assert_true(agreement_at(&a, ours, theirs, data, qpos, qvel, ctrl));
  }
  free(qpos), free(qvel), free(ctrl);
  mj_deleteData(data);
  return a;
}

static void every_model_agrees_with_mujoco(void **state) {
  (void)state;
  for (int i = 0; i < MODELS; i++) {
    char path[512], message[1000] = "";
    model_path(path, sizeof path, models[i]);
    crd_model *ours = read_file(path);
    mjModel *theirs = mj_loadXML(path, NULL, message, sizeof message);
    if (!theirs) fail_msg("MuJoCo: %s: %s", path, message);
    assert_true(agreement_same_sizes(ours, theirs));
    agreement a = compare(ours, theirs);
    assert_agreement(&a, models[i]);
    mj_deleteModel(theirs);
    crd_model_free(ours);
  }
}

/* Names, types and contact numbers come over as MuJoCo has them. */
static void names_geoms_and_contact_numbers_agree_with_mujoco(void **state) {
  (void)state;
  for (int i = 0; i < MODELS; i++) {
    char path[512], message[1000] = "";
    model_path(path, sizeof path, models[i]);
    crd_model *ours = read_file(path);
    mjModel *theirs = mj_loadXML(path, NULL, message, sizeof message);
    assert_int_equal(ours->ngeom, theirs->ngeom);
    for (int g = 0; g < ours->ngeom; g++) {
      const crd_geom *geom = &ours->geom[g];
      assert_string_equal(geom->name, theirs->names + theirs->name_geomadr[g]);
      assert_int_equal(geom->contype, theirs->geom_contype[g]);
      assert_int_equal(geom->conaffinity, theirs->geom_conaffinity[g]);
      assert_int_equal(geom->condim, theirs->geom_condim[g]);
      assert_int_equal(geom->priority, theirs->geom_priority[g]);
      assert_true(agreement_vector(geom->friction, theirs->geom_friction + 3 * g, 3, 0) <= tolerance);
      if (geom->type == CRD_MESH) continue; /* MuJoCo moves the geom into the mesh's principal axes */
      assert_true(agreement_vector(geom->size, theirs->geom_size + 3 * g, 3, 0) <= tolerance);
      assert_true(agreement_vector(geom->pos, theirs->geom_pos + 3 * g, 3, 1) <= tolerance);
    }
    for (int j = 0; j < ours->njoint; j++) {
      const crd_joint *joint = &ours->joint[j];
      assert_string_equal(joint->name, theirs->names + theirs->name_jntadr[j]);
      assert_int_equal(joint->limited, theirs->jnt_limited[j]);
      assert_true(joint->frictionloss == theirs->dof_frictionloss[theirs->jnt_dofadr[j]]);
      if (joint->limited) assert_true(agreement_vector(joint->range, theirs->jnt_range + 2 * j, 2, 0) <= tolerance);
    }
    assert_int_equal(ours->nexclude, theirs->nexclude);
    assert_int_equal(ours->npair, theirs->npair);
    assert_int_equal(ours->nloop, theirs->neq);
    mj_deleteModel(theirs);
    crd_model_free(ours);
  }
}

static bool some_model_contains(const char *text) {
  for (int i = 0; i < MODELS; i++) {
    char path[512], content[20000];
    model_path(path, sizeof path, models[i]);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    content[fread(content, 1, sizeof content - 1, file)] = 0;
    fclose(file);
    if (strstr(content, text)) return true;
  }
  return false;
}

static void the_models_use_what_the_reader_reads(void **state) {
  (void)state;
  static const char *const features[] = {"<default class=",
                                         "childclass=",
                                         "fromto=",
                                         "eulerseq=",
                                         "inertiafromgeom=",
                                         "inertiagrouprange=",
                                         "settotalmass=",
                                         "type=\"ball\"",
                                         "type=\"free\"",
                                         "type=\"slide\"",
                                         "<freejoint",
                                         "armature=",
                                         "<include",
                                         "mesh=",
                                         "<key ",
                                         "axisangle=",
                                         "xyaxes=",
                                         "zaxis=",
                                         "euler=",
                                         "quat=",
                                         "fullinertia=",
                                         "diaginertia=",
                                         "springref=",
                                         "stiffness=",
                                         "damping=",
                                         " ref=",
                                         "frictionloss=",
                                         "<connect",
                                         "<weld",
                                         "<sensor>",
                                         "viscosity=",
                                         "wind=",
                                         "fluidshape=",
                                         "fluidcoef=",
                                         "polycoef=",
                                         "<motor",
                                         "<position",
                                         "<velocity",
                                         "<damper",
                                         "<intvelocity",
                                         "<cylinder",
                                         "<muscle",
                                         "dyntype=\"filter\"",
                                         "dyntype=\"integrator\"",
                                         "jointinparent=",
                                         "actrange=",
                                         " act=",
                                         "<general",
                                         "<fixed",
                                         "<spatial",
                                         "<pulley",
                                         "sidesite=",
                                         "springlength=",
                                         "cranksite=",
                                         " site=",
                                         "<exclude",
                                         "<pair",
                                         "<numeric",
                                         "<tuple",
                                         "refpos=",
                                         "refquat=",
                                         "scale=",
                                         "vertex=",
                                         "meshdir=",
                                         "autolimits=",
                                         "angle=\"radian\"",
                                         "angle=\"degree\"",
                                         "type=\"ellipsoid\"",
                                         "type=\"box\"",
                                         "type=\"capsule\"",
                                         "type=\"plane\"",
                                         "type=\"cylinder\""};
  for (size_t i = 0; i < sizeof features / sizeof features[0]; i++)
    if (!some_model_contains(features[i])) fail_msg("no model has %s", features[i]);
}

/* The new way of writing, and the same mechanism in the MJCF of MuJoCo 2.2.2. */
typedef struct translation {
  const char *claim, *fresh, *old;
} translation;

#define WORLD(inner) "<mujoco><compiler angle='radian'/><worldbody>" inner "</worldbody></mujoco>"
#define ARM(attributes)                           \
  "<body><joint name='j' axis='0 1 0'" attributes \
  "/><geom name='g' fromto='0 0 0 1 0 .3' type='capsule' size='.1'/></body>"

static const translation translations[] = {
    {"a frame moves bodies, geoms and joints",
     WORLD("<body pos='1 2 3' euler='.1 .2 .3'><frame pos='.5 0 0' quat='.8 0 .6 0'><body><frame quat='.8 .6 0 0' "
           "pos='0 0 1'>"
           "<joint axis='0 1 0' pos='.1 0 0'/><geom type='box' size='.1 .2 .3' pos='1 0 "
           "0'/></frame></body></frame></body>"),
     WORLD(
         "<body pos='1 2 3' euler='.1 .2 .3'><body pos='.5 0 0' quat='.8 0 .6 0'><joint axis='0 .28 .96' pos='.1 0 1'/>"
         "<geom type='box' size='.1 .2 .3' pos='1 0 1' quat='.8 .6 0 0'/></body></body>")},
    {"replicas are frames that move on, the inner ones first",
     WORLD("<replicate count='2' offset='0 1 0' euler='1.5707963267948966 0 0'><replicate count='2' sep='-' offset='1 "
           "0 0' "
           "euler='0 1.5707963267948966 0'><body name='Alice'><joint axis='1 0 2'/><geom size='.1 .2 .3' type='box' "
           "pos='.3 0 0'/></body>"
           "</replicate></replicate>"),
     WORLD("<body name='Alice-00'><joint axis='1 0 2'/><geom size='.1 .2 .3' type='box' pos='.3 0 0'/></body>"
           "<body name='Alice-10' pos='1 0 0' quat='1 0 1 0'><joint axis='1 0 2'/><geom size='.1 .2 .3' type='box' "
           "pos='.3 0 0'/></body>"
           "<body name='Alice-01' pos='0 1 0' quat='1 1 0 0'><joint axis='1 0 2'/><geom size='.1 .2 .3' type='box' "
           "pos='.3 0 0'/></body>"
           "<body name='Alice-11' pos='1 1 0' quat='.5 .5 .5 .5'><joint axis='1 0 2'/>"
           "<geom size='.1 .2 .3' type='box' pos='.3 0 0'/></body>")},
    {"kv of a position servo is a damper",
     "<mujoco><worldbody>" ARM(
         "") "</worldbody><actuator><position joint='j' kp='7' kv='.5' gear='2'/></actuator></mujoco>",
     "<mujoco><worldbody>" ARM(
         "") "</worldbody><actuator><general joint='j' gear='2' gainprm='7' biastype='affine' biasprm='0 -7 -.5'/>"
             "</actuator></mujoco>"},
    {"springdamper sets spring and damper from the inertia at qpos0",
     "<mujoco><worldbody>" ARM(" springdamper='.2 .7'") "</worldbody></mujoco>",
     "<mujoco><worldbody>" ARM(" springdamper='.2 .7'") "</worldbody></mujoco>"},
    {"assetdir, autolimits by default",
     "<mujoco><compiler assetdir='nowhere'/><worldbody>" ARM(" range='-90 90'") "</worldbody></mujoco>",
     "<mujoco><compiler autolimits='true'/><worldbody>" ARM(" range='-90 90'") "</worldbody></mujoco>"},
    {"boundmass lifts bodies without mass",
     "<mujoco><compiler boundmass='.5' boundinertia='.01'/><worldbody><body><joint/><body pos='1 2 3'><joint axis='1 0 "
     "0'/></body></body>"
     "</worldbody></mujoco>",
     "<mujoco><compiler boundmass='.5' boundinertia='.01'/><worldbody><body><joint/><body pos='1 2 3'><joint axis='1 0 "
     "0'/></body></body>"
     "</worldbody></mujoco>"},
    {"discardvisual",
     "<mujoco><compiler discardvisual='true'/><worldbody>" ARM(
         "") "<body><joint/><geom size='.1'/>"
             "<geom size='.3' pos='1 0 0' contype='0' conaffinity='0'/></body></worldbody></mujoco>",
     "<mujoco><compiler discardvisual='true'/><worldbody>" ARM(
         "") "<body><joint/><geom size='.1'/>"
             "<geom size='.3' pos='1 0 0' contype='0' conaffinity='0'/></body></worldbody></mujoco>"},
    {"a mesh is fitted by a primitive",
     "<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 2 0 0 0 3 1 1 1'/></asset><worldbody><body><freejoint/>"
     "<geom type='capsule' mesh='m' pos='1 0 0' euler='10 20 30'/><geom type='box' mesh='m' "
     "fitscale='.5'/></body></worldbody></mujoco>",
     "<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 2 0 0 0 3 1 1 1'/></asset><worldbody><body><freejoint/>"
     "<geom type='capsule' mesh='m' pos='1 0 0' euler='10 20 30'/><geom type='box' mesh='m' "
     "fitscale='.5'/></body></worldbody></mujoco>"},
};

static crd_model *read_text(const char *text) {
  crd_model *model;
  crd_error err = {0};
  if (crd_io_read_model_text(text, strlen(text), "text.xml", NULL, &model, NULL, &err) != CRD_OK)
    fail_msg("%d: %s", err.line, err.text);
  return model;
}

static void newer_mjcf_means_what_older_mjcf_says(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof translations / sizeof translations[0]; i++) {
    crd_model *ours = read_text(translations[i].fresh);
    mjModel *theirs = mujoco_load(translations[i].old);
    assert_true(agreement_same_sizes(ours, theirs));
    agreement a = compare(ours, theirs);
    assert_agreement(&a, translations[i].claim);
    for (int k = 1; k < ours->nbody; k++)
      assert_string_equal(ours->body[k].name, theirs->names + theirs->name_bodyadr[k]);
    mj_deleteModel(theirs);
    crd_model_free(ours);
  }
}

/* Anchors and relative poses, given and found at qpos0. */
static void loops_agree_with_mujoco(void **state) {
  (void)state;
  const char *text =
      "<mujoco><worldbody><body name='a' pos='1 2 3' euler='10 20 30'><freejoint/><geom size='.1'/></body>"
      "<body name='b' pos='-1 0 2' euler='0 50 0'><freejoint/><geom size='.1'/></body></worldbody><equality>"
      "<connect body1='a' body2='b' anchor='.1 .2 .3'/><connect body1='a' anchor='.1 .2 .3'/><weld body1='a' "
      "body2='b'/>"
      "<weld body1='a' body2='b' anchor='1 1 1'/><weld body1='a' body2='b' relpose='1 2 3 1 1 0 0' anchor='0 1 "
      "0'/></equality></mujoco>";
  crd_model *ours = read_text(text);
  mjModel *theirs = mujoco_load(text);
  assert_int_equal(ours->nloop, theirs->neq);
  for (int i = 0; i < ours->nloop; i++) {
    const crd_loop *loop = &ours->loop[i];
    const double *data = theirs->eq_data + mjNEQDATA * i;
    bool weld = loop->type == CRD_LOOP_WELD; /* MuJoCo: anchor in body2, then in body1 */
    assert_true(agreement_vector(loop->anchor1, data + (weld ? 3 : 0), 3, 1) <= tolerance);
    assert_true(agreement_vector(loop->anchor2, data + (weld ? 0 : 3), 3, 1) <= tolerance);
    if (weld) assert_true(agreement_vector(loop->relquat, data + 6, 4, 1) <= tolerance);
  }
  mj_deleteModel(theirs);
  crd_model_free(ours);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_model_agrees_with_mujoco),
                                     cmocka_unit_test(names_geoms_and_contact_numbers_agree_with_mujoco),
                                     cmocka_unit_test(the_models_use_what_the_reader_reads),
                                     cmocka_unit_test(newer_mjcf_means_what_older_mjcf_says),
                                     cmocka_unit_test(loops_agree_with_mujoco)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
