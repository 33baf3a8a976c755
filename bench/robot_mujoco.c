#include "robot_mujoco.h"

#include <stdio.h>

#ifdef CRADLE_HAVE_MUJOCO
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct robot_mujoco {
  mjModel *model;
  mjData *data;
};

/* ------------------------------------------------------------------------------------------------ loading */

static const char tetrahedron_obj[] = "v 0 0 0\nv .01 0 0\nv 0 .01 0\nv 0 0 .01\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/* The same as binary STL: 80 bytes of header, the number of triangles, 12 floats and two bytes each. */
static void tetrahedron_stl(unsigned char stl[84 + 4 * 50]) {
  static const float corner[4][3] = {{0, 0, 0}, {.01F, 0, 0}, {0, .01F, 0}, {0, 0, .01F}};
  static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  const unsigned count = 4;
  memset(stl, 0, 84 + 4 * 50);
  memcpy(stl + 80, &count, sizeof count);
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 3; k++) memcpy(stl + 84 + 50 * i + 12 + 12 * k, corner[face[i][k]], 3 * sizeof(float));
}

/* The file in "Error: ... 'NAME' ..." that could not be opened; false for any other message. */
static bool missing_file(const char *message, char *name, size_t size) {
  if (!strstr(message, "open")) return false;
  const char *start = strchr(message, '\''), *end = start ? strchr(start + 1, '\'') : NULL;
  if (!end || (size_t)(end - start) > size) return false;
  snprintf(name, size, "%.*s", (int)(end - start - 1), start + 1);
  return true;
}

static bool add_stand_in(mjVFS *files, const char *name) {
  unsigned char stl[84 + 4 * 50];
  const size_t length = strlen(name);
  const bool is_obj = length > 4 && strcmp(name + length - 4, ".obj") == 0;
  const void *bytes = is_obj ? (const void *)tetrahedron_obj : stl;
  const size_t size = is_obj ? sizeof tetrahedron_obj - 1 : sizeof stl;
  if (!is_obj) tetrahedron_stl(stl);
  if (mj_makeEmptyFileVFS(files, name, (int)size) != 0) return false;
  memcpy(files->filedata[mj_findFileVFS(files, name)], bytes, size);
  return true;
}

static mjModel *load_with_stand_ins(const char *path, int *stand_ins, char *message, size_t size) {
  enum { MOST = 300 };
  char name[1000];
  mjVFS *files = malloc(sizeof *files);
  mjModel *model = NULL;
  if (!files) return NULL;
  mj_defaultVFS(files);
  for (*stand_ins = 0; *stand_ins < MOST; ++*stand_ins) {
    model = mj_loadXML(path, files, message, (int)size);
    if (model || !missing_file(message, name, sizeof name) || !add_stand_in(files, name)) break;
  }
  mj_deleteVFS(files);
  free(files);
  return model;
}

static void stay_silent(const char *text) { (void)text; }

robot_mujoco *robot_mujoco_load(const char *path, int *stand_ins, char *message, size_t size) {
  robot_mujoco *robot = calloc(1, sizeof *robot);
  message[0] = 0;
  mju_user_warning = stay_silent; /* a robot that explodes says so a thousand times */
  if (!robot) return NULL;
  robot->model = load_with_stand_ins(path, stand_ins, message, size);
  robot->data = robot->model ? mj_makeData(robot->model) : NULL;
  for (char *at = message; (at = strchr(at, '\n'));) *at = ' ';
  if (robot->data) return robot;
  robot_mujoco_free(robot);
  return NULL;
}

void robot_mujoco_free(robot_mujoco *robot) {
  if (!robot) return;
  mj_deleteData(robot->data);
  mj_deleteModel(robot->model);
  free(robot);
}

int robot_mujoco_nv(const robot_mujoco *robot) { return robot->model->nv; }
int robot_mujoco_nctrl(const robot_mujoco *robot) { return robot->model->nu; }

double robot_mujoco_mass(const robot_mujoco *robot) {
  double sum = 0;
  for (int i = 1; i < robot->model->nbody; i++) sum += robot->model->body_mass[i];
  return sum;
}

int robot_mujoco_colliding_stand_ins(const robot_mujoco *robot) {
  const mjModel *m = robot->model;
  int count = 0;
  for (int i = 0; i < m->ngeom; i++)
    count += m->geom_type[i] == mjGEOM_MESH && m->mesh_vertnum[m->geom_dataid[i]] == 4 &&
             (m->geom_contype[i] || m->geom_conaffinity[i]);
  return count;
}

/* ------------------------------------------------------------------------------------------------ running */

void robot_mujoco_reset(robot_mujoco *robot) {
  if (robot->model->nkey > 0) {
    mj_resetDataKeyframe(robot->model, robot->data, 0);
  } else {
    mj_resetData(robot->model, robot->data);
  }
}

void robot_mujoco_control(robot_mujoco *robot, const double *ctrl) {
  if (robot->model->nu > 0) memcpy(robot->data->ctrl, ctrl, (size_t)robot->model->nu * sizeof *ctrl);
}

void robot_mujoco_step(robot_mujoco *robot) { mj_step(robot->model, robot->data); }

int robot_mujoco_contacts(const robot_mujoco *robot, double *depth) {
  int count = 0;
  *depth = 0;
  for (int i = 0; i < robot->data->ncon; i++) {
    const mjContact *contact = &robot->data->contact[i];
    count += contact->efc_address >= 0;
    *depth = fmax(*depth, -contact->dist);
  }
  return count;
}

#else

robot_mujoco *robot_mujoco_load(const char *path, int *stand_ins, char *message, size_t size) {
  (void)path, *stand_ins = 0;
  snprintf(message, size, "built without MuJoCo");
  return NULL;
}
void robot_mujoco_free(robot_mujoco *robot) { (void)robot; }
int robot_mujoco_nv(const robot_mujoco *robot) { return (void)robot, 0; }
int robot_mujoco_nctrl(const robot_mujoco *robot) { return (void)robot, 0; }
double robot_mujoco_mass(const robot_mujoco *robot) { return (void)robot, 0; }
int robot_mujoco_colliding_stand_ins(const robot_mujoco *robot) { return (void)robot, 0; }
void robot_mujoco_reset(robot_mujoco *robot) { (void)robot; }
void robot_mujoco_control(robot_mujoco *robot, const double *ctrl) { (void)robot, (void)ctrl; }
void robot_mujoco_step(robot_mujoco *robot) { (void)robot; }
int robot_mujoco_contacts(const robot_mujoco *robot, double *depth) { return (void)robot, *depth = 0, 0; }

#endif
