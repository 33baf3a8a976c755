#include "support/random_mechanism.h"

#include <math.h>
#include <stdio.h>

#include "support/cmocka_all.h"
#include "support/random_tree.h"

typedef struct writer {
  random_stream stream;
  char text[20000], *at;
  int bodies;
} writer;

static void write_geom(writer *w) {
  double a = random_in(&w->stream, 0.03, 0.06), b = random_in(&w->stream, 0.03, 0.09);
  double c = random_in(&w->stream, 0.03, 0.09), quat[4];
  random_unit_quat(&w->stream, quat);
  static const char *shape[] = {"sphere", "capsule", "box", "cylinder", "ellipsoid"};
  w->at += sprintf(w->at, "<geom type='%s' size='%.4f %.4f %.4f' quat='%.6f %.6f %.6f %.6f' density='500'/>",
                   shape[random_int(&w->stream, 0, 4)], a, 0.6 * b, 0.6 * c, quat[0], quat[1], quat[2], quat[3]);
}

static bool one_of(writer *w, int n) { return random_int(&w->stream, 1, n) == 1; }

static void write_joint(writer *w, bool root) {
  static const char *type[] = {"hinge", "hinge", "slide", "ball"};
  int kind = random_int(&w->stream, 0, 3);
  if (root && !one_of(w, 4)) {
    w->at += sprintf(w->at, "<freejoint/>");
    return;
  }
  w->at += sprintf(w->at, "<joint type='%s'", type[kind]);
  if (kind < 3) {
    w->at += sprintf(w->at, " axis='%.4f %.4f %.4f'", random_in(&w->stream, -1, 1), random_in(&w->stream, -1, 1),
                     random_in(&w->stream, -1, 1));
    if (one_of(w, 3)) w->at += sprintf(w->at, " limited='true' range='%s'", kind == 2 ? "-0.1 0.1" : "-40 50");
    if (one_of(w, 4)) w->at += sprintf(w->at, " frictionloss='%.3f'", random_in(&w->stream, 0.01, 0.1));
    if (one_of(w, 4)) w->at += sprintf(w->at, " stiffness='%.2f'", random_in(&w->stream, 1, 10));
  }
  if (one_of(w, 2)) w->at += sprintf(w->at, " damping='%.4f'", random_in(&w->stream, 0, 0.05));
  w->at += sprintf(w->at, "/>");
}

/* A body and what hangs on it, outwards from the root. */
static void write_body(writer *w, int depth, double x, double y) {
  w->bodies++;
  if (depth == 0)
    w->at += sprintf(w->at, "<body pos='%.4f %.4f %.4f'>", x, y, random_in(&w->stream, 0.4, 1.2));
  else
    w->at += sprintf(w->at, "<body pos='%.4f %.4f %.4f'>", x, y, random_in(&w->stream, -0.05, 0.05));
  write_joint(w, depth == 0);
  write_geom(w);
  if (depth < 4 && !one_of(w, 4)) write_body(w, depth + 1, 0.24, random_in(&w->stream, -0.05, 0.05));
  if (depth == 1 && one_of(w, 3)) write_body(w, depth + 1, 0.05, 0.24);
  w->at += sprintf(w->at, "</body>");
}

simulation *random_mechanism(uint64_t seed, const crd_sim_options *given) {
  static const double friction[] = {0, 0.3, 0.6, 1}, restitution[] = {0, 0.3, 0.7};
  static writer w; /* large */
  w = (writer){.stream = {seed, 0}};
  w.at = w.text;
  w.at += sprintf(w.at,
                  "<mujoco><option gravity='0 0 -9.81' timestep='%g'/>"
                  "<custom><numeric name='cradle_restitution' data='%g'/></custom>"
                  "<default><geom friction='%g 0 0'/></default><worldbody><geom type='plane' size='0 0 1'/>",
                  one_of(&w, 2) ? 0.001 : 0.002, restitution[random_int(&w.stream, 0, 2)],
                  friction[random_int(&w.stream, 0, 3)]);
  int trees = random_int(&w.stream, 1, 2);
  for (int i = 0; i < trees; i++) write_body(&w, 0, random_in(&w.stream, -0.2, 0.2), 0.7 * i);
  sprintf(w.at, "</worldbody></mujoco>");
  crd_sim_options options = given ? *given : crd_sim_default();
  options.clear_start = true;
  return simulation_from_text(w.text, &options);
}

/* What the run has broken of its promises into `broken`, empty where it keeps them all. */
static void judge(crd_sim *sim, crd_status status, double integration, char *broken, size_t size) {
  crd_sim_counters counters = crd_sim_counters_now(sim);
  crd_sim_energy energy = crd_sim_energy_now(sim);
  double thinnest = 0.03;
  char *at = broken, *end = broken + size;
  *at = 0;
  if (status != CRD_OK)
    at += snprintf(at, (size_t)(end - at), " %s at t = %g: %s;", crd_status_text(status), crd_sim_time(sim),
                   crd_sim_message(sim));
  if (!(counters.penetration_max <= 2e-6 * thinnest))
    at += snprintf(at, (size_t)(end - at), " penetration %g m;", counters.penetration_max);
  if (!(energy.law_gain_max <= 1e-9 * energy.start))
    at += snprintf(at, (size_t)(end - at), " gain %g of %g J;", energy.law_gain_max, energy.start);
  if (!(fabs(energy.integration) <= integration * energy.start))
    snprintf(at, (size_t)(end - at), " integration error %g of %g J;", energy.integration, energy.start);
}

static bool contains(const uint64_t *list, int n, uint64_t seed) {
  for (int i = 0; i < n; i++)
    if (list[i] == seed) return true;
  return false;
}

void drop_random_mechanisms(const crd_sim_options *options, uint64_t last, double t, double integration,
                            const uint64_t *open, int n) {
  int wrong = 0;
  for (uint64_t seed = 1; seed <= last; seed++) {
    char broken[1000];
    simulation *s = random_mechanism(seed, options);
    judge(s->sim, crd_sim_run(s->sim, t), integration, broken, sizeof broken);
    simulation_free(s);
    bool known = contains(open, n, seed);
    if (!broken[0] && !known) continue;
    wrong += !broken[0] == known;
    print_message("seed %d%s:%s\n", (int)seed, known ? ", known" : "", broken[0] ? broken : " keeps its promises now");
  }
  if (wrong) fail_msg("%d of %d mechanisms are not as they should be", wrong, (int)last);
}
