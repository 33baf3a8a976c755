/* Sets of outcomes from HDF5. Shapes, ranges and numbers are checked before they are believed; the contact problem is
 * completed anew from M, J, v and the external impulse. */
#include <cradle/io.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/layout.h"
#include "io/hdf5/file.h"
#include "io/hdf5/source_h5.h"
#include "io/outcomes/h5.h"

typedef struct reader {
  crd_h5_input *file;
  const char *path;
  crd_outcome_file *out;
  crd_arena *arena; /* what arrays go to */
  bool sweep;
  int index; /* of the set that is read */
  crd_error *err;
  crd_status status; /* of the first failure; nothing is read after it */
} reader;

static void wrong(reader *in, crd_status status, const char *what, const char *expected) {
  if (in->status == CRD_OK) in->status = crd_error_set(in->err, status, in->path, 0, "%s: expected %s", what, expected);
}

static void no_memory(reader *in) {
  if (in->status == CRD_OK)
    in->status = crd_error_set(in->err, CRD_ERR_MEMORY, in->path, 0, "no memory to read the file");
}

/* An array of the set; sizes CRD_H5_ANY become those found. */
static void *array(reader *in, const char *what, crd_h5_kind kind, int rank, size_t *rows, size_t columns) {
  char name[128];
  void *value = NULL;
  size_t size[2] = {*rows, columns};
  crd_outcomes_name(name, in->sweep, in->index, what);
  if (in->status == CRD_OK) in->status = crd_h5_read(in->file, name, kind, rank, size, in->arena, &value, in->err);
  if (in->status != CRD_OK) return NULL;
  *rows = size[0];
  return value;
}

static const void *fixed(reader *in, const char *what, crd_h5_kind kind, int rank, size_t rows, size_t columns) {
  return array(in, what, kind, rank, &rows, columns);
}

static const double *numbers(reader *in, const char *what, int rank, size_t rows, size_t columns) {
  const double *value = fixed(in, what, CRD_H5_DOUBLE, rank, rows, columns);
  size_t count = rank == 2 ? rows * columns : rows;
  for (size_t i = 0; in->status == CRD_OK && i < count; i++)
    if (!isfinite(value[i])) wrong(in, CRD_ERR_NUMBER, what, "finite numbers");
  return value;
}

static int64_t integer(reader *in, const char *what, const char *attribute, int64_t least, int64_t most) {
  char object[128];
  int64_t value = least;
  crd_outcomes_name(object, in->sweep, in->index, what);
  if (in->status == CRD_OK) in->status = crd_h5_read_integer(in->file, object, attribute, &value, in->err);
  if (in->status == CRD_OK && (value < least || value > most)) {
    wrong(in, CRD_ERR_FORMAT, attribute, "a number in its range");
    value = least;
  }
  return value;
}

static double number(reader *in, const char *attribute) {
  char object[128];
  double value = 0;
  crd_outcomes_name(object, in->sweep, in->index, "");
  if (in->status == CRD_OK) in->status = crd_h5_read_number(in->file, object, attribute, &value, in->err);
  return value;
}

/* The number of the name that the attribute has among `count`. */
static int choice(reader *in, const char *attribute, int count, const char *(*name)(int)) {
  char object[128];
  const char *value = "";
  crd_outcomes_name(object, in->sweep, in->index, "");
  if (in->status == CRD_OK) in->status = crd_h5_read_text(in->file, object, attribute, in->arena, &value, in->err);
  for (int i = 0; i < count && in->status == CRD_OK; i++)
    if (strcmp(value, name(i)) == 0) return i;
  wrong(in, CRD_ERR_FORMAT, attribute, "one of its names");
  return 0;
}

static const char *pattern_name(int i) { return crd_outcome_pattern_name((crd_outcome_pattern)i); }
static const char *selection_name(int i) { return crd_outcome_selection_name((crd_outcome_selection)i); }
static const char *claim_name(int i) { return crd_outcome_claim_name((crd_outcome_claim)i); }

