/* Friction problems as JSON text, "coulomb-problem/1", every number exact. */
#include <math.h>

#include "io/json/text.h"
#include "io/solve/coulomb_file.h"

static void add_number(crd_text *text, const char *name, double value) {
  crd_text_add(text, ", \"%s\": ", name);
  crd_json_add_number(text, value); /* null where it is infinite: no bound */
}

static void add_contacts(crd_text *text, const crd_coulomb_problem *problem) {
  crd_text_add(text, ",\n  \"contacts\": [");
  for (int k = 0; k < problem->ncontact; k++) {
    const crd_coulomb_contact *contact = &problem->contact[k];
    crd_text_add(text, "%s{ \"row\": %d, \"ntangent\": %d", k ? ",\n    " : "\n    ", contact->row, contact->ntangent);
    add_number(text, "mu", contact->mu);
    if (contact->nspin) crd_text_add(text, ", \"nspin\": %d", contact->nspin);
    if (contact->nspin) add_number(text, "mu_spin", contact->mu_spin);
    if (contact->nroll) crd_text_add(text, ", \"nroll\": %d", contact->nroll);
    if (contact->nroll) add_number(text, "mu_roll", contact->mu_roll);
    if (contact->target != 0) add_number(text, "target", contact->target);
    if (contact->slides) {
      crd_text_add(text, ", \"slide\": ");
      crd_json_add_vector(text, contact->ntangent, contact->slide);
    }
    crd_text_add(text, " }");
  }
  crd_text_add(text, "]");
}

static void add_rows(crd_text *text, const crd_coulomb_problem *problem) {
  if (problem->nbilateral > 0) {
    crd_text_add(text, ",\n  \"bilateral\": [");
    for (int k = 0; k < problem->nbilateral; k++) crd_text_add(text, k ? ", %d" : "%d", problem->bilateral[k]);
    crd_text_add(text, "]");
  }
  if (problem->nbounded > 0) {
    crd_text_add(text, ",\n  \"bounded\": [");
    for (int k = 0; k < problem->nbounded; k++) {
      crd_text_add(text, "%s{ \"row\": %d", k ? ",\n    " : "\n    ", problem->bounded[k].row);
      add_number(text, "lower", problem->bounded[k].lower);
      add_number(text, "upper", problem->bounded[k].upper);
      crd_text_add(text, " }");
    }
    crd_text_add(text, "]");
  }
}

static void add_blocks(crd_text *text, const crd_coulomb_blocks *blocks) {
  crd_text_add(text, "{ \"groups\": [");
  for (int g = 0; g < blocks->ngroup; g++)
    crd_text_add(text, g ? ", %d" : "%d", blocks->first_row[g + 1] - blocks->first_row[g]);
  crd_text_add(text, "],\n    \"blocks\": [");
  for (int g = 0; g < blocks->ngroup; g++)
    for (int b = blocks->first[g]; b < blocks->first[g + 1]; b++) {
      const int c = blocks->column[b];
      crd_text_add(text, "%s{ \"row\": %d, \"column\": %d, \"value\": ", b ? ",\n      " : "\n      ", g, c);
      crd_json_add_matrix(text, "", blocks->first_row[g + 1] - blocks->first_row[g],
                          blocks->first_row[c + 1] - blocks->first_row[c], blocks->value + blocks->offset[b]);
      crd_text_add(text, " }");
    }
  crd_text_add(text, "] }");
}

static void add_matrix(crd_text *text, const crd_coulomb_problem *problem) {
  crd_text_add(text, ",\n  \"%s\": ", problem->J ? "J" : "G");
  if (problem->blocks)
    add_blocks(text, problem->blocks);
  else if (problem->J)
    crd_json_add_matrix(text, "        ", problem->n, problem->nv, problem->J);
  else
    crd_json_add_matrix(text, "        ", problem->n, problem->n, problem->G);
  if (!problem->J) return;
  crd_text_add(text, ",\n  \"X\": ");
  crd_json_add_matrix(text, "        ", problem->n, problem->nv, problem->X);
}

static void add_guess(crd_text *text, const crd_coulomb_file *file) {
  crd_text_add(text, ",\n  \"guess\": { ");
  if (file->p) {
    crd_text_add(text, "\"p\": ");
    crd_json_add_vector(text, file->problem.n, file->p);
  }
  if (file->mode) {
    crd_text_add(text, file->p ? ",\n    \"mode\": [" : "\"mode\": [");
    for (int k = 0; k < file->problem.ncontact; k++)
      crd_text_add(text, k ? ", \"%s\"" : "\"%s\"", crd_coulomb_mode_name(file->mode[k]));
    crd_text_add(text, "]");
  }
  crd_text_add(text, " }");
}

static void add_problem(crd_text *text, const crd_coulomb_file *file) {
  const crd_coulomb_problem *problem = &file->problem;
  crd_text_add(text, "{ \"cradle\": \"coulomb-problem/1\"");
  const char *const words[2][2] = {{"name", file->name}, {"comment", file->comment}};
  for (int i = 0; i < 2; i++) {
    if (!words[i][1] || !words[i][1][0]) continue;
    crd_text_add(text, ", \"%s\": ", words[i][0]);
    crd_json_add_string(text, words[i][1]);
  }
  if (problem->velocity != 0) add_number(text, "velocity", problem->velocity);
  crd_text_add(text, ",\n  \"w\": ");
  crd_json_add_vector(text, problem->n, problem->w);
  if (problem->ncontact > 0) add_contacts(text, problem);
  add_rows(text, problem);
  add_matrix(text, problem);
  if (file->p || file->mode) add_guess(text, file);
  crd_text_add(text, " }\n");
}

crd_status crd_io_coulomb_text(const crd_coulomb_file *file, crd_arena *arena, const char **text, crd_error *err) {
  crd_text grown = {0};
  add_problem(&grown, file);
  *text = grown.failed ? NULL : crd_arena_string(arena, grown.data);
  crd_text_free(&grown);
  return *text ? CRD_OK : crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "out of memory");
}

crd_status crd_io_write_coulomb(const char *path, const crd_coulomb_file *file, crd_error *err) {
  crd_text grown = {0};
  add_problem(&grown, file);
  crd_status status = grown.failed ? crd_error_set(err, CRD_ERR_MEMORY, path, 0, "out of memory")
                                   : crd_io_write_file(path, grown.data, grown.size, err);
  crd_text_free(&grown);
  return status;
}
