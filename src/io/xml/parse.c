/* Parses XML with libxml2's event interface (SAX2) into the light tree of xml.h.
 *
 * Events instead of libxml2's own tree, because they give line numbers beyond 65535, the line where a tag begins rather
 * than where it ends, and a place to refuse entity declarations before anything is expanded (the "billion laughs"
 * attack, and files pulled in as external entities). Nothing is loaded over the network and no DTD is loaded.
 */
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "io/file/path.h"
#include "io/xml/xml.h"

typedef struct parse_state {
  crd_xml_document *doc;
  xmlParserCtxtPtr context;
  const char *file;
  int first;                 /* place of line 0 */
  crd_xml_node *root, *open; /* open: the innermost element that is not closed yet */
  int depth;
} parse_state;

crd_status crd_xml_fail(crd_xml_document *doc, const crd_xml_node *node, crd_status status, const char *format, ...) {
  if (doc->status != CRD_OK) return doc->status;
  char text[sizeof doc->error.text];
  va_list args;
  va_start(args, format);
  crd_vprint(text, sizeof text, format, args);
  va_end(args);
  doc->status = status;
  return crd_error_set(&doc->error, status, node ? node->file : doc->file, node ? node->line : 0, "%s", text);
}

crd_status crd_xml_fail_memory(crd_xml_document *doc) {
  return crd_xml_fail(doc, NULL, CRD_ERR_MEMORY, "no memory left while reading");
}

static void fail_here(parse_state *state, crd_status status, int line, const char *text) {
  if (state->doc->status == CRD_OK) {
    state->doc->status = status;
    crd_error_set(&state->doc->error, status, state->file, line, "%s", text);
  }
  xmlStopParser(state->context);
}

static int current_line(const parse_state *state) { return state->context->input ? state->context->input->line : 0; }

/* The line of the '<' that opened the present tag. '<' cannot occur inside a tag, so the nearest one before the
 * parser's place is it. */
static int line_of_tag(const parse_state *state) {
  const xmlParserInput *input = state->context->input;
  int line = input->line;
  for (const xmlChar *at = input->cur; at > input->base;) {
    at--;
    if (*at == '\n') line--;
    if (*at == '<') return line;
  }
  return input->line;
}

/* Memory for a node, its attributes and all their texts in one piece, to spare the arena's rounding. */
static crd_xml_node *new_node(crd_arena *arena, int nattribute, size_t text_bytes, char **text) {
  size_t head = sizeof(crd_xml_node) + (size_t)nattribute * sizeof(crd_xml_attribute);
  char *memory = crd_arena_alloc(arena, head + text_bytes, 1);
  if (!memory) return NULL;
  crd_xml_node *node = (void *)memory;
  node->attribute = (void *)(memory + sizeof(crd_xml_node));
  node->nattribute = nattribute;
  *text = memory + head;
  return node;
}

static const char *put_text(char **text, const char *from, size_t length) {
  char *start = *text;
  memcpy(start, from, length);
  start[length] = 0;
  *text += length + 1;
  return start;
}

/* With entity expansion off libxml2 hands "&amp;" over as "&#38;" (and every '&' of a value comes that way). */
static const char *put_value(char **text, const char *from, size_t length) {
  static const char coded[] = "&#38;";
  const size_t ncoded = sizeof coded - 1;
  char *start = *text, *to = start;
  for (const char *end = from + length; from < end;) {
    bool ampersand = (size_t)(end - from) >= ncoded && memcmp(from, coded, ncoded) == 0;
    *to++ = *from;
    from += ampersand ? ncoded : 1;
  }
  *to++ = 0;
  *text = to;
  return start;
}

static void link_child(crd_xml_node *parent, crd_xml_node *node) {
  node->parent = parent;
  if (parent->last) {
    parent->last->next = node;
  } else {
    parent->child = node;
  }
  parent->last = node;
}

