/* Lists the unread parts: elements not entered, attributes not asked for, text between elements. */
#include <string.h>

#include "io/xml/xml.h"

void crd_io_read_report_free(crd_read_report *report) {
  crd_arena_free(&report->arena);
  *report = (crd_read_report){0};
}

crd_read_options crd_io_read_default(void) { return (crd_read_options){0}; }

/* The next element in the order of the text. `all`: also the inside of elements that were not read. */
static const crd_xml_node *following(const crd_xml_node *node, const crd_xml_node *top, bool all) {
  if ((node->used || all) && node->child) return node->child;
  while (node != top && !node->next) node = node->parent;
  return node == top ? NULL : node->next;
}

static const char *own_name(const crd_xml_node *node) {
  for (int i = 0; i < node->nattribute; i++)
    if (strcmp(node->attribute[i].name, "name") == 0) return node->attribute[i].value;
  return "";
}

/* The document is freed before the report: every text is copied, but the file's name, and so do its repeats, only once.
 */
typedef struct sink {
  crd_read_report *report;
  crd_ignored *item; /* NULL: only count */
  int count;
  const char *file, *file_copy;
  bool failed;
} sink;

static const char *copy(sink *out, const char *text) {
  const char *result = crd_arena_string(&out->report->arena, text);
  if (!result) out->failed = true;
  return result;
}

static void put(sink *out, const crd_xml_node *node, const char *attribute, int line, crd_ignored_kind kind,
                const char *reason) {
  const int place = out->count++;
  if (!out->item) return;
  if (out->file != node->file) {
    out->file = node->file;
    out->file_copy = copy(out, node->file);
  }
  out->item[place] = (crd_ignored){.kind = kind,
                                   .element = copy(out, node->name),
                                   .attribute = attribute ? copy(out, attribute) : NULL,
                                   .name = copy(out, own_name(node)),
                                   .file = out->file_copy,
                                   .line = line,
                                   .reason = copy(out, reason ? reason : "not understood")};
}

/* The unread parts of an element: the warnings, or the rest. */
static void put_unread(sink *out, const crd_xml_node *node, bool warnings) {
  if (node->repeated) return;
  if (!node->used && warnings == (node->kind != CRD_IGNORED_NO_EFFECT))
    put(out, node, NULL, node->line, node->kind, node->reason);
  if (!node->used && !warnings) return;
  for (int i = 0; i < node->nattribute; i++) {
    const crd_xml_attribute *attribute = node->attribute + i;
    if (!attribute->used && warnings == (attribute->kind != CRD_IGNORED_NO_EFFECT))
      put(out, node, attribute->name, node->line, attribute->kind, attribute->reason);
  }
  if (node->text_line && !warnings)
    put(out, node, "text", node->text_line, CRD_IGNORED_NO_EFFECT, "text between elements has no meaning");
}

static void put_all(sink *out, const crd_xml_node *root, bool warnings) {
  for (const crd_xml_node *node = root; node; node = following(node, root, warnings)) put_unread(out, node, warnings);
}

static bool put_sources(const crd_xml_document *doc, crd_read_report *report) {
  int count = 0;
  for (const crd_xml_source *source = doc->source; source; source = source->next) count++;
  const char **file = crd_arena_alloc(&report->arena, (size_t)count + 1, sizeof *file);
  if (!file) return false;
  count = 0;
  for (const crd_xml_source *source = doc->source; source; source = source->next)
    if (!(file[count++] = crd_arena_string(&report->arena, source->path))) return false;
  report->file = file, report->nfile = count;
  return true;
}

crd_status crd_xml_report(crd_xml_document *doc, crd_read_report *report) {
  if (!report || !doc->root) return CRD_OK;
  if (!put_sources(doc, report)) return crd_xml_fail_memory(doc);
  sink counter = {.report = report};
  put_all(&counter, doc->root, true);
  const int warnings = counter.count, before = report->count, warned = report->nwarning;
  put_all(&counter, doc->root, false);
  sink out = {.report = report,
              .item = crd_arena_alloc(&report->arena, (size_t)(before + counter.count) + 1, sizeof *out.item)};
  if (!out.item) return crd_xml_fail_memory(doc);
  if (warned) memcpy(out.item, report->item, (size_t)warned * sizeof *out.item);
  out.count = warned;
  put_all(&out, doc->root, true);
  if (before > warned)
    memcpy(out.item + out.count, report->item + warned, (size_t)(before - warned) * sizeof *out.item);
  out.count += before - warned;
  put_all(&out, doc->root, false);
  if (out.failed) return crd_xml_fail_memory(doc);
  report->item = out.item;
  report->count = out.count, report->nwarning = warned + warnings;
  return CRD_OK;
}
