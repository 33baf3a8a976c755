/* A loop around the simulation: a motor that keeps a cart of 2 kg at 2 m/s, a push, and a state set by hand.
 *
 * The motor gives 2 (2 - v) N, held for a step of h = 1 ms, so that after n steps v = 2 (1 - (1 - h)^n); a push of 1000 N
 * in one step adds F h / m = 0.5 m/s; to stop the cart by hand takes m v^2 / 2 out of the ledger.
 *
 *   prints: after 1 s: v = 1.264609 m/s
 *   prints: pushed: v = 1.765345 m/s, a = 500.735 m/s^2
 *   prints: stopped by hand: imposed -3.116441 J, the motor and the push gave 3.116441 J
 */
#include <cradle/cradle.h>
#include <stdio.h>

static crd_model *cart(void) {
  crd_builder *builder = crd_model_builder_new();
  crd_body_def body = crd_model_body_default();
  crd_joint_def way = crd_model_joint_default();
  crd_geom_def ball = crd_model_geom_default();
  crd_actuator_def motor = crd_model_actuator_default();
  crd_build_options options = crd_model_build_default();
  crd_model *model = NULL;
  body.name = "cart", ball.size[0] = 0.1, ball.mass = 2, ball.has_mass = true;
  way.type = CRD_SLIDE, way.axis[0] = 1, way.axis[2] = 0;
  motor.name = "wheel", motor.joint = 0;
  options.timestep = 1e-3;
  const int id = crd_model_builder_body(builder, &body);
  crd_model_builder_joint(builder, id, &way);
  crd_model_builder_geom(builder, id, &ball);
  crd_model_builder_actuator(builder, &motor);
  crd_model_builder_build(builder, &options, &model, NULL);
  crd_model_builder_free(builder);
  return model;
}

int main(void) {
  crd_model *model = cart();
  crd_sim *sim;
  crd_error err;
  if (!model || crd_sim_new(model, NULL, &sim, &err)) return 1;
  const double *v = crd_sim_qvel(sim), push[3] = {1000, 0, 0}, still[1] = {0};
  double *ctrl = crd_sim_ctrl(sim) + crd_model_find_actuator(model, "wheel");

  for (int k = 0; k < 1000; k++) {
    *ctrl = 2 * (2 - v[0]);
    if (crd_sim_step(sim)) return puts(crd_sim_message(sim)), 1;
  }
  printf("after %g s: v = %.6f m/s\n", crd_sim_time(sim), v[0]);

  *ctrl = 2 * (2 - v[0]);
  crd_sim_wrench(sim, crd_model_find_body(model, "cart"), push, NULL, NULL);
  if (crd_sim_step(sim)) return puts(crd_sim_message(sim)), 1;
  printf("pushed: v = %.6f m/s, a = %.3f m/s^2\n", v[0], crd_sim_qacc(sim)[0]);

  if (crd_sim_set_state(sim, NULL, still, &err)) return puts(err.text), 1;
  const crd_sim_energy e = crd_sim_energy_now(sim);
  printf("stopped by hand: imposed %.6f J, the motor and the push gave %.6f J\n", e.imposed, e.actuation);

  crd_sim_free(sim);
  crd_model_free(model);
  return 0;
}
