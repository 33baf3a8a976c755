/* Robots through contact: CPU time of a step of cradle beside MuJoCo's on the same files, standing and under random
 * controls. Each model runs with its own step and its first keyframe (its first state where there is none).
 *
 *   bench_robots [--time T] [--budget S] [--menagerie DIR] [--gymnasium DIR] [NAME | FILE.xml]...
 *
 * The folders (or CRADLE_MENAGERIE, CRADLE_GYMNASIUM) are checkouts of google-deepmind/mujoco_menagerie and
 * Farama-Foundation/Gymnasium; without them the repository's own models are measured. A run of cradle that has used
 * `budget` seconds of the processor ends there; its row says so.
 *
 * Columns: mean, p50, p99 and worst step of cradle in microseconds; impacts and contact problems a step; `pen` the
 * deepest penetration in m; `failed` unsolved contact problems; `residual` the largest; `closure` what the energy
 * ledger cannot explain, as a share of the energy that was exchanged (the sum over the steps of what each line of it
 * changed by). */
#define _POSIX_C_SOURCE 200809L
#include <cradle/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "robot_mujoco.h"
#include "ways.h"

enum { HELD_STEPS = 20 };               /* steps that a random control is held for */
static const uint64_t control_seed = 7; /* of the random controls, which both engines get */

typedef struct settings {
  double time, budget;
  const char *menagerie, *gymnasium;
  char **name; /* what was asked for; none: all */
  int nname;
} settings;

typedef enum regime { STANDING, RANDOM, REGIMES } regime;
static const char *const regime_name[REGIMES] = {"stand", "random"};

/* ------------------------------------------------------------------------------------------------ models */

typedef enum source { MENAGERIE, GYMNASIUM, OWN } source;

typedef struct robot {
  source from;
  const char *name, *file;
} robot;

/* The robots of the published tables first, those that MuJoCo 2.2.2 cannot read behind. */
static const robot robots[] = {
    {GYMNASIUM, "ant", "ant.xml"},
    {GYMNASIUM, "half_cheetah", "half_cheetah.xml"},
    {GYMNASIUM, "hopper", "hopper.xml"},
    {GYMNASIUM, "walker2d", "walker2d.xml"},
    {GYMNASIUM, "humanoid", "humanoid.xml"},
    {GYMNASIUM, "humanoidstandup", "humanoidstandup.xml"},
    {GYMNASIUM, "pusher", "pusher.xml"},
    {MENAGERIE, "unitree_go1", "unitree_go1/scene.xml"},
    {MENAGERIE, "unitree_go2", "unitree_go2/scene.xml"},
    {MENAGERIE, "unitree_a1", "unitree_a1/scene.xml"},
    {MENAGERIE, "anymal_c", "anybotics_anymal_c/scene.xml"},
    {MENAGERIE, "anymal_b", "anybotics_anymal_b/scene.xml"},
    {MENAGERIE, "barkour_v0", "google_barkour_v0/scene.xml"},
    {MENAGERIE, "shadow_hand", "shadow_hand/scene_right.xml"},
    {MENAGERIE, "allegro", "wonik_allegro/scene_right.xml"},
    {MENAGERIE, "robotiq_2f85", "robotiq_2f85/scene.xml"},
    {MENAGERIE, "robotis_op3", "robotis_op3/scene.xml"},
    {MENAGERIE, "unitree_h1", "unitree_h1/scene.xml"},
    {MENAGERIE, "agility_cassie", "agility_cassie/scene.xml"},
    {MENAGERIE, "vx300s", "trossen_vx300s/scene.xml"},
    {MENAGERIE, "unitree_g1", "unitree_g1/scene.xml"},
    {MENAGERIE, "unitree_g1_hands", "unitree_g1/scene_with_hands.xml"},
    {MENAGERIE, "talos", "pal_talos/scene_position.xml"},
    {MENAGERIE, "booster_t1", "booster_t1/scene.xml"},
    {MENAGERIE, "wx250s", "trossen_wx250s/scene.xml"},
    {MENAGERIE, "xarm7", "ufactory_xarm7/scene.xml"},
    {MENAGERIE, "arx_l5", "arx_l5/scene.xml"},
    {MENAGERIE, "toddlerbot_2xc", "toddlerbot_2xc/scene.xml"},
    {MENAGERIE, "fourier_n1", "fourier_n1/scene.xml"},
    {MENAGERIE, "apollo", "apptronik_apollo/scene.xml"},
    {MENAGERIE, "spot", "boston_dynamics_spot/scene.xml"},
    {MENAGERIE, "panda", "franka_emika_panda/scene.xml"},
    {MENAGERIE, "kuka", "kuka_iiwa_14/scene.xml"},
    {MENAGERIE, "ur5e", "universal_robots_ur5e/scene.xml"},
    {MENAGERIE, "fr3", "franka_fr3/scene.xml"},
    {MENAGERIE, "aloha", "aloha/scene.xml"},
    {MENAGERIE, "leap_hand", "leap_hand/scene_right.xml"},
    {OWN, "quadruped", "quadruped.xml"},
    {OWN, "ragdoll", "ragdoll.xml"},
    {OWN, "gripper", "gripper.xml"},
    {OWN, "dice", "dice.xml"},
    {OWN, "box_drop", "box_drop.xml"},
    {OWN, "scissor_lift", "scissor_lift.xml"},
};
enum { ROBOTS = sizeof robots / sizeof robots[0] };

