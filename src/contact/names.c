/* Names of contacts.
 *
 * A stated pair that has a name gives it to its contacts. Otherwise a contact with a fixed geom is called after the
 * geom that moves, one between two moving geoms "first-second" in the order of their ids. A geom without a name is
 * called after its body, a body without a name "geomN". A limit is called "joint:lower" and so on, a joint without a
 * name after its body, a body without a name "jointN". Contacts that would share a name get "#1", "#2", ... in their
 * order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contact/assemble.h"

/* Room kept for "#" and a number. */
enum { SUFFIX = 12, BASE = CRD_CONTACT_NAME - SUFFIX };

/* Appends to the name, cut at its capacity. */
static void append(char *name, const char *text) {
  size_t at = strlen(name), size = strlen(text);
  if (size > BASE - 1 - at) size = BASE - 1 - at;
  memcpy(name + at, text, size);
  name[at + size] = 0;
}

const char *crd_contact_geom_name(const crd_model *model, int geom, char number[24]) {
  const crd_geom *g = &model->geom[geom];
  if (g->name[0]) return g->name;
  if (g->body > 0 && model->body[g->body].name[0]) return model->body[g->body].name;
  snprintf(number, 24, "geom%d", geom);
  return number;
}

void crd_contact_point_name(const crd_model *model, const crd_contact_point *point, char *name) {
  char number1[24], number2[24];
  int low = point->geomA < point->geomB ? point->geomA : point->geomB, high = point->geomA + point->geomB - low;
  bool fixed = model->geom[point->geomB].link < 0;
  name[0] = 0;
  if (point->pair >= 0 && model->pair[point->pair].name[0]) {
    append(name, model->pair[point->pair].name);
  } else if (fixed) {
    append(name, crd_contact_geom_name(model, point->geomA, number1));
  } else {
    append(name, crd_contact_geom_name(model, low, number1));
    append(name, "-");
    append(name, crd_contact_geom_name(model, high, number2));
  }
}

/* "tendon:upper" */
static void tendon_limit_name(const crd_model *model, int id, const char *side, char *name) {
  char number[24];
  snprintf(number, sizeof number, "tendon%d", id);
  name[0] = 0;
  append(name, model->tendon[id].name[0] ? model->tendon[id].name : number);
  append(name, ":");
  append(name, side);
}

void crd_contact_limit_name(const crd_model *model, int id, const char *side, char *name) {
  if (id >= model->njoint) {
    tendon_limit_name(model, id - model->njoint, side, name);
    return;
  }
  const crd_joint *joint = &model->joint[id];
  const char *body = model->body[joint->body].name;
  char number[24];
  name[0] = 0;
  if (!joint->name[0] && !body[0]) snprintf(number, sizeof number, "joint%d", id);
  append(name, joint->name[0] ? joint->name : body[0] ? body : number);
  append(name, ":");
  append(name, side);
}

/* "#1", "#2", ... behind names that occur more than once. The table counts them; its keys are the names of the first of
 * each kind, which is the last to be numbered. A count of one is left alone, a larger one turns negative as it is used
 * up. */
static void number_equals(crd_contact_problem *problem) {
  crd_name_table *table = crd_problem_name_table(problem);
  for (int i = 0; i < problem->nc; i++) ++*crd_name_table_at(table, crd_problem_name(problem, i), 0);
  for (int i = problem->nc - 1; i >= 0; i--) {
    char *name = crd_problem_name(problem, i);
    int *count = crd_name_table_at(table, name, 0), number = abs(*count);
    if (*count == 1) continue;
    snprintf(name + strlen(name), SUFFIX, "#%d", number);
    *count = 1 - number;
  }
}

void crd_contact_names(const crd_contact_assembler *s, const crd_contact_point *point, int npoint,
                       crd_contact_problem *problem) {
  int named = 0;
  for (int i = 0; i < npoint; i++) {
    /* contacts are numbered by their first points, so a new number is the next one */
    if (s->contact_of[i] == named) crd_contact_point_name(s->model, &point[i], crd_problem_name(problem, named++));
  }
  for (int c = named; c < problem->nc; c++)
    crd_contact_limit_name(s->model, problem->contact[c].joint, s->contact[c].name, crd_problem_name(problem, c));
  number_equals(problem);
  for (int c = 0; c < problem->nc; c++) problem->contact[c].name = crd_problem_name(problem, c);
}
