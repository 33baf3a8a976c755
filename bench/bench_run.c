/* Simulation measured: Jain's Table I beside other engines in one run, and how the cost of a step grows.
 *
 * Table I [Jain, section V-E]: a pendulum of N links over a floor and before a wall, 5 s at 1 ms. All engines get the
 * scene from one definition and are measured by one piece of code (peers/pendulum.h): time of the steps, deepest
 * penetration, energy that came from nowhere (the largest rise above a value the energy had before; nothing drives this
 * system), and the drift of the energy where nothing touches. The others are programs of their own, started from here
 * where they were built. The full formulation, which takes seconds, is measured to 12 links, or to 30 where asked
 * for. Usage: bench_run [rounds] [all|table|full|links|contacts]
 */
#define _POSIX_C_SOURCE 200809L
#include <cradle/io.h>
#include <cradle/sim.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cradle_pendulum.h"
#include "growth_scenes.h"
#include "timing.h"

enum { SIZES = 6, ENGINES = 12 };
static const int LINKS[SIZES] = {3, 6, 12, 15, 24, 30};

/* Published times [Jain, Table I], on the author's machine. */
static const double PAPER_TREE[SIZES] = {1.33, 1.57, 3.23, 2.93, 5.99, 4.77};
static const double PAPER_FULL[SIZES] = {5.0, 7.6, 21, 40, 118, 212};

static const struct {
  const char *title, *program, *variant; /* program NULL: cradle */
} ENGINE[ENGINES] = {{"cradle, RK4", NULL, "rk4 tree"},
                     {"cradle, RK4, full formulation", NULL, "rk4 full"},
                     {"cradle, semi-implicit Euler", NULL, "euler tree"},
                     {"MuJoCo, default softness", "mujoco", "default"},
                     {"MuJoCo, stiff", "mujoco", "stiff"},
                     {"Bullet multibody, sequential impulse", "bullet", "si"},
                     {"Bullet multibody, Dantzig", "bullet", "dantzig"},
                     {"DART, own collision", "dart", "dart"},
                     {"DART, Bullet's collision", "dart", "bullet"},
                     {"ODE step", "ode", "step"},
                     {"ODE quickstep", "ode", "quick"},
                     {"Siconos, minimal coordinates by hand", "siconos", "minimal"}};

static pendulum_result contact[ENGINES][SIZES], loose[ENGINES][SIZES];
static bool measured[ENGINES];

/* The folder of this program, where the others lie in peers/. */
static const char *own_folder(const char *program) {
  static char folder[4096];
  snprintf(folder, sizeof folder, "%s", program);
  char *slash = strrchr(folder, '/');
  if (slash) *slash = 0;
  return slash ? folder : ".";
}

static bool measure_peer(const char *folder, const char *program, const char *variant, int links, bool collides,
                         int rounds, pendulum_result *r) {
  char command[5000], line[512];
  bool found = false;
  snprintf(command, sizeof command,
           "OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 '%s/peers/peer_%s' %d %s %s %d 2>/dev/null", folder, program,
           links, variant, collides ? "contact" : "free", rounds);
  FILE *pipe = popen(command, "r");
  if (!pipe) return false;
  while (fgets(line, sizeof line, pipe))
    if (sscanf(line, "result %lf %lf %lf %lf %lf %lf", &r->seconds, &r->penetration, &r->gain, &r->drift, &r->hinge,
               &r->scale) == 6)
      found = true;
  return pclose(pipe) == 0 && found;
}

static bool measure(const char *folder, int engine, int links, bool collides, int rounds, pendulum_result *r) {
  pendulum_scene scene;
  if (ENGINE[engine].program)
    return measure_peer(folder, ENGINE[engine].program, ENGINE[engine].variant, links, collides, rounds, r);
  return pendulum_scene_read(links, collides, &scene) &&
         pendulum_measure(&cradle_pendulum, ENGINE[engine].variant, &scene, rounds, r);
}

