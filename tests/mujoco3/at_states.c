/* What a model is and does at given states, for compare.mjs: doubles in, doubles out.
 *
 *   at_states MODEL < states      states: nq + nv + nu + na numbers each (qpos, qvel, ctrl, act)
 *
 * First nq nv nu nbody na nsensor, then of each body mass, centre of mass (3) and inertia about it in body axes (xx yy
 * zz xy xz yz); the number of ellipsoids in a medium and their added masses and inertias (3 + 3); then of each state M (nv x nv), bias, passive and actuator forces and qacc (nv each), rates of the activations (na) and the sensors' data. Before the states
 * stand of each sensor its dimension, the length of its name, and the bytes of that. qacc is NaN where M
 * is singular. Exit 1 with a message where the model cannot be read. */
#include <cradle/io.h>
#include <cradle/linalg.h>
#include <cradle/tree.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(const double *x, int n) { fwrite(x, sizeof *x, (size_t)n, stdout); }

static void put_bodies(const crd_model *model) {
  static const int axes[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  for (int b = 0; b < model->nbody; b++) {
    const crd_body *body = &model->body[b];
    double R[9], tensor[6] = {0};
    crd_quat_to_mat3(R, body->iquat);
    for (int k = 0; k < 6; k++)
      for (int i = 0; i < 3; i++) tensor[k] += R[3 * axes[k][0] + i] * body->inertia[i] * R[3 * axes[k][1] + i];
    put(&body->mass, 1), put(body->ipos, 3), put(tensor, 6);
  }
}

static void put_added_mass(const crd_model *model) {
  double count = 0;
  for (int i = 0; i < model->nimmersed; i++) count += model->immersed[i].is_ellipsoid;
  put(&count, 1);
  for (int i = 0; i < model->nimmersed; i++)
    if (model->immersed[i].is_ellipsoid) put(model->immersed[i].mass, 3), put(model->immersed[i].inertia, 3);
}

static void put_sensors(const crd_model *model) {
  for (int i = 0; i < model->nsensor; i++) {
    const double dim = model->sensor[i].dim, length = (double)strlen(model->sensor[i].name);
    put(&dim, 1), put(&length, 1);
    for (const char *c = model->sensor[i].name; *c; c++) put(&(double){(unsigned char)*c}, 1);
  }
}

static void put_state(const crd_model *model, crd_workspace *work, const double *state, double *out, double *sensed) {
  const int nv = model->nv;
  const double *qpos = state, *qvel = qpos + model->nq, *ctrl = qvel + nv, *act = ctrl + model->nactuator;
  double *M = out, *bias = M + (size_t)nv * (size_t)nv, *passive = bias + nv, *driven = passive + nv,
         *qacc = driven + nv;
  memset(out, 0, ((size_t)nv + 4) * (size_t)nv * sizeof *out);
  crd_tree_kinematics(model, work, qpos);
  crd_tree_velocity(model, work, qvel);
  crd_tree_crba(model, work, M);
  crd_tree_rnea(model, work, NULL, NULL, bias);
  crd_tree_passive(model, qpos, qvel, passive);
  crd_tree_tendon_forces(model, work, qpos, qvel, passive);
  crd_tree_velocity(model, work, qvel); /* the call above leaves kinematics only */
  crd_tree_gravity_compensation(model, work, passive);
  crd_tree_medium(model, work, passive);
  crd_tree_actuation(model, work, qpos, qvel, act, ctrl, driven);
  if (crd_tree_forward(model, work, qpos, qvel, act, ctrl, NULL, NULL, qacc) != CRD_OK)
    for (int i = 0; i < nv; i++) qacc[i] = NAN;
  put(out, (nv + 4) * nv);
  crd_tree_activation_rate(model, act, ctrl, sensed, NULL);
  put(sensed, model->nact);
  crd_tree_kinematics(model, work, qpos);
  crd_tree_velocity(model, work, qvel);
  const crd_sensor_state at = {.qpos = qpos, .qvel = qvel, .act = act, .ctrl = ctrl, .qacc = qacc};
  crd_tree_sensors(model, work, &at, sensed);
  put(sensed, model->nsensordata);
}

int main(int argc, char **argv) {
  crd_model *model;
  crd_error err = {0};
  if (argc != 2) return 1;
  if (crd_io_read_model(argv[1], NULL, &model, NULL, &err) != CRD_OK) {
    fprintf(stderr, "%s:%d: %s\n", err.file, err.line, err.text);
    return 1;
  }
  const size_t n = (size_t)(model->nq + model->nv + model->nactuator + model->nact), nv = (size_t)model->nv;
  const double sizes[] = {model->nq, model->nv, model->nactuator, model->nbody, model->nact, model->nsensor};
  double *state = calloc(n + 1, sizeof *state), *out = calloc((nv + 4) * nv + 1, sizeof *out),
         *sensed = calloc((size_t)(model->nsensordata + model->nact) + 1, sizeof *sensed);
  crd_workspace *work = crd_model_workspace_new(model);
  int status = state && out && sensed && work ? 0 : 1;
  if (status == 0) put(sizes, 6), put_bodies(model), put_added_mass(model), put_sensors(model);
  while (status == 0 && n > 0 && fread(state, sizeof *state, n, stdin) == n) put_state(model, work, state, out, sensed);
  free(state), free(out), free(sensed);
  crd_model_workspace_free(work);
  crd_model_free(model);
  return status;
}
