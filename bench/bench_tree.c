/* Tree algorithms beside MuJoCo, same mechanism and same state in both, one thread, one run.
 *
 *   forward   qacc from qpos, qvel:        crd_tree_aba                       mj_forward (contact and constraints off)
 *   inverse   tau from qpos, qvel, qacc:   kinematics, velocity, rnea         mj_kinematics, comPos, comVel, rne
 *   mass      M and its factor from qpos:  kinematics, crba, crba_factor      mj_kinematics, comPos, crb, factorM
 *   oscm k    J M^-1 J' of k nodes:        kinematics, factor, oscm           the former, mj_jac, mj_solveM, product
 *
 * Times are the fastest of 21 rounds; the ratio is MuJoCo's time over cradle's. The last rows give the growth exponent,
 * the slope of log t over log n for chains of 30 to 1000 links. Usage: bench_tree [seconds per measurement]
 */
#include <cradle/io.h>
#include <cradle/tree.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timing.h"
#ifdef CRADLE_HAVE_MUJOCO
#include <mujoco/mujoco.h>
#endif

enum { MAX_NODES = 16, QUANTITIES = 5 };
static const char *quantity_name[QUANTITIES] = {"forward", "inverse", "mass+factor", "oscm 4", "oscm 16"};

typedef struct text {
  char *data;
  size_t size, capacity;
} text;

static void put(text *t, const char *format, ...) {
  char line[512];
  va_list args;
  va_start(args, format);
  int length = vsnprintf(line, sizeof line, format, args);
  va_end(args);
  if (t->size + (size_t)length + 1 > t->capacity) {
    t->capacity = 2 * t->capacity + 65536;
    t->data = realloc(t->data, t->capacity);
    if (!t->data) exit(3);
  }
  memcpy(t->data + t->size, line, (size_t)length + 1);
  t->size += (size_t)length;
}

/* Serial chain with alternating axes; URDF, because MuJoCo's MJCF reader limits the depth of nesting. */
static text chain_urdf(int n) {
  text t = {0};
  put(&t,
      "<robot name='chain'><mujoco><compiler fusestatic='false'/><option gravity='0 0 -9.8'/></mujoco><link "
      "name='base'/>\n");
  for (int i = 0; i < n; i++) {
    put(&t, "<link name='l%d'><inertial><origin xyz='0 0 -0.05'/><mass value='1'/>", i);
    put(&t, "<inertia ixx='0.002' iyy='0.003' izz='0.004' ixy='0' ixz='0' iyz='0'/></inertial></link>\n");
    char parent[16];
    snprintf(parent, sizeof parent, i ? "l%d" : "base", i - 1);
    put(&t, "<joint name='j%d' type='continuous'><parent link='%s'/><child link='l%d'/>", i, parent, i);
    put(&t, "<origin xyz='0 0 %g'/><axis xyz='%s'/></joint>\n", i ? -0.1 : 0.0, i % 2 ? "1 0 0" : "0 1 0");
  }
  put(&t, "</robot>\n");
  return t;
}

static void limb(text *t, const char *name, double x, double z, const int *joints, const double *length, int segments) {
  static const char *axis[3] = {"1 0 0", "0 1 0", "0 0 1"};
  for (int s = 0; s < segments; s++) {
    put(t, "<body name='%s%d' pos='%g 0 %g'>", name, s, s ? 0 : x, s ? -length[s - 1] : z);
    for (int j = 0; j < joints[s]; j++) put(t, "<joint axis='%s'/>", axis[(j + s) % 3]);
    put(t, "<geom type='capsule' fromto='0 0 0 0 0 %g' size='0.04'/>\n", -length[s]);
  }
  for (int s = 0; s < segments; s++) put(t, "</body>");
  put(t, "\n");
}

