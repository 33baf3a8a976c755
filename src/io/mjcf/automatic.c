/* Springs, dampers and muscle forces that follow from the mass matrix at qpos0.
 *
 * joint springdamper = (T, r), time constant and damping ratio: k = m / (T r)^2 and d = 2 m / T, where 1/m is the mean
 * of the diagonal entries of M^-1 that belong to the joint. position dampratio = r: kv = 2 r sqrt(kp m), with m the sum
 * of M_jj / moment_j^2 over the velocities the actuator acts on. A muscle without force: scale / |M^-1 moment'|. All need
 * the model, so the file is read twice:
 * without them, then with the values found here.
 */
#include <cradle/tree.h>
#include <math.h>

#include "io/file/read.h"
#include "io/mjcf/reader.h"

/* 1 / (mean of (M^-1)_ii over the joint's velocities). */
static double joint_inertia(const crd_model *model, crd_workspace *work, const crd_joint *joint, double *column) {
  double mobility = 0;
  for (int i = 0; i < joint->nv; i++) {
    for (int j = 0; j < model->nv; j++) column[j] = j == joint->v + i;
    crd_tree_solve(model, work, column, column);
    mobility += column[joint->v + i];
  }
  return joint->nv / mobility;
}

static void find_springs(mjcf_reader *reader, const crd_model *model, crd_workspace *work, double *column) {
  for (int i = 0; i < model->njoint; i++) {
    const double *wanted = reader->joint[i]->springdamper;
    if (wanted[0] <= 0 || wanted[1] <= 0) continue;
    double inertia = joint_inertia(model, work, &model->joint[i], column), decay = wanted[0] * wanted[1];
    reader->automatic.stiffness[i] = inertia / (decay * decay);
    reader->automatic.damping[i] = 2 * inertia / wanted[0];
  }
}

/* M_vv: the force that moves the velocity v alone at unit acceleration, gravity aside. */
static double diagonal_inertia(const crd_model *model, crd_workspace *work, int v, double *column, double *force) {
  for (int j = 0; j < model->nv; j++) column[j] = 0;
  crd_tree_rnea(model, work, column, NULL, force);
  double rest = force[v];
  column[v] = 1;
  crd_tree_rnea(model, work, column, NULL, force);
  return force[v] - rest;
}

static void find_dampers(mjcf_reader *reader, const crd_model *model, crd_workspace *work, double *column,
                         double *force, double *row) {
  for (int i = 0; i < model->nactuator; i++) {
    const mjcf_actuator *wanted = reader->actuator[i];
    const crd_actuator *actuator = &model->actuator[i];
    if (wanted->damping_ratio <= 0) continue;
    double inertia = 0;
    crd_tree_moment(model, work, model->qpos0, i, row);
    for (int v = 0; v < model->nv; v++)
      if (row[v] != 0) inertia += diagonal_inertia(model, work, v, column, force) / (row[v] * row[v]);
    reader->automatic.actuator_damping[i] = 2 * wanted->damping_ratio * sqrt(actuator->gain[0] * inertia);
  }
}

/* |M^-1 moment'| of each actuator. */
static void find_accelerations(mjcf_reader *reader, const crd_model *model, crd_workspace *work, double *row) {
  for (int i = 0; i < model->nactuator; i++) {
    double square = 0;
    crd_tree_moment(model, work, model->qpos0, i, row);
    crd_tree_solve(model, work, row, row);
    for (int v = 0; v < model->nv; v++) square += row[v] * row[v];
    reader->automatic.actuator_acceleration[i] = sqrt(square);
  }
}

void mjcf_find_automatic(mjcf_reader *reader) {
  crd_xml_document *doc = reader->doc;
  crd_model *model = NULL;
  if (crd_read_build(doc, reader->builder, reader->build, &model) != CRD_OK) return;
  mjcf_automatic *automatic = &reader->automatic;
  automatic->stiffness = mjcf_alloc(reader, (size_t)model->njoint + 1, sizeof(double));
  automatic->damping = mjcf_alloc(reader, (size_t)model->njoint + 1, sizeof(double));
  automatic->actuator_damping = mjcf_alloc(reader, (size_t)model->nactuator + 1, sizeof(double));
  automatic->actuator_acceleration = mjcf_alloc(reader, (size_t)model->nactuator + 1, sizeof(double));
  automatic->spring_length = mjcf_alloc(reader, (size_t)model->ntendon + 1, sizeof(double));
  double *row = mjcf_alloc(reader, (size_t)model->nv + 1, sizeof(double));
  double *column = mjcf_alloc(reader, (size_t)model->nv + 1, sizeof(double));
  double *force = mjcf_alloc(reader, (size_t)model->nv + 1, sizeof(double));
  crd_workspace *work = crd_model_workspace_new(model);
  if (!work) crd_xml_fail_memory(doc);
  if (crd_xml_ok(doc)) {
    for (int j = 0; j < model->nv; j++) column[j] = 0;
    crd_tree_kinematics(model, work, model->qpos0);
    crd_tree_velocity(model, work, column);
    if (crd_tree_factor(model, work) == CRD_OK) {
      crd_tree_tendons(model, work, model->qpos_spring, NULL, automatic->spring_length, NULL);
      crd_tree_kinematics(model, work, model->qpos0);
      find_springs(reader, model, work, column);
      find_dampers(reader, model, work, column, force, row);
      find_accelerations(reader, model, work, row);
    } else {
      crd_xml_fail(
          doc, NULL, CRD_ERR_MODEL,
          "the mass matrix at qpos0 is singular, springdamper, dampratio and muscles without force need its inverse");
    }
  }
  crd_model_workspace_free(work);
  crd_model_free(model);
}
