/* Schema of a format: a table of its elements and attributes with their treatment by the reader.
 *
 * A file is checked against the table before it is read. A name that is in no row is an error (a typing error would
 * change the mechanism without a word), or with `lenient` a warning; what is refused by name is refused here; what has
 * no effect gets its reason. The reader itself only reads. The same table is printed as documentation.
 */
#ifndef CRADLE_IO_SCHEMA_H
#define CRADLE_IO_SCHEMA_H

#include "io/xml/xml.h"

typedef enum crd_schema_status {
  CRD_SCHEMA_READ,     /* part of the model */
  CRD_SCHEMA_PARTLY,   /* read; the reader refuses the cases that `reason` names */
  CRD_SCHEMA_REFUSED,  /* would change the motion: refused, left out with `lenient` */
  CRD_SCHEMA_NO_EFFECT /* on the motion: listed */
} crd_schema_status;

/* Elements that may stand in `parent`. Lists of names have single blanks between them. */
typedef struct crd_schema_element {
  const char *parent, *names;
  crd_schema_status status;
  const char *reason; /* NULL: read */
} crd_schema_element;

/* Attributes of elements, each named "parent/element", or "parent/" followed by a star for all in that parent. */
typedef struct crd_schema_attribute {
  const char *elements, *names;
  crd_schema_status status;
  const char *reason;
  const char *neutral; /* value with which a refused attribute says nothing ("0": all its numbers are zero), or NULL */
} crd_schema_attribute;

/* An element that has the attributes of another, without some. */
typedef struct crd_schema_alias {
  const char *element, *like, *without;
} crd_schema_alias;

typedef struct crd_schema {
  const char *format; /* "MJCF" */
  const crd_schema_element *element;
  int nelement;
  const crd_schema_attribute *attribute;
  int nattribute;
  const crd_schema_alias *alias;
  int nalias;
  const char *const (*same)[2]; /* parents that hold what another one holds: {"frame", "body"}, ended by NULL */
  const char *open;             /* parents that may hold anything: there only a slip of the pen is an error */
  const char *except;           /* elements whose inside belongs to other formats */
} crd_schema;

extern const crd_schema crd_mjcf_schema, crd_urdf_schema;

/* Checks all elements and attributes of root against the table; the errors are the document's. */
void crd_schema_check(crd_xml_document *doc, const crd_schema *schema, crd_xml_node *root, bool lenient);

/* Is there such an element in the parent, and has it the attribute (NULL: any)? */
bool crd_schema_knows(const crd_schema *schema, const char *parent, const char *element, const char *attribute);

/* The word of the list (single blanks) that is nearest to `word` and near enough to be meant, into near (size bytes);
 * false: none. Near: at most a third of its letters added, missing, wrong or exchanged with a neighbour. */
bool crd_schema_nearest(const char *word, const char *list, char *near, size_t size);

/* The table in Markdown, in the arena; NULL: no memory. */
const char *crd_schema_text(const crd_schema *schema, crd_arena *arena);

#endif
