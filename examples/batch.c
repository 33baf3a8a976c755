/* Many simulations of one model in one call, and the same with a variant of the model: carts of 2 and 4 kg pushed with 0 to
 * 3 N for a second, v = F t / m. One of them gets a control that is no number, and stops nobody.
 *
 *   prints: 2 kg: 0.000 0.500 1.000 1.500 m/s
 *   prints: 4 kg: 0.000 0.250 0.500 0.750 m/s
 *   prints: 1 failed: member 2, ctrl[0] of actuator "wheel": found nan, expected a finite number
 */
#include <cradle/cradle.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char cart[] =
    "<mujoco><option timestep='0.001' gravity='0 0 0'/><worldbody><body name='cart'><joint name='way' type='slide' "
    "axis='1 0 0'/><geom size='.1' mass='2'/></body></worldbody>"
    "<actuator><motor name='wheel' joint='way'/></actuator></mujoco>";

static crd_batch *four(const crd_model *model) {
  crd_batch_options options = crd_batch_default();
  crd_batch *batch = NULL;
  crd_error err;
  options.count = 4;
  if (crd_batch_new(model, &options, &batch, &err)) puts(err.text);
  return batch;
}

static void push(const char *name, crd_batch *batch) {
  for (int i = 0; i < 4; i++) crd_batch_ctrl(batch)[i] = i; /* count x nactuator */
  crd_batch_step(batch, 1000);
  const double *v = crd_batch_qvel(batch); /* count x nv */
  printf("%s: %.3f %.3f %.3f %.3f m/s\n", name, v[0], v[1], v[2], v[3]);
}

int main(void) {
  crd_read_options options = crd_io_read_default();
  crd_read_report report = {0};
  crd_model *model, *heavy;
  crd_error err;
  if (crd_io_read_model_text(cart, strlen(cart), "cart.xml", &options, &model, &report, &err)) return puts(err.text), 1;
  if (crd_model_variant(model, &heavy, &err)) return puts(err.text), 1;
  if (crd_model_set_mass(heavy, crd_model_find_body(heavy, "cart"), 4, &err)) return puts(err.text), 1;
  crd_batch *light = four(model), *slow = four(heavy);
  if (!light || !slow) return 1;
  push("2 kg", light);
  push("4 kg", slow);

  int first;
  crd_batch_ctrl(slow)[2] = NAN;
  crd_batch_step(slow, 1);
  const int failed = crd_batch_failures(slow, &first);
  printf("%d failed: member %d, %s\n", failed, first, crd_batch_message(slow, first));

  crd_batch_free(slow), crd_batch_free(light);
  crd_model_free(heavy), crd_model_free(model);
  crd_io_read_report_free(&report);
  return 0;
}
