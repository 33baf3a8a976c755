/* Claim: MuJoCo and cradle, reading the same URDF file, agree to 1e-9 (relative) on coordinates, joints, masses,
 * inertias, body poses, mass matrix, bias and damping forces and accelerations, at qpos0 and in random states; both
 * where MuJoCo merges the bodies of fixed joints into their parents (its default for URDF) and where it keeps them.
 * Mimic joints are compared without their constraint, which MuJoCo 2.2.2 does not read. */
#include <cradle/io.h>
#include <stdio.h>
#include <string.h>

#include "mujoco/agreement.h"
#include "support/cmocka_all.h"

static const double tolerance = 1e-9;
enum { RANDOM_STATES = 20, MODELS = 5, TEXT = 40000 };

static const char *const models[MODELS] = {"arm", "hand", "cart", "drone", "mast"};

static void model_path(char *path, size_t size, const char *name) {
  snprintf(path, size, "%s/models/%s.urdf", CRADLE_SOURCE_DIR, name);
}

/* The file's text with fusestatic="true" turned to "false" where asked for; each model states it. */
static void read_text(const char *path, bool fuse, char text[TEXT]) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  size_t size = fread(text, 1, TEXT - 2, file);
  fclose(file);
  assert_in_range(size, 1, TEXT - 3);
  text[size] = 0;
  char *at = strstr(text, "fusestatic=\"true\"");
  assert_non_null(at);
  if (fuse) return;
  at += strlen("fusestatic=\"");
  memmove(at + 5, at + 4, strlen(at + 4) + 1);
  memcpy(at, "false", 5);
}

static crd_model *load_ours(const char *path, const char *text) {
  crd_model *model;
  crd_error err = {0};
  if (crd_io_read_model_text(text, strlen(text), path, NULL, &model, NULL, &err))
    fail_msg("%s:%d: %s", err.file, err.line, err.text);
  return model;
}

/* MuJoCo looks a file's name up in its virtual folder first, and finds meshes beside the path on disk. */
static mjModel *load_theirs(const char *path, const char *text) {
  char message[1000] = "";
  mjVFS *vfs = malloc(sizeof *vfs);
  assert_non_null(vfs);
  mj_defaultVFS(vfs);
  mj_makeEmptyFileVFS(vfs, strrchr(path, '/') + 1, (int)strlen(text) + 1);
  memcpy(vfs->filedata[0], text, strlen(text) + 1);
  mjModel *model = mj_loadXML(path, vfs, message, sizeof message);
  if (!model) fail_msg("MuJoCo: %s: %s", path, message);
  mj_deleteVFS(vfs);
  free(vfs);
  return model;
}

static void expect_same_joints(const crd_model *ours, const mjModel *theirs) {
  assert_int_equal(ours->nq, theirs->nq);
  assert_int_equal(ours->nv, theirs->nv);
  assert_int_equal(ours->njoint, theirs->njnt);
  assert_true(agreement_vector(ours->qpos0, theirs->qpos0, ours->nq, 1) <= tolerance);
  assert_true(agreement_vector(ours->gravity, theirs->opt.gravity, 3, 0) == 0);
  assert_true(ours->timestep == theirs->opt.timestep);
  for (int j = 0; j < ours->njoint; j++) {
    const crd_joint *joint = &ours->joint[j];
    assert_string_equal(joint->name, theirs->names + theirs->name_jntadr[j]);
    assert_int_equal(joint->limited, theirs->jnt_limited[j]);
    if (joint->limited) assert_memory_equal(joint->range, theirs->jnt_range + 2 * j, 2 * sizeof(double));
    assert_true(joint->frictionloss == theirs->dof_frictionloss[theirs->jnt_dofadr[j]]);
  }
}

/* For each body of MuJoCo the one of cradle with its name. */
static void find_bodies(const crd_model *ours, const mjModel *theirs, int *body) {
  for (int i = 0; i < theirs->nbody; i++) {
    body[i] = crd_model_find_body(ours, theirs->names + theirs->name_bodyadr[i]);
    assert_in_range(body[i], 0, ours->nbody - 1);
  }
}

