/* Claims: needles, plates, specks and giants, concentric, aligned and parallel, give finite contacts with unit normals,
 * the same gap as the oracle along that normal, and none that lies farther than asked for. */
#include <cradle/linalg.h>

#include "support/cmocka_all.h"
#include "support/scene.h"

static const crd_geom_type SOLID[] = {CRD_SPHERE, CRD_CAPSULE, CRD_ELLIPSOID, CRD_CYLINDER, CRD_BOX, CRD_MESH};
enum { SOLIDS = sizeof SOLID / sizeof *SOLID };

static double hostile_size(random_stream *stream) { return pow(10, random_int(stream, -5, 2)); }

static int add_hostile(scene *s, crd_geom_type type, random_stream *stream) {
  double a = hostile_size(stream), b = hostile_size(stream), c = hostile_size(stream);
  if (type != CRD_MESH) return scene_add(s, type, a, b, c, false);
  double corner[12] = {0, 0, 0, a, 0, 0, 0, b, 0, 0, 0, c};
  return scene_add_tetrahedron(s, corner, false);
}

/* Aligned with the axes, turned by a right angle, or anyhow. */
static void hostile_turn(scene *s, int geom, random_stream *stream) {
  double q[4];
  switch (random_int(stream, 0, 3)) {
    case 0: scene_turn(s, geom, 0, 0, 1, 0); break;
    case 1: scene_turn(s, geom, 0, 1, 0, 1.5707963267948966); break;
    case 2: scene_turn(s, geom, 1, 0, 0, 0.78539816339744831); break;
    default: random_unit_quat(stream, q), scene_turn_quat(s, geom, q);
  }
}

static void check(const scene *s, double size) {
  for (int i = 0; i < s->count; i++) {
    const crd_contact_point *c = &s->contact[i];
    assert_true(isfinite(c->gap) && c->gap <= 1);
    assert_true(isfinite(c->point[0] + c->point[1] + c->point[2]));
    assert_true(fabs(crd_vec3_norm(c->normal) - 1) < 1e-12);
    /* every gap is at least the separation along the normal */
    assert_true(c->gap >= scene_separation(s, c->geomA, c->geomB, c->normal) - 1e-9 * size);
  }
}

static void hostile_pairs_give_sound_contacts(void **state) {
  (void)state;
  random_stream stream = {.seed = 77};
  int contacts = 0;
  for (int i = 0; i < SOLIDS; i++)
    for (int j = 0; j < SOLIDS; j++)
      for (int k = 0; k < 60; k++) {
        scene *s = scene_new();
        int b = add_hostile(s, SOLID[j], &stream), a = add_hostile(s, SOLID[i], &stream);
        scene_build(s);
        hostile_turn(s, a, &stream), hostile_turn(s, b, &stream);
        double step = k % 3 == 0 ? 0 : hostile_size(&stream),
               size = s->model->geom[a].radius + s->model->geom[b].radius;
        scene_place(s, a, k % 2 ? step : 0, 0, step);
        scene_collide(s, 1);
        check(s, size + step);
        contacts += s->count > 0;
        scene_free(s);
      }
  assert_true(contacts > 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(hostile_pairs_give_sound_contacts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
