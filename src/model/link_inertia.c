/* Bodies that move together are one inertia: each body's mass properties, seen from the frame of the link it moves
 * with, are summed there. A link that carries a body must then have mass and inertia. */
#include "model/build.h"

#include <math.h>

static crd_status check_moving(const crd_build *b, int link, const crd_massprops *sum) {
  crd_element element = crd_element_body(b, b->body_source[b->link[link].body]);
  if (sum->mass < CRD_LEAST_MASS)
    return crd_build_fail(b, CRD_ERR_MODEL, &element, "mass is %g, must be positive because the body moves (%s joint)",
                          sum->mass, crd_joint_type_name(b->link[link].type));
  double moment[3], quat[4];
  crd_sym3_eigen(moment, quat, sum->inertia);
  if (moment[2] < CRD_LEAST_MASS)
    return crd_build_fail(b, CRD_ERR_MODEL, &element,
                          "principal inertia is %g, must be positive because the body moves (%s joint)", moment[2],
                          crd_joint_type_name(b->link[link].type));
  return CRD_OK;
}

crd_status crd_build_link_inertia(crd_build *b) {
  int n = b->model->nlink;
  crd_massprops *sum = crd_arena_alloc(&b->scratch, (size_t)n, sizeof *sum);
  if (!sum) return crd_build_no_memory(b);
  for (int i = 1; i < b->model->nbody; i++) {
    const crd_body *body = &b->body[i];
    if (body->link < 0) {
      if (b->options->allow_static_root || body->mass > 0) continue;
      crd_element element = crd_element_body(b, b->body_source[i]);
      return crd_build_fail(b, CRD_ERR_MODEL, &element, "mass is %g, must be positive", body->mass);
    }
    crd_massprops piece = crd_massprops_place(&b->body_props[i], body->link_R, body->link_pos);
    crd_massprops_add(&sum[body->link], &piece);
  }
  for (int i = 0; i < n; i++) {
    crd_link *link = &b->link[i];
    const crd_body *body = &b->body[link->body];
    if (i == body->link) CRD_TRY(check_moving(b, i, &sum[i]));
    link->mass = sum[i].mass;
    crd_vec3_copy(link->com, sum[i].com);
    crd_massprops_about_origin(link->inertia, &sum[i]);
  }
  return CRD_OK;
}