/* ------------------------------------------------------------------------------------------------ the problem */

static void read_contact(reader *in, crd_contact *contact, const double *value, const int64_t *whole,
                         const double *frame, int *next_row, int nrow) {
  bool fits = whole[0] == *next_row && whole[1] >= 0 && whole[1] <= 2 && whole[0] + 1 + whole[1] <= nrow &&
              whole[2] >= -1 && whole[2] <= INT32_MAX && whole[3] >= -1 && whole[3] <= INT32_MAX && whole[4] >= 0 &&
              whole[4] <= INT32_MAX && value[0] >= 0 && value[1] >= 0;
  if (!fits) {
    wrong(in, CRD_ERR_FORMAT, "problem/contact_integers",
          "rows in order, at most two tangents, friction of at least 0");
    return;
  }
  contact->row = (int)whole[0], contact->ntangent = (int)whole[1];
  contact->body1 = (int)whole[2], contact->body2 = (int)whole[3], contact->npoint = (int)whole[4];
  contact->mu = value[0], contact->mu_static = value[1], contact->e = value[2], contact->e_t = value[3];
  contact->gap = value[4];
  memcpy(contact->point, frame, 3 * sizeof *frame);
  memcpy(contact->normal, frame + 3, 3 * sizeof *frame);
  memcpy(contact->tangent, frame + 6, 6 * sizeof *frame);
  *next_row += 1 + contact->ntangent;
}

static void read_contacts(reader *in, crd_contact_problem *problem) {
  size_t nc = (size_t)problem->nc;
  const char *const *name = fixed(in, "problem/contact_name", CRD_H5_TEXT, 1, nc, 0);
  const double *value = numbers(in, "problem/contact_numbers", 2, nc, CRD_OUTCOME_NUMBERS);
  const int64_t *whole = fixed(in, "problem/contact_integers", CRD_H5_INTEGER, 2, nc, CRD_OUTCOME_INTEGERS);
  const double *frame = numbers(in, "problem/contact_frame", 2, nc, CRD_OUTCOME_FRAME);
  int next_row = 0;
  for (size_t c = 0; c < nc && in->status == CRD_OK; c++) {
    crd_contact *contact = &problem->contact[c];
    *contact = (crd_contact){.name = crd_contact_problem_text(problem, name[c])};
    if (!contact->name) no_memory(in);
    read_contact(in, contact, value + CRD_OUTCOME_NUMBERS * c, whole + CRD_OUTCOME_INTEGERS * c,
                 frame + CRD_OUTCOME_FRAME * c, &next_row, problem->nrow);
  }
  if (next_row != problem->nrow)
    wrong(in, CRD_ERR_FORMAT, "problem/contact_integers", "as many rows as J has beside the bilateral ones");
}

/* Sizes come from M (nv), J (rows) and the contacts' names. */
static void read_problem(reader *in, crd_contact_problem *problem) {
  size_t nv = CRD_H5_ANY, rows = CRD_H5_ANY, nc = CRD_H5_ANY;
  array(in, "problem/v", CRD_H5_DOUBLE, 1, &nv, 0);
  array(in, "problem/J", CRD_H5_DOUBLE, 2, &rows, nv);
  array(in, "problem/contact_name", CRD_H5_TEXT, 1, &nc, 0);
  if (in->status == CRD_OK && (nv > 100000 || rows > 100000 || nc > rows))
    wrong(in, CRD_ERR_FORMAT, "problem/J", "fewer rows and velocities, and a row for each contact");
  int nb = (int)integer(in, "problem", "bilateral", 0, in->status == CRD_OK ? (int64_t)rows : 0);
  const double *M = numbers(in, "problem/M", 2, nv, nv), *J = numbers(in, "problem/J", 2, rows, nv);
  const double *v = numbers(in, "problem/v", 1, nv, 0), *impulse = numbers(in, "problem/impulse", 1, nv, 0);
  if (in->status != CRD_OK) return;
  if (crd_contact_problem_resize(problem, (int)nv, (int)nc, (int)rows - nb, nb, true) != CRD_OK) {
    no_memory(in);
    return;
  }
  memcpy(problem->M, M, sizeof *M * nv * nv);
  memcpy(problem->J, J, sizeof *J * rows * nv);
  memcpy(problem->v, v, sizeof *v * nv);
  memcpy(problem->impulse, impulse, sizeof *impulse * nv);
  read_contacts(in, problem);
  if (in->status == CRD_OK && crd_contact_problem_complete(problem) != CRD_OK)
    wrong(in, CRD_ERR_MODEL, "problem/M", "a symmetric positive definite matrix");
}

