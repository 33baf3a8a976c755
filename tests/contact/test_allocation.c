/* Claim: once the contacts of a scene have been assembled, finding and assembling as many again allocates nothing,
 * whatever the pairs: closed forms, convex pairs that overlap, meshes, loops. */
#include "support/allocation.h"
#include "support/cmocka_all.h"
#include "support/mechanism.h"

/* Solids of every kind pressed into a floor, a wall and each other, and a loop. */
static const char *CROWD = "crowd";

static void a_second_assembly_allocates_nothing(void **state) {
  (void)state;
  long at_start = requests;
  mechanism m = mechanism_from_text(CROWD);
  mechanism_assemble(&m, NULL);
  assert_true(requests > at_start); /* the counter works */
  assert_true(m.problem->nc > 10 && m.problem->nb == 6);
  long before = requests;
  crd_status status = crd_contact_at_state(m.assembler, m.work, m.qpos, m.qvel, NULL, m.problem);
  assert_int_equal(requests, before);
  assert_int_equal(status, CRD_OK);
  mechanism_free(&m);
}

static void a_second_assembly_by_blocks_allocates_nothing(void **state) {
  (void)state;
  mechanism m = mechanism_from_text(CROWD);
  crd_contact_options options = crd_contact_default();
  options.jacobian = options.mass_matrix = false, options.blocks = options.dry_friction = true;
  mechanism_assemble(&m, &options);
  long before = requests;
  crd_status status = crd_contact_at_state(m.assembler, m.work, m.qpos, m.qvel, &options, m.problem);
  assert_int_equal(requests, before);
  assert_int_equal(status, CRD_OK);
  mechanism_free(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_second_assembly_allocates_nothing),
                                     cmocka_unit_test(a_second_assembly_by_blocks_allocates_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