static bool is_built(const char *folder, int engine) {
  char path[5000];
  if (!ENGINE[engine].program) return true;
  snprintf(path, sizeof path, "%s/peers/peer_%s", folder, ENGINE[engine].program);
  return access(path, X_OK) == 0;
}

/* ------------------------------------------------------------------------------------------------ Table I */

static void print_head(const char *title) {
  printf("\n%s\n\n| %-38s |", title, "links");
  for (int i = 0; i < SIZES; i++) printf(" %8d |", LINKS[i]);
  printf("\n| --- |");
  for (int i = 0; i < SIZES; i++) printf(" ---: |");
  printf("\n");
}

typedef double (*quantity)(const pendulum_result *r);
static double seconds_of(const pendulum_result *r) { return r->seconds; }
static double penetration_of(const pendulum_result *r) { return r->penetration; }
static double gain_of(const pendulum_result *r) { return r->gain / r->scale; }
static double drift_of(const pendulum_result *r) { return r->drift / r->scale; }

static void print_table(const char *title, quantity of, pendulum_result (*result)[SIZES], const char *format) {
  print_head(title);
  for (int e = 0; e < ENGINES; e++) {
    if (!measured[e]) continue;
    printf("| %-38s |", ENGINE[e].title);
    for (int i = 0; i < SIZES; i++) {
      char cell[32];
      const double seconds = result[e][i].seconds;
      snprintf(cell, sizeof cell, isfinite(seconds) ? format : isnan(seconds) ? "" : "failed", of(&result[e][i]));
      printf(" %8s |", cell);
    }
    printf("\n");
  }
}

static void print_paper(const char *title, const double *seconds) {
  printf("| %-38s |", title);
  for (int i = 0; i < SIZES; i++) printf(" %8.3g |", seconds[i]);
  printf("\n");
}

static void table_one(const char *folder, int rounds, bool all_full) {
  for (int i = 0; i < SIZES; i++)
    for (int e = 0; e < ENGINES; e++) {
      if (!(measured[e] = is_built(folder, e))) continue;
      const bool full = strstr(ENGINE[e].variant, "full");
      contact[e][i].seconds = loose[e][i].seconds = NAN;
      if (full && !all_full && LINKS[i] > 12) continue;
      if (!measure(folder, e, LINKS[i], true, full ? 1 : rounds, &contact[e][i])) contact[e][i].seconds = INFINITY;
      if (!measure(folder, e, LINKS[i], false, 1, &loose[e][i])) loose[e][i].seconds = INFINITY;
    }
  print_table("Jain's pendulum, 5 s in 5000 steps: seconds of the processor, one thread", seconds_of, contact, "%.4f");
  print_paper("paper, tree (its machine)", PAPER_TREE);
  print_paper("paper, full (its machine)", PAPER_FULL);
  print_table("Deepest penetration, m", penetration_of, contact, "%.1e");
  print_table("Energy from nowhere, share of the energy at the start", gain_of, contact, "%.1e");
  print_table("Nothing touches: largest drift of the energy, share of that at the start", drift_of, loose, "%.1e");
}

/* ------------------------------------------------------------------------------------------------ growth */

typedef struct cost {
  double microseconds, contacts, penetration;
} cost;

/* The mean step after the first tenth; the faster of two runs. */
static bool measure_cost(char *text, int steps, cost *out) {
  crd_model *model = NULL;
  crd_error err = {0};
  *out = (cost){.microseconds = INFINITY};
  if (!text || crd_io_read_model_text(text, strlen(text), "scene", NULL, &model, NULL, &err)) {
    fprintf(stderr, "%s\n", err.text);
    free(text);
    return false;
  }
  bool fine = true;
  for (int round = 0; fine && round < 2; round++) {
    crd_sim *sim = NULL;
    fine = crd_sim_new(model, NULL, &sim, &err) == CRD_OK && crd_sim_reset(sim, 0, NULL, NULL, &err) == CRD_OK;
    for (int k = 0; fine && k < steps / 10; k++) fine = crd_sim_step(sim) == CRD_OK;
    const double start = cpu_seconds();
    for (int k = 0; fine && k < steps; k++) fine = crd_sim_step(sim) == CRD_OK;
    out->microseconds = fmin(out->microseconds, 1e6 * (cpu_seconds() - start) / steps);
    if (fine) {
      const crd_sim_counters counters = crd_sim_counters_now(sim);
      out->contacts = (double)counters.contacts / (double)counters.steps;
      out->penetration = counters.penetration_max;
    } else {
      fprintf(stderr, "%s\n", err.text[0] ? err.text : crd_sim_message(sim));
    }
    crd_sim_free(sim);
  }
  crd_model_free(model);
  free(text);
  return fine;
}

