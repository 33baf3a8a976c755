/* One self-contained HTML page: the template with the data in its place. The data is JSON inside a script element of a
 * type that no browser runs. In JSON the letters < > & and the line separators U+2028, U+2029 occur in strings only, so
 * writing them as \uXXXX changes nothing for the reader and leaves nothing that HTML could take for markup. */
#include "io/page/page.h"

#include <cradle/io.h>
#include <stdlib.h>
#include <string.h>

#include "io/json/text.h"

static const char PLACE[] = "@@CRADLE_PAGE_DATA@@";

bool crd_io_has_page(void) { return crd_page_template_size > 0; }

/* How many bytes at s, of at least one, are written as \uXXXX; 0: none, they stay as they are. */
static int escaped(const char *s, const char **as) {
  switch (*s) {
    case '<': *as = "\\u003c"; return 1;
    case '>': *as = "\\u003e"; return 1;
    case '&': *as = "\\u0026"; return 1;
    default: break;
  }
  if (strncmp(s, "\xE2\x80\xA8", 3) == 0) return *as = "\\u2028", 3;
  if (strncmp(s, "\xE2\x80\xA9", 3) == 0) return *as = "\\u2029", 3;
  return 0;
}

static void add_escaped(crd_text *page, const char *json) {
  const char *from = json, *as;
  for (const char *s = json; *s;) {
    int length = escaped(s, &as);
    if (length == 0) {
      s++;
      continue;
    }
    crd_text_add(page, "%.*s%s", (int)(s - from), from, as);
    s += length, from = s;
  }
  crd_text_add(page, "%s", from);
}

/* Where the data goes; NULL where the template has no such place. */
static const char *find_place(const char *template, size_t size) {
  const size_t length = sizeof PLACE - 1;
  for (size_t i = 0; i + length <= size; i++)
    if (template[i] == PLACE[0] && memcmp(template + i, PLACE, length) == 0) return template + i;
  return NULL;
}

static void add_data(crd_text *page, const char *kind, const crd_page_part *part, int npart) {
  crd_text_add(page, "{\"cradle\": \"page/1\", \"kind\": \"%s\", \"version\": \"%s\"", kind, crd_version());
  for (int i = 0; i < npart; i++) {
    crd_text_add(page, ",\n\"%s\": ", part[i].name);
    add_escaped(page, part[i].json);
  }
  crd_text_add(page, "}");
}

crd_status crd_io_write_page(const char *path, const char *kind, const crd_page_part *part, int npart, crd_error *err) {
  const char *template = (const char *)crd_page_template;
  const char *place = find_place(template, crd_page_template_size);
  if (!place)
    return crd_error_set(err, CRD_ERR_ARGUMENT, NULL, 0,
                         "this cradle was built without its page (CRADLE_WITH_PAGE=OFF)");
  const char *rest = place + sizeof PLACE - 1;
  crd_text page = {0};
  crd_text_add(&page, "%.*s", (int)(place - template), template);
  add_data(&page, kind, part, npart);
  crd_text_add(&page, "%.*s", (int)(crd_page_template_size - (size_t)(rest - template)), rest);
  crd_status status = page.failed ? crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "out of memory")
                                  : crd_io_write_file(path, page.data, page.size, err);
  crd_text_free(&page);
  return status;
}