/* The robot's file, false where its folder is not known or it does not exist. */
static bool find_file(const settings *s, const robot *r, char *path, size_t size) {
  const char *folder = r->from == MENAGERIE ? s->menagerie : r->from == GYMNASIUM ? s->gymnasium : CRADLE_MODELS;
  static const char *const inside[] = {"", "gymnasium/envs/mujoco/assets/"};
  for (size_t i = 0; folder && i < sizeof inside / sizeof inside[0]; i++) {
    snprintf(path, size, "%s/%s%s", folder, inside[i], r->file);
    FILE *file = fopen(path, "r");
    if (file) return fclose(file), true;
  }
  return false;
}

/* ------------------------------------------------------------------------------------------------ controls */

/* Random controls within their ranges ([-1, 1] where there is none), the same for every engine at the same step. */
static void random_controls(const crd_model *model, long step, double *ctrl) {
  const uint64_t block = (uint64_t)(step / HELD_STEPS);
  for (int i = 0; i < model->nactuator; i++) {
    const crd_actuator *a = &model->actuator[i];
    const double low = a->ctrl_limited ? a->ctrl_range[0] : -1, high = a->ctrl_limited ? a->ctrl_range[1] : 1;
    ctrl[i] = low + (high - low) * crd_random_uniform(control_seed, (uint32_t)i, block);
  }
}

typedef struct held_control {
  int count;
  double *value;
} held_control;

static void apply_held(void *context, double t, const double *qpos, const double *qvel, double *ctrl, double *tau) {
  const held_control *held = context;
  (void)t, (void)qpos, (void)qvel, (void)tau;
  memcpy(ctrl, held->value, (size_t)held->count * sizeof *ctrl);
}

/* ------------------------------------------------------------------------------------------------ measuring */

typedef struct measured {
  long steps;
  double mean, p50, p99, worst;      /* microseconds */
  double contacts, penetration;      /* contacts: mean */
  double impacts, trials;            /* a step (cradle) */
  double retries[CRD_RETRIES];       /* a step: why it was tried again */
  long settled[CRD_COULOMB_METHODS]; /* islands, by method */
  long failed;
  double residual, closure; /* closure: NaN where nothing was exchanged */
  char note[200];           /* why it ended early, "" otherwise */
} measured;

