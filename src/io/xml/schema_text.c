/* The table of a format as documentation: one line for each element, in the order of the table. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/xml/schema.h"

static bool names_element(const char *list, const char *parent, const char *name) {
  char key[160], all[80];
  snprintf(key, sizeof key, "%s/%.60s", parent, name);
  snprintf(all, sizeof all, "%s/*", parent);
  for (size_t length; *list; list += length) {
    list += strspn(list, " ");
    length = strcspn(list, " ");
    if ((length == strlen(key) && strncmp(list, key, length) == 0) ||
        (length == strlen(all) && strncmp(list, all, length) == 0))
      return true;
  }
  return false;
}

static void first_word(const char *list, char word[64]) { snprintf(word, 64, "%.*s", (int)strcspn(list, " "), list); }

/* The attributes of one status: `a b c`, and the reasons where there are some. */
static void print_attributes(FILE *file, const crd_schema *schema, const char *parent, const char *name,
                             crd_schema_status status) {
  const char *separator = "";
  for (int i = 0; i < schema->nattribute; i++) {
    const crd_schema_attribute *row = &schema->attribute[i];
    if (row->status != status || !names_element(row->elements, parent, name)) continue;
    fprintf(file, "%s`%s`", separator, row->names);
    if (row->reason && (status == CRD_SCHEMA_REFUSED || status == CRD_SCHEMA_PARTLY))
      fprintf(file, " (%s)", row->reason);
    separator = ", ";
  }
}

static void print_element(FILE *file, const crd_schema *schema, const crd_schema_element *element) {
  char parent[64], name[64];
  first_word(element->parent, parent), first_word(element->names, name);
  fprintf(file, "| %s: `%s` | ", parent, element->names);
  const bool whole = element->status == CRD_SCHEMA_REFUSED || element->status == CRD_SCHEMA_NO_EFFECT;
  if (whole) {
    fprintf(file, "%s%s | | | ",
            element->status == CRD_SCHEMA_REFUSED ? "**refused**: " : "no effect: ", element->reason);
  } else {
    if (element->reason) fprintf(file, "(%s) ", element->reason);
    print_attributes(file, schema, parent, name, CRD_SCHEMA_READ);
    fprintf(file, " | ");
    print_attributes(file, schema, parent, name, CRD_SCHEMA_PARTLY);
    fprintf(file, " | ");
    print_attributes(file, schema, parent, name, CRD_SCHEMA_REFUSED);
    fprintf(file, " | ");
    print_attributes(file, schema, parent, name, CRD_SCHEMA_NO_EFFECT);
  }
  fprintf(file, " |\n");
}

const char *crd_schema_text(const crd_schema *schema, crd_arena *arena) {
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  if (!file) return NULL;
  fprintf(file,
          "| in: element | read | read in part | refused | no effect |\n"
          "| --- | --- | --- | --- | --- |\n");
  for (int i = 0; i < schema->nelement; i++) print_element(file, schema, &schema->element[i]);
  const char *copy = fclose(file) == 0 && text ? crd_arena_string(arena, text) : NULL;
  free(text);
  return copy;
}

const char *crd_io_format_text(const char *format, crd_arena *arena) {
  const crd_schema *const known[] = {&crd_mjcf_schema, &crd_urdf_schema};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strcmp(known[i]->format, format) == 0) return crd_schema_text(known[i], arena);
  return NULL;
}
