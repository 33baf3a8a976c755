/* Friction problems from files: shared by the readers. */
#include "io/solve/coulomb_file.h"

#include <math.h>
#include <string.h>

static const double UNIT_ROUNDING = 1e-6; /* of the length of a unit vector that was written with six digits */

void crd_io_coulomb_file_free(crd_coulomb_file *file) {
  crd_arena_free(&file->arena);
  *file = (crd_coulomb_file){0};
}

/* ------------------------------------------------------------------------------------------------ shared parts */

bool crd_coulomb_file_contacts(crd_coulomb_file *file, int d, int ncontact, const double *mu, const double *mu_roll,
                               int nbilateral) {
  crd_coulomb_contact *contact = crd_arena_alloc(&file->arena, (size_t)ncontact + 1, sizeof *contact);
  int *bilateral = crd_arena_alloc(&file->arena, (size_t)nbilateral + 1, sizeof *bilateral);
  if (!contact || !bilateral) return false;
  for (int k = 0; k < ncontact; k++) {
    contact[k] = (crd_coulomb_contact){.row = d * k, .ntangent = d == 2 ? 1 : 2, .nroll = d == 5 ? 2 : 0, .mu = mu[k]};
    if (mu_roll) contact[k].mu_roll = mu_roll[k];
  }
  for (int k = 0; k < nbilateral; k++) bilateral[k] = d * ncontact + k;
  file->problem.n = d * ncontact + nbilateral;
  file->problem.ncontact = ncontact, file->problem.contact = contact;
  file->problem.nbilateral = nbilateral, file->problem.bilateral = bilateral;
  return true;
}

/* First rows of the groups: one for each contact and each single row, in the order of the rows. */
static int *find_groups(crd_arena *arena, const crd_coulomb_problem *problem, int *count) {
  int *first = crd_arena_alloc(arena, (size_t)problem->n + 1, sizeof *first), ngroup = 0;
  if (!first) return NULL;
  for (int k = 0; k < problem->ncontact; k++) {
    const crd_coulomb_contact *contact = &problem->contact[k];
    const int rows = contact->ntangent + contact->nspin + contact->nroll;
    for (int i = 1; i <= rows && contact->row + i < problem->n; i++) first[contact->row + i] = 1; /* goes on */
  }
  for (int i = 0; i < problem->n; i++)
    if (!first[i]) first[ngroup++] = i; /* ngroup <= i: what is overwritten was looked at */
  first[ngroup] = problem->n;
  *count = ngroup;
  return first;
}

static crd_status set_blocks(crd_arena *arena, const crd_entries *matrix, crd_coulomb_problem *problem) {
  int ngroup = 0;
  int *first = find_groups(arena, problem, &ngroup);
  crd_coulomb_blocks *blocks = crd_arena_alloc(arena, 1, sizeof *blocks);
  if (!first || !blocks || !crd_entries_blocks(arena, matrix, ngroup, first, blocks)) return CRD_ERR_MEMORY;
  problem->blocks = blocks;
  return CRD_OK;
}

bool crd_coulomb_file_matrix(crd_coulomb_file *file, const crd_entries *matrix) {
  if (!matrix->whole) return set_blocks(&file->arena, matrix, &file->problem) == CRD_OK;
  const size_t size = (size_t)matrix->rows * (size_t)matrix->cols;
  double *G = crd_arena_alloc(&file->arena, size, sizeof *G);
  if (G) memcpy(G, matrix->whole, size * sizeof *G);
  file->problem.G = G;
  return G;
}

/* Do the pointers (n + 1; NULL: none) ascend from 0 to count? */
static bool are_pointers(int n, const int *pointer, size_t count) {
  if (pointer && (pointer[0] != 0 || (size_t)pointer[n] != count)) return false;
  for (int k = 0; k < n && pointer; k++)
    if (pointer[k] > pointer[k + 1]) return false;
  return true;
}

static bool are_indices(int n, const int *index, size_t count) {
  for (size_t e = 0; e < count; e++)
    if (index[e] < 0 || index[e] >= n) return false;
  return true;
}

crd_status crd_io_coulomb_blocks(crd_arena *arena, crd_sparse_layout layout, size_t count, const int *row,
                                 const int *col, const double *value, crd_coulomb_problem *problem) {
  const int n = problem->n;
  const int *pointer = layout == CRD_SPARSE_ROWS ? row : layout == CRD_SPARSE_COLUMNS ? col : NULL;
  const bool by_rows = layout == CRD_SPARSE_ROWS;
  if (n < 1 || count > INT32_MAX) return CRD_ERR_ARGUMENT;
  for (int k = 0; k < problem->ncontact; k++)
    if (problem->contact[k].row < 0 || problem->contact[k].row >= n) return CRD_ERR_ARGUMENT;
  if (!are_pointers(n, pointer, count)) return CRD_ERR_ARGUMENT;
  if (layout != CRD_SPARSE_ROWS && !are_indices(n, row, count)) return CRD_ERR_ARGUMENT;
  if (layout != CRD_SPARSE_COLUMNS && !are_indices(n, col, count)) return CRD_ERR_ARGUMENT;
  crd_arena scratch = {0};
  crd_entries matrix;
  bool done = crd_entries_alloc(&scratch, n, n, count, &matrix);
  if (done) {
    memcpy(matrix.value, value, count * sizeof *value);
    if (layout != CRD_SPARSE_ROWS) memcpy(matrix.row, row, count * sizeof *row);
    if (layout != CRD_SPARSE_COLUMNS) memcpy(matrix.col, col, count * sizeof *col);
    for (int k = 0; k < n && pointer; k++)
      for (int e = pointer[k]; e < pointer[k + 1]; e++) *(by_rows ? &matrix.row[e] : &matrix.col[e]) = k;
  }
  crd_status status = done ? set_blocks(arena, &matrix, problem) : CRD_ERR_MEMORY;
  crd_arena_free(&scratch);
  return status;
}

