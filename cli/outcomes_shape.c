/* The shape of a set of outcomes: how long samples can take, hull in the chosen axes, spacing, contact modes. */
#include <math.h>
#include <string.h>

#include "outcomes.h"

/* Probability with which the bound on the number of steps may be exceeded. */
static const double EXCEEDED = 0.01;

bool outcomes_axes_read(const char *text, const crd_contact_problem *problem, outcomes_axes *axes) {
  axes->count = 0;
  if (!text) {
    axes->count = crd_outcome_axis_default(problem, axes->axis);
    return true;
  }
  for (const char *at = text; axes->count < 4;) {
    char name[sizeof axes->axis[0].name];
    size_t length = strcspn(at, ",");
    if (axes->count == 3 || length >= sizeof name) break;
    memcpy(name, at, length);
    name[length] = 0;
    if (crd_outcome_axis_find(problem, name, &axes->axis[axes->count++]) != CRD_OK) {
      cli_complain("outcomes", "--axes: found '%s', expected CONTACT.n, CONTACT.t (spatial: .t1, .t2) or v[i]", name);
      return false;
    }
    if (at[length] == 0) {
      if (axes->count >= 2) return true;
      break;
    }
    at += length + 1;
  }
  cli_complain("outcomes", "--axes: found '%s', expected two or three axes with commas between them", text);
  return false;
}

/* The largest spacing is measured over all contact velocities, or over v where there is no contact row. */
static crd_status measure_spacing(const crd_contact_problem *problem, const crd_outcome_set *set, outcomes_shape *shape,
                                  crd_arena *arena) {
  crd_outcome_axis *axis = crd_arena_alloc(arena, (size_t)problem->nrow, sizeof *axis);
  double *point;
  size_t count;
  if (!axis) return CRD_ERR_MEMORY;
  for (int i = 0; i < problem->nrow; i++) axis[i].row = i, axis[i].dof = -1;
  crd_status status = crd_outcome_points(problem, set, axis, problem->nrow, arena, &point, NULL, &count);
  return status == CRD_OK ? crd_outcome_spacing(point, count, problem->nrow, &shape->spacing) : status;
}

crd_status outcomes_shape_find(const crd_contact_problem *problem, const crd_outcome_set *set, const char *axes,
                               outcomes_shape *shape) {
  crd_arena scratch = {0};
  double *point;
  size_t count;
  outcomes_axes *chosen = &shape->axes;
  shape->bound_status = crd_outcome_bound(problem, set->options.facets, set->options.h, EXCEEDED, &shape->bound);
  if (!outcomes_axes_read(axes, problem, chosen)) return CRD_ERR_ARGUMENT;
  crd_status status =
      crd_outcome_modes_count(problem, set, crd_outcome_rest_speed(problem, &set->options), &shape->modes);
  if (status == CRD_ERR_CAPACITY) status = CRD_OK;
  if (status == CRD_OK && chosen->count >= 2)
    status = crd_outcome_points(problem, set, chosen->axis, chosen->count, &scratch, &point, NULL, &count);
  shape->hull_status = CRD_UNKNOWN;
  if (status == CRD_OK && chosen->count >= 2)
    shape->hull_status = crd_outcome_hull_make(point, count, chosen->count,
                                               crd_outcome_rest_speed(problem, &set->options), &shape->hull);
  if (shape->hull_status == CRD_ERR_MEMORY) status = CRD_ERR_MEMORY;
  if (status == CRD_OK) status = measure_spacing(problem, set, shape, &scratch);
  crd_arena_free(&scratch);
  return status;
}

void outcomes_shape_free(outcomes_shape *shape) {
  crd_outcome_termination_free(&shape->bound);
  crd_outcome_hull_free(&shape->hull);
  crd_outcome_modes_free(&shape->modes);
}

/* ------------------------------------------------------------------------------------------------ JSON */

static json_t *hull_json(const outcomes_shape *shape) {
  const crd_outcome_hull *hull = &shape->hull;
  json_t *object = json_object(), *axes = json_array();
  for (int i = 0; i < shape->axes.count; i++) json_array_append_new(axes, json_string(shape->axes.axis[i].name));
  json_object_set_new(object, "axes", axes);
  if (shape->hull_status != CRD_OK) {
    json_object_set_new(object, "points", json_null());
    return object;
  }
  json_object_set_new(object, "points", cli_json_matrix(hull->npoint, hull->axes, hull->point));
  json_object_set_new(object, "dim", json_integer(hull->dim));
  json_object_set_new(object, "size", cli_json_number(hull->size));
  json_object_set_new(object, "measure", cli_json_number(hull->measure));
  return object;
}

