/* Links: a chain of links places each body where the joints of the bodies, applied one after the other, take it. */
#include <cradle/linalg.h>
#include <cradle/model.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/make_model.h"
#include "support/random_tree.h"

typedef struct pose {
  double R[9], p[3];
} pose;

/* The body poses by MJCF's own words: a body starts at its drawn pose in its parent, then each joint in turn slides it
 * along its axis or turns it about its anchor; a free joint overwrites the pose. */
static void move_bodies(const crd_model *model, const double *qpos, pose *out) {
  for (int i = 0; i < model->nbody; i++) {
    const crd_body *body = &model->body[i];
    double R[9], p[3], turn[9], quat[4], arm[3];
    crd_quat_to_mat3(R, body->quat);
    crd_vec3_copy(p, body->pos);
    if (i > 0) {
      const pose *parent = &out[body->parent];
      crd_mat3_mul_vec(p, parent->R, p);
      crd_vec3_add(p, p, parent->p);
      crd_mat3_mul(R, parent->R, R);
    }
    for (int j = body->first_joint; j < body->first_joint + body->njoint; j++) {
      const crd_joint *joint = &model->joint[j];
      const double *q = qpos + joint->q;
      double offset = q[0] - model->qpos0[joint->q];
      if (joint->type == CRD_FREE) {
        crd_vec3_copy(p, q);
        crd_quat_to_mat3(R, q + 3);
      } else if (joint->type == CRD_SLIDE) {
        crd_mat3_mul_vec(arm, R, joint->axis);
        crd_vec3_axpy(p, offset, arm);
      } else {
        crd_mat3_mul_vec(arm, R, joint->pos);
        crd_vec3_add(p, p, arm);
        if (joint->type == CRD_HINGE) {
          crd_quat_from_axis_angle(quat, joint->axis, offset);
        } else {
          memcpy(quat, q, sizeof quat);
        }
        crd_quat_to_mat3(turn, quat);
        crd_mat3_mul(R, R, turn);
        crd_mat3_mul_vec(arm, R, joint->pos);
        crd_vec3_sub(p, p, arm);
      }
    }
    memcpy(out[i].R, R, sizeof R);
    crd_vec3_copy(out[i].p, p);
  }
}

static pose compose(const pose *a, const double R[9], const double p[3]) {
  pose c;
  crd_mat3_mul_vec(c.p, a->R, p);
  crd_vec3_add(c.p, c.p, a->p);
  crd_mat3_mul(c.R, a->R, R);
  return c;
}

/* World poses of the links by the documented formula: parent (R0, p0) J(q). */
static void move_links(const crd_model *model, const double *qpos, pose *out) {
  const pose ground = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
  for (int i = 0; i < model->nlink; i++) {
    const crd_link *link = &model->link[i];
    const double *q = qpos + link->q, z[3] = {0, 0, 1};
    double quat[4] = {1, 0, 0, 0}, J[9], shift[3] = {0};
    switch (link->type) {
      case CRD_FREE: memcpy(quat, q + 3, sizeof quat), crd_vec3_copy(shift, q); break;
      case CRD_BALL: memcpy(quat, q, sizeof quat); break;
      case CRD_SLIDE: shift[2] = q[0] - link->ref; break;
      case CRD_HINGE: crd_quat_from_axis_angle(quat, z, q[0] - link->ref); break;
    }
    crd_quat_to_mat3(J, quat);
    pose at = compose(link->parent < 0 ? &ground : &out[link->parent], link->R0, link->p0);
    out[i] = compose(&at, J, shift);
  }
}

static void check_poses(const crd_model *model, const double *qpos) {
  pose bodies[200], links[300];
  const pose ground = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
  assert_true(model->nbody <= 200 && model->nlink <= 300);
  move_bodies(model, qpos, bodies);
  move_links(model, qpos, links);
  for (int i = 0; i < model->nbody; i++) {
    const crd_body *body = &model->body[i];
    pose found = compose(body->link < 0 ? &ground : &links[body->link], body->link_R, body->link_pos);
    check_close(found.p, bodies[i].p, 3, 1e-12);
    check_close(found.R, bodies[i].R, 9, 1e-12);
  }
  for (int i = 0; i < model->ngeom; i++) {
    const crd_geom *geom = &model->geom[i];
    pose found = compose(geom->link < 0 ? &ground : &links[geom->link], geom->link_R, geom->link_pos);
    pose expected = compose(&bodies[geom->body], geom->R, geom->pos);
    check_close(found.p, expected.p, 3, 1e-12);
    check_close(found.R, expected.R, 9, 1e-12);
  }
}

static crd_joint_def random_joint(random_stream *s, crd_joint_type type) {
  crd_joint_def def = crd_model_joint_default();
  def.type = type;
  def.ref = random_in(s, -1, 1);
  def.springref = random_in(s, -1, 1);
  for (int i = 0; i < 3; i++) def.pos[i] = random_in(s, -1, 1), def.axis[i] = random_in(s, -1, 1);
  return def;
}

