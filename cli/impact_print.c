#include "impact_print.h"

#include <math.h>
#include <string.h>

#include "table.h"

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

/* Velocities before and after, impulse, mode and coefficient of one of the frictions that turn, where there is one. */
static void add_turning(json_t *object, const char *name, int row, int count, const crd_contact_problem *problem,
                        const crd_impact_solution *s, crd_mode mode, double mu) {
  char key[24];
  if (count == 0) return;
  snprintf(key, sizeof key, "%s_minus", name);
  json_object_set_new(object, key, cli_json_vector(count, problem->u + row));
  snprintf(key, sizeof key, "%s_plus", name);
  json_object_set_new(object, key, cli_json_vector(count, s->u_plus + row));
  snprintf(key, sizeof key, "impulse_%s", name);
  json_object_set_new(object, key, cli_json_vector(count, s->p + row));
  snprintf(key, sizeof key, "mode_%s", name);
  json_object_set_new(object, key, json_string(crd_coulomb_mode_name(mode)));
  snprintf(key, sizeof key, "mu_%s", name);
  json_object_set_new(object, key, cli_json_number(mu));
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
    add_turning(object, "spin", row + 1 + n, contact->nspin, problem, s, s->spin[c], contact->mu_spin);
    add_turning(object, "roll", row + 1 + n + contact->nspin, contact->nroll, problem, s, s->roll[c], contact->mu_roll);
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

json_t *impact_law_json(const impact_view *view, int i) {
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
  for (int i = 0; i < view->count; i++) json_array_append_new(laws, impact_law_json(view, i));
  json_object_set_new(object, "laws", laws);
  return object;
}

/* ------------------------------------------------------------------------------------------------ text */

enum { SHOWN_CONTACTS = 24, SHOWN_SOLUTIONS = 8, DIGITS = 5, TEXT = 256 };

static int shown(const crd_contact_problem *problem) {
  return problem->nc < SHOWN_CONTACTS ? problem->nc : SHOWN_CONTACTS;
}

/* The verifier's judgement of an answer. */
static void describe_verdict(const crd_impact_solution *s, char *text, size_t size) {
  const crd_impact_check *check = &s->check;
  const struct {
    bool found;
    const char *word;
  } fault[] = {{check->gains_energy, "gains energy"},
               {check->pulls, "pulls"},
               {check->penetrates, "approaches"},
               {check->leaves_cone, "leaves the cone"},
               {check->breaks_rows, "breaks a bilateral row"}};
  size_t used = 0;
  for (size_t i = 0; i < sizeof fault / sizeof *fault && used < size; i++)
    if (fault[i].found) used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", fault[i].word);
  if (used == 0) used = (size_t)snprintf(text, size, "consistent");
  enum { LONGEST_LABEL = 60 }; /* of many contacts it only repeats their modes */
  if (s->label[0] && strlen(s->label) <= LONGEST_LABEL && used < size)
    snprintf(text + used, size - used, " (%s)", s->label);
}

enum { WORDS = 64 }; /* of modes */

/* The mode during the impact and, where it differs, the one after it: "stick>separate"; of turning behind it:
 * "stick>separate, spin slip". */
static void describe_modes(const crd_impact_solution *s, int c, char *text, size_t size) {
  bool same = !s || s->mode[c] == s->after[c] || s->mode[c] == CRD_MODE_NONE;
  snprintf(text, size, "%s%s%s", s ? crd_coulomb_mode_name(s->mode[c]) : "", same ? "" : ">",
           same ? "" : crd_coulomb_mode_name(s->after[c]));
  if (!s) return;
  const struct {
    const char *name;
    crd_mode mode;
  } turning[] = {{"spin", s->spin[c]}, {"roll", s->roll[c]}};
  for (int k = 0; k < 2; k++) {
    const size_t used = strlen(text);
    if (turning[k].mode != CRD_MODE_NONE)
      snprintf(text + used, size - used, ", %s %s", turning[k].name, crd_coulomb_mode_name(turning[k].mode));
  }
}

/* A velocity or an impulse of this magnitude, relative to the largest, is a residual of the solvers, not a result. */
static const double ZERO = 1e-9;

static double largest(int count, const double *value) {
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(value[i]));
  return most;
}

