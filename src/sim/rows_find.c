/* The rows of a trial: which points take part in its Coulomb problem, and the problem that is assembled of them.
 *
 * Those that persist are looked for where the free motion has brought them. A scheme that captures takes all points whose
 * gap could close within the piece.
 */
#include <cradle/linalg.h>
#include <math.h>

#include "base/layout.h"
#include "contact/assemble.h"
#include "sim/rows.h"
#include "sim/stiff_motion.h"

static const double REACH = 1e4;    /* widths of the band: a contact that the free motion lifts by less is looked for */
static const double TOUCHES = 2e-6; /* of the size: gaps below it are none, gap / dt would be noise */
static const double STRUCK = 0.5;   /* of the fastest body's speed: what an impulse may add to an approach */

double crd_rows_no_gap(const crd_group *group) { return TOUCHES * group->scene->size; }

crd_status crd_sim_reserve_rows(crd_group *group, int needed, int contacts) {
  crd_sim_rows *rows = group->rows;
  crd_sim_closing *closing = group->closing;
  if (needed < 3 * contacts) needed = 3 * contacts;
  if (needed <= rows->capacity) return CRD_OK;
  size_t n = (size_t)needed + (size_t)needed / 2, d = sizeof(double), i = sizeof(int);
  const crd_layout table[] = {
      {&rows->p, n, d, 0},
      {&rows->u, n, d, 0},
      {&rows->w, n, d, 0},
      {&rows->before, n, d, 0},
      {&rows->speed, n, d, 0},
      {&rows->pull, n, d, 0},
      {&rows->scratch, n, d, 0},
      {&rows->island, n, i, 0},
      {&rows->done, n, d, 0},
      {&rows->members, n, i, 0},
      {&rows->mode, n, sizeof *rows->mode, 0},
      {&rows->cone, n, sizeof *rows->cone, 0},
      {&rows->bounded, n, sizeof *rows->bounded, 0},
      {&rows->bilateral, n, i, 0},
      {&closing->gap, n, d, 0},
      {&closing->near, n, sizeof *closing->near, 0},
      {&closing->chosen, n, sizeof *closing->chosen, 0},
      {&closing->shift, n, d, 0},
      {&closing->place, n, i, 0},
  };
  if (crd_layout_renew(&rows->arena, table, sizeof table / sizeof *table) != CRD_OK)
    return crd_sim_fail(group, CRD_ERR_MEMORY, "no memory for %d contact rows", (int)n);
  rows->capacity = (int)n;
  return CRD_OK;
}

static bool any_active(const crd_sim_touches *touches) {
  for (int i = 0; i < touches->count; i++)
    if (touches->item[i].active) return true;
  return false;
}

/* Is every point that holds found again? */
static bool finds_all(const crd_group *group) {
  int before = 0, found = 0;
  for (int i = 0; i < group->now.touches.count; i++) before += group->now.touches.item[i].active;
  for (int i = 0; i < group->rows->touches.count; i++) found += group->rows->touches.item[i].active;
  return found == before;
}

/* The fastest that a point of a body moves, at the velocities of the workspace. */
static double fastest_point(const crd_group *group) {
  double fastest = 0;
  CRD_EACH (group->part, geom, g) {
    const crd_geom *geom = &group->model->geom[g];
    double V[6];
    if (!group->scene->moves[g]) continue;
    crd_tree_point_velocity(group->model, group->rows->work, geom->body, group->seek->pos + 3 * g, V);
    double radius = geom->type == CRD_PLANE ? group->scene->size : geom->radius;
    fastest = fmax(fastest, crd_vec3_norm(V + 3) + radius * crd_vec3_norm(V));
  }
  return fastest;
}

/* The fastest that a tendon with limits changes its length, at the velocities of either end of the piece. */
static double fastest_tendon(const crd_group *group) {
  double fastest = 0;
  for (int i = 0; i < group->part->nlimited; i++) {
    crd_limit limit[2];
    double rate = 0;
    const int j = group->part->limited[i];
    if (j < group->model->njoint ||
        crd_limits_of_joint(group->model, group->rows->assembler->lengths, j, group->now.q, INFINITY, limit) == 0)
      continue;
    for (int k = 0; k < limit->row.ndof; k++) {
      const int dof = crd_row_dof(&limit->row, k);
      rate += fabs(crd_row_coefficient(&limit->row, k)) * fmax(fabs(group->now.v[dof]), fabs(group->trial->v[dof]));
    }
    fastest = fmax(fastest, rate);
  }
  return fastest;
}