static double thread_microseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static int compare_doubles(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void take_statistics(measured *m, double *spent, long steps) {
  double sum = 0;
  m->steps = steps;
  if (steps == 0) return;
  for (long i = 0; i < steps; i++) sum += spent[i];
  qsort(spent, (size_t)steps, sizeof *spent, compare_doubles);
  m->mean = sum / (double)steps;
  m->p50 = spent[steps / 2], m->p99 = spent[(steps * 99) / 100], m->worst = spent[steps - 1];
}

static measured measure_mujoco(robot_mujoco *engine, const crd_model *model, regime how, long steps, double *spent,
                               double *ctrl) {
  measured m = {.closure = NAN};
  robot_mujoco_reset(engine);
  for (long i = 0; i < steps; i++) {
    double depth;
    if (how == RANDOM && i % HELD_STEPS == 0) random_controls(model, i, ctrl), robot_mujoco_control(engine, ctrl);
    const double start = thread_microseconds();
    robot_mujoco_step(engine);
    spent[i] = thread_microseconds() - start;
    m.contacts += robot_mujoco_contacts(engine, &depth) / (double)steps;
    m.penetration = fmax(m.penetration, depth);
  }
  take_statistics(&m, spent, steps);
  return m;
}

/* What the lines of the ledger changed by since `before`, in J, all counted as positive. */
static double exchanged(const crd_sim_energy *before, const crd_sim_energy *now) {
  return fabs(now->potential - before->potential) + fabs(now->actuation - before->actuation) +
         fabs(now->damping - before->damping) + fabs(now->impact - before->impact) +
         fabs(now->contact - before->contact) + fabs(now->loop - before->loop);
}

static void take_counters(measured *m, const crd_sim *sim, double moved) {
  const crd_sim_counters c = crd_sim_counters_now(sim);
  const double steps = fmax(1, (double)m->steps);
  m->contacts = (double)c.contacts / steps, m->impacts = (double)c.impacts / steps;
  m->trials = (double)c.trials / steps;
  for (int k = 0; k < CRD_RETRIES; k++) m->retries[k] = (double)c.retries[k] / steps;
  memcpy(m->settled, c.settled, sizeof m->settled);
  m->penetration = c.penetration_max, m->failed = c.failed_solves, m->residual = c.residual_max;
  m->closure = moved > 0 ? fabs(crd_sim_energy_now(sim).integration) / moved : NAN;
}

static measured measure_cradle(const crd_model *model, regime how, long steps, double budget, double *spent,
                               double *ctrl) {
  measured m = {.closure = NAN};
  const crd_key *key = model->nkey > 0 ? &model->key[0] : NULL;
  held_control held = {model->nactuator, ctrl};
  crd_sim_options options = crd_sim_default();
  crd_error err = {0};
  crd_sim *sim = NULL;
  options.clear_start = options.ignore_overlaps = true;
  for (int i = 0; i < model->nactuator; i++) ctrl[i] = key && key->ctrl ? key->ctrl[i] : 0;
  if (model->nactuator > 0) options.control = apply_held, options.control_apart = true, options.control_context = &held;
  crd_status status = crd_sim_new(model, &options, &sim, &err);
  if (!status) status = crd_sim_reset(sim, 0, key ? key->qpos : NULL, key ? key->qvel : NULL, &err);
  if (status) {
    snprintf(m.note, sizeof m.note, "does not start: %.150s", err.text);
    return crd_sim_free(sim), m;
  }
  const double begin = thread_microseconds();
  double moved = 0;
  crd_sim_energy before = crd_sim_energy_now(sim);
  long i = 0;
  for (; i < steps && thread_microseconds() - begin < 1e6 * budget; i++) {
    if (how == RANDOM && i % HELD_STEPS == 0) random_controls(model, i, ctrl);
    const double start = thread_microseconds();
    status = crd_sim_step(sim);
    spent[i] = thread_microseconds() - start;
    if (status) break;
    const crd_sim_energy now = crd_sim_energy_now(sim);
    moved += exchanged(&before, &now);
    before = now;
  }
  if (i < steps)
    snprintf(m.note, sizeof m.note, "ended at %.3g s: %.150s", crd_sim_time(sim),
             status ? crd_sim_message(sim) : "out of its budget");
  take_statistics(&m, spent, i);
  take_counters(&m, sim, moved);
  crd_sim_free(sim);
  return m;
}

/* ------------------------------------------------------------------------------------------------ the table */

typedef struct summary {
  double logs[REGIMES], tail[REGIMES]; /* sums of log ratio; largest p99 / p50 */
  double worst[REGIMES];
  int count[REGIMES];
  long settled[REGIMES][CRD_COULOMB_METHODS]; /* islands, by method */
} summary;

static void print_head(void) {
  printf(
      "| model | how | nv | contacts | MuJoCo us | cradle us | p50 | p99 | worst | ratio | impacts, trials a step | "
      "pen cradle | pen MuJoCo | failed | residual | closure | retries a step |\n");
  printf("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n");
}

static void print_row(const char *name, regime how, int nv, const measured *ours, const measured *theirs,
                      summary *sum) {
  printf("| %-16s | %-6s | %2d | %.1f", name, regime_name[how], nv, ours->contacts);
  if (theirs)
    printf(" / %.1f | %.1f", theirs->contacts, theirs->mean);
  else
    printf(" | -");
  printf(" | %.1f | %.1f | %.0f | %.0f", ours->mean, ours->p50, ours->p99, ours->worst);
  if (theirs && ours->steps > 0)
    printf(" | %.2f", ours->mean / theirs->mean);
  else
    printf(" | -");
  printf(" | %.2f, %.2f | %.0e", ours->impacts, ours->trials, ours->penetration);
  if (theirs)
    printf(" | %.0e", theirs->penetration);
  else
    printf(" | -");
  printf(" | %ld | %.0e | %.0e | %s", ours->failed, ours->residual, ours->closure, ours->note);
  for (int k = 0; k < CRD_RETRIES; k++)
    if (ours->retries[k] > 0) printf(" %s %.2g", crd_sim_retry_name(k), ours->retries[k]);
  printf(" |\n");
  fflush(stdout);
  for (int k = 0; k < CRD_COULOMB_METHODS; k++) sum->settled[how][k] += ours->settled[k];
  if (ours->steps == 0) return;
  sum->tail[how] = fmax(sum->tail[how], ours->p99 / ours->p50);
  if (!theirs) return;
  sum->logs[how] += log(ours->mean / theirs->mean), sum->count[how]++;
  sum->worst[how] = fmax(sum->worst[how], ours->mean / theirs->mean);
}

static void print_summary(const summary *sum) {
  double logs = 0;
  int count = 0;
  printf("\n");
  for (int how = 0; how < REGIMES; how++) {
    if (sum->count[how] > 0)
      printf("%s: geometric mean of the ratios %.2f over %d models, the largest %.2f; ", regime_name[how],
             exp(sum->logs[how] / sum->count[how]), sum->count[how], sum->worst[how]);
    printf("%slargest p99 / p50 %.1f\n", sum->count[how] > 0 ? "" : regime_name[how], sum->tail[how]);
    logs += sum->logs[how], count += sum->count[how];
  }
  if (count > 0) printf("all: geometric mean of the ratios %.2f\n", exp(logs / count));
  printf("\n");
  ways_heading("islands by method");
  for (int how = 0; how < REGIMES; how++) ways_row(regime_name[how], sum->settled[how], NULL);
}

/* What makes the comparison unequal, told before the rows. */
static bool is_comparable(const char *name, const crd_model *model, const robot_mujoco *engine, int stand_ins) {
  if (stand_ins > 0 && robot_mujoco_colliding_stand_ins(engine) > 0)
    printf("# %s: %d meshes that collide are missing; MuJoCo has stand-ins\n", name,
           robot_mujoco_colliding_stand_ins(engine));
  if (robot_mujoco_nv(engine) == model->nv && robot_mujoco_nctrl(engine) == model->nactuator) {
    /* the cost of a step does not hang on it: meshes weigh what MuJoCo 3 says, which is not what 2.2.2 says */
    if (!(fabs(robot_mujoco_mass(engine) - model->mass) <= 1e-6 * model->mass))
      printf("# %s: MuJoCo 2 has mass %.9g, cradle %.9g\n", name, robot_mujoco_mass(engine), model->mass);
    return true;
  }
  printf("# %s: MuJoCo has nv %d, nu %d, mass %.9g, cradle %d, %d, %.9g: cradle alone\n", name, robot_mujoco_nv(engine),
         robot_mujoco_nctrl(engine), robot_mujoco_mass(engine), model->nv, model->nactuator, model->mass);
  return false;
}

static void measure_robot(const settings *s, const char *name, const char *path, summary *sum) {
  crd_read_options read = crd_io_read_default();
  crd_model *model;
  crd_error err = {0};
  char message[500];
  int stand_ins;
  read.lenient = read.allow_outside = true;
  if (crd_io_read_model(path, &read, &model, NULL, &err)) {
    printf("# %s: %s\n", name, err.text);
    return;
  }
  robot_mujoco *engine = robot_mujoco_load(path, &stand_ins, message, sizeof message);
  if (!engine) printf("# %s: MuJoCo: %.120s: cradle alone\n", name, message);
  const bool both = engine && is_comparable(name, model, engine, stand_ins);
  const long steps = (long)ceil(s->time / model->timestep - 1e-6);
  double *spent = malloc((size_t)steps * sizeof *spent), *ctrl = calloc((size_t)model->nactuator + 1, sizeof *ctrl);
  for (int how = 0; spent && ctrl && how < REGIMES; how++) {
    measured theirs, ours;
    if (how == RANDOM && model->nactuator == 0) break;
    if (both) theirs = measure_mujoco(engine, model, (regime)how, steps, spent, ctrl);
    ours = measure_cradle(model, (regime)how, steps, s->budget, spent, ctrl);
    print_row(name, (regime)how, model->nv, &ours, both ? &theirs : NULL, sum);
  }
  free(spent), free(ctrl);
  robot_mujoco_free(engine);
  crd_model_free(model);
}

/* ------------------------------------------------------------------------------------------------ main */

static bool is_asked_for(const settings *s, const char *name) {
  for (int i = 0; i < s->nname; i++)
    if (strcmp(s->name[i], name) == 0) return true;
  return s->nname == 0;
}

static int complain(const char *text) {
  fprintf(stderr,
          "bench_robots: found %s, expected [--time T] [--budget S] [--menagerie DIR] [--gymnasium DIR] "
          "[NAME | FILE.xml]..., NAME of\n ",
          text);
  for (int i = 0; i < ROBOTS; i++) fprintf(stderr, " %s", robots[i].name);
  fprintf(stderr, "\n");
  return 2;
}

/* Options in front of or between names; the names are gathered at the front of argv. */
static bool parse(int argc, char **argv, settings *s) {
  s->name = argv;
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (strncmp(argv[i], "--", 2) != 0) {
      s->name[s->nname++] = argv[i];
      continue;
    }
    if (!value) return false;
    if (strcmp(argv[i], "--time") == 0)
      s->time = strtod(value, NULL);
    else if (strcmp(argv[i], "--budget") == 0)
      s->budget = strtod(value, NULL);
    else if (strcmp(argv[i], "--menagerie") == 0)
      s->menagerie = value;
    else if (strcmp(argv[i], "--gymnasium") == 0)
      s->gymnasium = value;
    else
      return false;
    i++;
  }
  return s->time > 0 && s->budget > 0;
}

