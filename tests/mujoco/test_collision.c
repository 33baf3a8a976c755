/* Claims: on pairs of primitives for which both have closed forms, MuJoCo finds the same contacts: their number, gap,
 * normal and place. Left out are the cases in which the definitions differ: MuJoCo reports boxes that overlap along an
 * edge and capsules on boxes with other points than the nearest ones. */
#include <cradle/collide.h>
#include <cradle/io.h>
#include <cradle/linalg.h>
#include <cradle/tree.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/random_tree.h"

enum { MANY = 64 };

typedef struct two_engines {
  crd_model *model;
  crd_workspace *work;
  crd_collider *collider;
  mjModel *mj;
  mjData *data;
  double pos[6], R[18];
  crd_contact_point contact[MANY];
  int count;
} two_engines;

/* Two geoms, the first on a free body unless it is a plane; contacts up to a gap of 0.5 are reported by both. */
static two_engines load(const char *first, const char *second) {
  char text[1024], path[] = CRADLE_BINARY_DIR "/mujoco_collision.xml", message[512] = "";
  bool plane = strstr(first, "plane") != NULL;
  snprintf(text, sizeof text,
           "<mujoco><default><geom margin='0.5'/></default><worldbody>%s%s%s<body><freejoint/><geom "
           "%s/></body></worldbody></mujoco>",
           plane ? "<geom " : "<body><freejoint/><geom ", first, plane ? "/>" : "/></body>", second);
  two_engines e = {0};
  crd_error err = {0};
  assert_int_equal(crd_io_write_file(path, text, strlen(text), &err), CRD_OK);
  e.mj = mj_loadXML(path, NULL, message, sizeof message);
  if (!e.mj) fail_msg("%s", message);
  if (crd_io_read_model(path, NULL, &e.model, NULL, &err) != CRD_OK) fail_msg("%s", err.text);
  remove(path);
  e.data = mj_makeData(e.mj);
  e.work = crd_model_workspace_new(e.model);
  e.collider = crd_collide_new(e.model);
  return e;
}

static void unload(two_engines *e) {
  crd_collide_free(e->collider);
  crd_model_workspace_free(e->work);
  crd_model_free(e->model);
  mj_deleteData(e->data);
  mj_deleteModel(e->mj);
}

/* Both engines at the same state. */
static void compute(two_engines *e, const double *qpos) {
  memcpy(e->data->qpos, qpos, sizeof(double) * (size_t)e->mj->nq);
  mj_forward(e->mj, e->data);
  crd_tree_kinematics(e->model, e->work, qpos);
  for (int g = 0; g < 2; g++) crd_tree_geom_pose(e->model, e->work, g, e->pos + 3 * g, e->R + 9 * g);
  assert_int_equal(crd_collide_all(e->collider, e->pos, e->R, NULL, e->contact, MANY, &e->count), CRD_OK);
}

/* MuJoCo's normal points from its geom1 to its geom2; ours from B to A. */
static bool is_same(const crd_contact_point *c, const mjContact *m, double tolerance) {
  double sign = m->geom2 == c->geomA ? 1 : -1, n[3];
  crd_vec3_scale(n, sign, m->frame);
  return fabs(c->gap - m->dist) < tolerance && max_difference(c->normal, n, 3) < tolerance &&
         max_difference(c->point, m->pos, 3) < tolerance;
}

/* Two capsules: an end that lies along the other one is a contact of its own here, with its own gap; MuJoCo has the
 * nearest point alone. */
static bool is_end(const two_engines *e, const crd_contact_point *c) {
  if (e->model->geom[c->geomA].type != CRD_CAPSULE || e->model->geom[c->geomB].type != CRD_CAPSULE) return false;
  if (e->data->ncon == 0 || !(c->gap >= e->data->contact[0].dist - 1e-9)) return false;
  double nearest = INFINITY;
  for (int k = 0; k < 2; k++) {
    int g = k ? c->geomB : c->geomA;
    const double *pos = e->pos + 3 * g, *R = e->R + 9 * g;
    for (int side = -1; side <= 1; side += 2) {
      double end[3];
      for (int i = 0; i < 3; i++) end[i] = pos[i] + side * e->model->geom[g].size[1] * R[3 * i + 2] - c->point[i];
      nearest = fmin(nearest, fabs(crd_vec3_norm(end) - e->model->geom[g].size[0] - c->gap / 2));
    }
  }
  return nearest < 1e-9;
}

static void expect_same_contacts(const two_engines *e, const char *first, const char *second) {
  bool same = e->count >= e->data->ncon;
  for (int k = 0; same && k < e->data->ncon; k++) {
    bool found = false;
    for (int i = 0; i < e->count; i++) found = found || is_same(&e->contact[i], &e->data->contact[k], 1e-9);
    same = found;
  }
  for (int i = 0; same && i < e->count; i++) {
    bool found = false;
    for (int k = 0; k < e->data->ncon; k++) found = found || is_same(&e->contact[i], &e->data->contact[k], 1e-9);
    same = found || is_end(e, &e->contact[i]);
  }
  if (same) return;
  for (int i = 0; i < e->count; i++)
    print_message("ours   gap %.12g at %.9g %.9g %.9g n %.9g %.9g %.9g\n", e->contact[i].gap, e->contact[i].point[0],
                  e->contact[i].point[1], e->contact[i].point[2], e->contact[i].normal[0], e->contact[i].normal[1],
                  e->contact[i].normal[2]);
  for (int k = 0; k < e->data->ncon; k++) {
    const mjContact *m = &e->data->contact[k];
    print_message("MuJoCo gap %.12g at %.9g %.9g %.9g n %.9g %.9g %.9g\n", m->dist, m->pos[0], m->pos[1], m->pos[2],
                  m->frame[0], m->frame[1], m->frame[2]);
  }
  fail_msg("%s against %s", first, second);
}