/* Attributes come as 5 pointers each: local name, prefix, URI, begin and end of the value. A prefix stays part of the
 * name, so that foreign attributes are listed as what they are. */
static void on_start(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int nnamespace,
                     const xmlChar **namespaces, int nattribute, int ndefaulted, const xmlChar **attributes) {
  parse_state *state = user;
  (void)uri, (void)nnamespace, (void)namespaces, (void)ndefaulted;
  if (!crd_xml_ok(state->doc)) return;
  int line = line_of_tag(state);
  if (++state->depth > CRD_XML_DEPTH_LIMIT) {
    fail_here(state, CRD_ERR_FORMAT, line, "elements are nested too deeply, expected at most 20000 levels");
    return;
  }
  const char *words[2] = {(const char *)prefix, (const char *)name};
  size_t bytes = strlen(words[1]) + (prefix ? strlen(words[0]) + 1 : 0) + 1;
  for (int i = 0; i < nattribute; i++) {
    const xmlChar **a = attributes + 5 * i;
    bytes += strlen((const char *)a[0]) + (a[1] ? strlen((const char *)a[1]) + 1 : 0) + (size_t)(a[4] - a[3]) + 2;
  }
  char *text;
  crd_xml_node *node = new_node(&state->doc->arena, nattribute, bytes, &text);
  if (!node) {
    fail_here(state, CRD_ERR_MEMORY, line, "no memory left while reading");
    return;
  }
  node->file = state->file;
  node->line = line;
  node->place = state->first + line;
  node->name = text;
  if (prefix) {
    put_text(&text, words[0], strlen(words[0]));
    text[-1] = ':';
  }
  put_text(&text, words[1], strlen(words[1]));
  for (int i = 0; i < nattribute; i++) {
    const char *local = (const char *)attributes[5 * i], *space = (const char *)attributes[5 * i + 1];
    node->attribute[i].name = text;
    if (space) {
      put_text(&text, space, strlen(space));
      text[-1] = ':';
    }
    put_text(&text, local, strlen(local));
    const char *value = (const char *)attributes[5 * i + 3];
    node->attribute[i].value = put_value(&text, value, (size_t)((const char *)attributes[5 * i + 4] - value));
  }
  if (state->open) {
    link_child(state->open, node);
  } else if (!state->root) {
    state->root = node;
  }
  state->open = node;
}