/* Farthest that a limited joint or tendon moves in the piece. */
static double limit_reach(const crd_group *group, double dt) {
  if (group->part->nlimited == 0) return crd_rows_no_gap(group);
  double fastest = fastest_tendon(group);
  CRD_EACH (group->part, v, k) fastest = fmax(fastest, fmax(fabs(group->now.v[k]), fabs(group->trial->v[k])));
  return 2 * dt * fastest + crd_rows_no_gap(group);
}

/* Leaves out points that neither their approach, where the free motion is still to come, nor what impulses may add to it
 * could close. */
static void keep_near(crd_group *group, const crd_sim_scheme *scheme, double dt, double fastest) {
  crd_sim_touches *held = &group->rows->touches;
  int kept = 0;
  for (int i = 0; i < held->count; i++) {
    const crd_sim_touch *touch = &held->item[i];
    double gap = touch->at.gap - crd_rows_no_gap(group), added = STRUCK * dt * fastest;
    bool near = touch->at.geomA == CRD_SIM_LIMIT || touch->active || gap <= added;
    if (!near && scheme->at_start)
      near = gap <= added + dt * crd_sim_closing_speed(group, group->rows->work, &touch->at, NULL, NULL, NULL);
    if (near && kept < i) held->item[kept] = *touch;
    kept += near;
  }
  held->count = kept;
}

/* All points whose gap could close, at the poses of the workspace. */
static crd_status find_near(crd_group *group, const crd_sim_scheme *scheme, const double *q, double dt) {
  double fastest = fastest_point(group) + dt * crd_vec3_norm(group->model->gravity);
  double distance = (scheme->at_start ? 2 : STRUCK) * dt * fastest + crd_rows_no_gap(group);
  crd_status status = crd_sim_detect_reach(group, q, distance, fmax(distance, limit_reach(group, dt)),
                                           &group->now.touches, &group->rows->touches);
  if (status == CRD_OK) keep_near(group, scheme, dt, fastest);
  return status;
}

/* One touch of group->rows->touches for each contact of the problem into group->rows->touch_of, -1: none; and how many points share it. */
static void list_touches(crd_group *group) {
  for (int c = 0; c < group->rows->problem->nc; c++) group->rows->touch_of[c] = -1, group->rows->members[c] = 0;
  for (int i = 0; i < group->rows->touches.count; i++) {
    int c = group->rows->contact_of[i];
    if (c < 0) continue;
    if (group->rows->touch_of[c] < 0) group->rows->touch_of[c] = i;
    group->rows->members[c]++;
  }
}

/* The points that take part, in group->rows->touches, and their problem in group->rows->problem, where there are any. */
crd_status crd_rows_find(crd_group *group, const crd_sim_scheme *scheme, double dt, bool *any) {
  const double *q = scheme->at_start ? group->now.q : group->trial->q,
               *v = scheme->at_start ? group->now.v : group->trial->v;
  bool rows = group->part->nloop > 0 || group->part->nrubbing > 0; /* that are there whatever touches */
  const int *contact_of;
  *any = false;
  if (!scheme->capture && !rows && !any_active(&group->now.touches)) return CRD_OK;
  if (!scheme->at_start) {
    crd_tree_set_armature(group->rows->work, group->begin->implicit ? group->stiff->armature : group->scene->armature);
    crd_tree_kinematics(group->model, group->rows->work, q);
    crd_tree_velocity(group->model, group->rows->work, v);
  }
  crd_sim_place_geoms(group, group->rows->work);
  crd_status status =
      scheme->capture ? find_near(group, scheme, q, dt) : crd_sim_expect(group, q, REACH * group->scene->contact_band);
  if (status != CRD_OK) return status;
  group->seen.misled = !scheme->capture && group->forecast->acts && !finds_all(group);
  *any = !group->seen.misled &&
         (rows || (scheme->capture ? group->rows->touches.count > 0 : any_active(&group->rows->touches)));
  if (!*any) return CRD_OK;
  for (int i = 0; i < group->rows->touches.count; i++)
    group->rows->take[i] = scheme->capture || group->rows->touches.item[i].active;
  if (!scheme->at_start) status = crd_tree_factor(group->model, group->rows->work);
  if (status == CRD_SINGULAR) return crd_sim_fail_singular(group, group->rows->work, status);
  status = crd_sim_assemble(group, q, v, &group->rows->touches, group->rows->take, CRD_SIM_TO_CONSTRAIN, &contact_of);
  if (status != CRD_OK) return status;
  const crd_contact_problem *problem = group->rows->problem;
  status = crd_sim_reserve_rows(group, problem->nrow + problem->nb + problem->nf, problem->nc);
  *any = problem->nrow + problem->nb + problem->nf > 0;
  if (status == CRD_OK && *any) list_touches(group);
  return status;
}