static void energy_ratio(const crd_impact_solution *s, char *text, size_t size) {
  if (s->kinetic_before > 0)
    snprintf(text, size, "%.4f", s->kinetic_after / s->kinetic_before);
  else
    snprintf(text, size, "-");
}

/* Laws as rows, a column for each contact. */

static void add_contacts(cli_table *table, const crd_contact_problem *problem, const double *u,
                         const crd_impact_solution *s) {
  const double zero = ZERO * largest(problem->nrow, problem->u);
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    char text[TEXT] = "", words[WORDS];
    size_t length = 0;
    for (int r = contact->row; r <= contact->row + contact->ntangent && length < sizeof text; r++)
      length += (size_t)snprintf(text + length, sizeof text - length, "%s%.*g", r > contact->row ? " " : "", DIGITS,
                                 fabs(u[r]) < zero ? 0 : u[r]);
    describe_modes(s, c, words, sizeof words);
    cli_table_add(table, "%s", text);
    cli_table_add(table, "%s", words);
  }
}

static void add_law(cli_table *table, const impact_view *view, int i) {
  const crd_impact_result *result = &view->result[i];
  const char *name = view->law[i]->name;
  char text[TEXT];
  if (result->count == 0) {
    cli_table_add(table, "%s", name);
    for (int k = 1; k < table->columns - 1; k++) cli_table_add(table, "%s", "");
    cli_table_add(table, "%s", status_of(result));
  }
  for (int k = 0; k < result->count && k < SHOWN_SOLUTIONS; k++) {
    const crd_impact_solution *s = &result->solution[k];
    cli_table_add(table, "%s", k == 0 ? name : "");
    add_contacts(table, view->input->problem, s->u_plus, s);
    energy_ratio(s, text, sizeof text);
    cli_table_add(table, "%s", text);
    describe_verdict(s, text, sizeof text);
    cli_table_add(table, "%s", text);
  }
  if (result->count > SHOWN_SOLUTIONS) {
    snprintf(text, sizeof text, "... and %d more answers (--json prints them)", result->count - SHOWN_SOLUTIONS);
    cli_table_add_note(table, text);
  }
  for (int k = 0; k < result->nnote; k++) cli_table_add_note(table, result->note[k]);
}

/* All laws in one table; false where it would be wider than the terminal, and nothing is printed. */
static bool print_side_by_side(FILE *file, const impact_view *view) {
  enum { MOST = 4, FIXED = 3 };
  const crd_contact_problem *problem = view->input->problem;
  const char *title[FIXED + 2 * MOST] = {"contact (n t)"};
  cli_table table;
  int columns = 1;
  if (problem->nc > MOST) return false;
  for (int c = 0; c < problem->nc; c++) title[columns++] = problem->contact[c].name, title[columns++] = "";
  title[columns++] = ">K+/K-", title[columns++] = "verdict";
  cli_table_begin(&table, columns, title);
  cli_table_add(&table, "before");
  add_contacts(&table, problem, problem->u, NULL);
  cli_table_add(&table, "%s", ""), cli_table_add(&table, "%s", "");
  for (int i = 0; i < view->count; i++) add_law(&table, view, i);
  if (!cli_table_fits(&table, 0)) {
    cli_table_free(&table);
    return false;
  }
  cli_table_print(file, &table, 0);
  return true;
}

/* Contacts as rows, a block for each law. s NULL: the velocities before the impact. */

