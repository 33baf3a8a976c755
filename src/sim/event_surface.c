/* Rates of the rows of contacts, for surfaces that roll and slide on each other.
 *
 * With u = V_A(p) - V_B(p), the relative velocity of the two bodies at the point of contact p, the rows are u_n = n . u
 * and u_t = t . u, and their rates d/dt(n . u) contain the motion of p over both surfaces and the turning of n. u_n is
 * the rate of the gap (the points that attain it may be taken as fixed, it is an extremum over them), so that
 * d/dt(n . u) is the second derivative of the gap.
 *
 * Closed forms, c the centre of a rounded corner of radius r (a sphere's centre, a capsule's end, a corner with r = 0),
 * w = V_A(c_A) - V_B(c_B), a relative acceleration of the same points, alpha angular acceleration:
 *
 *   corner on a plane of B    u = w - r (om_A - om_B) x n,                n' = om_B x n,     w' = a - om_B x w
 *   corner on corner          u = w - (r_A om_A + r_B om_B) x n,          n' = (w - n n.w)/|c_A - c_B|,     w' = a
 *   ball on a box             as on a plane, n' = om_B x n + (w_c - n n.w_c)/r, w_c the clamped components of w
 *   d/dt(n . u) = n . u' + n' . u
 *
 * (for the plane c_B is the place of c_A, taken as a point of B). All other surfaces: central differences of u_n and
 * u_t along the velocity, from the contacts found at q (+) s qvel and q (-) s qvel. With a step of 5e-6 of the smaller
 * geom truncation and rounding are both about 1e-11 of u^2/size. */
#include "sim/event_surface.h"

#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "contact/assemble.h"

enum { FIRST_CAPACITY = 64, LONGEST_RUN = 64 };
static const double STEP = 5e-6;         /* of the smaller geom: step of the differences */
static const double LEAST_SIZE = 1e-3;   /* of the larger geom: the smaller one counts as no smaller */
static const double SEARCH_REACH = 1e-3; /* of the smaller geom: where a point is looked for after the step */

crd_status crd_surface_init(crd_surface *s, const crd_model *model) {
  *s = (crd_surface){.model = model, .step = STEP, .capacity = FIRST_CAPACITY};
  s->side = crd_model_workspace_new(model);
  s->collider = crd_collide_new(model);
  bool taken = !CRD_TAKE(&s->arena, CRD_MATRIX(s->pos, model->ngeom, 3), CRD_MATRIX(s->R, model->ngeom, 9),
                         CRD_ARRAY(s->q, model->nq), CRD_ARRAY(s->found, FIRST_CAPACITY),
                         CRD_ARRAY(s->run, LONGEST_RUN), CRD_ARRAY(s->there, LONGEST_RUN));
  if (taken && s->side && s->collider) return CRD_OK;
  crd_surface_free(s);
  return CRD_ERR_MEMORY;
}

void crd_surface_free(crd_surface *s) {
  crd_model_workspace_free(s->side);
  crd_collide_free(s->collider);
  crd_arena_free(&s->arena);
  *s = (crd_surface){0};
}

/* ------------------------------------------------------------------------------------------------ following */

static void to_frame(const double pos[3], const double R[9], const double p[3], double local[3]) {
  double d[3];
  crd_vec3_sub(d, p, pos);
  crd_mat3_tmul_vec(local, R, d);
}

void crd_surface_remember(const crd_surface *s, const crd_workspace *work, crd_followed *followed, int count) {
  for (int i = 0; i < count; i++) {
    crd_followed *f = &followed[i];
    double pos[3], R[9];
    crd_tree_geom_pose(s->model, work, f->point.geomA, pos, R);
    to_frame(pos, R, f->point.point, f->inA);
    crd_tree_geom_pose(s->model, work, f->point.geomB, pos, R);
    to_frame(pos, R, f->point.point, f->inB);
  }
}

