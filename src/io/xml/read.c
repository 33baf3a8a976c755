/* Typed access to the attributes of the XML tree, and the list of unread parts.
 *
 * Numbers are read in the C locale whatever the program's locale is, and only decimal notation counts: "nan", "inf",
 * hex and values beyond double (1e400) are errors. A message reads: <geom> size: found '1 x', expected 1 to 3 numbers.
 */
#define _GNU_SOURCE /* strncasecmp */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/file/number.h"
#include "io/xml/xml.h"

static const char blanks[] = " \t\r\n\f\v";

bool crd_xml_is(const crd_xml_node *node, const char *name) { return strcmp(node->name, name) == 0; }

static crd_xml_node *named_from(crd_xml_node *node, const char *name) {
  while (node && !crd_xml_is(node, name)) node = node->next;
  return node;
}

crd_xml_node *crd_xml_child(const crd_xml_node *node, const char *name) { return named_from(node->child, name); }
crd_xml_node *crd_xml_next(const crd_xml_node *node) { return named_from(node->next, node->name); }

static crd_xml_attribute *find(const crd_xml_node *node, const char *attribute) {
  for (int i = 0; i < node->nattribute; i++)
    if (strcmp(node->attribute[i].name, attribute) == 0) return node->attribute + i;
  return NULL;
}

void crd_xml_enter(crd_xml_node *node) { node->used = true; }

void crd_xml_warn(crd_xml_node *node, const char *attribute, crd_ignored_kind kind, const char *reason) {
  if (!attribute) {
    node->reason = reason;
    node->kind = kind;
    node->used = false;
    return;
  }
  crd_xml_attribute *found = find(node, attribute);
  if (found) {
    found->reason = reason;
    found->kind = kind;
    found->used = false;
  }
}

void crd_xml_ignore(crd_xml_node *node, const char *attribute, const char *reason) {
  crd_xml_warn(node, attribute, CRD_IGNORED_NO_EFFECT, reason);
}

bool crd_xml_leave_out(crd_xml_document *doc, crd_xml_node *node, const char *attribute, const char *reason,
                       bool lenient) {
  if (lenient) {
    crd_xml_warn(node, attribute, CRD_IGNORED_LEFT_OUT, reason);
    return true;
  }
  crd_xml_fail(doc, node, CRD_ERR_FORMAT,
               "<%s>%s%s: %s, and to leave it out would change the motion (allowed with --lenient)", node->name,
               attribute ? " " : "", attribute ? attribute : "", reason);
  return false;
}

void crd_xml_use(crd_xml_node *node, const char *attribute) { crd_xml_string(node, attribute); }

bool crd_xml_has(const crd_xml_node *node, const char *attribute) { return find(node, attribute) != NULL; }

const char *crd_xml_string(crd_xml_node *node, const char *attribute) {
  crd_xml_attribute *found = find(node, attribute);
  if (!found) return NULL;
  found->used = true;
  return found->value;
}

const char *crd_xml_need(crd_xml_document *doc, crd_xml_node *node, const char *attribute) {
  const char *value = crd_xml_string(node, attribute);
  if (value && value[0]) return value;
  crd_xml_fail(doc, node, CRD_ERR_FORMAT, "<%s>: found no attribute '%s', expected one", node->name, attribute);
  return NULL;
}

static void fail_value(crd_xml_document *doc, const crd_xml_node *node, const char *attribute, crd_status status,
                       const char *found, const char *expected) {
  const char *more = strlen(found) > 60 ? "..." : "";
  crd_xml_fail(doc, node, status, "<%s> %s: found '%.60s%s', expected %s", node->name, attribute, found, more,
               expected);
}

static void describe_count(char *text, size_t size, int min, int max, const char *what) {
  if (min == max) {
    snprintf(text, size, "%d %s%s", min, what, min == 1 ? "" : "s");
  } else if (max == INT_MAX) {
    snprintf(text, size, "%ss", what);
  } else {
    snprintf(text, size, "%d to %d %ss", min, max, what);
  }
}

static int count_words(const char *text) {
  int count = 0;
  for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
    text += strcspn(text, blanks);
    count++;
  }
  return count;
}

typedef enum word_kind { WORD_GOOD, WORD_BAD, WORD_INFINITE } word_kind;

static word_kind read_double(const char *word, size_t length, double *value) {
  if (strspn(word, "0123456789+-.eE") < length) {
    /* strtod and some writers of files take "nan" and "inf" for numbers; here they get a message of their own. */
    const char *first = word + strspn(word, "+-");
    bool special = strncasecmp(first, "nan", 3) == 0 || strncasecmp(first, "inf", 3) == 0;
    return special ? WORD_INFINITE : WORD_BAD;
  }
  if (crd_number_read(word, value) != word + length) return WORD_BAD;
  return isfinite(*value) ? WORD_GOOD : WORD_INFINITE;
}

