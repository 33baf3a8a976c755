/* Compiled against the installed library, as C17 and as C++17. */
#include <cradle/cradle.h>
#include <stdio.h>

int main(void) {
  double down[3] = {0, 0, -9.81}, up[3] = {0, 0, 1};
  printf("cradle %s: weight %.2f N\n", crd_version(), -2.0 * crd_vec3_dot(down, up));
  return 0;
}