/* Humanoid-like tree: free base (6), waist (3), two arms (3 + 1), two legs (3 + 1 + 2), neck (1): 30 velocities. */
static text humanoid_mjcf(void) {
  const int arm[2] = {3, 1}, leg[3] = {3, 1, 2}, neck[1] = {1};
  const double arm_length[2] = {0.3, 0.3}, leg_length[3] = {0.45, 0.45, 0.1}, neck_length[1] = {0.2};
  text t = {0};
  put(&t, "<mujoco><option gravity='0 0 -9.8'/><default><geom contype='0' conaffinity='0'/></default><worldbody>\n");
  put(&t, "<body name='pelvis' pos='0 0 1'><freejoint/><geom type='box' size='0.1 0.15 0.08'/>\n");
  limb(&t, "right_leg", 0.1, 0, leg, leg_length, 3);
  limb(&t, "left_leg", -0.1, 0, leg, leg_length, 3);
  put(&t, "<body name='torso' pos='0 0 0.1'><joint axis='1 0 0'/><joint axis='0 1 0'/><joint axis='0 0 1'/>");
  put(&t, "<geom type='capsule' fromto='0 0 0 0 0 0.4' size='0.12'/>\n");
  limb(&t, "right_arm", 0.2, 0.4, arm, arm_length, 2);
  limb(&t, "left_arm", -0.2, 0.4, arm, arm_length, 2);
  limb(&t, "head", 0, 0.6, neck, neck_length, 1);
  put(&t, "</body></body></worldbody></mujoco>\n");
  return t;
}

typedef struct subject {
  const crd_model *model;
  crd_workspace *work;
  double *qpos, *qvel, *qacc, *tau, *M, *Lambda;
  crd_node node[MAX_NODES];
  int nnode;
#ifdef CRADLE_HAVE_MUJOCO
  mjModel *m;
  mjData *d;
  mjtNum *J, *X, *W;
#endif
} subject;

static void *need(size_t count, size_t size) {
  void *memory = calloc(count ? count : 1, size);
  if (!memory) exit(3);
  return memory;
}

static void make_state(subject *s) {
  const crd_model *model = s->model;
  memcpy(s->qpos, model->qpos0, sizeof(double) * (size_t)model->nq);
  for (int j = 0; j < model->njoint; j++)
    if (model->joint[j].nq == 1) s->qpos[model->joint[j].q] += sin(j + 1.0);
  for (int v = 0; v < model->nv; v++) s->qvel[v] = cos(v + 1.0);
}

/* ---- cradle */
static void cradle_forward(void *context) {
  subject *s = context;
  if (crd_tree_aba(s->model, s->work, s->qpos, s->qvel, NULL, NULL, s->qacc) != CRD_OK) exit(2);
}

static void cradle_inverse(void *context) {
  subject *s = context;
  crd_tree_kinematics(s->model, s->work, s->qpos);
  crd_tree_velocity(s->model, s->work, s->qvel);
  crd_tree_rnea(s->model, s->work, s->qacc, NULL, s->tau);
}

static void cradle_mass(void *context) {
  subject *s = context;
  crd_tree_kinematics(s->model, s->work, s->qpos);
  crd_tree_crba(s->model, s->work, s->M);
  if (crd_tree_crba_factor(s->model, s->M) != CRD_OK) exit(2);
}

static void cradle_oscm(void *context) {
  subject *s = context;
  crd_tree_kinematics(s->model, s->work, s->qpos);
  if (crd_tree_factor(s->model, s->work) != CRD_OK) exit(2);
  if (crd_tree_oscm(s->model, s->work, s->node, s->nnode, s->Lambda) != CRD_OK) exit(3);
}

/* ---- MuJoCo */
#ifdef CRADLE_HAVE_MUJOCO
static mjModel *mujoco_load(const text *t) {
  static mjVFS vfs; /* too large for the stack */
  char err[1000] = "";
  mj_defaultVFS(&vfs);
  mj_makeEmptyFileVFS(&vfs, "bench.xml", (int)t->size);
  memcpy(vfs.filedata[mj_findFileVFS(&vfs, "bench.xml")], t->data, t->size);
  mjModel *m = mj_loadXML("bench.xml", &vfs, err, sizeof err);
  mj_deleteVFS(&vfs);
  if (!m) fprintf(stderr, "MuJoCo: %s\n", err), exit(2);
  m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_CONSTRAINT;
  return m;
}

