/* Claims: libccd, an independent implementation, agrees. Solids overlap for its portal refinement exactly where our gap
 * is negative, and for polytopes its expanding polytope finds the same depth. (For curved solids it breaks down: two
 * spheres that overlap by 0.367857 get the depth 7e-16 from libccd 2.1.) */
#include <ccd/ccd.h>
#include <cradle/linalg.h>

#include "support/cmocka_all.h"
#include "support/scene.h"

static const crd_geom_type SOLID[] = {CRD_SPHERE, CRD_CAPSULE, CRD_ELLIPSOID, CRD_CYLINDER, CRD_BOX, CRD_MESH};
enum { SOLIDS = sizeof SOLID / sizeof *SOLID };

typedef struct solid_ref {
  const scene *s;
  int geom;
} solid_ref;

/* Support points from the textbook, in the solid's frame. */
static void local_support(const solid_ref *ref, const double d[3], double x[3]) {
  const crd_geom *g = &ref->s->model->geom[ref->geom];
  const double *h = g->size, *corner = ref->s->extra[ref->geom];
  double across = hypot(d[0], d[1]), norm = crd_vec3_norm(d), far = -INFINITY;
  double e[3] = {h[0] * h[0] * d[0], h[1] * h[1] * d[1], h[2] * h[2] * d[2]}, q = sqrt(crd_vec3_dot(e, d));
  for (int i = 0; i < 3; i++) {
    switch (g->type) {
      case CRD_SPHERE: x[i] = h[0] * d[i] / norm; break;
      case CRD_CAPSULE: x[i] = h[0] * d[i] / norm + (i == 2 ? copysign(h[1], d[2]) : 0); break;
      case CRD_CYLINDER: x[i] = i == 2 ? copysign(h[1], d[2]) : across > 0 ? h[0] * d[i] / across : 0; break;
      case CRD_BOX: x[i] = copysign(h[i], d[i]); break;
      case CRD_ELLIPSOID: x[i] = e[i] / q; break;
      default:
        for (int k = 0; k < 4; k++)
          if (crd_vec3_dot(corner + 3 * k, d) > far)
            far = crd_vec3_dot(corner + 3 * k, d), crd_vec3_copy(x, corner + 3 * k);
        return;
    }
  }
}

static void support(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *point) {
  const solid_ref *ref = object;
  double d[3], x[3] = {0, 0, 0};
  crd_mat3_tmul_vec(d, ref->s->R + 9 * ref->geom, direction->v);
  local_support(ref, d, x);
  crd_mat3_mul_vec(point->v, ref->s->R + 9 * ref->geom, x);
  crd_vec3_add(point->v, point->v, ref->s->pos + 3 * ref->geom);
}

static void centre(const void *object, ccd_vec3_t *point) {
  const solid_ref *ref = object;
  crd_vec3_copy(point->v, ref->s->pos + 3 * ref->geom);
}

static ccd_t new_ccd(void) {
  ccd_t ccd;
  CCD_INIT(&ccd);
  ccd.support1 = ccd.support2 = support;
  ccd.center1 = ccd.center2 = centre;
  ccd.max_iterations = 500;
  ccd.epa_tolerance = 1e-6;
  return ccd;
}

static scene *random_pair(random_stream *stream, crd_geom_type ta, crd_geom_type tb) {
  scene *s = scene_new();
  scene_add_random(s, tb, stream), scene_add_random(s, ta, stream);
  scene_build(s);
  double q[4];
  for (int g = 0; g < 2; g++) {
    random_unit_quat(stream, q);
    scene_turn_quat(s, g, q);
    scene_place(s, g, random_in(stream, -0.4, 0.4), random_in(stream, -0.4, 0.4), random_in(stream, -0.4, 0.4) + g);
  }
  return s;
}

static bool is_polytope(crd_geom_type type) { return type == CRD_BOX || type == CRD_MESH; }

static void libccd_agrees_about_overlap_and_depth(void **state) {
  (void)state;
  random_stream stream = {.seed = 5};
  ccd_t ccd = new_ccd();
  int overlapping = 0, apart = 0, polytopes = 0, same = 0;
  for (int i = 0; i < SOLIDS; i++)
    for (int j = 0; j < SOLIDS; j++)
      for (int k = 0; k < 20; k++) {
        scene *s = random_pair(&stream, SOLID[i], SOLID[j]);
        double gap = scene_pair(s, 0, 1, 10)->gap;
        solid_ref a = {s, 0}, b = {s, 1};
        if (gap > 1e-6) assert_false(ccdMPRIntersect(&a, &b, &ccd)), apart++;
        if (gap < -1e-6) assert_true(ccdMPRIntersect(&a, &b, &ccd)), overlapping++;
        if (gap < -1e-3 && is_polytope(SOLID[i]) && is_polytope(SOLID[j])) {
          ccd_real_t depth = 0;
          ccd_vec3_t direction, position;
          assert_int_equal(ccdGJKPenetration(&a, &b, &ccd, &depth, &direction, &position), 0);
          polytopes++, same += fabs(depth + gap) < 1e-9;
        }
        scene_free(s);
      }
  assert_true(apart > 100 && overlapping > 300 && polytopes > 40);
  assert_true(same >= 0.95 * polytopes);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(libccd_agrees_about_overlap_and_depth)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
