/* The check of a document against the table of its format, O(elements + attributes) times the length of a row. */
#include "io/xml/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/name_table.h"

enum { ROWS = 24, NAME = 64 };

/* The rows of the table that speak of one element. */
typedef struct resolved {
  const crd_schema_element *element; /* NULL: not known */
  int nrow;
  const crd_schema_attribute *row[ROWS];
  const char *without; /* names of the rows that do not count, or NULL */
} resolved;

/* ------------------------------------------------------------------------------------------------ words */

/* The next word of a list, its length in *length; NULL: the end. */
static const char *next_word(const char *list, size_t *length) {
  list += strspn(list, " ");
  *length = strcspn(list, " ");
  return *length ? list : NULL;
}

static bool has_word(const char *list, const char *word) {
  const size_t wanted = strlen(word);
  size_t length;
  for (const char *at = list ? next_word(list, &length) : NULL; at; at = next_word(at + length, &length))
    if (length == wanted && memcmp(at, word, length) == 0) return true;
  return false;
}

/* Takes the words of the list into account: *best is the least distance so far (start with strlen(word)). */
static void look_for_nearest(const char *word, const char *list, const char *without, int *best, char *near,
                             size_t size) {
  size_t length;
  for (const char *at = next_word(list, &length); at; at = next_word(at + length, &length)) {
    char name[NAME];
    if (length >= NAME || length >= size) continue;
    memcpy(name, at, length), name[length] = 0;
    if (!has_word(without, name) && crd_nearer_word(word, name, best)) memcpy(near, name, length + 1);
  }
}

bool crd_schema_nearest(const char *word, const char *list, char *near, size_t size) {
  int best = (int)strlen(word);
  near[0] = 0;
  look_for_nearest(word, list, NULL, &best, near, size);
  return near[0] != 0;
}

/* ------------------------------------------------------------------------------------------------ rows */

static const char *parent_name(const crd_schema *schema, const char *name) {
  for (int i = 0; schema->same && schema->same[i][0]; i++)
    if (strcmp(schema->same[i][0], name) == 0) return schema->same[i][1];
  return name;
}

static void add_rows(const crd_schema *schema, const char *parent, const char *key, resolved *found) {
  char all[NAME + 3];
  snprintf(all, sizeof all, "%s/*", parent);
  for (int i = 0; i < schema->nattribute && found->nrow < ROWS; i++) {
    const crd_schema_attribute *row = &schema->attribute[i];
    if (has_word(row->elements, key) || has_word(row->elements, all)) found->row[found->nrow++] = row;
  }
}

static void resolve(const crd_schema *schema, const char *parent, const char *name, resolved *found) {
  char key[2 * NAME + 2];
  *found = (resolved){0};
  for (int i = 0; i < schema->nelement && !found->element; i++)
    if (has_word(schema->element[i].parent, parent) && has_word(schema->element[i].names, name))
      found->element = &schema->element[i];
  if (!found->element) return;
  snprintf(key, sizeof key, "%s/%s", parent, name);
  add_rows(schema, parent, key, found);
  for (int i = 0; i < schema->nalias; i++) {
    const crd_schema_alias *alias = &schema->alias[i];
    if (strcmp(alias->element, key) != 0) continue;
    const size_t length = strcspn(alias->like, "/");
    char like[NAME];
    memcpy(like, alias->like, length), like[length] = 0;
    add_rows(schema, like, alias->like, found);
    found->without = alias->without;
  }
}

/* The row of an attribute, NULL: it is not known. */
static const crd_schema_attribute *find_row(const resolved *element, const char *name) {
  if (has_word(element->without, name)) return NULL;
  for (int i = 0; i < element->nrow; i++)
    if (has_word(element->row[i]->names, name)) return element->row[i];
  return NULL;
}

bool crd_schema_knows(const crd_schema *schema, const char *parent, const char *element, const char *attribute) {
  resolved found;
  resolve(schema, parent_name(schema, parent), element, &found);
  return found.element && (!attribute || find_row(&found, attribute));
}

/* ------------------------------------------------------------------------------------------------ unknown names */

static bool nearest_attribute(const resolved *element, const char *name, char near[NAME]) {
  int best = (int)strlen(name);
  near[0] = 0;
  for (int i = 0; i < element->nrow; i++)
    look_for_nearest(name, element->row[i]->names, element->without, &best, near, NAME);
  return near[0] != 0;
}

static bool nearest_element(const crd_schema *schema, const char *parent, const char *name, char near[NAME]) {
  int best = (int)strlen(name);
  near[0] = 0;
  for (int i = 0; i < schema->nelement; i++)
    if (has_word(schema->element[i].parent, parent))
      look_for_nearest(name, schema->element[i].names, NULL, &best, near, NAME);
  return near[0] != 0;
}

/* Where an element of that name may stand; false: nowhere. */
static bool home_of(const crd_schema *schema, const char *name, char home[NAME]) {
  for (int i = 0; i < schema->nelement; i++) {
    if (!has_word(schema->element[i].names, name)) continue;
    snprintf(home, NAME, "%.*s", (int)strcspn(schema->element[i].parent, " "), schema->element[i].parent);
    return true;
  }
  return false;
}

static const char *in_arena(crd_xml_document *doc, const char *text) {
  const char *copy = crd_arena_string(&doc->arena, text);
  if (!copy) crd_xml_fail_memory(doc);
  return copy;
}