static void growth_with_links(void) {
  enum { COUNT = 6 };
  static const int SIZE[COUNT] = {10, 30, 100, 300, 600, 1000};
  double time[2][COUNT];
  printf("\nCost of a step of a hanging chain, microseconds\n\n| links | free | 8 contacts | contacts met |\n");
  printf("| ---: | ---: | ---: | ---: |\n");
  for (int i = 0; i < COUNT; i++) {
    cost one[2];
    const int steps = SIZE[i] <= 100 ? 500 : 100;
    bool fine = measure_cost(growth_chain(SIZE[i], 0), steps, &one[0]);
    fine = measure_cost(growth_chain(SIZE[i], 8), steps, &one[1]) && fine;
    for (int k = 0; k < 2; k++) time[k][i] = one[k].microseconds;
    printf("| %5d | %8.2f | %8.2f | %.2f%s |\n", SIZE[i], one[0].microseconds, one[1].microseconds, one[1].contacts,
           fine ? "" : " (failed)");
    fflush(stdout);
  }
  printf("| growth from 100 links | %.2f | %.2f | |\n", growth_exponent(SIZE + 2, time[0] + 2, COUNT - 2),
         growth_exponent(SIZE + 2, time[1] + 2, COUNT - 2));
}

static void growth_with_contacts(void) {
  enum { COUNT = 6 };
  static const int SIZE[COUNT] = {5, 20, 50, 100, 250, 500};
  printf(
      "\nCost of a step with contacts, microseconds: balls on a floor (one contact each), towers of five boxes "
      "(20)\n\n");
  printf("| contacts | balls | penetration | towers | penetration | contacts met |\n");
  printf("| ---: | ---: | ---: | ---: | ---: | ---: |\n");
  double time[2][COUNT];
  for (int i = 0; i < COUNT; i++) {
    cost balls, towers = {0};
    const int steps = SIZE[i] <= 50 ? 200 : 20;
    measure_cost(growth_balls(SIZE[i]), steps, &balls);
    if (SIZE[i] >= 20) measure_cost(growth_towers(SIZE[i] / 20), steps, &towers);
    time[0][i] = balls.microseconds, time[1][i] = towers.microseconds;
    printf("| %5d | %8.1f | %.1e | %8.1f | %.1e | %.1f, %.1f |\n", SIZE[i], balls.microseconds, balls.penetration + 0.0,
           towers.microseconds, towers.penetration, balls.contacts, towers.contacts);
    fflush(stdout);
  }
  printf("| growth from 50 | %.2f | | %.2f | | |\n", growth_exponent(SIZE + 2, time[0] + 2, COUNT - 2),
         growth_exponent(SIZE + 2, time[1] + 2, COUNT - 2));
}

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 3;
  const char *what = argc > 2 ? argv[2] : "all";
  const bool all = strcmp(what, "all") == 0, full = strcmp(what, "full") == 0;
  if (all || full || strcmp(what, "table") == 0) table_one(own_folder(argv[0]), rounds > 0 ? rounds : 1, full);
  fflush(stdout);
  if (all || strcmp(what, "links") == 0) growth_with_links();
  if (all || strcmp(what, "contacts") == 0) growth_with_contacts();
  return 0;
}
