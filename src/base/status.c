/* Names of the status codes and the error report: file, line, text. */
#include <cradle/base.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"

const char *crd_status_text(crd_status status) {
  switch (status) {
    case CRD_OK: return "ok";
    case CRD_ERR_ARGUMENT: return "bad argument";
    case CRD_ERR_MEMORY: return "out of memory";
    case CRD_ERR_CAPACITY: return "capacity exceeded";
    case CRD_ERR_FILE: return "file error";
    case CRD_ERR_FORMAT: return "bad file format";
    case CRD_ERR_MODEL: return "bad model";
    case CRD_ERR_NUMBER: return "not a finite number";
    case CRD_STOPPED: return "stopped";
    case CRD_RAY: return "ray";
    case CRD_LIMIT: return "limit";
    case CRD_NO_SOLUTION: return "no solution";
    case CRD_SINGULAR: return "singular";
    case CRD_UNKNOWN: return "unknown";
  }
  return "undefined status";
}

crd_status crd_error_set(crd_error *err, crd_status status, const char *file, int line, const char *format, ...) {
  if (!err) return status;
  err->status = status;
  err->line = line;
  snprintf(err->file, sizeof err->file, "%s", file ? file : "");
  va_list args;
  va_start(args, format);
  crd_vprint(err->text, sizeof err->text, format, args);
  va_end(args);
  return status;
}

void crd_error_format(const crd_error *err, char *buffer, size_t size) {
  if (err->file[0] && err->line > 0) {
    snprintf(buffer, size, "%s:%d: %s", err->file, err->line, err->text);
  } else if (err->file[0]) {
    snprintf(buffer, size, "%s: %s", err->file, err->text);
  } else {
    snprintf(buffer, size, "%s", err->text);
  }
}

/* A number as text. */
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char *crd_version(void) {
  return TEXT(CRD_VERSION_MAJOR) "." TEXT(CRD_VERSION_MINOR) "." TEXT(CRD_VERSION_PATCH);
}

int crd_version_number(void) { return CRD_VERSION_NUMBER; }
