/* Quaternions (w, x, y, z) and numbers without a state: a quarter turn about z, and random numbers asked for backwards.
 *
 *   prints: x becomes 0 1 0
 *   prints: the same numbers in both orders: yes
 */
#include <cradle/cradle.h>
#include <math.h>
#include <stdio.h>

int main(void) {
  const double z[3] = {0, 0, 1}, x[3] = {1, 0, 0};
  double quat[4], turned[3];
  crd_quat_from_axis_angle(quat, z, acos(-1) / 2);
  crd_quat_rotate(turned, quat, x);
  printf("x becomes %.0f %.0f %.0f\n", fabs(turned[0]), turned[1], turned[2]);

  enum { COUNT = 100 };
  double forward[COUNT];
  bool same = true;
  for (int k = 0; k < COUNT; k++) forward[k] = crd_random_uniform(7, 0, (uint64_t)k);
  for (int k = COUNT - 1; k >= 0; k--) same = same && forward[k] == crd_random_uniform(7, 0, (uint64_t)k);
  printf("the same numbers in both orders: %s\n", same ? "yes" : "no");
  return 0;
}
