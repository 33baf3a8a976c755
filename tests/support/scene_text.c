#include "support/scene_text.h"

#include <cradle/io.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"

enum { WORD = 200, VALUE = 20000 }; /* characters of a name and of a value, ends included */

typedef struct change {
  char element[WORD], attribute[WORD], value[VALUE];
} change;

static char *read_scene(const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/scenes/%s.xml", CRADLE_SOURCE_DIR, name);
  FILE *file = fopen(path, "rb");
  if (!file) fail_msg("%s: no such scene", path);
  fseek(file, 0, SEEK_END);
  size_t size = (size_t)ftell(file);
  char *text = calloc(size + 1, 1);
  rewind(file);
  assert_true(text && fread(text, 1, size, file) == size);
  fclose(file);
  return text;
}

/* The opening of a tag ("<geom") that bears the name, or that is of this tag; the comment at the head is passed over. */
static char *find_element(char *text, const char *element, bool by_name) {
  char name[WORD + 10];
  size_t length = strlen(element);
  snprintf(name, sizeof name, " name=\"%s\"", element);
  for (char *tag = text; (tag = strchr(tag, '<')); tag++) {
    char *found = by_name ? strstr(tag, name) : NULL;
    if (by_name && found && found < strchr(tag, '>')) return tag;
    if (!by_name && !strncmp(tag + 1, element, length) && !isalnum((unsigned char)tag[1 + length])) return tag;
  }
  return NULL;
}

/* The text with bytes [from, to) replaced. */
static char *replace(char *text, const char *from, const char *to, const char *by) {
  size_t head = (size_t)(from - text), size = strlen(text) + strlen(by) + 1;
  char *changed = calloc(size, 1);
  assert_non_null(changed);
  snprintf(changed, size, "%.*s%s%s", (int)head, text, by, to);
  free(text);
  return changed;
}

static char *apply(char *text, const change *c, const char *spec) {
  char *tag = find_element(text, c->element, true), key[WORD + 10], all[WORD + VALUE + 10] = "";
  if (!tag) tag = find_element(text, c->element, false);
  if (!tag) fail_msg("%s: there is no element %s", spec, c->element);
  snprintf(key, sizeof key, " %s=\"", c->attribute);
  if (*c->value) snprintf(all, sizeof all, " %s=\"%s\"", c->attribute, c->value);
  char *end = strchr(tag, '>'), *old = strstr(tag, key);
  if (old && old < end) return replace(text, old, strchr(old + strlen(key), '"') + 1, all);
  if (end[-1] == '/') end--;
  return replace(text, end, end, all);
}

char *scene_text(const char *spec) {
  size_t length = strcspn(spec, ":");
  char name[WORD];
  snprintf(name, sizeof name, "%.*s", (int)length, spec);
  char *text = read_scene(name);
  const char *rest = spec[length] ? spec + length + 1 : "";
  while (*rest) {
    change c = {0};
    int used = 0;
    if (sscanf(rest, " %199[^.;=].%199[^;=]=%n", c.element, c.attribute, &used) != 2 || !used)
      fail_msg("%s: found \"%s\", expected element.attribute=value", spec, rest);
    rest += used;
    snprintf(c.value, sizeof c.value, "%.*s", (int)strcspn(rest, ";"), rest);
    rest += strcspn(rest, ";");
    if (*rest) rest++;
    text = apply(text, &c, spec);
  }
  return text;
}

crd_model *model_from_text(const char *source) {
  char *scene = *source == '<' ? NULL : scene_text(source);
  const char *text = scene ? scene : source;
  crd_model *model;
  crd_error err = {0};
  if (crd_io_read_model_text(text, strlen(text), "test.xml", NULL, &model, NULL, &err) != CRD_OK)
    fail_msg("%s", err.text);
  free(scene);
  return model;
}