static bool is_known(const char *name) {
  const size_t length = strlen(name);
  for (int i = 0; i < ROBOTS; i++)
    if (strcmp(robots[i].name, name) == 0) return true;
  return length > 4 && strcmp(name + length - 4, ".xml") == 0;
}

int main(int argc, char **argv) {
  settings s = {2, 120, getenv("CRADLE_MENAGERIE"), getenv("CRADLE_GYMNASIUM"), NULL, 0};
  summary sum = {0};
  char path[4096];
  if (!parse(argc, argv, &s)) return complain("an option without its value");
  for (int i = 0; i < s.nname; i++)
    if (!is_known(s.name[i])) return complain(s.name[i]);
  if (!s.menagerie) printf("# no folder of Menagerie (--menagerie, CRADLE_MENAGERIE): its robots are left out\n");
  if (!s.gymnasium) printf("# no folder of Gymnasium (--gymnasium, CRADLE_GYMNASIUM): its robots are left out\n");
  const bool own = s.nname > 0 || (!s.menagerie && !s.gymnasium);
  print_head();
  for (int i = 0; i < ROBOTS; i++) {
    const robot *r = &robots[i];
    if (!is_asked_for(&s, r->name) || (r->from == OWN && !own)) continue;
    if (find_file(&s, r, path, sizeof path))
      measure_robot(&s, r->name, path, &sum);
    else if (s.nname > 0 || (r->from == MENAGERIE ? s.menagerie : s.gymnasium))
      printf("# %s: there is no %s\n", r->name, r->file);
  }
  for (int i = 0; i < s.nname; i++)
    if (strlen(s.name[i]) > 4 && strcmp(s.name[i] + strlen(s.name[i]) - 4, ".xml") == 0)
      measure_robot(&s, s.name[i], s.name[i], &sum);
  print_summary(&sum);
  return 0;
}