static void unknown_attribute(crd_xml_document *doc, const crd_schema *schema, crd_xml_node *node,
                              const resolved *element, const char *name, bool lenient) {
  char near[NAME], text[200], hint[NAME + 24] = "";
  const bool typing = nearest_attribute(element, name, near);
  if (has_word(schema->open, node->name) && !typing) return;
  if (typing) snprintf(hint, sizeof hint, ": did you mean '%s'?", near);
  snprintf(text, sizeof text, "an attribute that %s does not have here%s", schema->format, hint);
  if (lenient) {
    crd_xml_warn(node, name, CRD_IGNORED_UNKNOWN, in_arena(doc, text));
    return;
  }
  crd_xml_fail(doc, node, CRD_ERR_FORMAT, "<%.60s> %.60s: found an unknown attribute, expected one that %s has%s%s",
               node->name, name, schema->format, hint[0] ? hint : " here", " (allowed with --lenient)");
}

/* An element in a parent that may hold anything is an error only where it nearly is one that is known there. */
static void unknown_element(crd_xml_document *doc, const crd_schema *schema, crd_xml_node *node, const char *parent,
                            bool lenient) {
  char near[NAME], home[NAME], text[200], hint[2 * NAME + 24] = "";
  const bool typing = nearest_element(schema, parent, node->name, near);
  if (has_word(schema->open, parent) && !typing) return;
  if (typing) {
    snprintf(hint, sizeof hint, ": did you mean '%s'?", near);
  } else if (home_of(schema, node->name, home)) {
    snprintf(hint, sizeof hint, ": it stands in <%s>", home);
  }
  snprintf(text, sizeof text, "an element that %s does not have here%s", schema->format, hint);
  if (lenient) {
    crd_xml_warn(node, NULL, CRD_IGNORED_UNKNOWN, in_arena(doc, text));
    return;
  }
  crd_xml_fail(doc, node, CRD_ERR_FORMAT,
               "<%.60s>: found an unknown element in <%.60s>, expected one that %s has%s (allowed with --lenient)",
               node->name, node->parent->name, schema->format, hint[0] ? hint : " there");
}

/* ------------------------------------------------------------------------------------------------ the check */

static bool is_neutral(const char *value, const char *neutral) {
  if (!neutral) return false;
  if (strcmp(neutral, "0") != 0) return strcmp(value, neutral) == 0;
  for (value += strspn(value, " \t\r\n"); *value; value += strspn(value, " \t\r\n")) {
    char *end;
    if (strtod(value, &end) != 0 || end == value) return false;
    value = end;
  }
  return true;
}

static void check_attribute(crd_xml_document *doc, const crd_schema *schema, crd_xml_node *node,
                            const resolved *element, int which, bool lenient) {
  const crd_xml_attribute *attribute = &node->attribute[which];
  const crd_schema_attribute *row = find_row(element, attribute->name);
  if (!row) {
    unknown_attribute(doc, schema, node, element, attribute->name, lenient);
  } else if (row->status == CRD_SCHEMA_NO_EFFECT) {
    crd_xml_ignore(node, attribute->name, row->reason);
  } else if (row->status == CRD_SCHEMA_REFUSED) {
    if (is_neutral(attribute->value, row->neutral)) {
      crd_xml_use(node, attribute->name);
    } else {
      crd_xml_leave_out(doc, node, attribute->name, row->reason, lenient);
    }
  }
}

/* False: the element is not looked into. */
static bool check_node(crd_xml_document *doc, const crd_schema *schema, crd_name_table *table, crd_xml_node *node,
                       bool lenient) {
  char key[2 * NAME + 2];
  const char *parent = parent_name(schema, node->parent->name);
  if (strlen(node->name) >= NAME || strlen(parent) >= NAME) {
    unknown_element(doc, schema, node, parent, lenient);
    return false;
  }
  snprintf(key, sizeof key, "%s/%s", parent, node->name);
  resolved *element = crd_name_find(table, key);
  if (!element) {
    element = crd_arena_alloc(&doc->arena, 1, sizeof *element);
    const char *kept = in_arena(doc, key);
    if (!element || !kept || !crd_name_put(table, kept, element)) {
      crd_xml_fail_memory(doc);
      return false;
    }
    resolve(schema, parent, node->name, element);
  }
  if (!element->element) {
    unknown_element(doc, schema, node, parent, lenient);
    return false;
  }
  if (element->element->status == CRD_SCHEMA_NO_EFFECT) crd_xml_ignore(node, NULL, element->element->reason);
  if (element->element->status == CRD_SCHEMA_REFUSED)
    crd_xml_leave_out(doc, node, NULL, element->element->reason, lenient);
  if (has_word(schema->except, node->name)) return false;
  for (int i = 0; i < node->nattribute && crd_xml_ok(doc); i++) check_attribute(doc, schema, node, element, i, lenient);
  return true;
}

void crd_schema_check(crd_xml_document *doc, const crd_schema *schema, crd_xml_node *root, bool lenient) {
  crd_name_table table = {0};
  resolved whole = {0};
  add_rows(schema, "", root->name, &whole);
  for (int i = 0; i < root->nattribute && crd_xml_ok(doc); i++) check_attribute(doc, schema, root, &whole, i, lenient);
  crd_xml_node *node = root;
  bool inside = true;
  while (crd_xml_ok(doc)) {
    if (inside && node->child) {
      node = node->child;
    } else {
      while (node != root && !node->next) node = node->parent;
      if (node == root) break;
      node = node->next;
    }
    inside = check_node(doc, schema, &table, node, lenient);
  }
  crd_name_free(&table);
}
