/* Sets of outcomes to HDF5: samples, what was asked for, and the contact problem they belong to. */
#include <cradle/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/file.h"
#include "io/hdf5/source_h5.h"
#include "io/outcomes/h5.h"
#include "linalg/product.h"

struct crd_outcome_writer {
  crd_h5 *file;
  char *path;
  bool sweep;
  int count;
  crd_status status; /* of failures outside the file */
};

void crd_outcomes_name(char name[128], bool sweep, int index, const char *what) {
  if (sweep) {
    snprintf(name, 128, "/set/%04d%s%s", index, *what ? "/" : "", what);
  } else {
    snprintf(name, 128, "/%s", what);
  }
}

static void write_array(crd_outcome_writer *w, const char *what, crd_h5_kind kind, int rank, size_t rows,
                        size_t columns, const void *value) {
  char name[128];
  crd_outcomes_name(name, w->sweep, w->count, what);
  crd_h5_write(w->file, name, kind, rank, (const size_t[]){rows, columns}, value);
}

/* ------------------------------------------------------------------------------------------------ the problem */

static void pack_contact(const crd_contact *contact, double *number, int64_t *integer, double *frame) {
  const double numbers[CRD_OUTCOME_NUMBERS] = {contact->mu, contact->mu_static, contact->e, contact->e_t, contact->gap};
  const int64_t integers[CRD_OUTCOME_INTEGERS] = {contact->row, contact->ntangent, contact->body1, contact->body2,
                                                  contact->npoint};
  memcpy(number, numbers, sizeof numbers);
  memcpy(integer, integers, sizeof integers);
  memcpy(frame, contact->point, 3 * sizeof *frame);
  memcpy(frame + 3, contact->normal, 3 * sizeof *frame);
  memcpy(frame + 6, contact->tangent, 6 * sizeof *frame);
}

static void write_contacts(crd_outcome_writer *w, const crd_contact_problem *problem) {
  size_t nc = (size_t)problem->nc;
  double *number = calloc(nc + 1, CRD_OUTCOME_NUMBERS * sizeof *number);
  double *frame = calloc(nc + 1, CRD_OUTCOME_FRAME * sizeof *frame);
  int64_t *integer = calloc(nc + 1, CRD_OUTCOME_INTEGERS * sizeof *integer);
  const char **name = calloc(nc + 1, sizeof *name);
  if (number && frame && integer && name) {
    for (size_t c = 0; c < nc; c++) {
      name[c] = problem->contact[c].name;
      pack_contact(&problem->contact[c], number + CRD_OUTCOME_NUMBERS * c, integer + CRD_OUTCOME_INTEGERS * c,
                   frame + CRD_OUTCOME_FRAME * c);
    }
    write_array(w, "problem/contact_name", CRD_H5_TEXT, 1, nc, 0, name);
    write_array(w, "problem/contact_numbers", CRD_H5_DOUBLE, 2, nc, CRD_OUTCOME_NUMBERS, number);
    write_array(w, "problem/contact_integers", CRD_H5_INTEGER, 2, nc, CRD_OUTCOME_INTEGERS, integer);
    write_array(w, "problem/contact_frame", CRD_H5_DOUBLE, 2, nc, CRD_OUTCOME_FRAME, frame);
  } else {
    w->status = CRD_ERR_MEMORY;
  }
  free(number), free(frame), free(integer), free(name);
}

static void write_problem(crd_outcome_writer *w, const crd_contact_problem *problem) {
  size_t nv = (size_t)problem->nv, rows = (size_t)(problem->nrow + problem->nb);
  char name[128];
  write_array(w, "problem/M", CRD_H5_DOUBLE, 2, nv, nv, problem->M);
  write_array(w, "problem/J", CRD_H5_DOUBLE, 2, rows, nv, problem->J);
  write_array(w, "problem/W", CRD_H5_DOUBLE, 2, rows, rows, problem->W);
  write_array(w, "problem/v", CRD_H5_DOUBLE, 1, nv, 0, problem->v);
  write_array(w, "problem/impulse", CRD_H5_DOUBLE, 1, nv, 0, problem->impulse);
  write_contacts(w, problem);
  crd_outcomes_name(name, w->sweep, w->count, "problem");
  crd_h5_attribute_integer(w->file, name, "bilateral", problem->nb);
  crd_h5_attribute_text(w->file, name, "contact_numbers", CRD_OUTCOME_NUMBER_NAMES);
  crd_h5_attribute_text(w->file, name, "contact_integers", CRD_OUTCOME_INTEGER_NAMES);
  crd_h5_attribute_text(w->file, name, "contact_frame", CRD_OUTCOME_FRAME_NAMES);
}

