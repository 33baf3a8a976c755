/* Heaps: n spheres or boxes fall into a walled box, 2 s at 1 ms, friction 0.5, no restitution; cradle's time stepping
 * beside ODE, Bullet and MuJoCo where they are installed.
 *
 *   bench_heaps [--time T] [--budget S] [N]...        (2 s, 60 s of CPU time each, 100 500 1000)
 *
 * Columns: CPU seconds of the steps and their ratio to ODE's; median and 0.99 quantile of the residual (the natural map
 * of the worst contact, relative: bench/peers/heap.c); deepest penetration; contacts on average; largest rise of the
 * energy within ten steps. A run that has used up its budget says how far it came. Then cradle's islands by the method
 * whose answer stands. */
#define _POSIX_C_SOURCE 200809L
#include <cradle/io.h>
#include <cradle/linalg.h>
#include <cradle/sim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers/heap.h"
#include "timing.h"
#include "ways.h"

enum { ENGINES = 4, SIZES = 8 };
static const char *const engine_name[ENGINES] = {"cradle", "ode", "bullet", "mujoco"};

/* ------------------------------------------------------------------------------------------------ cradle */

static crd_sim *latest; /* heap_run leaves its world behind */

static void *make(const heap_scene *s) {
  crd_sim_options options = crd_sim_default();
  crd_model *model;
  crd_sim *sim;
  crd_error err = {0};
  char *text = heap_mjcf(s);
  options.integrator = CRD_SIM_MOREAU, options.timestep = s->timestep;
  bool done = text && crd_io_read_model_text(text, strlen(text), "heap", NULL, &model, NULL, &err) == CRD_OK &&
              crd_sim_new(model, &options, &sim, &err) == CRD_OK;
  free(text);
  if (!done) fprintf(stderr, "bench_heaps: %s\n", err.text);
  return latest = done ? sim : NULL;
}

static void step(void *world) {
  if (crd_sim_step(world) != CRD_OK) fprintf(stderr, "bench_heaps: %s\n", crd_sim_message(world));
}

static void bodies(void *world, heap_body *body) {
  const crd_model *model = crd_sim_model(world);
  for (int i = 0; i < model->njoint; i++) {
    const double *q = crd_sim_qpos(world) + 7 * i, *v = crd_sim_qvel(world) + 6 * i;
    crd_vec3_copy(body[i].position, q);
    crd_vec3_copy(body[i].velocity, v);
    crd_quat_rotate(body[i].spin, q + 3, v + 3);
  }
}

static int contacts(void *world, heap_contact *contact, int capacity) {
  int count;
  const crd_sim_contact *list = crd_sim_contacts(world, &count);
  if (count > capacity) count = capacity;
  for (int c = 0; c < count; c++) {
    const crd_contact *at = &list[c].contact;
    contact[c] = (heap_contact){.body = {at->body1 - 1, at->body2 - 1}, .gap = at->gap};
    crd_vec3_copy(contact[c].point, at->point);
    crd_vec3_copy(contact[c].normal, at->normal);
    crd_vec3_scale(contact[c].impulse, list[c].impulse_n, at->normal);
    for (int t = 0; t < at->ntangent; t++) crd_vec3_axpy(contact[c].impulse, list[c].impulse_t[t], at->tangent[t]);
  }
  return count;
}

static const heap_engine cradle = {"cradle", make, step, bodies, contacts};

/* ------------------------------------------------------------------------------------------------ tables */

static bool run_peer(const char *program, const char *name, const heap_scene *s, double time, double budget,
                     heap_result *r) {
  char command[4096], line[512];
  const char *end = strrchr(program, '/');
  bool found = false;
  snprintf(command, sizeof command, "%.*s/peers/peer_heap_%s %d %s %g %g 2>/dev/null", end ? (int)(end - program) : 1,
           end ? program : ".", name, s->n, s->boxes ? "boxes" : "spheres", time, budget);
  FILE *pipe = popen(command, "r");
  if (!pipe) return false;
  while (fgets(line, sizeof line, pipe))
    if (sscanf(line, "heap %lf %lf %lf %lf %lf %lf %lf", &r->seconds, &r->simulated, &r->residual, &r->worst,
               &r->penetration, &r->contacts, &r->gain) == 7)
      found = true;
  return pclose(pipe) == 0 && found;
}

static void print_row(const char *name, int n, const heap_result *r, double time, double ode) {
  char ratio[32] = "", until[48] = "";
  if (ode > 0) snprintf(ratio, sizeof ratio, "%.2f", r->seconds / ode);
  if (r->simulated < time * (1 - 1e-9)) snprintf(until, sizeof until, "  budget ended at %.3g s", r->simulated);
  printf("  %-8s %6d %9.3f %7s %10.1e %10.1e %10.1e %9.0f %9.1e%s\n", name, n, r->seconds, ratio, r->residual, r->worst,
         r->penetration, r->contacts, r->gain, until);
  fflush(stdout);
}

static void table(const char *program, bool boxes, const int *n, int sizes, double time, double budget) {
  double seconds[ENGINES][SIZES];
  long settled[SIZES][CRD_COULOMB_METHODS] = {{0}};
  int done[ENGINES] = {0};
  printf("%s, %g s at 1 ms\n  %-8s %6s %9s %7s %10s %10s %10s %9s %9s\n", boxes ? "boxes" : "spheres", time, "engine",
         "n", "CPU s", "x ODE", "residual", "99 %", "pen m", "contacts", "gain J");
  for (int k = 0; k < sizes; k++) {
    heap_scene scene = heap_scene_of(n[k], boxes);
    heap_result result[ENGINES];
    bool there[ENGINES];
    there[0] = heap_run(&cradle, &scene, time, budget, &result[0]);
    if (there[0]) memcpy(settled[k], crd_sim_counters_now(latest).settled, sizeof settled[k]);
    for (int e = 1; e < ENGINES; e++) there[e] = run_peer(program, engine_name[e], &scene, time, budget, &result[e]);
    for (int e = 0; e < ENGINES; e++) {
      if (!there[e]) continue;
      print_row(engine_name[e], n[k], &result[e], time, there[1] ? result[1].seconds : 0);
      if (done[e] == k && !(result[e].simulated < time * (1 - 1e-9))) seconds[e][done[e]++] = result[e].seconds;
    }
  }
  for (int e = 0; e < ENGINES && sizes > 1; e++)
    if (done[e] == sizes) printf("  %-8s grows as n^%.2f\n", engine_name[e], growth_exponent(n, seconds[e], sizes));
  ways_heading("  cradle's islands by method");
  for (int k = 0; k < sizes; k++) {
    char name[16];
    snprintf(name, sizeof name, "  %d", n[k]);
    ways_row(name, settled[k], NULL);
  }
  printf("\n");
}

int main(int argc, char **argv) {
  double time = 2, budget = 60;
  int n[SIZES] = {100, 500, 1000}, sizes = 0;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--time") == 0 && i + 1 < argc)
      time = atof(argv[++i]);
    else if (strcmp(argv[i], "--budget") == 0 && i + 1 < argc)
      budget = atof(argv[++i]);
    else if (atoi(argv[i]) > 0 && sizes < SIZES)
      n[sizes++] = atoi(argv[i]);
    else
      return fprintf(stderr, "usage: bench_heaps [--time T] [--budget S] [N]...\n"), 2;
  }
  if (sizes == 0) sizes = 3;
  for (int boxes = 0; boxes < 2; boxes++) table(argv[0], boxes, n, sizes, time, budget);
  return 0;
}
