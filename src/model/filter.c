/* Which pairs of geoms may collide, by MuJoCo's rules. */
#include <cradle/model.h>

static int stated_pair(const crd_model *model, int geom1, int geom2) {
  int first = geom1 < geom2 ? geom1 : geom2, second = geom1 < geom2 ? geom2 : geom1;
  for (int i = 0; i < model->npair; i++)
    if (model->pair[i].geom1 == first && model->pair[i].geom2 == second) return i;
  return -1;
}

static bool is_excluded(const crd_model *model, int body1, int body2) {
  int first = body1 < body2 ? body1 : body2, second = body1 < body2 ? body2 : body1;
  for (int i = 0; i < model->nexclude; i++)
    if (model->exclude[2 * i] == first && model->exclude[2 * i + 1] == second) return true;
  return false;
}

bool crd_model_may_collide(const crd_model *model, int geom1, int geom2, int *pair) {
  int stated = stated_pair(model, geom1, geom2);
  if (pair) *pair = stated;
  if (stated >= 0) return true;

  const crd_geom *a = &model->geom[geom1], *b = &model->geom[geom2];
  if (!(a->contype & b->conaffinity) && !(b->contype & a->conaffinity)) return false;
  int weld_a = model->body[a->body].weld, weld_b = model->body[b->body].weld;
  if (weld_a == weld_b) return false;
  /* Parent and child do not collide, unless the parent is the world: a body must be able to lie on the floor. */
  if (weld_a != 0 && weld_b != 0) {
    if (model->body[model->body[weld_b].parent].weld == weld_a) return false;
    if (model->body[model->body[weld_a].parent].weld == weld_b) return false;
  }
  return !is_excluded(model, a->body, b->body);
}