static void on_end(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {
  parse_state *state = user;
  (void)name, (void)prefix, (void)uri;
  if (!crd_xml_ok(state->doc) || !state->open) return;
  state->open = state->open->parent;
  state->depth--;
}

static void on_text(void *user, const xmlChar *text, int length) {
  parse_state *state = user;
  if (!state->open || state->open->text_line) return;
  for (int i = 0; i < length; i++) {
    if (!strchr(" \t\r\n", text[i])) {
      state->open->text_line = current_line(state);
      return;
    }
  }
}

static void refuse_entity(parse_state *state, const xmlChar *name) {
  char text[200];
  snprintf(text, sizeof text, "found a declaration of the entity '%.80s', expected none: entities are not expanded",
           (const char *)name);
  fail_here(state, CRD_ERR_FORMAT, current_line(state), text);
}

static void on_entity(void *user, const xmlChar *name, int type, const xmlChar *public_id, const xmlChar *system_id,
                      xmlChar *content) {
  (void)type, (void)public_id, (void)system_id, (void)content;
  refuse_entity(user, name);
}

static void on_unparsed_entity(void *user, const xmlChar *name, const xmlChar *public_id, const xmlChar *system_id,
                               const xmlChar *notation) {
  (void)public_id, (void)system_id, (void)notation;
  refuse_entity(user, name);
}

static int error_line(const xmlError *error) { return error->line > 0 && error->line < INT_MAX ? error->line : 0; }

#if LIBXML_VERSION >= 21200
typedef const xmlError *xml_error_argument;
#else
typedef xmlErrorPtr xml_error_argument;
#endif

static void on_error(void *user, xml_error_argument error) {
  parse_state *state = user;
  if (!error || error->level < XML_ERR_ERROR || !crd_xml_ok(state->doc)) return;
  if (error->domain == XML_FROM_NAMESPACE)
    return; /* URDF files have undeclared prefixes, <sensor:camera>; they say no more here */
  char text[400];
  snprintf(text, sizeof text, "not well-formed XML: %.300s", error->message ? error->message : "unknown error");
  size_t length = strlen(text);
  while (length && strchr("\r\n ", text[length - 1])) text[--length] = 0;
  int line = current_line(state) > 65534 ? current_line(state) : error_line(error);
  fail_here(state, error->code == XML_ERR_NO_MEMORY ? CRD_ERR_MEMORY : CRD_ERR_FORMAT, line, text);
}

static void set_handler(xmlSAXHandler *sax) {
  *sax = (xmlSAXHandler){.initialized = XML_SAX2_MAGIC,
                         .startElementNs = on_start,
                         .endElementNs = on_end,
                         .characters = on_text,
                         .cdataBlock = on_text,
                         .entityDecl = on_entity,
                         .unparsedEntityDecl = on_unparsed_entity,
                         .serror = on_error};
}

static crd_xml_file *add_file(crd_xml_document *doc, const char *name, const char *text, size_t size) {
  crd_xml_file *file = crd_arena_alloc(&doc->arena, 1, sizeof *file);
  char *copy = crd_arena_string(&doc->arena, name);
  if (!file || !copy) return NULL;
  *file = (crd_xml_file){.name = copy, .first = doc->lines, .previous = doc->last_file};
  doc->last_file = file;
  int lines = 1;
  for (size_t i = 0; i < size; i++) lines += text[i] == '\n';
  doc->lines = doc->lines < INT_MAX - lines ? doc->lines + lines : INT_MAX;
  return file;
}

void crd_xml_place(const crd_xml_document *doc, int place, const char **file, int *line) {
  const crd_xml_file *in = doc->last_file;
  while (in && in->previous && place <= in->first) in = in->previous;
  *file = in ? in->name : doc->file;
  *line = in && place > 0 ? place - in->first : place;
}

/* Bullet's URDF files declare XML version 0.0, which libxml2 refuses and other readers overlook: the text behind that.
 */
static const char *behind_version_zero(const char *text, size_t *size) {
  static const char declaration[] = "<?xml version=\"0.0\" ?>";
  size_t length = sizeof declaration - 1;
  if (*size < length || memcmp(text, declaration, length) != 0) return text;
  *size -= length;
  return text + length;
}

static crd_xml_node *parse(crd_xml_document *doc, const char *text, size_t size, const char *name) {
  crd_xml_file *file = add_file(doc, name, text, size);
  if (!file) {
    crd_xml_fail_memory(doc);
    return NULL;
  }
  parse_state state = {.doc = doc, .file = file->name, .first = file->first};
  crd_xml_node place = {.file = state.file};
  if (size == 0 || size > INT_MAX / 2) {
    crd_xml_fail(doc, &place, CRD_ERR_FORMAT, "found %zu bytes, expected XML text", size);
    return NULL;
  }
  text = behind_version_zero(text, &size);
  xmlParserCtxtPtr context = xmlCreateMemoryParserCtxt(text, (int)size);
  if (!context) {
    crd_xml_fail_memory(doc);
    return NULL;
  }
  state.context = context;
  /* Huge: libxml2's own bounds on depth and on text would refuse long chains and large vertex lists. */
  xmlCtxtUseOptions(context, XML_PARSE_NONET | XML_PARSE_HUGE);
  set_handler(context->sax);
  context->userData = &state;
  int failed = xmlParseDocument(context);
  if (crd_xml_ok(doc) && (failed || !context->wellFormed || !state.root)) {
    place.line = current_line(&state);
    crd_xml_fail(doc, &place, CRD_ERR_FORMAT, "not well-formed XML");
  }
  if (context->myDoc) xmlFreeDoc(context->myDoc);
  xmlFreeParserCtxt(context);
  return crd_xml_ok(doc) ? state.root : NULL;
}

void crd_xml_note_source(crd_xml_document *doc, const char *path) {
  crd_xml_source *source = crd_arena_alloc(&doc->arena, 1, sizeof *source);
  if (source) source->path = crd_arena_string(&doc->arena, path);
  if (!source || !source->path) {
    crd_xml_fail_memory(doc);
    return;
  }
  if (doc->last_source) doc->last_source->next = source;
  if (!doc->source) doc->source = source;
  doc->last_source = source;
}

crd_xml_node *crd_xml_load_more(crd_xml_document *doc, const char *path) {
  if (!crd_xml_ok(doc)) return NULL;
  crd_xml_note_source(doc, path);
  char *text;
  size_t size;
  crd_arena scratch = {0};
  crd_status status = crd_path_read(&scratch, path, &text, &size, &doc->error);
  crd_xml_node *root = NULL;
  if (status == CRD_OK) {
    root = parse(doc, text, size, path);
  } else {
    doc->status = status;
  }
  crd_arena_free(&scratch);
  return root;
}

static bool begin(crd_xml_document *doc, const char *name) {
  *doc = (crd_xml_document){0};
  doc->file = crd_arena_string(&doc->arena, name);
  doc->folder = crd_path_folder(&doc->arena, name);
  if (!doc->file || !doc->folder) crd_xml_fail_memory(doc);
  return crd_xml_ok(doc);
}

crd_status crd_xml_load(crd_xml_document *doc, const char *path) {
  if (begin(doc, path)) doc->root = crd_xml_load_more(doc, path);
  return doc->status;
}

crd_status crd_xml_load_text(crd_xml_document *doc, const char *text, size_t size, const char *name) {
  if (begin(doc, name)) doc->root = parse(doc, text, size, name);
  return doc->status;
}

void crd_xml_free(crd_xml_document *doc) {
  crd_arena_free(&doc->arena);
  *doc = (crd_xml_document){0};
}

crd_xml_node *crd_xml_following(const crd_xml_node *node, const crd_xml_node *top) {
  if (node->child) return node->child;
  while (node != top && !node->next) node = node->parent;
  return node == top ? NULL : node->next;
}

static crd_xml_node *copy_one(crd_xml_document *doc, const crd_xml_node *from) {
  char *text;
  crd_xml_node *to = new_node(&doc->arena, from->nattribute, 0, &text);
  if (!to) return NULL;
  crd_xml_attribute *attribute = to->attribute;
  *to = *from;
  to->attribute = attribute;
  if (from->nattribute) memcpy(attribute, from->attribute, (size_t)from->nattribute * sizeof *attribute);
  to->parent = to->child = to->last = to->next = NULL;
  return to;
}

crd_xml_node *crd_xml_copy(crd_xml_document *doc, const crd_xml_node *node) {
  crd_xml_node *top = copy_one(doc, node), *to = top;
  const crd_xml_node *from = node;
  while (to) {
    if (from->child) {
      from = from->child;
    } else {
      while (from != node && !from->next) from = from->parent, to = to->parent;
      if (from == node) return top;
      from = from->next, to = to->parent;
    }
    crd_xml_node *copy = copy_one(doc, from);
    if (copy) link_child(to, copy);
    to = copy;
  }
  crd_xml_fail_memory(doc);
  return NULL;
}

void crd_xml_replace(crd_xml_node *node, crd_xml_node *first) {
  crd_xml_node *parent = node->parent, *last = first, **link = &parent->child;
  for (crd_xml_node *child = first; child; child = child->next) {
    child->parent = parent;
    last = child;
  }
  last->next = node->next;
  if (parent->last == node) parent->last = last;
  while (*link != node) link = &(*link)->next;
  *link = first;
}
