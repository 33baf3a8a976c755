/* In the page itself a page is its data alone. */
#include "io/page/page.h"

#define PLACE "@@CRADLE_PAGE_DATA@@"
const unsigned char crd_page_template[] = PLACE;
const size_t crd_page_template_size = sizeof PLACE - 1;
