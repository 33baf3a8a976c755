/* Sites: checked, and placed in their body and in the link they move with. */
#include "model/check.h"
#include "model/placement.h"
#include "model/shape.h"

crd_status crd_check_sites(const crd_build *b) {
  for (int i = 0; i < b->in->site.count; i++) {
    const crd_site_entry *site = &b->site_def[i];
    crd_element element = crd_element_site(b, i);
    CRD_TRY(crd_check_name(b, &element, &b->in->site.names));
    CRD_TRY(crd_check_reference(b, &element, "body", site->body, b->in->body.count));
    CRD_TRY(crd_check_finite(b, &element, "pos", site->def.pos, 3));
    CRD_TRY(crd_check_direction(b, &element, "quat", site->def.quat, 4));
    if ((int)site->def.type < CRD_PLANE || site->def.type > CRD_BOX)
      return crd_build_fail(b, CRD_ERR_ARGUMENT, &element, "type is %d, must be that of a primitive",
                            (int)site->def.type);
    if (site->def.type != CRD_PLANE)
      CRD_TRY(crd_check_positive(b, &element, "size", site->def.size, crd_shape_sizes(site->def.type)));
  }
  return CRD_OK;
}

crd_status crd_build_sites(crd_build *b) {
  crd_site *site = crd_arena_alloc(b->arena, (size_t)b->model->nsite, sizeof *site);
  if (!site) return crd_build_no_memory(b);
  for (int i = 0; i < b->model->nsite; i++) {
    const crd_site_entry *entry = &b->site_def[i];
    const int id = b->body_id[entry->body];
    const crd_body *body = &b->body[id];
    site[i] =
        (crd_site){.name = crd_build_text(b, entry->def.name), .body = id, .link = body->link, .type = entry->def.type};
    crd_vec3_copy(site[i].size, entry->def.size);
    const crd_pose in_body = crd_pose_make(entry->def.pos, entry->def.quat);
    crd_pose of_body;
    crd_vec3_copy(of_body.p, body->link_pos);
    for (int k = 0; k < 9; k++) of_body.R[k] = body->link_R[k];
    const crd_pose in_link = crd_pose_mul(&of_body, &in_body);
    crd_vec3_copy(site[i].pos, in_body.p);
    crd_vec3_copy(site[i].link_pos, in_link.p);
    for (int k = 0; k < 9; k++) site[i].R[k] = in_body.R[k], site[i].link_R[k] = in_link.R[k];
    const crd_element element = crd_element_site(b, i);
    CRD_TRY(crd_check_finite(b, &element, "sum of distances", site[i].link_pos, 3));
  }
  b->model->site = site;
  return CRD_OK;
}