/* ------------------------------------------------------------------------------------------------ the set */

static void read_options(reader *in, crd_outcome_options *o) {
  *o = crd_outcome_default();
  o->threads = 0;
  o->h = number(in, "h");
  o->steps = (int)integer(in, "", "steps", 0, INT32_MAX);
  o->samples = (uint64_t)integer(in, "", "samples", 0, INT64_MAX);
  o->first = (uint64_t)integer(in, "", "first", INT64_MIN, INT64_MAX);
  o->seed = (uint64_t)integer(in, "", "seed", INT64_MIN, INT64_MAX);
  o->facets = (int)integer(in, "", "facets", 4, INT32_MAX);
  o->max_modes = (int)integer(in, "", "max_modes", 0, INT32_MAX);
  o->restitution = integer(in, "", "restitution", 0, 1);
  o->tolerance = number(in, "tolerance");
  o->pattern = (crd_outcome_pattern)choice(in, "pattern", CRD_OUTCOME_PATTERNS, pattern_name);
  o->selection = (crd_outcome_selection)choice(in, "selection", CRD_OUTCOME_SELECTIONS, selection_name);
}

/* draws stays 0 where the problem was known exactly. */
static void read_box(reader *in, crd_outcome_box *box) {
  char object[128];
  crd_outcomes_name(object, in->sweep, in->index, "");
  if (in->status != CRD_OK || !crd_h5_has_attribute(in->file, object, "box_draws")) return;
  *box = (crd_outcome_box){.mu = number(in, "box_mu"), .e = number(in, "box_e"), .v = number(in, "box_v")};
  box->draws = (int)integer(in, "", "box_draws", 1, INT32_MAX);
  if (!(box->mu >= 0 && box->e >= 0 && box->v >= 0 && isfinite(box->mu + box->e + box->v)))
    wrong(in, CRD_ERR_NUMBER, "box_mu, box_e, box_v", "half widths of at least 0");
}

static void read_samples(reader *in, crd_outcome_set *set) {
  size_t samples = (size_t)(set->samples - set->ended[CRD_OUTCOME_MISSING]);
  if (samples < set->samples) { /* interrupted: those that there are, and their numbers */
    set->number = array(in, "number", CRD_H5_INTEGER, 1, &samples, 0);
    set->samples = samples, set->ended[CRD_OUTCOME_MISSING] = 0;
  }
  set->v_plus = array(in, "v_plus", CRD_H5_DOUBLE, 2, &samples, (size_t)set->nv);
  set->lcps = array(in, "lcps", CRD_H5_INT32, 1, &samples, 0);
  set->ending = array(in, "ending", CRD_H5_BYTE, 1, &samples, 0);
  size_t rows = (size_t)set->nrow;
  set->extent = array(in, "extent", CRD_H5_DOUBLE, 2, &rows, 2);
  for (size_t i = 0; in->status == CRD_OK && i < samples; i++) {
    if (set->ending[i] >= CRD_OUTCOME_ENDS) wrong(in, CRD_ERR_FORMAT, "ending", "numbers of ending_name");
    for (int j = 0; j < set->nv && set->ending[i] == CRD_OUTCOME_DONE; j++)
      if (!isfinite(set->v_plus[(size_t)set->nv * i + (size_t)j]))
        wrong(in, CRD_ERR_NUMBER, "v_plus", "finite numbers in samples that are done");
  }
}

