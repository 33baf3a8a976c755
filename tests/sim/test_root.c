/* The root finder: to rounding, whatever the function, and with few evaluations where it is smooth. */
#include <math.h>

#include "sim/root.h"
#include "support/cmocka_all.h"

typedef struct probe {
  int shape, count;
  double root;
} probe;

static double value(void *context, double t) {
  probe *p = context;
  double x = p->root - t;
  p->count++;
  switch (p->shape) {
    case 0: return x;
    case 1: return sin(x) + 0.3 * x * x;
    case 2: return x > 0 ? 1e-3 * x : 1e3 * x; /* a kink */
    case 3: return x >= 0 ? 1 : -1e-9;         /* a jump */
    case 4: return x * x * x;
    case 5: return x >= 0 ? INFINITY : x; /* cannot be evaluated on one side */
    default: return expm1(20 * x);
  }
}

static void a_change_of_sign_is_found_to_rounding(void **state) {
  (void)state;
  enum { SHAPES = 7 };
  const int most[SHAPES] = {6, 12, 110, 110, 110, 110, 20};
  for (int shape = 0; shape < SHAPES; shape++)
    for (double root = 0.1; root < 1; root += 0.0937) {
      probe p = {shape, 0, root};
      double found = crd_root_find(&(crd_root_function){value, &p}, 0, 1);
      assert_true(p.count <= most[shape]);
      assert_true(value(&p, found) < 0);
      assert_true(fabs(found - root) <= 2e-15 * root);
      assert_true(value(&p, found * (1 - 2e-15)) >= 0);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_change_of_sign_is_found_to_rounding)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
