/* A ball dropped from 1 m, simulated with events at their own instants, e = 0.9.
 *
 * In closed form it strikes the floor after sqrt(2 h/g) = 0.451524 s, and again after every 2 e^k sqrt(2 h/g): at
 * 1.264266 s and 1.995734 s.
 *
 *   prints: impact after 0.451524 s with 4.429447 m/s
 *   prints: impact after 1.264266 s with 3.986502 m/s
 *   prints: impact after 1.995734 s with 3.587852 m/s
 */
#include <cradle/cradle.h>
#include <stdio.h>

static void tell(void *context, const crd_sim *sim, const crd_sim_event *event) {
  (void)context, (void)sim;
  printf("%s after %.6f s with %.6f m/s\n", crd_sim_event_name(event->kind), event->t, event->approach);
}

int main(void) {
  crd_model *model;
  crd_error err;
  if (crd_io_example_model("bouncing-ball", NULL, &model, &err)) return puts(err.text), 1;
  crd_sim_options options = crd_sim_default();
  options.observer.event = tell;
  crd_sim *sim;
  if (crd_sim_new(model, &options, &sim, &err)) return puts(err.text), 1;
  if (crd_sim_reset(sim, 0, model->key[0].qpos, model->key[0].qvel, &err)) return puts(err.text), 1;
  if (crd_sim_run(sim, 2)) return puts(crd_sim_message(sim)), 1;
  crd_sim_free(sim);
  crd_model_free(model);
  return 0;
}