/* ------------------------------------------------------------------------------------------------ checks */

static crd_status check_contact(const crd_coulomb_contact *contact, int k, int n, const char *name, crd_error *err) {
  const struct {
    const char *what;
    int value, most;
  } count[] = {{"ntangent", contact->ntangent, 2}, {"nspin", contact->nspin, 1}, {"nroll", contact->nroll, 2}};
  const struct {
    const char *what;
    double value;
  } mu[] = {{"mu", contact->mu}, {"mu_spin", contact->mu_spin}, {"mu_roll", contact->mu_roll}};
  for (int i = 0; i < 3; i++) {
    if (count[i].value < 0 || count[i].value > count[i].most)
      return crd_error_set(err, CRD_ERR_FORMAT, name, 0, "contacts[%d].%s: found %d, expected 0 to %d", k,
                           count[i].what, count[i].value, count[i].most);
    if (!(mu[i].value >= 0) || isinf(mu[i].value))
      return crd_error_set(err, CRD_ERR_NUMBER, name, 0, "contacts[%d].%s: found %g, expected a number of at least 0",
                           k, mu[i].what, mu[i].value);
  }
  const int last = contact->row + contact->ntangent + contact->nspin + contact->nroll;
  if (contact->row < 0 || last >= n)
    return crd_error_set(err, CRD_ERR_MODEL, name, 0, "contacts[%d]: found rows %d to %d, expected rows from 0 to %d",
                         k, contact->row, last, n - 1);
  const double length = hypot(contact->slide[0], contact->ntangent == 2 ? contact->slide[1] : 0);
  if (contact->slides && !(contact->ntangent > 0 && fabs(length - 1) < UNIT_ROUNDING))
    return crd_error_set(err, CRD_ERR_NUMBER, name, 0,
                         "contacts[%d].slide: found a length of %g, expected 1 in the frame of the tangents", k,
                         length);
  return CRD_OK;
}

/* Marks a row as taken. */
static crd_status take_row(unsigned char *taken, int row, int n, const char *what, int k, const char *name,
                           crd_error *err) {
  if (row < 0 || row >= n)
    return crd_error_set(err, CRD_ERR_MODEL, name, 0, "%s[%d]: found row %d, expected 0 to %d", what, k, row, n - 1);
  if (taken[row])
    return crd_error_set(err, CRD_ERR_MODEL, name, 0,
                         "%s[%d]: found row %d, which belongs to another, expected each once", what, k, row);
  taken[row] = 1;
  return CRD_OK;
}

crd_status crd_coulomb_file_check(const crd_coulomb_file *file, const char *name, crd_error *err) {
  const crd_coulomb_problem *problem = &file->problem;
  crd_arena scratch = {0};
  unsigned char *taken = crd_arena_alloc(&scratch, (size_t)problem->n + 1, 1);
  crd_status status = taken ? CRD_OK : crd_error_set(err, CRD_ERR_MEMORY, name, 0, "out of memory");
  for (int k = 0; k < problem->ncontact && !status; k++) {
    const crd_coulomb_contact *contact = &problem->contact[k];
    status = check_contact(contact, k, problem->n, name, err);
    const int rows = 1 + contact->ntangent + contact->nspin + contact->nroll;
    for (int i = 0; i < rows && !status; i++)
      status = take_row(taken, contact->row + i, problem->n, "contacts", k, name, err);
  }
  for (int k = 0; k < problem->nbilateral && !status; k++)
    status = take_row(taken, problem->bilateral[k], problem->n, "bilateral", k, name, err);
  for (int k = 0; k < problem->nbounded && !status; k++) {
    const crd_coulomb_bounded *bounded = &problem->bounded[k];
    if (!(bounded->lower <= bounded->upper))
      status = crd_error_set(err, CRD_ERR_NUMBER, name, 0, "bounded[%d]: found %g as lower and %g as upper bound", k,
                             bounded->lower, bounded->upper);
    if (!status) status = take_row(taken, bounded->row, problem->n, "bounded", k, name, err);
  }
  for (int i = 0; i < problem->n && !status; i++)
    if (!taken[i])
      status = crd_error_set(err, CRD_ERR_MODEL, name, 0,
                             "found row %d in no contact, expected it there, in bilateral or in bounded", i);
  crd_arena_free(&scratch);
  return status;
}