static void mujoco_forward(void *context) {
  subject *s = context;
  mj_forward(s->m, s->d);
}

static void mujoco_inverse(void *context) {
  subject *s = context;
  mj_kinematics(s->m, s->d);
  mj_comPos(s->m, s->d);
  mj_comVel(s->m, s->d);
  mj_rne(s->m, s->d, 1, s->d->qfrc_inverse);
}

static void mujoco_mass(void *context) {
  subject *s = context;
  mj_kinematics(s->m, s->d);
  mj_comPos(s->m, s->d);
  mj_crb(s->m, s->d);
  mj_factorM(s->m, s->d);
}

static void mujoco_oscm(void *context) {
  subject *s = context;
  int nv = s->m->nv, rows = 6 * s->nnode;
  mujoco_mass(context);
  for (int a = 0; a < s->nnode; a++) {
    mjtNum *J = s->J + (size_t)(6 * a) * (size_t)nv;
    mj_jac(s->m, s->d, J + 3 * nv, J, s->node[a].point, s->node[a].body);
  }
  mj_solveM(s->m, s->d, s->X, s->J, rows);
  mju_mulMatMatT(s->W, s->J, s->X, rows, nv, rows);
}
#endif

typedef struct measurement {
  double cradle, mujoco; /* seconds, 0: not measured */
} measurement;

static void load(subject *s, const text *t) {
  crd_model *model = NULL;
  crd_error err = {0};
  if (crd_io_read_model_text(t->data, t->size, "bench.xml", NULL, &model, NULL, &err) != CRD_OK) {
    fprintf(stderr, "cradle: %s\n", err.text);
    exit(2);
  }
  size_t nv = (size_t)model->nv, rows = 6 * MAX_NODES;
  *s = (subject){.model = model, .work = crd_model_workspace_new(model)};
  s->qpos = need((size_t)model->nq, sizeof(double));
  s->qvel = need(nv, sizeof(double)), s->qacc = need(nv, sizeof(double)), s->tau = need(nv, sizeof(double));
  s->M = need(nv * nv, sizeof(double)), s->Lambda = need(rows * rows, sizeof(double));
  make_state(s);
  crd_tree_kinematics(model, s->work, s->qpos);
#ifdef CRADLE_HAVE_MUJOCO
  s->m = mujoco_load(t);
  s->d = mj_makeData(s->m);
  if (s->m->nq != model->nq || s->m->nbody != model->nbody) fprintf(stderr, "models differ\n"), exit(2);
  s->J = need(rows * nv, sizeof(mjtNum)), s->X = need(rows * nv, sizeof(mjtNum)),
  s->W = need(rows * rows, sizeof(mjtNum));
  memcpy(s->d->qpos, s->qpos, sizeof(double) * (size_t)model->nq);
  memcpy(s->d->qvel, s->qvel, sizeof(double) * nv);
#endif
}

/* k nodes spread over the bodies, the last body first, a little off each body's origin. */
static void choose_nodes(subject *s, int k) {
  s->nnode = k;
  for (int a = 0; a < k; a++) {
    double R[9];
    s->node[a].body = s->model->nbody - 1 - (int)((double)a * (s->model->nbody - 1) / k);
    crd_tree_body_pose(s->model, s->work, s->node[a].body, s->node[a].point, R);
    s->node[a].point[0] += 0.01, s->node[a].point[2] -= 0.02;
  }
}

static void release(subject *s) {
  free(s->qpos), free(s->qvel), free(s->qacc), free(s->tau), free(s->M), free(s->Lambda);
#ifdef CRADLE_HAVE_MUJOCO
  free(s->J), free(s->X), free(s->W);
  mj_deleteData(s->d);
  mj_deleteModel(s->m);
#endif
  crd_model_workspace_free(s->work);
  crd_model *model = (crd_model *)(size_t)s->model;
  crd_model_free(model);
}