static void print_block(FILE *file, const crd_contact_problem *problem, const double *u, const crd_impact_solution *s) {
  /* by the number of tangents; before the impact the first half alone */
  static const char *const title[][8] = {
      {"contact", ">n (m/s)", "mode", ">impulse n (N s)"},
      {"contact", ">n (m/s)", ">t", "mode", ">impulse n (N s)", ">t"},
      {"contact", ">n (m/s)", ">t1", ">t2", "mode", ">impulse n (N s)", ">t1", ">t2"}};
  const double slow = ZERO * largest(problem->nrow, problem->u), weak = s ? ZERO * largest(problem->nrow, s->p) : 0;
  cli_table table;
  const int tangents = cli_most_tangents(problem);
  const int columns = 2 + tangents;
  cli_table_begin(&table, s ? 2 * columns : columns, title[tangents]);
  for (int c = 0; c < shown(problem); c++) {
    const crd_contact *contact = &problem->contact[c];
    char words[WORDS];
    cli_table_add(&table, "%s", contact->name);
    for (int k = 0; k <= tangents; k++)
      cli_table_add_number(&table, k > contact->ntangent ? NAN : u[contact->row + k], DIGITS, slow);
    if (!s) continue;
    describe_modes(s, c, words, sizeof words);
    cli_table_add(&table, "%s", words);
    for (int k = 0; k <= tangents; k++)
      cli_table_add_number(&table, k > contact->ntangent ? NAN : s->p[contact->row + k], DIGITS, weak);
  }
  cli_table_print(file, &table, 2);
  if (problem->nc > SHOWN_CONTACTS)
    fprintf(file, "  ... and %d more contacts (--json prints them)\n", problem->nc - SHOWN_CONTACTS);
}

static void print_law(FILE *file, const impact_view *view, int i) {
  const crd_impact_result *result = &view->result[i];
  const int columns = cli_columns();
  char text[TEXT], ratio[16];
  if (result->count == 0) fprintf(file, "\n%s: %s\n", view->law[i]->name, status_of(result));
  for (int k = 0; k < result->count && k < SHOWN_SOLUTIONS; k++) {
    const crd_impact_solution *s = &result->solution[k];
    energy_ratio(s, ratio, sizeof ratio);
    describe_verdict(s, text, sizeof text);
    fprintf(file, "\n%s", view->law[i]->name);
    if (result->count > 1) fprintf(file, ", answer %d of %d", k + 1, result->count);
    fprintf(file, ": K+/K- %s, %s\n", ratio, text);
    print_block(file, view->input->problem, s->u_plus, s);
  }
  if (result->count > SHOWN_SOLUTIONS)
    fprintf(file, "  ... and %d more answers (--json prints them)\n", result->count - SHOWN_SOLUTIONS);
  for (int k = 0; k < result->nnote; k++) {
    fprintf(file, "  ");
    cli_print_wrapped(file, result->note[k], 2, 2, columns);
  }
}

static bool any_approaches(const crd_contact_problem *problem) {
  for (int i = 0; i < problem->nc; i++)
    if (crd_contact_problem_approaches(problem, i)) return true;
  return false;
}

void impact_print_text(FILE *file, const impact_view *view) {
  const crd_contact_problem *problem = view->input->problem;
  fprintf(file, "%s: impact of %d contact%s, %d velocities", view->input->input, problem->nc,
          problem->nc == 1 ? "" : "s", problem->nv);
  if (problem->nb > 0) fprintf(file, ", %d bilateral rows", problem->nb);
  fprintf(file, ", K- = %.6g J\n", problem->kinetic);
  if (problem->nc == 0)
    fprintf(file, "nothing touches at this state\n");
  else if (!any_approaches(problem))
    fprintf(file, "no contact approaches: there is no impact (--qvel or --state give velocities)\n");
  fputc('\n', file);
  if (print_side_by_side(file, view)) return;
  fprintf(file, "before the impact\n");
  print_block(file, problem, problem->u, NULL);
  for (int i = 0; i < view->count; i++) print_law(file, view, i);
}
