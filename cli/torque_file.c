#include "torque_file.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
  torque_file *file;
  const crd_model *model;
  const char *name;
  int line;
  crd_error *err;
  int *target;
  double *t, *value;
} reader;

/* The next field of a line, blanks around it cut off; *line moves behind its comma, to NULL after the last. */
static char *next_field(char **line) {
  char *field = *line, *comma = strchr(field, ',');
  *line = comma ? comma + 1 : NULL;
  if (comma) *comma = 0;
  while (isspace((unsigned char)*field)) field++;
  size_t length = strlen(field);
  while (length > 0 && isspace((unsigned char)field[length - 1])) field[--length] = 0;
  return field;
}

static bool is_number(const char *field, double *value) {
  char *end;
  *value = strtod(field, &end);
  return end != field && !*end;
}

static crd_status no_memory(reader *in) {
  return crd_error_set(in->err, CRD_ERR_MEMORY, in->name, in->line, "no memory for the torque file");
}

/* Meaning of a column title. */
static crd_status find_target(reader *in, const char *title, int *target) {
  const crd_model *model = in->model;
  for (int i = 0; i < model->nactuator; i++)
    if (model->actuator[i].name[0] && strcmp(model->actuator[i].name, title) == 0) return *target = i, CRD_OK;
  int joint = crd_model_find_joint(model, title);
  if (joint >= 0 && model->joint[joint].nv == 1) return *target = -1 - model->joint[joint].v, CRD_OK;
  const char *digits = strncmp(title, "tau", 3) == 0 ? title + 3 + (title[3] == '_') : "";
  char *end;
  long index = strtol(digits, &end, 10);
  if (isdigit((unsigned char)digits[0]) && !*end && index >= 1 && index <= model->nv)
    return *target = -1 - (int)(index - 1), CRD_OK;
  return crd_error_set(in->err, CRD_ERR_ARGUMENT, in->name, in->line,
                       "found the title '%.60s', expected an actuator, a hinge or slide joint, or tau1 to tau%d", title,
                       model->nv);
}

static crd_status take_titles(reader *in, char *line) {
  torque_file *file = in->file;
  const char *first = next_field(&line);
  if (strcmp(first, "t") != 0)
    return crd_error_set(in->err, CRD_ERR_FORMAT, in->name, in->line, "found the title '%.60s', expected t first",
                         first);
  while (line) {
    crd_status status = find_target(in, next_field(&line), &in->target[file->columns]);
    if (status) return status;
    for (int i = 0; i < file->columns; i++)
      if (in->target[i] == in->target[file->columns])
        return crd_error_set(in->err, CRD_ERR_FORMAT, in->name, in->line,
                             "columns %d and %d drive the same, expected each once", i + 2, file->columns + 2);
    file->columns++;
  }
  if (file->columns == 0)
    return crd_error_set(in->err, CRD_ERR_FORMAT, in->name, in->line, "found t alone, expected at least one column");
  return CRD_OK;
}

static void use_velocities(reader *in) {
  for (int i = 0; i < in->model->nv; i++) in->target[i] = -1 - i;
  in->file->columns = in->model->nv;
}

static crd_status take_numbers(reader *in, char *line) {
  torque_file *file = in->file;
  double *row = in->value + file->rows * (size_t)file->columns;
  for (int i = -1; i < file->columns || line; i++) {
    if (!line || i >= file->columns) {
      int found = i + 1;
      for (; line; found++) next_field(&line);
      return crd_error_set(in->err, CRD_ERR_FORMAT, in->name, in->line,
                           "found %d numbers, expected %d (t and %d columns)", found, file->columns + 1, file->columns);
    }
    const char *field = next_field(&line);
    double value;
    if (!is_number(field, &value) || !isfinite(value))
      return crd_error_set(in->err, isnan(value) || isinf(value) ? CRD_ERR_NUMBER : CRD_ERR_FORMAT, in->name, in->line,
                           "found '%.60s' in column %d, expected a finite number", field, i + 2);
    *(i < 0 ? &in->t[file->rows] : &row[i]) = value;
  }
  if (file->rows > 0 && !(in->t[file->rows] > in->t[file->rows - 1]))
    return crd_error_set(in->err, CRD_ERR_FORMAT, in->name, in->line,
                         "found time %g after %g, expected ascending times", in->t[file->rows], in->t[file->rows - 1]);
  file->rows++;
  return CRD_OK;
}

static bool is_numeric_line(const char *line) {
  char *end;
  strtod(line, &end);
  return end != line && (*end == ',' || isspace((unsigned char)*end) || !*end);
}

static crd_status take_line(reader *in, char *line) {
  torque_file *file = in->file;
  line += strspn(line, " \t\r");
  if (!*line || *line == '#') return CRD_OK;
  if (file->columns == 0 && !is_numeric_line(line)) return take_titles(in, line);
  if (file->columns == 0) use_velocities(in);
  return take_numbers(in, line);
}

/* Room for the most rows and columns that the text can hold. */
static crd_status take_memory(reader *in, const char *text) {
  size_t lines = 1, commas = 0;
  for (const char *at = text; *at; at++) lines += *at == '\n', commas += *at == ',';
  crd_arena *arena = &in->file->arena;
  const size_t columns = commas + (size_t)in->model->nv + 1;
  in->target = crd_arena_alloc(arena, columns, sizeof *in->target);
  in->t = crd_arena_alloc(arena, lines + 1, sizeof *in->t);
  in->value = crd_arena_alloc(arena, commas + columns, sizeof *in->value);
  return in->target && in->t && in->value ? CRD_OK : no_memory(in);
}

crd_status torque_file_read(torque_file *file, const char *text, const char *name, const crd_model *model,
                            crd_error *err) {
  *file = (torque_file){0};
  reader in = {.file = file, .model = model, .name = name, .err = err};
  crd_status status = take_memory(&in, text);
  char *copy = status ? NULL : crd_arena_string(&file->arena, text);
  if (!status && !copy) status = no_memory(&in);
  for (char *line = copy; !status && line;) {
    char *end = strchr(line, '\n');
    if (end) *end = 0;
    in.line++;
    status = take_line(&in, line);
    line = end ? end + 1 : NULL;
  }
  if (!status && file->rows == 0)
    status = crd_error_set(err, CRD_ERR_FORMAT, name, in.line, "found no line of numbers, expected at least one");
  file->target = in.target, file->t = in.t, file->value = in.value;
  return status;
}

void torque_file_free(torque_file *file) {
  crd_arena_free(&file->arena);
  *file = (torque_file){0};
}

size_t torque_file_row(const torque_file *file, double t) {
  size_t low = 0, high = file->rows; /* rows before low are over at t, those from high on are not */
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (file->t[middle] <= t)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void torque_file_apply(const torque_file *file, size_t row, double t, double *ctrl, double *tau) {
  if (row == 0) return;
  const double *a = file->value + (row - 1) * (size_t)file->columns, *b = a + file->columns;
  const bool between = file->linear && row < file->rows;
  const double share = between ? (t - file->t[row - 1]) / (file->t[row] - file->t[row - 1]) : 0;
  for (int i = 0; i < file->columns; i++) {
    const double value = between ? a[i] + share * (b[i] - a[i]) : a[i];
    if (file->target[i] >= 0) {
      ctrl[file->target[i]] += value;
    } else {
      tau[-1 - file->target[i]] += value;
    }
  }
}