static json_t *bound_json(const crd_contact_problem *problem, const outcomes_shape *shape) {
  const crd_outcome_termination *t = &shape->bound;
  json_t *object = json_object();
  if (shape->bound_status != CRD_OK) {
    json_object_set_new(object, "status", json_string(crd_status_text(shape->bound_status)));
    return object;
  }
  json_object_set_new(object, "pointed", json_boolean(t->pointed));
  json_object_set_new(object, "c", cli_json_number(t->c));
  json_object_set_new(object, "k", cli_json_number(t->k));
  json_object_set_new(object, "probability", cli_json_number(t->probability));
  json_object_set_new(object, "steps", cli_json_number(t->steps));
  json_object_set_new(object, "free_steps", cli_json_number(t->free_steps));
  json_object_set_new(object, "distance", cli_json_number(t->distance));
  json_object_set_new(object, "r", t->r ? cli_json_vector(problem->nv, t->r) : json_null());
  json_object_set_new(object, "witness", t->pointed ? json_null() : cli_json_vector(problem->nrow, t->witness));
  return object;
}

static json_t *modes_json(const outcomes_shape *shape) {
  json_t *list = json_array();
  for (size_t i = 0; i < shape->modes.count; i++) {
    const crd_outcome_mode *item = &shape->modes.item[i];
    json_t *one = json_object(), *names = json_array();
    for (int c = 0; c < shape->modes.nc; c++)
      json_array_append_new(names, json_string(crd_coulomb_mode_name(item->mode[c])));
    json_object_set_new(one, "contacts", names);
    json_object_set_new(one, "fraction", cli_json_number((double)item->count / (double)shape->modes.outcomes));
    json_object_set_new(one, "sample", json_integer((json_int_t)item->sample));
    json_array_append_new(list, one);
  }
  return list;
}

void outcomes_shape_json(json_t *object, const crd_contact_problem *problem, const outcomes_shape *shape) {
  json_object_set_new(object, "hull", hull_json(shape));
  json_object_set_new(object, "bound", bound_json(problem, shape));
  json_object_set_new(object, "epsilon", cli_json_number(shape->spacing));
  json_object_set_new(object, "outcome_modes", modes_json(shape));
}

/* ------------------------------------------------------------------------------------------------ text */

static void print_bound(FILE *file, const crd_contact_problem *problem, const outcomes_shape *shape) {
  const crd_outcome_termination *t = &shape->bound;
  if (shape->bound_status != CRD_OK) {
    fprintf(file, "bound on the steps: %s\n", crd_status_text(shape->bound_status));
  } else if (t->pointed) {
    fprintf(file, "at most %.0f steps with %g %% certainty for uniform bounds (Theorem 8: %.0f, c = %.0f, k = %.0f)\n",
            t->free_steps, 100 * (1 - t->probability), t->steps, t->c, t->k);
  } else {
    fprintf(file, "the friction cone is not pointed, so samples need not end: no effect have the impulses\n ");
    for (int c = 0; c < problem->nc; c++) {
      const crd_contact *contact = &problem->contact[c];
      fprintf(file, " %s (", contact->name);
      for (int i = 0; i <= contact->ntangent; i++) fprintf(file, "%s%.4g", i ? ", " : "", t->witness[contact->row + i]);
      fprintf(file, ")");
    }
    fprintf(file, "\n");
  }
}

static void print_hull(FILE *file, const outcomes_shape *shape) {
  static const char *const SHAPE[] = {"a point", "a segment of length", "a polygon of area", "a polyhedron of volume"};
  const crd_outcome_hull *hull = &shape->hull;
  if (shape->hull_status != CRD_OK || hull->dim < 0) return;
  fprintf(file, "hull in");
  for (int i = 0; i < shape->axes.count; i++) fprintf(file, "%s %s", i ? "," : "", shape->axes.axis[i].name);
  fprintf(file, ": %s", SHAPE[hull->dim]);
  if (hull->dim) fprintf(file, " %.6g", hull->size);
  if (hull->dim > 1) fprintf(file, ", %d vertices", hull->npoint);
  fprintf(file, "; spacing of the samples about %.2g m/s\n", shape->spacing);
}

static void print_modes(FILE *file, const crd_contact_problem *problem, const outcomes_shape *shape) {
  enum { MOST = 8 };
  if (shape->modes.count == 0) return;
  fprintf(file, "\nhow the contacts are left:\n");
  for (size_t i = 0; i < shape->modes.count && i < MOST; i++) {
    const crd_outcome_mode *item = &shape->modes.item[i];
    fprintf(file, "%9.4g %%", 100 * (double)item->count / (double)shape->modes.outcomes);
    for (int c = 0; c < shape->modes.nc; c++)
      fprintf(file, "  %s %s", problem->contact[c].name, crd_coulomb_mode_name(item->mode[c]));
    fprintf(file, "\n");
  }
  if (shape->modes.count > MOST) fprintf(file, "           and %zu more\n", shape->modes.count - MOST);
}

void outcomes_shape_print(FILE *file, const crd_contact_problem *problem, const outcomes_shape *shape) {
  print_bound(file, problem, shape);
  print_hull(file, shape);
  print_modes(file, problem, shape);
}