/* Bodies with two slides, a hinge and a ball; with three hinges; welded ones between them; a free one. */
static void several_joints_of_a_body_act_one_after_the_other(void **state) {
  (void)state;
  static const crd_joint_type sets[5][4] = {{CRD_SLIDE, CRD_HINGE, CRD_SLIDE, CRD_BALL},
                                            {CRD_HINGE, CRD_HINGE, CRD_HINGE, CRD_SLIDE},
                                            {CRD_BALL, CRD_SLIDE},
                                            {0},
                                            {CRD_HINGE}};
  static const int counts[5] = {4, 4, 2, 0, 1};
  for (uint64_t seed = 0; seed < 20; seed++) {
    random_stream s = {.seed = 300 + seed};
    crd_builder *builder = crd_model_builder_new();
    int nbody = 40;
    for (int i = 1; i <= nbody; i++) {
      crd_body_def def = crd_model_body_default();
      def.parent = random_int(&s, i > 4 ? i - 4 : 0, i - 1);
      def.has_inertial = true;
      def.inertial.mass = 1;
      for (int k = 0; k < 3; k++) def.pos[k] = random_in(&s, -1, 1), def.inertial.inertia[k] = 1;
      random_unit_quat(&s, def.quat);
      crd_model_builder_body(builder, &def);
      crd_geom_def geom = crd_model_geom_default();
      geom.size[0] = 1;
      for (int k = 0; k < 3; k++) geom.pos[k] = random_in(&s, -1, 1);
      random_unit_quat(&s, geom.quat);
      crd_model_builder_geom(builder, i, &geom);
      int set = random_int(&s, 0, 4);
      if (def.parent == 0 && seed % 2) {
        make_joint(builder, i, CRD_FREE, 0, 0, 1);
      } else {
        for (int k = 0; k < counts[set]; k++) {
          crd_joint_def joint = random_joint(&s, sets[set][k]);
          crd_model_builder_joint(builder, i, &joint);
        }
      }
    }
    crd_model *model = make_model(builder, NULL);
    double *qpos = new_vector(model->nq), *qvel = new_vector(model->nv);
    check_poses(model, model->qpos0);
    random_state(model, &s, qpos, qvel);
    check_poses(model, qpos);
    free(qpos), free(qvel);
    crd_model_free(model);
    crd_model_builder_free(builder);
  }
}

static void a_link_has_its_origin_at_the_anchor_and_z_along_the_axis(void **state) {
  (void)state;
  crd_builder *builder = crd_model_builder_new();
  int body = make_body(builder, "a", 0, 1, 2, 3);
  crd_joint_def joint = crd_model_joint_default();
  joint.axis[0] = 3, joint.axis[1] = joint.axis[2] = 0;
  joint.pos[0] = 0.1, joint.pos[1] = 0.2, joint.pos[2] = 0.3;
  joint.ref = 0.5;
  crd_model_builder_joint(builder, body, &joint);
  crd_model *model = make_model(builder, NULL);
  const crd_link *link = &model->link[0];
  double anchor[3] = {1.1, 2.2, 3.3}, z[3] = {link->R0[2], link->R0[5], link->R0[8]}, x_axis[3] = {1, 0, 0};
  check_close(link->p0, anchor, 3, 1e-15);
  check_close(z, x_axis, 3, 1e-15);
  check_close(model->joint[0].axis, x_axis, 3, 1e-15);
  assert_true(link->ref == 0.5 && model->qpos0[0] == 0.5);
  assert_int_equal(link->parent, -1);
  crd_model_free(model);
  crd_model_builder_free(builder);
}

static void a_free_link_is_the_body_whatever_was_drawn(void **state) {
  (void)state;
  crd_builder *builder = crd_model_builder_new();
  int body = make_body(builder, "a", 0, 1, 2, 3);
  crd_joint_def joint = crd_model_joint_default();
  joint.type = CRD_FREE;
  joint.pos[0] = 7;
  joint.limited = true;
  crd_model_builder_joint(builder, body, &joint);
  crd_model *model = make_model(builder, NULL);
  const crd_link *link = &model->link[0];
  const double zero[3] = {0}, unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, qpos0[7] = {1, 2, 3, 1, 0, 0, 0};
  check_close(link->p0, zero, 3, 0);
  check_close(link->R0, unit, 9, 0);
  check_close(model->body[1].link_pos, zero, 3, 0);
  check_close(model->qpos0, qpos0, 7, 0);
  check_close(model->joint[0].pos, zero, 3, 0);
  assert_false(model->joint[0].limited);
  crd_model_free(model);
  crd_model_builder_free(builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(several_joints_of_a_body_act_one_after_the_other),
      cmocka_unit_test(a_link_has_its_origin_at_the_anchor_and_z_along_the_axis),
      cmocka_unit_test(a_free_link_is_the_body_whatever_was_drawn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