static word_kind read_int(const char *word, size_t length, int *value) {
  char *end;
  errno = 0;
  long wide = strtol(word, &end, 10);
  if (end != word + length || errno || wide > INT_MAX || wide < INT_MIN) return WORD_BAD;
  *value = (int)wide;
  return WORD_GOOD;
}

/* Reads the words of an attribute into numbers (or ints, where numbers is NULL), between min and max of them. */
static int read_words(crd_xml_document *doc, crd_xml_node *node, const char *attribute, double *numbers, int *ints,
                      int min, int max) {
  const char *text = crd_xml_string(node, attribute);
  if (!text || !crd_xml_ok(doc)) return 0;
  char expected[96];
  describe_count(expected, sizeof expected, min, max, numbers ? "number" : "integer");
  if (strchr(text, ',')) strcat(expected, " with blanks between them, not commas");
  int count = count_words(text);
  if (count < min || count > max) {
    fail_value(doc, node, attribute, CRD_ERR_FORMAT, text, expected);
    return 0;
  }
  word_kind kind = WORD_GOOD;
  const char *word = text;
  for (int i = 0; i < count && kind == WORD_GOOD; i++) {
    word += strspn(word, blanks);
    size_t length = strcspn(word, blanks);
    kind = numbers ? read_double(word, length, numbers + i) : read_int(word, length, ints + i);
    word += length;
  }
  if (kind == WORD_BAD) fail_value(doc, node, attribute, CRD_ERR_FORMAT, text, expected);
  if (kind == WORD_INFINITE) fail_value(doc, node, attribute, CRD_ERR_NUMBER, text, "finite numbers");
  return kind == WORD_GOOD ? count : 0;
}

int crd_xml_numbers(crd_xml_document *doc, crd_xml_node *node, const char *attribute, double *value, int min, int max) {
  double found[16];
  bool small = max <= 16; /* on failure the caller's values stay as they are */
  int count = read_words(doc, node, attribute, small ? found : value, NULL, min, max);
  for (int i = 0; small && i < count; i++) value[i] = found[i];
  return count;
}

bool crd_xml_number(crd_xml_document *doc, crd_xml_node *node, const char *attribute, double *value) {
  return crd_xml_numbers(doc, node, attribute, value, 1, 1) == 1;
}

double *crd_xml_vector(crd_xml_document *doc, crd_xml_node *node, const char *attribute, int *count) {
  const char *text = crd_xml_string(node, attribute);
  if (!text || !crd_xml_ok(doc)) return NULL;
  double *values = crd_arena_alloc(&doc->arena, (size_t)count_words(text) + 1, sizeof *values);
  if (!values) {
    crd_xml_fail_memory(doc);
    return NULL;
  }
  *count = read_words(doc, node, attribute, values, NULL, 0, INT_MAX);
  return crd_xml_ok(doc) ? values : NULL;
}

int crd_xml_ints(crd_xml_document *doc, crd_xml_node *node, const char *attribute, int *value, int min, int max) {
  return read_words(doc, node, attribute, NULL, value, min, max);
}

bool crd_xml_int(crd_xml_document *doc, crd_xml_node *node, const char *attribute, int *value) {
  return read_words(doc, node, attribute, NULL, value, 1, 1) == 1;
}

int *crd_xml_int_vector(crd_xml_document *doc, crd_xml_node *node, const char *attribute, int *count) {
  const char *text = crd_xml_string(node, attribute);
  if (!text || !crd_xml_ok(doc)) return NULL;
  int *values = crd_arena_alloc(&doc->arena, (size_t)count_words(text) + 1, sizeof *values);
  if (!values) {
    crd_xml_fail_memory(doc);
    return NULL;
  }
  *count = read_words(doc, node, attribute, NULL, values, 0, INT_MAX);
  return crd_xml_ok(doc) ? values : NULL;
}

bool crd_xml_keyword(crd_xml_document *doc, crd_xml_node *node, const char *attribute, const char *const *words,
                     int count, int *value) {
  const char *text = crd_xml_string(node, attribute);
  if (!text || !crd_xml_ok(doc)) return false;
  char expected[240] = "";
  size_t used = 0;
  for (int i = 0; i < count; i++) {
    if (strcmp(text, words[i]) == 0) {
      *value = i;
      return true;
    }
    int wrote = snprintf(expected + used, sizeof expected - used, "%s%s",
                         i == 0           ? ""
                         : i == count - 1 ? " or "
                                          : ", ",
                         words[i]);
    if (wrote > 0 && used + (size_t)wrote < sizeof expected) used += (size_t)wrote;
  }
  fail_value(doc, node, attribute, CRD_ERR_FORMAT, text, expected);
  return false;
}

bool crd_xml_bool(crd_xml_document *doc, crd_xml_node *node, const char *attribute, bool *value) {
  static const char *const words[] = {"false", "true"};
  int found;
  if (!crd_xml_keyword(doc, node, attribute, words, 2, &found)) return false;
  *value = found == 1;
  return true;
}
