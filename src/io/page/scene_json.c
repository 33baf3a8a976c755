/* A mechanism at a state as JSON: what a drawing needs. Poses at other states are left to the page, which has the
 * joints. */
#include <cradle/io.h>
#include <cradle/linalg.h>
#include <cradle/tree.h>

#include "io/json/text.h"
#include "io/page/scene.h"

/* ", " before all but the first; every list here is written this way */
static void comma(crd_text *text, int i) { crd_text_add(text, i ? ",\n  " : "\n  "); }

static void add_named(crd_text *text, const char *name) {
  crd_text_add(text, "{\"name\": ");
  crd_json_add_string(text, name ? name : "");
}

static void add_triple(crd_text *text, const char *key, const double x[3]) {
  crd_text_add(text, ", \"%s\": ", key);
  crd_json_add_vector(text, 3, x);
}

static void add_quat(crd_text *text, const char *key, const double quat[4]) {
  crd_text_add(text, ", \"%s\": ", key);
  crd_json_add_vector(text, 4, quat);
}

static void add_number(crd_text *text, const char *key, double x) {
  crd_text_add(text, ", \"%s\": ", key);
  crd_json_add_number(text, x);
}

/* Mass, its centre and its principal inertia, in the body's frame; nothing of a body without mass. */
static void add_inertial(crd_text *text, const crd_body *body) {
  if (!(body->mass > 0)) return;
  add_number(text, "mass", body->mass);
  add_triple(text, "ipos", body->ipos);
  add_quat(text, "iquat", body->iquat);
  add_triple(text, "inertia", body->inertia);
}

static void add_bodies(crd_text *text, const crd_model *model, const crd_workspace *work) {
  double pos[3], R[9], quat[4];
  crd_text_add(text, ",\n \"bodies\": [");
  for (int i = 0; i < model->nbody; i++) {
    const crd_body *body = &model->body[i];
    comma(text, i);
    add_named(text, body->name);
    crd_text_add(text, ", \"parent\": %d, \"fixed\": %s", body->parent, body->link < 0 ? "true" : "false");
    add_triple(text, "pos", body->pos);
    add_quat(text, "quat", body->quat);
    crd_tree_body_pose(model, work, i, pos, R);
    crd_quat_from_mat3(quat, R);
    add_triple(text, "xpos", pos);
    add_quat(text, "xquat", quat);
    add_inertial(text, body);
    crd_text_add(text, "}");
  }
  crd_text_add(text, "]");
}

static void add_joints(crd_text *text, const crd_model *model) {
  crd_text_add(text, ",\n \"joints\": [");
  for (int i = 0; i < model->njoint; i++) {
    const crd_joint *joint = &model->joint[i];
    comma(text, i);
    add_named(text, joint->name);
    crd_text_add(text, ", \"type\": \"%s\", \"body\": %d, \"q\": %d, \"v\": %d", crd_model_joint_type_name(joint->type),
                 joint->body, joint->q, joint->v);
    add_triple(text, "pos", joint->pos);
    add_triple(text, "axis", joint->axis);
    add_number(text, "ref", model->link[i].ref);
    if (joint->limited) {
      crd_text_add(text, ", \"range\": ");
      crd_json_add_vector(text, 2, joint->range);
    }
    crd_text_add(text, "}");
  }
  crd_text_add(text, "]");
}

/* Some geom may collide with it, by the masks or by a stated pair. */
static bool collides(const crd_model *model, int geom) {
  if (model->geom[geom].contype || model->geom[geom].conaffinity) return true;
  for (int i = 0; i < model->npair; i++)
    if (model->pair[i].geom1 == geom || model->pair[i].geom2 == geom) return true;
  return false;
}

/* The colours of the model's geoms, by their ids; NULL: none are known. */
static const crd_visual **colours_of(const crd_model *model, const crd_visuals *visuals, crd_arena *arena) {
  const crd_visual **of = crd_arena_alloc(arena, (size_t)model->ngeom + 1, sizeof(crd_visual *));
  for (int i = 0; of && visuals && i < visuals->count; i++)
    if (visuals->item[i].geom >= 0) of[visuals->item[i].geom] = &visuals->item[i];
  return of;
}

/* Do the shapes belong to this model: every geom once, every body there? */
static bool belongs(const crd_model *model, const crd_visuals *visuals) {
  int geoms = 0;
  for (int i = 0; i < visuals->count; i++) {
    const crd_visual *visual = &visuals->item[i];
    if (visual->body < 0 || visual->body >= model->nbody || visual->geom >= model->ngeom) return false;
    if (visual->geom >= 0 && model->geom[visual->geom].type != visual->type) return false;
    geoms += visual->geom >= 0;
  }
  return geoms == model->ngeom;
}

static void add_colour(crd_text *text, const double rgba[4]) {
  crd_text_add(text, ", \"rgba\": [%.3g, %.3g, %.3g, %.3g]", rgba[0], rgba[1], rgba[2], rgba[3]);
}

