/* Complementarity and friction problems from files: which format it is. */
#include <string.h>

#include "io/file/path.h"
#include "io/solve/coulomb_file.h"
#include "io/solve/lcp_file.h"
#include "io/solve/siconos_file.h"

void crd_io_lcp_file_free(crd_lcp_file *file) {
  crd_arena_free(&file->arena);
  *file = (crd_lcp_file){0};
}

static crd_status read_json(const char *text, size_t size, const char *name, crd_lcp_file *lcp,
                            crd_coulomb_file *coulomb, crd_error *err) {
  json_error_t where;
  json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &where);
  if (!root)
    return crd_error_set(err, CRD_ERR_FORMAT, name, where.line > 0 ? where.line : 0, "not JSON: %s", where.text);
  const char *format = json_string_value(json_object_get(root, "cradle"));
  const bool is_lcp = format && strncmp(format, "lcp/", 4) == 0;
  const bool is_coulomb = format && strncmp(format, "coulomb-problem/", 16) == 0;
  const bool is_island = !format && json_object_get(root, "contacts") && json_object_get(root, "dry");
  crd_status status;
  if (is_lcp && !lcp)
    status = crd_error_set(err, CRD_ERR_FORMAT, name, 0, "found an LCP, expected a friction problem");
  else if ((is_coulomb || is_island) && !coulomb)
    status = crd_error_set(err, CRD_ERR_FORMAT, name, 0, "found a friction problem, expected an LCP or MLCP");
  else if (is_coulomb)
    status = crd_coulomb_file_json(root, name, coulomb, err);
  else if (is_island)
    status = crd_coulomb_file_island(root, name, coulomb, err);
  else if (is_lcp)
    status = crd_lcp_file_json(root, name, lcp, err);
  else
    status = crd_error_set(err, CRD_ERR_FORMAT, name, 0,
                           "cradle: found %s%s%s, expected \"lcp/1\" or "
                           "\"coulomb-problem/1\"",
                           format ? "\"" : "", format ? format : "nothing", format ? "\"" : "");
  json_decref(root);
  return status;
}

/* The given line (from 1) of the text. */
static crd_status find_line(const char **text, size_t *size, int line, const char *name, crd_error *err) {
  const char *at = *text, *end = *text + *size;
  int here = 1;
  for (; here < line && at < end; here++) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    at = stop ? stop + 1 : end;
  }
  if (at == end)
    return crd_error_set(err, CRD_ERR_FORMAT, name, 0, "found %d lines, expected a problem on line %d", here - 1, line);
  const char *stop = memchr(at, '\n', (size_t)(end - at));
  *text = at, *size = (size_t)((stop ? stop : end) - at);
  return CRD_OK;
}

static crd_status read_text(const char *text, size_t size, const char *name, int line, crd_lcp_file *lcp,
                            crd_coulomb_file *coulomb, crd_error *err) {
  if (lcp) crd_io_lcp_file_free(lcp);
  if (coulomb) crd_io_coulomb_file_free(coulomb);
  crd_status status = line > 0 ? find_line(&text, &size, line, name, err) : CRD_OK;
  if (status) return status;
  size_t start = 0;
  while (start < size && text[start] && strchr(" \t\r\n", text[start])) start++;
  if (start < size && text[start] == '{') {
    status = read_json(text, size, name, lcp, coulomb, err);
    if (status && err && line > 0) err->line = line;
  } else if (memchr(text, 0, size)) {
    status = crd_error_set(err, CRD_ERR_FORMAT, name, 0, "found a zero byte, expected text");
  } else {
    crd_arena scratch = {0};
    char *copy = crd_arena_alloc(&scratch, size + 1, 1); /* terminated */
    if (copy) memcpy(copy, text, size);
    status = copy ? crd_siconos_read(copy, name, lcp, coulomb, err)
                  : crd_error_set(err, CRD_ERR_MEMORY, name, 0, "out of memory");
    crd_arena_free(&scratch);
  }
  if (status && lcp) crd_io_lcp_file_free(lcp);
  if (status && coulomb) crd_io_coulomb_file_free(coulomb);
  return status;
}

static crd_status read_path(const char *path, int line, crd_lcp_file *lcp, crd_coulomb_file *coulomb, crd_error *err) {
  static const char HDF5[8] = "\x89HDF\r\n\x1a\n";
  crd_arena arena = {0};
  char *text;
  size_t size;
  crd_status status = crd_path_read(&arena, path, &text, &size, err);
  if (!status && coulomb && size >= sizeof HDF5 && memcmp(text, HDF5, sizeof HDF5) == 0) {
    crd_io_coulomb_file_free(coulomb);
    status = crd_coulomb_file_fclib(path, coulomb, err);
    if (status) crd_io_coulomb_file_free(coulomb);
  } else if (!status) {
    status = read_text(text, size, path, line, lcp, coulomb, err);
  }
  crd_arena_free(&arena);
  return status;
}

crd_status crd_io_read_lcp(const char *path, crd_lcp_file *file, crd_error *err) {
  return read_path(path, 0, file, NULL, err);
}

crd_status crd_io_read_lcp_text(const char *text, size_t size, const char *name, crd_lcp_file *file, crd_error *err) {
  return read_text(text, size, name, 0, file, NULL, err);
}

crd_status crd_io_read_coulomb(const char *path, int line, crd_coulomb_file *file, crd_error *err) {
  return read_path(path, line, NULL, file, err);
}

crd_status crd_io_read_coulomb_text(const char *text, size_t size, const char *name, int line, crd_coulomb_file *file,
                                    crd_error *err) {
  return read_text(text, size, name, line, NULL, file, err);
}

crd_status crd_io_read_lcp_or_coulomb(const char *path, int line, crd_lcp_file *lcp, crd_coulomb_file *coulomb,
                                      crd_error *err) {
  return read_path(path, line, lcp, coulomb, err);
}