static void read_summary(reader *in, crd_outcome_set *set) {
  const int64_t *ended = fixed(in, "ended", CRD_H5_INTEGER, 1, CRD_OUTCOME_ENDS, 0);
  for (int e = 0; e < CRD_OUTCOME_ENDS && in->status == CRD_OK; e++) set->ended[e] = (uint64_t)ended[e];
  if (in->status == CRD_OK && set->ended[CRD_OUTCOME_MISSING] > set->samples)
    wrong(in, CRD_ERR_FORMAT, "ended", "at most all samples missing");
  set->claim = (crd_outcome_claim)choice(in, "claim", CRD_OUTCOME_CLAIMS, claim_name);
  if (set->claim == CRD_OUTCOME_NET) {
    set->net = (crd_outcome_net){.proved = true, .epsilon = number(in, "epsilon"), .delta = number(in, "delta")};
    set->net.psi = number(in, "psi"), set->net.log10_samples = number(in, "log10_samples");
  }
  set->total_lcps = (uint64_t)integer(in, "", "total_lcps", 0, INT64_MAX);
  set->ambiguous_lcps = (uint64_t)integer(in, "", "ambiguous_lcps", 0, INT64_MAX);
  set->ambiguity_known = integer(in, "", "ambiguity_known", 0, 1) == 1;
  set->max_lcps = (uint32_t)integer(in, "", "max_lcps", 0, UINT32_MAX);
  set->at_rest = (uint64_t)integer(in, "", "at_rest", 0, INT64_MAX);
  set->kinetic_before = number(in, "kinetic_before");
  set->energy_ratio = (crd_outcome_range){number(in, "energy_ratio_min"), number(in, "energy_ratio_max")};
}

static void read_set(reader *in) {
  crd_outcome_file *out = in->out;
  crd_outcome_set *set = &out->set[in->index];
  crd_contact_problem *problem = out->problem[in->index] = crd_contact_problem_new();
  if (!problem) {
    no_memory(in);
    return;
  }
  in->arena = &out->arena;
  if (in->sweep) out->value[in->index] = number(in, "value");
  read_problem(in, problem);
  in->arena = &set->arena;
  read_options(in, &set->options);
  read_box(in, &out->box[in->index]);
  set->nv = problem->nv, set->nc = problem->nc, set->nrow = problem->nrow, set->samples = set->options.samples;
  read_summary(in, set);
  read_samples(in, set);
}

/* ------------------------------------------------------------------------------------------------ the file */

static const char *file_text(reader *in, const char *attribute) {
  const char *value = "";
  if (in->status == CRD_OK) in->status = crd_h5_read_text(in->file, "/", attribute, &in->out->arena, &value, in->err);
  return value;
}

static void read_source(reader *in) {
  crd_outcome_source *source = &in->out->source;
  size_t nq = CRD_H5_ANY, nv = CRD_H5_ANY;
  int64_t lenient = 0;
  if (in->status == CRD_OK && strcmp(file_text(in, "cradle"), CRD_OUTCOMES_FORMAT) != 0)
    wrong(in, CRD_ERR_FORMAT, "attribute cradle", CRD_OUTCOMES_FORMAT);
  if (in->status == CRD_OK) in->status = crd_h5_check_seal(in->file, in->err);
  in->out->version = file_text(in, "version");
  source->input = file_text(in, "input");
  const char *parameter = file_text(in, "sweep");
  source->parameter = *parameter ? parameter : NULL;
  if (in->status == CRD_OK) in->status = crd_h5_read_integer(in->file, "/", "lenient", &lenient, in->err);
  source->lenient = lenient != 0;
  if (in->status == CRD_OK)
    in->status = crd_source_h5_read(in->file, in->path, &in->out->arena, &source->nfile, &source->file, in->err);
  if (in->status == CRD_OK)
    in->status = crd_h5_read(in->file, "/state/qpos", CRD_H5_DOUBLE, 1, &nq, &in->out->arena, &source->qpos, in->err);
  if (in->status == CRD_OK)
    in->status = crd_h5_read(in->file, "/state/qvel", CRD_H5_DOUBLE, 1, &nv, &in->out->arena, &source->qvel, in->err);
  if (in->status != CRD_OK) return;
  if (nq > INT32_MAX || nv > INT32_MAX) wrong(in, CRD_ERR_FORMAT, "/state/qpos", "fewer numbers");
  source->nq = (int)nq, source->nv = (int)nv;
}

