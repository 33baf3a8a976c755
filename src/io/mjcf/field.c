/* <hfield>: heights from a picture, a binary file or the element itself, scaled to 0..1 and then by `size`, as in
 * MuJoCo. It is read when the first geom that collides needs it. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "io/file/path.h"
#include "io/mesh/bytes.h"
#include "io/mjcf/mjcf.h"
#include "io/mjcf/reader.h"

typedef struct heights {
  int nrow, ncol;
  double *value; /* rows by rising y */
} heights;

void mjcf_add_field(mjcf_reader *reader, crd_xml_node *node) {
  crd_xml_document *doc = reader->doc;
  mjcf_field *field = mjcf_alloc(reader, 1, sizeof *field);
  if (!field) return;
  crd_xml_enter(node);
  for (int i = 0; i < node->nattribute; i++) crd_xml_use(node, node->attribute[i].name);
  *field = (mjcf_field){.node = node, .id = -1};
  const char *name = crd_xml_string(node, "name"), *file = crd_xml_string(node, "file");
  if ((!name || !name[0]) && file) name = mjcf_name_from_file(reader, file);
  if (!name || !name[0]) {
    crd_xml_fail(doc, node, CRD_ERR_FORMAT, "<hfield>: found neither name nor file, expected at least one");
  } else if (crd_name_find(&reader->fields, name)) {
    crd_xml_fail(doc, node, CRD_ERR_FORMAT, "<hfield> name: found '%.100s' again, expected a new name", name);
  } else if (!crd_name_put(&reader->fields, name, field)) {
    crd_xml_fail_memory(doc);
  }
}

/* ------------------------------------------------------------------------------------------------ heights */

/* The first row of a picture is at the far end. */
static void from_picture(mjcf_reader *reader, const crd_xml_node *node, const char *bytes, size_t size, heights *h) {
  double *pixel;
  if (!crd_visual_picture_red(bytes, size, &reader->doc->arena, &h->ncol, &h->nrow, &pixel)) {
    crd_xml_fail(reader->doc, node, CRD_ERR_FILE, "<hfield> file: found a file that cannot be read as PNG, expected %s",
                 "one (and a library built with libpng)");
    return;
  }
  h->value = mjcf_alloc(reader, (size_t)h->nrow * (size_t)h->ncol, sizeof *h->value);
  for (int row = 0; h->value && row < h->nrow; row++)
    memcpy(h->value + (size_t)(h->nrow - 1 - row) * (size_t)h->ncol, pixel + (size_t)row * (size_t)h->ncol,
           (size_t)h->ncol * sizeof *pixel);
}

/* Numbers of rows and columns, then heights as floats. */
static void from_binary(mjcf_reader *reader, const crd_xml_node *node, const char *bytes, size_t size, heights *h) {
  enum { HEAD = 8, FLOAT = 4 };
  const uint64_t rows = size >= HEAD ? crd_bytes_u32(bytes) : 0, cols = size >= HEAD ? crd_bytes_u32(bytes + 4) : 0;
  if (rows == 0 || cols == 0 || rows > INT_MAX || cols > INT_MAX || (size - HEAD) / FLOAT != rows * cols ||
      (size - HEAD) % FLOAT != 0) {
    crd_xml_fail(reader->doc, node, CRD_ERR_FILE,
                 "<hfield> file: found %llu bytes that say %llu x %llu heights, expected 8 + 4 x rows x columns",
                 (unsigned long long)size, (unsigned long long)rows, (unsigned long long)cols);
    return;
  }
  h->nrow = (int)rows, h->ncol = (int)cols;
  h->value = mjcf_alloc(reader, (size_t)(rows * cols), sizeof *h->value);
  for (size_t i = 0; h->value && i < rows * cols; i++) h->value[i] = crd_bytes_float(bytes + HEAD + FLOAT * i);
}

static void from_file(mjcf_reader *reader, const crd_xml_node *node, const char *file, heights *h) {
  static const char signature[] = "\x89PNG";
  char *bytes, *path;
  size_t size;
  if (mjcf_read_asset(reader, node, file, &path, &bytes, &size) != CRD_OK) return;
  if (size >= sizeof signature - 1 && memcmp(bytes, signature, sizeof signature - 1) == 0)
    from_picture(reader, node, bytes, size, h);
  else
    from_binary(reader, node, bytes, size, h);
}