static void random_pose(random_stream *stream, double *q, double spread, double height) {
  for (int i = 0; i < 3; i++) q[i] = random_in(stream, -spread, spread) + (i == 2 ? height : 0);
  random_unit_quat(stream, q + 3);
}

static void check_pair(const char *first, const char *second, double spread, double height, int repeats) {
  random_stream stream = {.seed = 3};
  two_engines e = load(first, second);
  int touching = 0;
  for (int k = 0; k < repeats; k++) {
    double qpos[14];
    random_pose(&stream, qpos, spread, e.mj->nq == 7 ? height : 0);
    random_pose(&stream, qpos + 7, spread, height);
    compute(&e, qpos);
    /* where the centre of a sphere lies inside, MuJoCo reports its radius for the depth */
    if (e.count > 0 && e.contact[0].gap < -0.4) continue;
    expect_same_contacts(&e, first, second);
    touching += e.count > 0;
  }
  assert_true(touching > repeats / 4);
  unload(&e);
}

static const char PLANE[] = "type='plane' size='5 5 1' pos='.1 .2 .3' euler='10 20 30'",
                  SPHERE[] = "type='sphere' size='.4'", CAPSULE[] = "type='capsule' size='.2 .5'",
                  BOX[] = "type='box' size='.3 .4 .5'", ELLIPSOID[] = "type='ellipsoid' size='.3 .4 .5'";

static void planes(void **state) {
  (void)state;
  check_pair(PLANE, SPHERE, 0.3, 0.6, 200);
  check_pair(PLANE, CAPSULE, 0.3, 0.6, 200);
  check_pair(PLANE, ELLIPSOID, 0.3, 0.6, 200);
}

static void spheres_and_capsules(void **state) {
  (void)state;
  check_pair(SPHERE, SPHERE, 0.3, 0.7, 200);
  check_pair(CAPSULE, SPHERE, 0.3, 0.7, 200);
  check_pair(CAPSULE, CAPSULE, 0.3, 0.7, 200);
}

static void spheres_on_boxes(void **state) {
  (void)state;
  check_pair(BOX, SPHERE, 0.3, 0.9, 200);
}

/* The four corners of the lower face, all within the margin of both. */
static void box_lying_on_a_plane(void **state) {
  (void)state;
  two_engines e = load("type='plane' size='5 5 1'", BOX);
  for (int k = 0; k < 20; k++) {
    double tilt = 0.01 * k, qpos[7] = {1, 2, 0.45, cos(tilt), 0.6 * sin(tilt), 0.8 * sin(tilt), 0};
    compute(&e, qpos);
    assert_int_equal(e.count, 4);
    expect_same_contacts(&e, "plane", "box");
  }
  unload(&e);
}

/* Face contact of boxes: the same normal and depth, whatever points MuJoCo chooses for the patch. MuJoCo 2.2.2 gives
 * the depth or, in another branch of its code, the height of the point halfway between the faces: half of it. */
static void boxes_face_to_face(void **state) {
  (void)state;
  random_stream stream = {.seed = 4};
  two_engines e = load("type='box' size='.5 .5 .5'", BOX);
  for (int k = 0; k < 100; k++) {
    double turn = random_in(&stream, 0, 3), tilt = random_in(&stream, 0, 0.02);
    double qpos[14] = {0, 0, 0, 1, 0, 0, 0, random_in(&stream, -0.3, 0.3), random_in(&stream, -0.3, 0.3), 0.99};
    double about_z[4] = {cos(turn), 0, 0, sin(turn)}, about_x[4] = {cos(tilt), sin(tilt), 0, 0};
    crd_quat_mul(qpos + 10, about_x, about_z);
    compute(&e, qpos);
    double ours = INFINITY, theirs = INFINITY;
    for (int i = 0; i < e.count; i++) ours = fmin(ours, e.contact[i].gap);
    for (int i = 0; i < e.data->ncon; i++) theirs = fmin(theirs, e.data->contact[i].dist);
    assert_true(e.count >= 3 && fmin(fabs(ours - theirs), fabs(ours - 2 * theirs)) < 1e-9);
    assert_true(max_difference(e.contact[0].normal, e.data->contact[0].frame, 3) < 1e-9);
  }
  unload(&e);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planes),
      cmocka_unit_test(spheres_and_capsules),
      cmocka_unit_test(spheres_on_boxes),
      cmocka_unit_test(box_lying_on_a_plane),
      cmocka_unit_test(boxes_face_to_face),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
