#include "impact_print.h"

#include <math.h>
#include <string.h>

/* "ok", "multiple", "not applicable", or the verdict's name. */
static const char *status_of(const crd_impact_result *result) {
  if (result->status == CRD_ERR_ARGUMENT) return "not applicable";
  if (result->status == CRD_OK && result->count > 1) return "multiple";
  return crd_status_text(result->status);
}

/* ------------------------------------------------------------------------------------------------ JSON */

/* Impulse on body1 in the world, where a mechanism is behind the problem; of a limit on turning it is a moment. */
static void add_world(json_t *object, const cli_problem *input, const crd_contact *contact, const double *p) {
  if (!input->from_model || contact->body1 < 0) return;
  double world[3];
  for (int i = 0; i < 3; i++) {
    world[i] = p[contact->row] * contact->normal[i];
    for (int t = 0; t < contact->ntangent; t++) world[i] += p[contact->row + 1 + t] * contact->tangent[t][i];
  }
  const crd_body *body = input->mechanism.model->body;
  json_object_set_new(object, "point", cli_json_vector(3, contact->point));
  const crd_model *model = input->mechanism.model;
  if (contact->joint >= model->njoint) return; /* a tendon pulls at several bodies */
  const crd_joint *joint = contact->joint >= 0 ? &model->joint[contact->joint] : NULL;
  bool turns = joint && joint->type != CRD_SLIDE;
  if (joint) json_object_set_new(object, "joint", json_string(joint->name));
  json_object_set_new(object, turns ? "moment_world" : "impulse_world", cli_json_vector(3, world));
  json_object_set_new(object, "body", json_string(body[contact->body1].name));
  json_object_set_new(object, "against", json_string(body[contact->body2].name));
}