/* ------------------------------------------------------------------------------------------------ the samples */

/* The next samples from *from on that were computed, one behind the other; 0: there are no more. */
static size_t next_run(const crd_outcome_set *set, uint64_t *from) {
  while (*from < set->samples && set->ending[*from] == CRD_OUTCOME_MISSING) ++*from;
  size_t count = 0;
  while (*from + count < set->samples && set->ending[*from + count] != CRD_OUTCOME_MISSING) count++;
  return count;
}

/* A table with one row for each computed sample: `columns` values of `size` bytes each. */
static void write_computed(crd_outcome_writer *w, const char *what, crd_h5_kind kind, size_t size, int columns,
                           const crd_outcome_set *set, const void *value) {
  char name[128];
  const int64_t rows = (int64_t)(set->samples - set->ended[CRD_OUTCOME_MISSING]);
  const size_t row = size * (size_t)(columns ? columns : 1);
  crd_outcomes_name(name, w->sweep, w->count, what);
  const int table = crd_h5_table(w->file, name, kind, rows, columns);
  uint64_t from = 0;
  for (size_t count; (count = next_run(set, &from)) > 0; from += count)
    crd_h5_append(w->file, table, count, (const char *)value + row * from);
}

/* Which samples there are, where some are missing. */
static void write_numbers(crd_outcome_writer *w, const crd_outcome_set *set) {
  if (set->ended[CRD_OUTCOME_MISSING] == 0) return;
  int64_t *number = calloc((size_t)set->samples + 1, sizeof *number);
  for (uint64_t i = 0; number && i < set->samples; i++)
    number[i] = (int64_t)(set->number ? set->number[i] : set->options.first + i);
  if (number) write_computed(w, "number", CRD_H5_INTEGER, sizeof *number, 0, set, number);
  if (!number) w->status = CRD_ERR_MEMORY;
  free(number);
}

/* Contact velocities J v+ of all samples, in parts. */
static void write_contact_velocities(crd_outcome_writer *w, const crd_contact_problem *problem,
                                     const crd_outcome_set *set) {
  enum { PART = 4096 };
  char name[128];
  size_t nv = (size_t)set->nv, nrow = (size_t)set->nrow;
  double *u = malloc(sizeof *u * nrow * PART + 1);
  crd_outcomes_name(name, w->sweep, w->count, "u_plus");
  int table =
      crd_h5_table(w->file, name, CRD_H5_DOUBLE, (int64_t)(set->samples - set->ended[CRD_OUTCOME_MISSING]), set->nrow);
  if (!u) w->status = CRD_ERR_MEMORY;
  uint64_t from = 0;
  for (size_t run; u && (run = next_run(set, &from)) > 0;) {
    const int count = run < PART ? (int)run : PART;
    crd_dense_multiply_nt(count, set->nv, set->nrow, set->v_plus + nv * from, problem->J, u);
    crd_h5_append(w->file, table, (size_t)count, u);
    from += (uint64_t)count;
  }
  free(u);
}

static void write_samples(crd_outcome_writer *w, const crd_contact_problem *problem, const crd_outcome_set *set) {
  write_computed(w, "v_plus", CRD_H5_DOUBLE, sizeof *set->v_plus, set->nv, set, set->v_plus);
  write_contact_velocities(w, problem, set);
  write_computed(w, "lcps", CRD_H5_INT32, sizeof *set->lcps, 0, set, set->lcps);
  write_computed(w, "ending", CRD_H5_BYTE, 1, 0, set, set->ending);
  write_numbers(w, set);
}