/* A body into which MuJoCo merged others has the mass of a whole link. */
static void compare_link_masses(agreement *a, const crd_model *ours, const mjModel *theirs, const int *body) {
  for (int i = 1; i < theirs->nbody; i++) {
    double mass = ours->link[ours->body[body[i]].link].mass;
    agreement_note(a, AGREE_MASS, fabs(mass - theirs->body_mass[i]) / theirs->body_mass[i]);
  }
}

static void compare_states(agreement *a, const crd_model *ours, mjModel *theirs) {
  mjData *data = mj_makeData(theirs);
  double *qpos = calloc((size_t)theirs->nq, sizeof(double)), *qvel = calloc((size_t)theirs->nv, sizeof(double));
  assert_true(agreement_at(a, ours, theirs, data, theirs->qpos0, qvel, NULL));
  for (uint64_t seed = 1; seed <= RANDOM_STATES; seed++) {
    agreement_random_state(theirs, seed, 1.5, qpos, qvel, NULL);
    assert_true(agreement_at(a, ours, theirs, data, qpos, qvel, NULL));
  }
  free(qpos), free(qvel);
  mj_deleteData(data);
}

static void compare_model(const char *name, bool fuse) {
  char path[512], text[TEXT];
  model_path(path, sizeof path, name);
  read_text(path, fuse, text);
  crd_model *ours = load_ours(path, text);
  mjModel *theirs = load_theirs(path, text);
  int body[100];
  assert_in_range(theirs->nbody, 2, 100);
  find_bodies(ours, theirs, body);
  agreement a = {.body = body};
  expect_same_joints(ours, theirs);
  if (fuse) {
    compare_link_masses(&a, ours, theirs, body);
  } else {
    assert_int_equal(ours->nbody, theirs->nbody);
    agreement_bodies(&a, ours, theirs);
  }
  compare_states(&a, ours, theirs);
  for (int kind = 0; kind < AGREE_KINDS; kind++)
    if (!(a.worst[kind] <= agreement_allowed(name)))
      fail_msg("%s: %s differs by %g", name, agreement_name[kind], a.worst[kind]);
  mj_deleteModel(theirs);
  crd_model_free(ours);
}

static void models_agree_where_fixed_links_are_merged(void **state) {
  (void)state;
  for (int i = 0; i < MODELS; i++) compare_model(models[i], true);
}

static void models_agree_where_every_link_is_a_body(void **state) {
  (void)state;
  for (int i = 0; i < MODELS; i++) compare_model(models[i], false);
}

static bool some_model_contains(const char *piece) {
  for (int i = 0; i < MODELS; i++) {
    char path[512], text[TEXT];
    model_path(path, sizeof path, models[i]);
    read_text(path, true, text);
    if (strstr(text, piece)) return true;
  }
  return false;
}

/* What the agreement is worth depends on what the models use. */
static void models_use_every_part_of_urdf(void **state) {
  (void)state;
  static const char *const pieces[] = {"type=\"revolute\"",
                                       "type=\"continuous\"",
                                       "type=\"prismatic\"",
                                       "type=\"fixed\"",
                                       "type=\"floating\"",
                                       "type=\"planar\"",
                                       "<mimic",
                                       "<box",
                                       "<cylinder",
                                       "<sphere",
                                       ".stl",
                                       ".obj",
                                       "package://",
                                       "scale=\"",
                                       "rpy=",
                                       "damping=",
                                       "friction=",
                                       "<limit",
                                       "ixy=",
                                       "link name=\"world\"",
                                       "meshdir",
                                       "boundmass",
                                       "gravity"};
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
    if (!some_model_contains(pieces[i])) fail_msg("no model has %s", pieces[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(models_agree_where_fixed_links_are_merged),
      cmocka_unit_test(models_agree_where_every_link_is_a_body),
      cmocka_unit_test(models_use_every_part_of_urdf),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