static crd_status collide_pair(crd_surface *s, int geomA, int geomB, double reach, int *count) {
  crd_status status = crd_collide_pair(s->collider, s->pos, s->R, geomA, geomB, reach, s->found, s->capacity, count);
  if (status != CRD_ERR_CAPACITY) return status;
  crd_contact_point *larger = crd_arena_alloc(&s->arena, (size_t)(2 * *count), sizeof *larger);
  if (!larger) return CRD_ERR_MEMORY;
  s->found = larger, s->capacity = 2 * *count;
  return crd_collide_pair(s->collider, s->pos, s->R, geomA, geomB, reach, s->found, s->capacity, count);
}

/* How far x is from where the followed point would be, whichever of the geoms carries it along. */
static double distance_from(const crd_surface *s, const crd_followed *f, const double x[3]) {
  double least = INFINITY, local[3];
  for (int k = 0; k < 2; k++) {
    int geom = k ? f->point.geomB : f->point.geomA;
    to_frame(s->pos + 3 * geom, s->R + 9 * geom, x, local);
    crd_vec3_sub(local, local, k ? f->inB : f->inA);
    least = fmin(least, crd_vec3_norm(local));
  }
  return least;
}

crd_status crd_surface_locate(crd_surface *s, const crd_workspace *work, crd_followed *followed, int count,
                              double reach) {
  int geomA = -1, geomB = -1, nfound = 0;
  for (int i = 0; i < count; i++) {
    crd_contact_point *point = &followed[i].point;
    if (point->geomA != geomA || point->geomB != geomB) {
      geomA = point->geomA, geomB = point->geomB;
      crd_tree_geom_pose(s->model, work, geomA, s->pos + 3 * geomA, s->R + 9 * geomA);
      crd_tree_geom_pose(s->model, work, geomB, s->pos + 3 * geomB, s->R + 9 * geomB);
      crd_status status = collide_pair(s, geomA, geomB, reach, &nfound);
      if (status != CRD_OK) return status;
    }
    if (nfound == 0) return CRD_UNKNOWN;
    int best = 0;
    double least = INFINITY;
    for (int k = 0; k < nfound; k++) {
      double distance = distance_from(s, &followed[i], s->found[k].point);
      if (distance < least) least = distance, best = k;
    }
    int pair = point->pair, index = point->index;
    *point = s->found[best];
    point->pair = pair, point->index = index;
  }
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------------ closed forms */

/* Motion of a body at a point: velocity and acceleration without qacc, (angular, linear). */
typedef struct motion {
  double V[6], A[6];
} motion;

static motion motion_at(const crd_surface *s, const crd_workspace *work, int geom, const double point[3]) {
  motion m;
  crd_node node = {.body = s->model->geom[geom].body, .point = {point[0], point[1], point[2]}};
  crd_tree_point_velocity(s->model, work, node.body, point, m.V);
  crd_tree_point_acceleration(s->model, work, &node, NULL, m.A);
  return m;
}

/* Data for the rates of all rows of a contact. */
typedef struct contact_rate {
  double u[3], u_dot[3], n_dot[3];
} contact_rate;

/* out += s (a x b) */
static void add_cross(double out[3], double s, const double a[3], const double b[3]) {
  double c[3];
  crd_vec3_cross(c, a, b);
  crd_vec3_axpy(out, s, c);
}

/* Is the geom's contact with a plane a corner of fixed place, rounded by *radius? */
static bool has_corners(const crd_geom *geom, double *radius) {
  *radius = geom->type == CRD_SPHERE || geom->type == CRD_CAPSULE ? geom->size[0] : 0;
  return geom->type == CRD_SPHERE || geom->type == CRD_CAPSULE || geom->type == CRD_BOX || geom->type == CRD_MESH;
}

/* Adds to n_dot what the normal n from the nearest point of a box to the centre c of a ball turns by as the ball moves
 * with w over the box: d = c - (c clamped to the box) changes by the components of w that are clamped. */
static void add_rolling_over(const crd_surface *s, const crd_workspace *work, int box, const double c[3],
                             const double w[3], const double n[3], double n_dot[3]) {
  const double *half = s->model->geom[box].size;
  double pos[3], R[9], local[3], d_dot[3], zero[3] = {0, 0, 0}, turned[3], distance = 0;
  crd_tree_geom_pose(s->model, work, box, pos, R);
  to_frame(pos, R, c, local);
  to_frame(zero, R, w, d_dot);
  for (int i = 0; i < 3; i++) {
    double outside = fabs(local[i]) - half[i];
    if (outside > 0) distance = hypot(distance, outside);
    if (!(outside > 0)) d_dot[i] = 0;
  }
  crd_mat3_mul_vec(turned, R, d_dot);
  crd_vec3_axpy(turned, -crd_vec3_dot(n, turned), n);
  if (distance > 0) crd_vec3_axpy(n_dot, 1 / distance, turned);
}

/* A corner of `solid` on `plane`; n points to the solid. Rates of the solid's velocity relative to the plane. A box
 * stands for the plane where the corner is a ball. */
static void corner_on_plane(const crd_surface *s, const crd_workspace *work, const crd_contact_point *p, int solid,
                            int plane, double radius, const double n[3], contact_rate *rate) {
  double c[3], w[3], a[3], spin[3], turn[3];
  crd_vec3_copy(c, p->point);
  crd_vec3_axpy(c, radius + 0.5 * p->gap, n);
  motion S = motion_at(s, work, solid, c), P = motion_at(s, work, plane, c);
  crd_vec3_sub(w, S.V + 3, P.V + 3);
  crd_vec3_sub(a, S.A + 3, P.A + 3);
  crd_vec3_sub(spin, S.V, P.V);
  crd_vec3_sub(turn, S.A, P.A);
  crd_vec3_cross(rate->n_dot, P.V, n);
  if (s->model->geom[plane].type == CRD_BOX) add_rolling_over(s, work, plane, c, w, n, rate->n_dot);
  crd_vec3_copy(rate->u, w);
  add_cross(rate->u, -radius, spin, n);
  crd_vec3_copy(rate->u_dot, a);
  add_cross(rate->u_dot, -1, P.V, w);
  add_cross(rate->u_dot, -radius, turn, n);
  add_cross(rate->u_dot, -radius, spin, rate->n_dot);
}

static void corner_on_corner(const crd_surface *s, const crd_workspace *work, const crd_contact_point *p,
                             contact_rate *rate) {
  const double rA = s->model->geom[p->geomA].size[0], rB = s->model->geom[p->geomB].size[0], *n = p->normal;
  double cA[3], cB[3], w[3], a[3], rim[3], rim_dot[3], length = rA + rB + p->gap;
  crd_vec3_copy(cA, p->point), crd_vec3_copy(cB, p->point);
  crd_vec3_axpy(cA, rA + 0.5 * p->gap, n);
  crd_vec3_axpy(cB, -(rB + 0.5 * p->gap), n);
  motion A = motion_at(s, work, p->geomA, cA), B = motion_at(s, work, p->geomB, cB);
  crd_vec3_sub(w, A.V + 3, B.V + 3);
  crd_vec3_sub(a, A.A + 3, B.A + 3);
  for (int i = 0; i < 3; i++) rim[i] = rA * A.V[i] + rB * B.V[i], rim_dot[i] = rA * A.A[i] + rB * B.A[i];
  double along = crd_vec3_dot(n, w);
  for (int i = 0; i < 3; i++) rate->n_dot[i] = (w[i] - along * n[i]) / length;
  crd_vec3_copy(rate->u, w);
  add_cross(rate->u, -1, rim, n);
  crd_vec3_copy(rate->u_dot, a);
  add_cross(rate->u_dot, -1, rim_dot, n);
  add_cross(rate->u_dot, -1, rim, rate->n_dot);
}

/* Is the contact a rounded corner of `solid` on a plane, or a ball on a box? */
static bool lies_on(const crd_geom *under, const crd_geom *solid, double *radius) {
  if (under->type == CRD_BOX && solid->type == CRD_SPHERE) return has_corners(solid, radius);
  return under->type == CRD_PLANE && has_corners(solid, radius);
}

/* False: no closed form for these geoms. */
static bool closed_form(const crd_surface *s, const crd_workspace *work, const crd_contact_point *p,
                        contact_rate *rate) {
  const crd_geom *A = &s->model->geom[p->geomA], *B = &s->model->geom[p->geomB];
  double radius, n[3];
  if (lies_on(B, A, &radius)) {
    corner_on_plane(s, work, p, p->geomA, p->geomB, radius, p->normal, rate);
    return true;
  }
  if (lies_on(A, B, &radius)) {
    crd_vec3_scale(n, -1, p->normal);
    corner_on_plane(s, work, p, p->geomB, p->geomA, radius, n, rate);
    for (int i = 0; i < 3; i++) rate->u[i] = -rate->u[i], rate->u_dot[i] = -rate->u_dot[i];
    crd_vec3_scale(rate->n_dot, -1, rate->n_dot);
    return true;
  }
  if (A->type != CRD_SPHERE || B->type != CRD_SPHERE) return false;
  corner_on_corner(s, work, p, rate);
  return true;
}

bool crd_surface_is_exact(const crd_surface *s, const crd_contact_point *p) {
  const crd_geom *A = &s->model->geom[p->geomA], *B = &s->model->geom[p->geomB];
  double radius;
  return lies_on(A, B, &radius) || lies_on(B, A, &radius) || (A->type == CRD_SPHERE && B->type == CRD_SPHERE);
}

/* ------------------------------------------------------------------------------------------------ differences */

/* Relative velocity of the bodies at a contact, at the state of the side workspace. */
static void relative_velocity(const crd_surface *s, const crd_contact_point *p, double u[3]) {
  double VA[6], VB[6];
  crd_tree_point_velocity(s->model, s->side, s->model->geom[p->geomA].body, p->point, VA);
  crd_tree_point_velocity(s->model, s->side, s->model->geom[p->geomB].body, p->point, VB);
  crd_vec3_sub(u, VA + 3, VB + 3);
}

static void move_side(crd_surface *s, const double *qpos, const double *qvel, double step) {
  crd_tree_integrate_position(s->model, qpos, qvel, step, s->q);
  crd_tree_kinematics(s->model, s->side, s->q);
  crd_tree_velocity(s->model, s->side, qvel);
}

/* Size of the smaller geom of a contact, at least a thousandth of the larger: a point is a tiny ball. */
static double smaller_size(const crd_surface *s, const crd_contact_point *p) {
  double a = s->model->geom[p->geomA].radius, b = s->model->geom[p->geomB].radius, large = fmax(a, b);
  return fmax(fmin(a, b), isfinite(large) ? LEAST_SIZE * large : 0);
}

/* Time in which no part of the geoms moves by more than `step` of the smaller one's size, and no joint that carries
 * them turns by more than `step` (their motions may cancel, but not for long); 0: they rest. */
static double difference_step(const crd_surface *s, const crd_workspace *work, const double *qvel,
                              const crd_contact_point *p) {
  const crd_model *model = s->model;
  double fastest = 0, size = smaller_size(s, p);
  for (int k = 0; k < 2; k++) {
    const crd_geom *geom = &model->geom[k ? p->geomB : p->geomA];
    double V[6];
    crd_tree_point_velocity(model, work, geom->body, p->point, V);
    fastest = fmax(fastest, crd_vec3_norm(V + 3));
    if (isfinite(geom->radius)) fastest = fmax(fastest, crd_vec3_norm(V) * geom->radius);
    for (int link = geom->link; link >= 0; link = model->link[link].parent)
      if (model->link[link].type == CRD_HINGE) fastest = fmax(fastest, fabs(qvel[model->link[link].v]) * size);
  }
  return fastest > 0 ? s->step * size / fastest : 0;
}

/* The contacts `first` on of the problem, whose points s->run are those of one pair. */
static crd_status by_differences(crd_surface *s, const crd_workspace *work, const double *qpos, const double *qvel,
                                 int count, const crd_contact *first, double *bias) {
  const crd_contact_point *p = &s->run[0].point;
  double step = difference_step(s, work, qvel, p), reach = SEARCH_REACH * smaller_size(s, p);
  crd_surface_remember(s, work, s->run, count);
  for (int side = -1; step > 0 && side <= 1; side += 2) {
    memcpy(s->there, s->run, sizeof *s->run * (size_t)count);
    move_side(s, qpos, qvel, side * step);
    crd_status status = crd_surface_locate(s, s->side, s->there, count, reach);
    if (status != CRD_OK) return status;
    for (int i = 0; i < count; i++) {
      const double *n = s->there[i].point.normal;
      double u[3], t[3];
      relative_velocity(s, &s->there[i].point, u);
      bias[first[i].row] += side * crd_vec3_dot(n, u) / (2 * step);
      for (int k = 0; k < first[i].ntangent; k++) {
        crd_vec3_copy(t, first[i].tangent[k]);
        crd_vec3_axpy(t, -crd_vec3_dot(t, n), n);
        crd_vec3_normalize(t);
        bias[first[i].row + 1 + k] += side * crd_vec3_dot(t, u) / (2 * step);
      }
    }
  }
  return CRD_OK;
}

/* Into s->run: the points from `first` on that open contacts (`next` and those after it) of the same pair. */
static int gather_run(crd_surface *s, const crd_contact_point *point, const int *contact_of, int npoint, int first,
                      int next) {
  int count = 0;
  for (int i = first; i < npoint && count < LONGEST_RUN; i++) {
    if (point[i].geomA != point[first].geomA || point[i].geomB != point[first].geomB) break;
    if (contact_of[i] == next + count) s->run[count++] = (crd_followed){.point = point[i]};
  }
  return count;
}

/* ------------------------------------------------------------------------------------------------ limits */

/* The row of a ball joint's limit is -n, n the unit axis of its rotation by theta: n' = (cot(theta/2) w_ + n x w)/2, w_
 * the part of its angular velocity w across n, so that d/dt(-n) . w = -cot(theta/2) |w_|^2/2. */
static double ball_limit_bias(const double quat[4], const double w[3]) {
  double length = crd_vec3_norm(quat + 1), along = crd_vec3_dot(quat + 1, w);
  if (!(length > 0)) return 0;
  double across = crd_vec3_dot(w, w) - along * along / (length * length);
  return -0.5 * fabs(quat[0]) / length * across;
}

/* Limits of hinges, sliders and weighted sums have constant rows. */
static double limit_bias(const crd_model *model, const crd_contact *limit, const double *qpos, const double *qvel,
                         crd_contact_assembler *assembler) {
  if (limit->joint >= model->njoint)
    return (limit->upper ? -1 : 1) * crd_tendon_row_rate(assembler, limit->joint - model->njoint, qpos, qvel);
  const crd_joint *joint = &model->joint[limit->joint];
  return joint->type == CRD_BALL ? ball_limit_bias(qpos + joint->q, qvel + joint->v) : 0;
}

crd_status crd_surface_bias(crd_surface *s, const crd_workspace *work, const double *qpos, const double *qvel,
                            const crd_contact_point *point, int npoint, crd_contact_assembler *assembler,
                            const crd_contact_problem *problem, double *bias) {
  const int *contact_of = crd_contact_of_point(assembler);
  memset(bias, 0, sizeof *bias * (size_t)(problem->nrow + problem->nb));
  int next = 0; /* contacts are numbered by their first points */
  for (int i = 0; i < npoint; i++) {
    if (contact_of[i] != next) continue;
    const crd_contact *contact = &problem->contact[next++];
    contact_rate rate;
    if (!closed_form(s, work, &point[i], &rate)) {
      int count = gather_run(s, point, contact_of, npoint, i, next - 1);
      crd_status status = by_differences(s, work, qpos, qvel, count, contact, bias);
      if (status != CRD_OK) return status;
      next += count - 1;
      continue;
    }
    bias[contact->row] = crd_vec3_dot(point[i].normal, rate.u_dot) + crd_vec3_dot(rate.n_dot, rate.u);
    /* tangents turn with the normal: t' = -n (t . n'), which meets n . u = 0 in a contact that persists */
    for (int k = 0; k < contact->ntangent; k++)
      bias[contact->row + 1 + k] = crd_vec3_dot(contact->tangent[k], rate.u_dot);
  }
  for (int c = next; c < problem->nc; c++)
    bias[problem->contact[c].row] = limit_bias(s->model, &problem->contact[c], qpos, qvel, assembler);
  crd_contact_loop_bias(assembler, work, qvel, problem, bias + problem->nrow);
  return CRD_OK;
}