static void write_options(crd_h5 *file, const char *object, const crd_outcome_options *o) {
  crd_h5_attribute_number(file, object, "h", o->h);
  crd_h5_attribute_integer(file, object, "steps", o->steps);
  crd_h5_attribute_integer(file, object, "samples", (int64_t)o->samples);
  crd_h5_attribute_integer(file, object, "first", (int64_t)o->first);
  crd_h5_attribute_integer(file, object, "seed", (int64_t)o->seed);
  crd_h5_attribute_integer(file, object, "facets", o->facets);
  crd_h5_attribute_integer(file, object, "max_modes", o->max_modes);
  crd_h5_attribute_integer(file, object, "restitution", o->restitution);
  crd_h5_attribute_number(file, object, "tolerance", o->tolerance);
  crd_h5_attribute_text(file, object, "pattern", crd_outcome_pattern_name(o->pattern));
  crd_h5_attribute_text(file, object, "selection", crd_outcome_selection_name(o->selection));
}

/* Without a box there are no such attributes. */
static void write_box(crd_h5 *file, const char *object, const crd_outcome_box *box) {
  if (!box) return;
  crd_h5_attribute_number(file, object, "box_mu", box->mu);
  crd_h5_attribute_number(file, object, "box_e", box->e);
  crd_h5_attribute_number(file, object, "box_v", box->v);
  crd_h5_attribute_integer(file, object, "box_draws", box->draws);
}

static void write_summary(crd_outcome_writer *w, const char *object, const crd_outcome_set *set) {
  crd_h5 *file = w->file;
  int64_t ended[CRD_OUTCOME_ENDS];
  const char *ending[CRD_OUTCOME_ENDS];
  for (int e = 0; e < CRD_OUTCOME_ENDS; e++) {
    ended[e] = (int64_t)set->ended[e];
    ending[e] = crd_outcome_end_name((crd_outcome_end)e);
  }
  write_array(w, "ended", CRD_H5_INTEGER, 1, CRD_OUTCOME_ENDS, 0, ended);
  write_array(w, "ending_name", CRD_H5_TEXT, 1, CRD_OUTCOME_ENDS, 0, ending);
  write_array(w, "extent", CRD_H5_DOUBLE, 2, (size_t)set->nrow, 2, set->extent);
  crd_h5_attribute_text(file, object, "claim", crd_outcome_claim_name(set->claim));
  if (set->claim == CRD_OUTCOME_NET) {
    crd_h5_attribute_number(file, object, "epsilon", set->net.epsilon);
    crd_h5_attribute_number(file, object, "delta", set->net.delta);
    crd_h5_attribute_number(file, object, "psi", set->net.psi);
    crd_h5_attribute_number(file, object, "log10_samples", set->net.log10_samples);
  }
  crd_h5_attribute_integer(file, object, "total_lcps", (int64_t)set->total_lcps);
  crd_h5_attribute_integer(file, object, "ambiguous_lcps", (int64_t)set->ambiguous_lcps);
  crd_h5_attribute_integer(file, object, "ambiguity_known", set->ambiguity_known);
  crd_h5_attribute_integer(file, object, "max_lcps", (int64_t)set->max_lcps);
  crd_h5_attribute_integer(file, object, "at_rest", (int64_t)set->at_rest);
  crd_h5_attribute_number(file, object, "kinetic_before", set->kinetic_before);
  crd_h5_attribute_number(file, object, "energy_ratio_min", set->energy_ratio.min);
  crd_h5_attribute_number(file, object, "energy_ratio_max", set->energy_ratio.max);
}

/* ------------------------------------------------------------------------------------------------ the file */

static void write_source(crd_outcome_writer *w, const crd_outcome_source *source) {
  crd_h5 *file = w->file;
  crd_h5_attribute_text(file, "/", "cradle", CRD_OUTCOMES_FORMAT);
  crd_h5_attribute_text(file, "/", "version", crd_version());
  crd_h5_attribute_text(file, "/", "input", source->input);
  crd_h5_attribute_text(file, "/", "sweep", source->parameter ? source->parameter : "");
  crd_h5_attribute_integer(file, "/", "lenient", source->lenient);
  if (!crd_source_h5_write(file, source->nfile, source->file)) w->status = CRD_ERR_MEMORY;
  const size_t nq = (size_t)source->nq, nv = (size_t)source->nv;
  crd_h5_write(file, "/state/qpos", CRD_H5_DOUBLE, 1, &nq, source->qpos);
  crd_h5_write(file, "/state/qvel", CRD_H5_DOUBLE, 1, &nv, source->qvel);
}

