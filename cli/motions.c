/* The motions of contacts that last: forces, accelerations and modes, as a table and as JSON. */
#include "motions.h"
#include "table.h"

#include <math.h>

bool cli_contacts_last(const crd_contact_problem *problem) {
  for (int c = 0; c < problem->nc; c++)
    if (crd_contact_problem_approaches(problem, c)) return false;
  return problem->nc > 0;
}

static crd_status at_state(const cli_mechanism *mechanism, crd_workspace *work, const crd_contact_problem *problem,
                           int modes, bool (*stop)(void *context), crd_persistent *persistent, double *b,
                           crd_arena *arena) {
  const crd_model *model = mechanism->model;
  double *force = crd_arena_alloc(arena, (size_t)model->nv + 1, sizeof *force);
  crd_contact_assembler *assembler = crd_contact_assembler_new(model);
  crd_status status = force && assembler ? CRD_OK : CRD_ERR_MEMORY;
  if (status == CRD_OK) {
    crd_tree_kinematics(model, work, mechanism->qpos);
    crd_tree_velocity(model, work, mechanism->qvel);
    crd_tree_passive(model, mechanism->qpos, mechanism->qvel, force);
    crd_tree_tendon_forces(model, work, mechanism->qpos, mechanism->qvel, force);
    crd_tree_gravity_compensation(model, work, force);
    crd_tree_medium(model, work, force);
    crd_tree_actuation(model, work, mechanism->qpos, mechanism->qvel, mechanism->act, mechanism->ctrl, force);
    status =
        crd_analysis_wellposed_bias(model, work, assembler, mechanism->qpos, mechanism->qvel, force, problem, b, arena);
  }
  if (status == CRD_OK)
    status = crd_analysis_persistent_at_state(persistent, model, work, assembler, mechanism->qpos, mechanism->qvel,
                                              force, problem, modes, stop, NULL, arena);
  crd_contact_assembler_free(assembler);
  return status;
}

crd_status cli_motions_find(const cli_mechanism *mechanism, crd_workspace *work, const crd_contact_problem *problem,
                            int modes, bool (*stop)(void *context), crd_persistent *persistent, const double **bias,
                            crd_arena *arena) {
  double *b = crd_arena_alloc(arena, (size_t)problem->nc + 1, sizeof *b);
  crd_status status = b ? CRD_OK : CRD_ERR_MEMORY;
  if (status == CRD_OK && mechanism) {
    status = at_state(mechanism, work, problem, modes, stop, persistent, b, arena);
  } else if (status == CRD_OK) {
    status = crd_analysis_wellposed_bias_of_problem(problem, b, arena);
    if (status == CRD_OK) status = crd_analysis_persistent_of_problem(persistent, problem, modes, stop, NULL, arena);
  }
  if (status == CRD_OK) *bias = b;
  return status < 0 ? status : CRD_OK; /* a contact that ceases at once has no load */
}

static json_t *motion_json(const crd_contact_problem *problem, const crd_persistent_motion *motion) {
  json_t *contacts = json_array(), *object = json_object();
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    json_t *one = json_object();
    json_object_set_new(one, "name", json_string(contact->name));
    json_object_set_new(one, "mode", json_string(crd_coulomb_mode_name(motion->mode[c])));
    json_object_set_new(one, "lambda_n", cli_json_number(motion->force[contact->row]));
    json_object_set_new(one, "lambda_t", cli_json_vector(contact->ntangent, motion->force + contact->row + 1));
    json_object_set_new(one, "a_n", cli_json_number(motion->acceleration[contact->row]));
    json_object_set_new(one, "a_t", cli_json_vector(contact->ntangent, motion->acceleration + contact->row + 1));
    json_array_append_new(contacts, one);
  }
  json_object_set_new(object, "contacts", contacts);
  json_object_set_new(object, "lambda_b", cli_json_vector(problem->nb, motion->force + problem->nrow));
  json_object_set_new(object, "qacc", cli_json_vector(problem->nv, motion->qacc));
  json_object_set_new(object, "force_freedom", json_integer(motion->freedom));
  json_object_set_new(object, "continuum", json_boolean(motion->continuum));
  json_object_set_new(object, "residual", cli_json_number(motion->residual));
  return object;
}

json_t *cli_motions_json(const crd_contact_problem *problem, const crd_persistent *p) {
  if (!p) return json_null();
  json_t *object = json_object(), *list = json_array();
  json_object_set_new(object, "motion", json_string(crd_coulomb_motion_name(p->verdict.motion)));
  json_object_set_new(object, "forces_unique", p->forces_known ? json_boolean(p->verdict.forces_unique) : json_null());
  json_object_set_new(object, "proved", json_boolean(p->verdict.proved));
  json_object_set_new(object, "lasting", json_integer(p->lasting));
  for (int k = 0; k < p->count; k++) json_array_append_new(list, motion_json(problem, &p->motion[k]));
  json_object_set_new(object, "motions", list);
  return object;
}

static double largest(int count, const double *x) {
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static const double ZERO = 1e-12; /* relative: smaller ones are rounding */

/* The normal and the tangential rows of a contact; "-" for a row that it does not have. */
static void add_rows(cli_table *table, int tangents, const crd_contact *contact, const double *x, double zero) {
  for (int i = 0; i <= tangents; i++)
    cli_table_add_number(table, i > contact->ntangent ? NAN : x[contact->row + i], 4, zero);
}

void cli_motions_print(FILE *file, const crd_contact_problem *problem, const crd_persistent *p) {
  enum { MOST = 8 };
  const int tangents = cli_most_tangents(problem) > 1 ? 2 : 1;
  for (int k = 0; p && k < p->count && k < MOST; k++) {
    const crd_persistent_motion *motion = &p->motion[k];
    double force = largest(problem->nrow, motion->force), pace = 0;
    for (int i = 0; i < problem->nrow; i++) /* accelerations that the forces make, before they cancel */
      pace = fmax(pace, fabs(motion->force[i]) * problem->W[(problem->nrow + problem->nb + 1) * i]);
    fprintf(file, "\n  motion %d of %d%s\n", k + 1, p->count, motion->continuum ? ", one of a continuum" : "");
    static const char *const planar[] = {"contact", "mode", ">lambda_n", ">lambda_t", ">a_n", ">a_t"};
    static const char *const spatial[] = {"contact",    "mode", ">lambda_n", ">lambda_t1",
                                          ">lambda_t2", ">a_n", ">a_t1",     ">a_t2"};
    cli_table table;
    cli_table_begin(&table, 4 + 2 * tangents, tangents > 1 ? spatial : planar);
    for (int c = 0; c < problem->nc; c++) {
      const crd_contact *contact = &problem->contact[c];
      cli_table_add(&table, "%s", contact->name);
      cli_table_add(&table, "%s", crd_coulomb_mode_name(motion->mode[c]));
      add_rows(&table, tangents, contact, motion->force, ZERO * force);
      add_rows(&table, tangents, contact, motion->acceleration, ZERO * pace);
    }
    cli_table_print(file, &table, 2);
    cli_print_vector(file, "qacc", problem->nv, motion->qacc);
  }
  if (p && p->count > MOST) fprintf(file, "  and %d more motions (--json)\n", p->count - MOST);
}