/* As it is seen in the file: the first row is at the far end; without numbers all are 0. */
static void from_element(mjcf_reader *reader, crd_xml_node *node, heights *h) {
  crd_xml_document *doc = reader->doc;
  int count = 0;
  crd_xml_int(doc, node, "nrow", &h->nrow);
  crd_xml_int(doc, node, "ncol", &h->ncol);
  const double *given = crd_xml_has(node, "elevation") ? crd_xml_vector(doc, node, "elevation", &count) : NULL;
  if (!crd_xml_ok(doc)) return;
  if (h->nrow < 1 || h->ncol < 1) {
    crd_xml_fail(doc, node, CRD_ERR_FORMAT,
                 "<hfield>: found nrow %d and ncol %d and no file, expected positive numbers", h->nrow, h->ncol);
    return;
  }
  if (given && (count % h->ncol != 0 || count / h->ncol != h->nrow)) {
    crd_xml_fail(doc, node, CRD_ERR_FORMAT, "<hfield> elevation: found %d numbers, expected nrow x ncol = %d x %d",
                 count, h->nrow, h->ncol);
    return;
  }
  if ((double)h->nrow * h->ncol > INT_MAX / 64) {
    crd_xml_fail(doc, node, CRD_ERR_CAPACITY, "<hfield>: found %d x %d heights, expected %d at most", h->nrow, h->ncol,
                 INT_MAX / 64);
    return;
  }
  h->value = mjcf_alloc(reader, (size_t)h->nrow * (size_t)h->ncol, sizeof *h->value);
  for (int row = 0; h->value && given && row < h->nrow; row++)
    memcpy(h->value + (size_t)(h->nrow - 1 - row) * (size_t)h->ncol, given + (size_t)row * (size_t)h->ncol,
           (size_t)h->ncol * sizeof *given);
}

/* To 0..1 in the precision that MuJoCo keeps them in, then to the height `top`. */
static void scale(heights *h, double top) {
  const size_t n = (size_t)h->nrow * (size_t)h->ncol;
  double least = h->value[0], most = h->value[0];
  for (size_t i = 0; i < n; i++) {
    if (h->value[i] < least) least = h->value[i];
    if (h->value[i] > most) most = h->value[i];
  }
  for (size_t i = 0; i < n; i++) {
    const double share = most > least ? (h->value[i] - least) / (most - least) : 0;
    h->value[i] = top * crd_round_to_float(share);
  }
}

static void read_heights(mjcf_reader *reader, crd_xml_node *node, double top, heights *h) {
  const char *file = crd_xml_string(node, "file");
  if (file && (crd_xml_has(node, "nrow") || crd_xml_has(node, "ncol") || crd_xml_has(node, "elevation"))) {
    crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT, "<hfield>: found a file and heights, expected one of them");
    return;
  }
  if (file)
    from_file(reader, node, file, h);
  else
    from_element(reader, node, h);
  if (!crd_xml_ok(reader->doc) || !h->value) return;
  if (h->nrow < 2 || h->ncol < 2)
    crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT, "<hfield>: found %d x %d heights, expected 2 x 2 at least", h->nrow,
                 h->ncol);
  else
    scale(h, top);
}

static void need_field(mjcf_reader *reader, mjcf_field *field) {
  crd_xml_document *doc = reader->doc;
  double size[4] = {0, 0, 0, 0};
  heights h = {0, 0, NULL};
  mjcf_use_settings(reader, field->node);
  if (crd_xml_numbers(doc, field->node, "size", size, 4, 4) != 4 && crd_xml_ok(doc))
    crd_xml_fail(doc, field->node, CRD_ERR_FORMAT, "<hfield> size: found nothing, expected 4 numbers");
  for (int i = 0; i < 4 && crd_xml_ok(doc); i++)
    if (!(size[i] > 0))
      crd_xml_fail(doc, field->node, CRD_ERR_NUMBER,
                   "<hfield> size: found %g as number %d, expected 4 positive numbers", size[i], i + 1);
  if (crd_xml_ok(doc)) read_heights(reader, field->node, size[2], &h);
  if (!crd_xml_ok(doc) || !h.value) return;
  const crd_mesh_def def = {
      .field = {h.nrow, h.ncol, {size[0], size[1]}, size[3]}, .height = h.value, .line = field->node->place};
  field->id = mjcf_added(reader, crd_model_builder_mesh(reader->builder, &def));
}

int mjcf_need_field(mjcf_reader *reader, const crd_xml_node *node, const char *name) {
  mjcf_field *field = name ? crd_name_find(&reader->fields, name) : NULL;
  if (!name)
    crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT, "<geom>: found type 'hfield' without one, expected its name");
  else if (!field)
    crd_xml_fail(reader->doc, node, CRD_ERR_ARGUMENT, "<geom> hfield: found '%.100s', expected the name of an <hfield>",
                 name);
  else if (field->id < 0)
    need_field(reader, field);
  return field ? field->id : -1;
}
