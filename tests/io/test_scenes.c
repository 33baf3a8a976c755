/* Claims about the folder scenes/: every file says in its first line what it shows, is read strictly, and moves; and what
 * tests change in them (support/scene_text.h) is what is changed, nothing else. */
#define _POSIX_C_SOURCE 200809L /* scandir */
#include <cradle/sim.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/scene_text.h"
#include "support/simulation.h"

static int is_scene(const struct dirent *entry) {
  const char *end = strrchr(entry->d_name, '.');
  return end && !strcmp(end, ".xml");
}

static void every_scene_says_what_it_shows_and_is_read(void **state) {
  (void)state;
  struct dirent **list;
  int count = scandir(CRADLE_SOURCE_DIR "/scenes", &list, is_scene, alphasort);
  assert_true(count > 0);
  for (int i = 0; i < count; i++) {
    char name[256];
    snprintf(name, sizeof name, "%.*s", (int)(strrchr(list[i]->d_name, '.') - list[i]->d_name), list[i]->d_name);
    char *text = scene_text(name), *end = strstr(text, ". -->\n");
    if (strncmp(text, "<!-- ", 5) || !end || end > strchr(text, '\n'))
      fail_msg("%s: the first line tells nothing", name);
    free(text);
    crd_model *model = model_from_text(name);
    assert_true(model->nv > 0);
    crd_model_free(model);
    free(list[i]);
  }
  free(list);
}

static void a_change_sets_adds_or_removes_one_attribute(void **state) {
  (void)state;
  crd_model *plain = model_from_text("ball_on_floor");
  crd_model *changed = model_from_text("ball_on_floor: ball.mass=2; body.pos=1 2 3; option.timestep=0.5");
  crd_model *dense = model_from_text("ball_on_floor: ball.mass=");
  const double pi = 3.14159265358979323846;
  assert_true(plain->body[1].mass == 1 && changed->body[1].mass == 2);
  assert_true(changed->qpos0[0] == 1 && changed->qpos0[1] == 2 && changed->qpos0[2] == 3 && plain->qpos0[2] == 0.1);
  assert_true(changed->timestep == 0.5);
  /* without a mass the ball has MJCF's density of 1000 kg/m^3 */
  assert_true(dense->body[1].mass > 4e3 / 3 * pi * 1e-3 * (1 - 1e-12));
  assert_true(dense->body[1].mass < 4e3 / 3 * pi * 1e-3 * (1 + 1e-12));
  crd_model_free(plain), crd_model_free(changed), crd_model_free(dense);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_scene_says_what_it_shows_and_is_read),
      cmocka_unit_test(a_change_sets_adds_or_removes_one_attribute),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
