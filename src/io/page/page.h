/* The page that the library carries, viewer/page.html; size 0 where it was built without (CRADLE_WITH_PAGE). */
#ifndef CRADLE_SRC_IO_PAGE_H
#define CRADLE_SRC_IO_PAGE_H

#include <stddef.h>

extern const unsigned char crd_page_template[];
extern const size_t crd_page_template_size;

#endif
