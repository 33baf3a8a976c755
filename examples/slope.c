/* Contact with friction as one problem, u = w + G p, without any body: 1 kg on a slope of 30 degrees, as accelerations.
 *
 * Without contact it accelerates by w = g (-cos, sin) along the normal and down the slope; G = 1/m. It sticks where
 * mu >= tan 30 = 0.577, else it slides with g (sin - mu cos):
 *
 *   prints: mu 0.3: slip, 2.35629 m/s^2 down the slope
 *   prints: mu 0.6: stick, 0 m/s^2 down the slope
 */
#include <cradle/cradle.h>
#include <math.h>
#include <stdio.h>

int main(void) {
  const double g = 9.81, slope = acos(-1) / 6, G[] = {1, 0, 0, 1}, w[] = {-g * cos(slope), g * sin(slope)};
  crd_coulomb_work *work = crd_coulomb_work_new();
  if (!work) return puts("no memory"), 1;
  for (int k = 1; k <= 2; k++) {
    crd_coulomb_contact contact = {.row = 0, .ntangent = 1, .mu = 0.3 * k};
    crd_coulomb_problem problem = {.n = 2, .w = w, .ncontact = 1, .contact = &contact, .G = G};
    double force[2] = {0}, acceleration[2];
    crd_mode mode = CRD_MODE_NONE;
    crd_coulomb_state state = {force, acceleration, &mode};
    crd_status status = crd_coulomb_solve(work, &problem, NULL, &state, NULL);
    if (status) return puts(crd_status_text(status)), 1;
    double down = fabs(acceleration[1]) < 1e-9 * g ? 0 : acceleration[1];
    printf("mu %g: %s, %g m/s^2 down the slope\n", contact.mu, crd_coulomb_mode_name(mode), down);
  }
  crd_coulomb_work_free(work);
  return 0;
}
