/* The page of a fit: what --json says, and the impacts to point at. */
#include <math.h>

#include "fit.h"
#include "page.h"

int fit_page_write(const char *path, const fit_view *view) {
  cli_page page = {0};
  cli_page_add(&page, "fit", fit_json(view));
  return cli_page_write(&page, path, "fit");
}