static json_t *contacts_json(const cli_problem *input, const crd_impact_solution *s) {
  const crd_contact_problem *problem = input->problem;
  json_t *list = json_array();
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    int row = contact->row, n = contact->ntangent;
    json_t *object = json_pack("{s:s}", "name", contact->name);
    json_object_set_new(object, "n_minus", cli_json_number(problem->u[row]));
    json_object_set_new(object, "n_plus", cli_json_number(s->u_plus[row]));
    json_object_set_new(object, "t_minus", cli_json_vector(n, problem->u + row + 1));
    json_object_set_new(object, "t_plus", cli_json_vector(n, s->u_plus + row + 1));
    json_object_set_new(object, "impulse_n", cli_json_number(s->p[row]));
    json_object_set_new(object, "impulse_t", cli_json_vector(n, s->p + row + 1));
    json_object_set_new(object, "mode", json_string(crd_coulomb_mode_name(s->mode[c])));
    json_object_set_new(object, "after", json_string(crd_coulomb_mode_name(s->after[c])));
    json_object_set_new(object, "mu", cli_json_number(contact->mu));
    json_object_set_new(object, "e", cli_json_number(contact->e));
    json_object_set_new(object, "energy", cli_json_number(s->work[c]));
    add_world(object, input, contact, s->p);
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *check_json(const crd_impact_check *check) {
  json_t *object = json_object();
  json_object_set_new(object, "momentum", cli_json_number(check->momentum));
  json_object_set_new(object, "cone", cli_json_number(check->cone));
  json_object_set_new(object, "tension", cli_json_number(check->tension));
  json_object_set_new(object, "approach", cli_json_number(check->approach));
  json_object_set_new(object, "bilateral", cli_json_number(check->bilateral));
  json_object_set_new(object, "energy_gain", cli_json_number(check->energy_gain));
  json_object_set_new(object, "pulls", json_boolean(check->pulls));
  json_object_set_new(object, "penetrates", json_boolean(check->penetrates));
  json_object_set_new(object, "leaves_cone", json_boolean(check->leaves_cone));
  json_object_set_new(object, "breaks_rows", json_boolean(check->breaks_rows));
  json_object_set_new(object, "gains_energy", json_boolean(check->gains_energy));
  return object;
}

/* Adds the fields of an answer to a law's object. */
static void add_solution(json_t *object, const cli_problem *input, const crd_impact_solution *s) {
  const crd_contact_problem *problem = input->problem;
  double before = s->kinetic_before, after = s->kinetic_after;
  json_t *energy = json_object();
  json_object_set_new(energy, "before", cli_json_number(before));
  json_object_set_new(energy, "after", cli_json_number(after));
  json_object_set_new(energy, "ratio", before > 0 ? cli_json_number(after / before) : json_null());
  json_object_set_new(object, "v_plus", cli_json_vector(problem->nv, s->v_plus));
  json_object_set_new(object, "residual", cli_json_number(s->residual));
  json_object_set_new(object, "energy", energy);
  json_object_set_new(object, "contacts", contacts_json(input, s));
  if (problem->nb > 0)
    json_object_set_new(object, "impulse_bilateral", cli_json_vector(problem->nb, s->p + problem->nrow));
  json_object_set_new(object, "check", check_json(&s->check));
  if (s->label[0]) json_object_set_new(object, "label", json_string(s->label));
}

static json_t *law_json(const impact_view *view, int i) {
  const crd_impact_law *law = view->law[i];
  const crd_impact_result *result = &view->result[i];
  json_t *object = json_pack("{s:s, s:s, s:s}", "law", law->name, "status", status_of(result), "source", law->source);
  if (result->count > 0) add_solution(object, view->input, &result->solution[0]);
  if (result->count > 1) {
    json_t *list = json_array();
    for (int k = 0; k < result->count; k++) {
      json_t *one = json_object();
      add_solution(one, view->input, &result->solution[k]);
      json_array_append_new(list, one);
    }
    json_object_set_new(object, "solutions", list);
  }
  json_t *notes = json_array();
  for (int k = 0; k < result->nnote; k++) json_array_append_new(notes, json_string(result->note[k]));
  json_object_set_new(object, "notes", notes);
  return object;
}

json_t *impact_json(const impact_view *view) {
  const crd_contact_problem *problem = view->input->problem;
  json_t *object = json_pack("{s:s}", "input", view->input->input), *laws = json_array();
  json_object_set_new(object, "v_minus", cli_json_vector(problem->nv, problem->v));
  json_object_set_new(object, "facets", json_integer(view->options->facets));
  json_object_set_new(object, "round_cone", json_boolean(view->options->round_cone));
  for (int i = 0; i < view->count; i++) json_array_append_new(laws, law_json(view, i));
  json_object_set_new(object, "laws", laws);
  return object;
}

/* ------------------------------------------------------------------------------------------------ text */

enum { SHOWN_CONTACTS = 4, SHOWN_SOLUTIONS = 8 };

static int shown(const crd_contact_problem *problem) {
  return problem->nc < SHOWN_CONTACTS ? problem->nc : SHOWN_CONTACTS;
}

/* What the verifier holds against an answer. */
static void print_verdict(FILE *file, const crd_impact_solution *s) {
  const crd_impact_check *check = &s->check;
  if (check->gains_energy) fprintf(file, " gains energy");
  if (check->pulls) fprintf(file, " pulls");
  if (check->penetrates) fprintf(file, " approaches");
  if (check->leaves_cone) fprintf(file, " leaves the cone");
  if (check->breaks_rows) fprintf(file, " breaks a bilateral row");
  if (!check->gains_energy && !check->pulls && !check->penetrates && !check->leaves_cone && !check->breaks_rows)
    fprintf(file, " consistent");
  if (s->label[0]) fprintf(file, "  (%s)", s->label);
}

/* What the contact did during the impact, and where that is another word what it does after it: "stick>separate". */
static void describe_modes(const crd_impact_solution *s, int c, char *text, size_t size) {
  bool same = !s || s->mode[c] == s->after[c] || s->mode[c] == CRD_MODE_NONE;
  snprintf(text, size, "%s%s%s", s ? crd_coulomb_mode_name(s->mode[c]) : "", same ? "" : ">",
           same ? "" : crd_coulomb_mode_name(s->after[c]));
}

/* Velocities as a person wants them: what rounding made of a zero, less than 1e-12 of the largest velocity, is a zero.
 * A long word begins further to the left, so that columns stay columns. s NULL: before the impact. */
static void print_velocities(FILE *file, const crd_contact_problem *problem, const double *u,
                             const crd_impact_solution *s) {
  enum { CELL = 34, WORD = 8 };
  double largest = 0;
  for (int i = 0; i < problem->nrow; i++) largest = fmax(largest, fabs(problem->u[i]));
  for (int c = 0; c < shown(problem); c++) {
    const crd_contact *contact = &problem->contact[c];
    char text[64] = "";
    size_t length = 0;
    for (int r = contact->row; r <= contact->row + contact->ntangent && length < 40; r++) {
      double value = fabs(u[r]) < 1e-12 * largest ? 0 : u[r];
      length += (size_t)snprintf(text + length, sizeof text - length, "%s%.5g", r > contact->row ? " " : "", value);
    }
    char words[24];
    describe_modes(s, c, words, sizeof words);
    int word = strlen(words) > WORD ? (int)strlen(words) : WORD;
    fprintf(file, " | %-*s %-*s", CELL - 1 - word, text, word, words);
  }
}

static void print_solution(FILE *file, const impact_view *view, const char *name, const crd_impact_solution *s) {
  const crd_contact_problem *problem = view->input->problem;
  fprintf(file, "%-15s", name);
  print_velocities(file, problem, s->u_plus, s);
  if (s->kinetic_before > 0)
    fprintf(file, " | %8.4f |", s->kinetic_after / s->kinetic_before);
  else
    fprintf(file, " | %8s |", "-");
  print_verdict(file, s);
  fprintf(file, "\n");
}

static void print_law(FILE *file, const impact_view *view, int i) {
  const crd_impact_result *result = &view->result[i];
  const char *name = view->law[i]->name;
  if (result->count == 0) fprintf(file, "%-15s | %s\n", name, status_of(result));
  for (int k = 0; k < result->count && k < SHOWN_SOLUTIONS; k++)
    print_solution(file, view, k == 0 ? name : "", &result->solution[k]);
  if (result->count > SHOWN_SOLUTIONS)
    fprintf(file, "%-15s | ... and %d more answers (--json prints them)\n", "", result->count - SHOWN_SOLUTIONS);
  for (int k = 0; k < result->nnote; k++) fprintf(file, "%-15s   %s\n", "", result->note[k]);
}

void impact_print_text(FILE *file, const impact_view *view) {
  const crd_contact_problem *problem = view->input->problem;
  fprintf(file, "%s: impact of %d contact%s, %d velocities", view->input->input, problem->nc,
          problem->nc == 1 ? "" : "s", problem->nv);
  if (problem->nb > 0) fprintf(file, ", %d bilateral rows", problem->nb);
  fprintf(file, ", K- = %.6g J\n", problem->kinetic);
  if (problem->nc == 0) fprintf(file, "nothing touches at this state\n");
  if (problem->nc > SHOWN_CONTACTS)
    fprintf(file, "the first %d contacts are shown (--json prints all)\n", SHOWN_CONTACTS);
  fprintf(file, "\n%-15s", "contact (n t)");
  for (int c = 0; c < shown(problem); c++) fprintf(file, " | %-34s", problem->contact[c].name);
  fprintf(file, " | %8s |\n%-15s", "K+/K-", "before");
  print_velocities(file, problem, problem->u, NULL);
  fprintf(file, " | %8s |\n", "");
  for (int i = 0; i < view->count; i++) print_law(file, view, i);
}
