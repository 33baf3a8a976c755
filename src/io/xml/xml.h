/* An XML document as a light tree, with typed attributes, and a record of the parts that were read.
 *
 * Errors are sticky: the first one is kept in the document (status and error, with file and line), and every later
 * access does nothing. A reader can so read a whole element and ask crd_xml_ok once. Everything lives in the document's
 * arena.
 *
 * Each element and attribute remembers whether it was read. crd_xml_report lists, in the order of the text, all that
 * was not: elements nobody entered (crd_xml_enter), attributes nobody asked for, text between elements.
 */
#ifndef CRADLE_IO_XML_H
#define CRADLE_IO_XML_H

#include <cradle/io.h>

typedef struct crd_xml_attribute {
  const char *name, *value;
  const char *reason; /* why it is not used, NULL: not understood */
  crd_ignored_kind kind;
  bool used;
} crd_xml_attribute;

typedef struct crd_xml_node {
  const char *name;
  const char *file; /* as named in messages */
  int line;         /* of the '<' */
  int place;        /* one number for file and line, see crd_xml_place; equal to line in the document's first file */
  int text_line;    /* of the first text in this element that is not blank, 0: none */
  int nattribute;
  crd_xml_attribute *attribute;
  struct crd_xml_node *parent, *child, *last, *next; /* child: the first, next: sibling */
  const char *reason;                                /* why it is not used, NULL: not understood */
  crd_ignored_kind kind;
  bool used;
  bool repeated; /* stands in the file once, and another copy of it is listed */
  void *data;    /* the reader's */
} crd_xml_node;

/* A file of the document: its lines have the places first + 1, first + 2, ... */
typedef struct crd_xml_file {
  const char *name;
  int first;
  struct crd_xml_file *previous;
} crd_xml_file;

/* A file that was read, the model's own or one that it names. */
typedef struct crd_xml_source {
  const char *path;
  struct crd_xml_source *next;
} crd_xml_source;

typedef struct crd_xml_document {
  crd_arena arena;
  crd_xml_node *root;
  const char *file;   /* as named in messages */
  const char *folder; /* of the file (crd_path_folder) */
  crd_xml_file *last_file;
  crd_xml_source *source, *last_source; /* in the order of reading */
  int lines;                            /* of all files read */
  crd_status status;                    /* of the first error */
  crd_error error;
} crd_xml_document;

/* Largest nesting of elements. Readers walk the tree without recursion, so this bounds nonsense, not the stack. */
enum { CRD_XML_DEPTH_LIMIT = 20000 };

/* ------------------------------------------------------------------------------------------------ loading */

/* A document from a file, or from size bytes of text named `name`. On failure status and error are set and root is
 * NULL. Free with crd_xml_free in either case. */
crd_status crd_xml_load(crd_xml_document *doc, const char *path);
crd_status crd_xml_load_text(crd_xml_document *doc, const char *text, size_t size, const char *name);
void crd_xml_free(crd_xml_document *doc);

/* Remembers that the file was read, for the report. */
void crd_xml_note_source(crd_xml_document *doc, const char *path);

/* Another file parsed into the arena of the same document: its root element (which has no parent and is not linked in),
 * or NULL with the error set. */
crd_xml_node *crd_xml_load_more(crd_xml_document *doc, const char *path);

/* The next element in the order of the text within top, NULL at its end. */
crd_xml_node *crd_xml_following(const crd_xml_node *node, const crd_xml_node *top);
/* A copy of the element with all it contains, not linked to anything; NULL when memory is out. */
crd_xml_node *crd_xml_copy(crd_xml_document *doc, const crd_xml_node *node);
/* Puts the elements first, first->next, ... in the place of node among the children of its parent. */
void crd_xml_replace(crd_xml_node *node, crd_xml_node *first);

/* The file and line of a place (which see), for messages of those who know places only. */
void crd_xml_place(const crd_xml_document *doc, int place, const char **file, int *line);

/* ------------------------------------------------------------------------------------------------ errors */

static inline bool crd_xml_ok(const crd_xml_document *doc) { return doc->status == CRD_OK; }

/* Records an error at an element (node may be NULL) unless there is one already; returns the document's status. */
crd_status crd_xml_fail(crd_xml_document *doc, const crd_xml_node *node, crd_status status, const char *format, ...)
    CRD_PRINTF(4, 5);
/* Records that memory is out. */
crd_status crd_xml_fail_memory(crd_xml_document *doc);

/* ------------------------------------------------------------------------------------------------ walking */

bool crd_xml_is(const crd_xml_node *node, const char *name);
/* The first child of that name, NULL if none; the next sibling of the same name. Neither marks anything. */
crd_xml_node *crd_xml_child(const crd_xml_node *node, const char *name);
crd_xml_node *crd_xml_next(const crd_xml_node *node);

/* Marks the element itself as read (its attributes and children are marked one by one as they are read). */
void crd_xml_enter(crd_xml_node *node);
/* Gives the reason why an element (attribute NULL), or one of its attributes, is not used. It will be listed with it.
 */
void crd_xml_ignore(crd_xml_node *node, const char *attribute, const char *reason);
/* The same for what may change the motion: of the kind unknown or left out. */
void crd_xml_warn(crd_xml_node *node, const char *attribute, crd_ignored_kind kind, const char *reason);
/* For what changes the motion and cannot be represented: an error, or with `lenient` a warning. True: go on without
 * it. */
bool crd_xml_leave_out(crd_xml_document *doc, crd_xml_node *node, const char *attribute, const char *reason,
                       bool lenient);
/* Marks an attribute as read (or known not to matter), if it is there. */
void crd_xml_use(crd_xml_node *node, const char *attribute);

/* ------------------------------------------------------------------------------------------------ attributes
 * All mark the attribute as read. Where it is absent, the value is left as it is and the result is false, 0 or NULL.
 * Where it is not what is expected, the error names element, attribute, what was found and what was expected. */

bool crd_xml_has(const crd_xml_node *node, const char *attribute);
const char *crd_xml_string(crd_xml_node *node, const char *attribute);
/* The same, but absence or an empty text is an error. */
const char *crd_xml_need(crd_xml_document *doc, crd_xml_node *node, const char *attribute);

/* Between min and max finite numbers, separated by blanks; returns how many there were. */
int crd_xml_numbers(crd_xml_document *doc, crd_xml_node *node, const char *attribute, double *value, int min, int max);
bool crd_xml_number(crd_xml_document *doc, crd_xml_node *node, const char *attribute, double *value);
/* Any number of finite numbers, in the document's arena; *count of them. */
double *crd_xml_vector(crd_xml_document *doc, crd_xml_node *node, const char *attribute, int *count);

int crd_xml_ints(crd_xml_document *doc, crd_xml_node *node, const char *attribute, int *value, int min, int max);
bool crd_xml_int(crd_xml_document *doc, crd_xml_node *node, const char *attribute, int *value);
int *crd_xml_int_vector(crd_xml_document *doc, crd_xml_node *node, const char *attribute, int *count);

/* "true" or "false". */
bool crd_xml_bool(crd_xml_document *doc, crd_xml_node *node, const char *attribute, bool *value);
/* One of the count words; *value becomes its place in the list. */
bool crd_xml_keyword(crd_xml_document *doc, crd_xml_node *node, const char *attribute, const char *const *words,
                     int count, int *value);

/* ------------------------------------------------------------------------------------------------ report */

/* Adds to the report everything that was not read, warnings first, and the files that were. */
crd_status crd_xml_report(crd_xml_document *doc, crd_read_report *report);

#endif
