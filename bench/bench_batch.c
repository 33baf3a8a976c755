/* Batches measured: N simulations of one model stepped together by threads, beside MuJoCo stepping N mjData by the same
 * threads in the same run, both with random controls of their own for every member, held for a step.
 *
 * Engines and numbers of threads take turns in every round, and the median round counts, since other programs share the
 * machine. CPU time (of all threads) is told beside it: it says what a step costs where the clock says how busy the
 * machine was. Usage: bench_batch [MODEL.xml [members [steps [integrator]]]]; without a model our own quadruped.
 */
#include <cradle/batch.h>
#include <cradle/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch_mujoco.h"
#include "timing.h"

enum { ROUNDS = 5, MOST_THREADS = 2, SETTLE = 20 };
static const uint64_t SEED = 1;

typedef struct measure {
  double wall[ROUNDS], cpu[ROUNDS]; /* s, of a round of members x steps */
} measure;

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(const double *round) {
  double sorted[ROUNDS];
  memcpy(sorted, round, sizeof sorted);
  qsort(sorted, ROUNDS, sizeof *sorted, by_size);
  return sorted[ROUNDS / 2];
}

/* A control in -1..1 of each member, step and actuator: both engines get the same. */
static double control_of(int member, int actuator, uint64_t step) {
  return 2 * crd_random_uniform(SEED, (uint32_t)(member * 64 + actuator), step) - 1;
}

/* ------------------------------------------------------------------------------------------------ cradle */

static void cradle_steps(crd_batch *batch, const double *ctrl, int steps) {
  const int row = crd_batch_count(batch) * crd_batch_model(batch)->nactuator;
  for (int k = 0; k < steps; k++) {
    if (row > 0) memcpy(crd_batch_ctrl(batch), ctrl + (size_t)row * (size_t)k, (size_t)row * sizeof *ctrl);
    crd_batch_step(batch, 1);
  }
}

static crd_batch *cradle_new(const crd_model *model, int members, int threads, crd_sim_integrator integrator) {
  crd_batch_options options = crd_batch_default();
  crd_batch *batch = NULL;
  crd_error err;
  options.count = members, options.threads = threads, options.sensors = false;
  options.sim.clear_start = true, options.sim.integrator = integrator;
  if (crd_batch_new(model, &options, &batch, &err) != CRD_OK) fprintf(stderr, "bench_batch: %s\n", err.text);
  return batch;
}

/* ------------------------------------------------------------------------------------------------ rounds */

static void note(measure *m, int round, double wall, double cpu) {
  m->wall[round] = now_seconds() - wall, m->cpu[round] = cpu_seconds() - cpu;
}

static void row(const char *engine, int threads, const measure *m, double total) {
  printf("| %-8s | %7d | %9.0f | %8.2f |\n", engine, threads, total / median(m->wall), 1e6 * median(m->cpu) / total);
}

static int measure_model(const char *path, int members, int steps, crd_sim_integrator integrator) {
  crd_read_options options = crd_io_read_default();
  crd_read_report report = {0};
  crd_model *model;
  crd_error err;
  options.lenient = true;
  if (crd_io_read_model(path, &options, &model, &report, &err) != CRD_OK)
    return fprintf(stderr, "bench_batch: %s: %s\n", path, err.text), 1;
  crd_batch *batch[MOST_THREADS];
  measure own[MOST_THREADS] = {0};
  for (int k = 0; k < MOST_THREADS; k++)
    if (!(batch[k] = cradle_new(model, members, k + 1, integrator))) return 1;
  const size_t nu = (size_t)model->nactuator, block = (size_t)members * nu;
  double *ctrl = malloc(((size_t)(steps + SETTLE) * block + 1) * sizeof *ctrl);
  char message[1000];
  measure peer[MOST_THREADS] = {0};
  batch_mujoco *theirs = batch_mujoco_new(path, members, message, sizeof message);
  const bool beside = theirs && (size_t)batch_mujoco_nu(theirs) == nu;
  if (!theirs) fprintf(stderr, "bench_batch: MuJoCo: %s\n", message);
  for (int round = -1; ctrl && round < ROUNDS; round++) { /* the first is to get going: bodies fall, memory is met */
    const int n = round < 0 ? SETTLE : steps;
    for (size_t i = 0; i < (size_t)n * block; i++)
      ctrl[i] = control_of((int)(i / nu % (size_t)members), (int)(i % nu),
                           (uint64_t)(round + 1) * (uint64_t)steps + i / block);
    for (int k = 0; k < MOST_THREADS; k++) {
      double wall = now_seconds(), cpu = cpu_seconds();
      cradle_steps(batch[k], ctrl, n);
      if (round >= 0) note(&own[k], round, wall, cpu);
      wall = now_seconds(), cpu = cpu_seconds();
      if (beside) batch_mujoco_step(theirs, ctrl, n, k + 1);
      if (round >= 0) note(&peer[k], round, wall, cpu);
    }
  }
  const double total = (double)members * steps;
  int first;
  const int failed = crd_batch_failures(batch[0], &first);
  const char *name = strrchr(path, '/');
  printf("\n%s, %s, %d members, %d steps a round, %.1f kB a member", name ? name + 1 : path,
         crd_sim_integrator_name(integrator), members, steps, (double)crd_batch_bytes(batch[0]) / 1e3 / members);
  if (failed) printf(", %d failed (%d: %s)", failed, first, crd_batch_message(batch[0], first));
  printf("\n\n| engine   | threads |   steps/s | CPU us/step |\n| --- | ---: | ---: | ---: |\n");
  for (int k = 0; k < MOST_THREADS; k++) row("cradle", k + 1, &own[k], total);
  for (int k = 0; beside && k < MOST_THREADS; k++) row("MuJoCo", k + 1, &peer[k], total);
  if (beside)
    printf("\ncradle / MuJoCo, steps/s: %.2f by one thread, %.2f by two\n", median(peer[0].wall) / median(own[0].wall),
           median(peer[1].wall) / median(own[1].wall));
  if (beside)
    printf("cradle / MuJoCo, steps per CPU second: %.2f by one thread, %.2f by two\n",
           median(peer[0].cpu) / median(own[0].cpu), median(peer[1].cpu) / median(own[1].cpu));
  if (beside && batch_mujoco_crowded(theirs) > 0)
    printf("%d members of MuJoCo had no room for all contacts\n", batch_mujoco_crowded(theirs));
  batch_mujoco_free(theirs);
  printf("cradle, two threads / one: %.2f, were the machine idle %.2f\n", median(own[0].wall) / median(own[1].wall),
         2 * median(own[0].cpu) / median(own[1].cpu));
  for (int k = 0; k < MOST_THREADS; k++) crd_batch_free(batch[k]);
  free(ctrl);
  crd_model_free(model);
  crd_io_read_report_free(&report);
  return 0;
}

int main(int argc, char **argv) {
  crd_sim_integrator integrator = CRD_SIM_RK4;
  for (int i = 0; argc > 4 && i <= CRD_SIM_MOREAU; i++)
    if (strcmp(argv[4], crd_sim_integrator_name((crd_sim_integrator)i)) == 0) integrator = (crd_sim_integrator)i;
  const int members = argc > 2 ? atoi(argv[2]) : 4096, steps = argc > 3 ? atoi(argv[3]) : 20;
  if (members < 1 || steps < 1) return fprintf(stderr, "bench_batch: members and steps: expected at least 1\n"), 1;
  return measure_model(argc > 1 ? argv[1] : CRADLE_MODELS "/quadruped.xml", members, steps, integrator);
}