crd_status crd_io_outcomes_create(const char *path, const crd_outcome_source *source, crd_outcome_writer **writer,
                                  crd_error *err) {
  *writer = NULL;
  crd_outcome_writer *w = calloc(1, sizeof *w);
  char *copy = malloc(strlen(path) + 1);
  if (!w || !copy) {
    free(w), free(copy);
    return crd_error_set(err, CRD_ERR_MEMORY, path, 0, "no memory to write the file");
  }
  w->path = strcpy(copy, path), w->sweep = source->parameter != NULL;
  crd_status status = crd_h5_create(path, &w->file, err);
  if (status != CRD_OK) {
    free(copy), free(w);
    return status;
  }
  write_source(w, source);
  *writer = w;
  return CRD_OK;
}

void crd_io_outcomes_add(crd_outcome_writer *w, const crd_outcome_record *record) {
  char object[128];
  if (w->status != CRD_OK) return;
  if (!record->problem->M || !record->problem->J || (!w->sweep && w->count > 0) ||
      record->set->nv != record->problem->nv || record->set->nrow != record->problem->nrow) {
    w->status = CRD_ERR_ARGUMENT;
    return;
  }
  crd_outcomes_name(object, w->sweep, w->count, "");
  if (w->sweep) {
    crd_h5_group(w->file, object);
    crd_h5_attribute_number(w->file, object, "value", record->value);
  }
  write_options(w->file, object, &record->set->options);
  write_box(w->file, object, record->box);
  write_summary(w, object, record->set);
  write_problem(w, record->problem);
  write_samples(w, record->problem, record->set);
  w->count++;
}

void crd_io_outcomes_mark(crd_outcome_writer *w, int nmark, const crd_outcome_mark *mark, int nv) {
  const size_t size[] = {(size_t)nmark, (size_t)nv};
  if (w->status != CRD_OK || nmark == 0) return;
  const char **law = calloc(size[0], sizeof *law), **label = calloc(size[0], sizeof *label);
  double *v_plus = calloc(size[0] * size[1] + 1, sizeof *v_plus);
  if (law && label && v_plus) {
    for (size_t i = 0; i < size[0]; i++) {
      law[i] = mark[i].law, label[i] = mark[i].label;
      memcpy(v_plus + size[1] * i, mark[i].v_plus, sizeof *v_plus * size[1]);
    }
    crd_h5_write(w->file, "/mark/law", CRD_H5_TEXT, 1, size, law);
    crd_h5_write(w->file, "/mark/label", CRD_H5_TEXT, 1, size, label);
    crd_h5_write(w->file, "/mark/v_plus", CRD_H5_DOUBLE, 2, size, v_plus);
  } else {
    w->status = CRD_ERR_MEMORY;
  }
  free(law), free(label), free(v_plus);
}

crd_status crd_io_outcomes_commit(crd_outcome_writer *w, crd_error *err) {
  crd_status status = w->status;
  if (!w->sweep && w->count != 1 && status == CRD_OK) status = CRD_ERR_ARGUMENT;
  if (status == CRD_OK) {
    if (w->sweep) crd_h5_attribute_integer(w->file, "/", "sets", w->count);
    status = crd_h5_commit(w->file, err);
  } else {
    crd_h5_discard(w->file);
    crd_error_set(err, status, w->path, 0,
                  status == CRD_ERR_MEMORY ? "no memory to write the file"
                                           : "found a set without its problem's M and J, or not exactly one set");
  }
  free(w->path), free(w);
  return status;
}

void crd_io_outcomes_discard(crd_outcome_writer *w) {
  if (!w) return;
  crd_h5_discard(w->file);
  free(w->path), free(w);
}

crd_status crd_io_write_outcomes(const char *path, const crd_outcome_source *source, const crd_contact_problem *problem,
                                 const crd_outcome_set *set, crd_error *err) {
  crd_outcome_writer *writer;
  crd_outcome_source single = *source;
  single.parameter = NULL;
  crd_status status = crd_io_outcomes_create(path, &single, &writer, err);
  if (status != CRD_OK) return status;
  crd_io_outcomes_add(writer, &(crd_outcome_record){.problem = problem, .set = set});
  return crd_io_outcomes_commit(writer, err);
}