static void measure(subject *s, double budget, measurement result[QUANTITIES]) {
  void (*cradle[QUANTITIES])(void *) = {cradle_forward, cradle_inverse, cradle_mass, cradle_oscm, cradle_oscm};
#ifdef CRADLE_HAVE_MUJOCO
  void (*mujoco[QUANTITIES])(void *) = {mujoco_forward, mujoco_inverse, mujoco_mass, mujoco_oscm, mujoco_oscm};
#endif
  for (int k = 0; k < QUANTITIES; k++) {
    choose_nodes(s, k == 4 ? 16 : 4);
    result[k] = (measurement){.cradle = time_per_call(cradle[k], s, budget)};
#ifdef CRADLE_HAVE_MUJOCO
    result[k].mujoco = time_per_call(mujoco[k], s, budget);
#endif
  }
}

static void print_row(const char *label, const measurement *row) {
  printf("%-10s", label);
  for (int k = 0; k < QUANTITIES; k++) {
    printf(" | %9.2f", 1e6 * row[k].cradle);
    if (row[k].mujoco > 0)
      printf(" %10.2f %6.1f", 1e6 * row[k].mujoco, row[k].mujoco / row[k].cradle);
    else
      printf(" %10s %6s", "-", "-");
  }
  printf("\n");
  fflush(stdout);
}

/* Both engines agree on the acceleration before anything is timed. */
static void check_agreement(subject *s, const char *label) {
#ifdef CRADLE_HAVE_MUJOCO
  double worst = 0, scale = 1;
  cradle_forward(s);
  mujoco_forward(s);
  for (int v = 0; v < s->model->nv; v++) {
    worst = fmax(worst, fabs(s->qacc[v] - s->d->qacc[v]));
    scale = fmax(scale, fabs(s->d->qacc[v]));
  }
  if (!(worst <= 1e-6 * scale)) printf("# %s: accelerations differ by %.1e relative\n", label, worst / scale);
#else
  (void)s, (void)label;
#endif
}

int main(int argc, char **argv) {
  const int sizes[] = {3, 6, 12, 30, 100, 300, 1000};
  enum { SIZES = 7, FIRST_OF_FIT = 3 };
  double budget = argc > 1 ? atof(argv[1]) : 0.2;
  measurement table[SIZES][QUANTITIES];
  printf("# microseconds a call: cradle, MuJoCo, MuJoCo/cradle\n%-10s", "");
  for (int k = 0; k < QUANTITIES; k++) printf(" | %-27s", quantity_name[k]);
  printf("\n");
  for (int i = 0; i < SIZES; i++) {
    text t = chain_urdf(sizes[i]);
    subject s;
    load(&s, &t);
    char label[32];
    snprintf(label, sizeof label, "chain %d", sizes[i]);
    check_agreement(&s, label);
    measure(&s, budget, table[i]);
    print_row(label, table[i]);
    release(&s);
    free(t.data);
  }
  text t = humanoid_mjcf();
  subject s;
  measurement row[QUANTITIES];
  load(&s, &t);
  check_agreement(&s, "humanoid");
  measure(&s, budget, row);
  print_row("humanoid", row);
  printf("# %d velocities in the humanoid; workspace %zu bytes\n", s.model->nv, crd_model_workspace_bytes(s.work));
  release(&s);
  free(t.data);

  printf("%-10s", "exponent");
  for (int k = 0; k < QUANTITIES; k++) {
    double cradle[SIZES], mujoco[SIZES];
    for (int i = 0; i < SIZES; i++) cradle[i] = table[i][k].cradle, mujoco[i] = table[i][k].mujoco;
    printf(" | %9.2f", growth_exponent(sizes + FIRST_OF_FIT, cradle + FIRST_OF_FIT, SIZES - FIRST_OF_FIT));
    printf(" %10.2f %6s", growth_exponent(sizes + FIRST_OF_FIT, mujoco + FIRST_OF_FIT, SIZES - FIRST_OF_FIT), "");
  }
  printf("\n");
  return 0;
}
