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

static simulation *random_mechanism(uint64_t seed) {
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
  crd_sim_options options = crd_sim_default();
  options.clear_start = true;
  return simulation_from_text(w.text, &options);
}

void drop_random_mechanism(uint64_t seed, double t) {
  simulation *s = random_mechanism(seed);
  crd_status status = crd_sim_run(s->sim, t);
  crd_sim_counters counters = crd_sim_counters_now(s->sim);
  crd_sim_energy energy = crd_sim_energy_now(s->sim);
  double size = 0.03; /* of the thinnest geoms */
  if (status != CRD_OK)
    fail_msg("seed %d: %s at t = %g: %s", (int)seed, crd_status_text(status), crd_sim_time(s->sim),
             crd_sim_message(s->sim));
  if (counters.penetration_max > 2e-6 * size) fail_msg("seed %d: penetration %g", (int)seed, counters.penetration_max);
  if (energy.law_gain_max > 1e-9 * energy.start) fail_msg("seed %d: gain %g", (int)seed, energy.law_gain_max);
  double sum = energy.start + energy.actuation + energy.damping + energy.impact + energy.contact + energy.loop +
               energy.integration;
  if (!(fabs(sum - energy.kinetic - energy.potential) <= 1e-9 * energy.start)) fail_msg("seed %d: ledger", (int)seed);
  if (!(fabs(energy.integration) <= 0.02 * energy.start))
    fail_msg("seed %d: integration error %g of %g J", (int)seed, energy.integration, energy.start);
  simulation_free(s);
}