static void add_geoms(crd_text *text, const crd_model *model, const crd_visual *const *colour) {
  crd_text_add(text, ",\n \"geoms\": [");
  for (int i = 0; i < model->ngeom; i++) {
    const crd_geom *geom = &model->geom[i];
    double quat[4];
    crd_quat_from_mat3(quat, geom->R);
    comma(text, i);
    add_named(text, geom->name);
    crd_text_add(text, ", \"type\": \"%s\", \"body\": %d, \"group\": %d, \"collides\": %s",
                 geom->mesh >= 0 ? "mesh" : crd_model_geom_type_name(geom->type), geom->body, geom->group,
                 collides(model, i) ? "true" : "false");
    add_triple(text, "size", geom->size);
    add_triple(text, "pos", geom->pos);
    add_quat(text, "quat", quat);
    if (geom->mesh >= 0) crd_text_add(text, ", \"mesh\": %d", geom->mesh);
    if (colour[i]) add_colour(text, colour[i]->rgba);
    crd_text_add(text, "}");
  }
  crd_text_add(text, "]");
}

/* Shapes that are only for show. */
static void add_visuals(crd_text *text, const crd_model *model, const crd_visuals *visuals) {
  int shown = 0;
  crd_text_add(text, ",\n \"visuals\": [");
  for (int i = 0; visuals && i < visuals->count; i++) {
    const crd_visual *visual = &visuals->item[i];
    if (visual->geom >= 0) continue;
    comma(text, shown++);
    add_named(text, visual->name);
    crd_text_add(text, ", \"type\": \"%s\", \"body\": %d, \"group\": %d", crd_model_geom_type_name(visual->type),
                 visual->body, visual->group);
    add_triple(text, "size", visual->size);
    add_triple(text, "pos", visual->pos);
    add_quat(text, "quat", visual->quat);
    if (visual->mesh >= 0) crd_text_add(text, ", \"mesh\": %d", crd_scene_mesh_place(model, visuals, visual->mesh));
    add_colour(text, visual->rgba);
    crd_text_add(text, "}");
  }
  crd_text_add(text, "]");
}

static void add_contacts(crd_text *text, const crd_contact_problem *problem) {
  crd_text_add(text, ",\n \"contacts\": [");
  for (int i = 0; problem && i < problem->nc; i++) {
    const crd_contact *contact = &problem->contact[i];
    comma(text, i);
    add_named(text, contact->name);
    crd_text_add(text, ", \"body\": %d, \"against\": %d", contact->body1, contact->body2);
    add_triple(text, "point", contact->point);
    add_triple(text, "normal", contact->normal);
    crd_text_add(text, ", \"tangents\": [");
    for (int t = 0; t < contact->ntangent; t++) {
      if (t) crd_text_add(text, ", ");
      crd_json_add_vector(text, 3, contact->tangent[t]);
    }
    crd_text_add(text, "]");
    if (contact->joint >= 0) crd_text_add(text, ", \"joint\": %d", contact->joint);
    add_number(text, "mu", contact->mu);
    add_number(text, "e", contact->e);
    crd_text_add(text, "}");
  }
  crd_text_add(text, "]");
}

/* The states that the model names; what a keyframe leaves open is the drawn position, at rest. */
static void add_keys(crd_text *text, const crd_model *model) {
  crd_text_add(text, ",\n \"keys\": [");
  for (int i = 0; i < model->nkey; i++) {
    const crd_key *key = &model->key[i];
    comma(text, i);
    add_named(text, key->name);
    crd_text_add(text, ", \"qpos\": ");
    crd_json_add_vector(text, model->nq, key->qpos ? key->qpos : model->qpos0);
    if (key->qvel) {
      crd_text_add(text, ", \"qvel\": ");
      crd_json_add_vector(text, model->nv, key->qvel);
    }
    crd_text_add(text, "}");
  }
  crd_text_add(text, "]");
}

static void add_state(crd_text *text, const crd_model *model, const double *qpos, const double *qvel) {
  crd_text_add(text, ",\n \"nq\": %d, \"nv\": %d, \"qpos\": ", model->nq, model->nv);
  crd_json_add_vector(text, model->nq, qpos);
  crd_text_add(text, ", \"qvel\": ");
  if (qvel) {
    crd_json_add_vector(text, model->nv, qvel);
  } else {
    crd_text_add(text, "[");
    for (int i = 0; i < model->nv; i++) crd_text_add(text, i ? ", 0" : "0");
    crd_text_add(text, "]");
  }
}

crd_status crd_io_scene_text(const crd_model *model, const double *qpos, const double *qvel,
                             const crd_contact_problem *problem, const crd_visuals *visuals, crd_arena *arena,
                             const char **text, crd_error *err) {
  crd_text grown = {0};
  crd_workspace *work = crd_model_workspace_new(model);
  if (visuals && !belongs(model, visuals)) visuals = NULL;
  const crd_visual *const *colour = colours_of(model, visuals, arena);
  *text = NULL;
  if (!work || !colour) {
    crd_model_workspace_free(work);
    return crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "out of memory");
  }
  crd_tree_kinematics(model, work, qpos);
  add_named(&grown, model->name);
  add_triple(&grown, "gravity", model->gravity);
  add_state(&grown, model, qpos, qvel);
  add_keys(&grown, model);
  add_bodies(&grown, model, work);
  add_joints(&grown, model);
  add_geoms(&grown, model, colour);
  add_visuals(&grown, model, visuals);
  crd_scene_add_meshes(&grown, model, visuals, arena);
  add_contacts(&grown, problem);
  crd_text_add(&grown, "}");
  *text = grown.failed ? NULL : crd_arena_string(arena, grown.data);
  crd_text_free(&grown);
  crd_model_workspace_free(work);
  return *text ? CRD_OK : crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "out of memory");
}