/* A file without marks has no such datasets. */
static void read_marks(reader *in) {
  crd_outcome_file *out = in->out;
  size_t count = CRD_H5_ANY, nv = out->count > 0 ? (size_t)out->problem[0]->nv : CRD_H5_ANY;
  const char *const *law = NULL, *const *label = NULL;
  const double *v_plus = NULL;
  if (in->status != CRD_OK || !crd_h5_has(in->file, "/mark/law")) return;
  crd_arena *arena = &out->arena;
  in->status = crd_h5_read(in->file, "/mark/law", CRD_H5_TEXT, 1, &count, arena, &law, in->err);
  if (in->status == CRD_OK)
    in->status = crd_h5_read(in->file, "/mark/label", CRD_H5_TEXT, 1, &count, arena, &label, in->err);
  if (in->status == CRD_OK)
    in->status =
        crd_h5_read(in->file, "/mark/v_plus", CRD_H5_DOUBLE, 2, (size_t[]){count, nv}, arena, &v_plus, in->err);
  if (in->status == CRD_OK && count > 100000) wrong(in, CRD_ERR_FORMAT, "/mark/law", "at most 100000 marks");
  if (in->status != CRD_OK) return;
  out->mark = crd_arena_alloc(arena, count + 1, sizeof *out->mark);
  if (!out->mark) no_memory(in);
  for (size_t i = 0; i < count && in->status == CRD_OK; i++) {
    out->mark[i] = (crd_outcome_mark){law[i], label[i], v_plus + nv * i};
    for (size_t k = 0; k < nv; k++)
      if (!isfinite(v_plus[nv * i + k])) wrong(in, CRD_ERR_NUMBER, "/mark/v_plus", "finite numbers");
  }
  out->nmark = (int)count;
}

static int64_t count_sets(reader *in) {
  int64_t count = 1;
  if (in->sweep && in->status == CRD_OK) in->status = crd_h5_read_integer(in->file, "/", "sets", &count, in->err);
  if (in->status == CRD_OK && (count < 0 || count > 10000)) wrong(in, CRD_ERR_FORMAT, "sets", "0 to 10000");
  return in->status == CRD_OK ? count : 0;
}

crd_status crd_io_read_outcomes(const char *path, crd_outcome_file *file, crd_error *err) {
  reader in = {.path = path, .out = file, .err = err};
  *file = (crd_outcome_file){0};
  in.status = crd_h5_open(path, &in.file, err);
  if (in.status != CRD_OK) return in.status;
  read_source(&in);
  in.sweep = file->source.parameter != NULL;
  int64_t count = count_sets(&in);
  const size_t room = (size_t)count + 1;
  if (CRD_TAKE(&file->arena, CRD_ARRAY(file->value, room), CRD_ARRAY(file->problem, room), CRD_ARRAY(file->set, room),
               CRD_ARRAY(file->box, room)))
    no_memory(&in);
  for (; file->count < count && in.status == CRD_OK; file->count++) {
    in.index = file->count;
    read_set(&in);
  }
  read_marks(&in);
  crd_h5_close(in.file);
  if (in.status != CRD_OK) crd_io_outcome_file_free(file);
  return in.status;
}

void crd_io_outcome_file_free(crd_outcome_file *file) {
  for (int i = 0; i < file->count; i++) {
    crd_contact_problem_free(file->problem[i]);
    crd_outcome_free(&file->set[i]);
  }
  crd_arena_free(&file->arena);
  *file = (crd_outcome_file){0};
}
