/* The impact laws as words of an option. */
#include <cradle/impact.h>
#include <string.h>

#include "cli.h"

enum { LONGEST_LIST = 1024 };

const char *cli_law_names(bool with_all) {
  static char list[2][LONGEST_LIST];
  char *names = list[with_all];
  if (names[0]) return names;
  size_t used = 0;
  if (with_all) used = (size_t)snprintf(names, LONGEST_LIST, "all");
  for (int i = 0; crd_impact_law_at(i) && used < LONGEST_LIST; i++)
    used += (size_t)snprintf(names + used, LONGEST_LIST - used, "%s%s", used ? " " : "", crd_impact_law_at(i)->name);
  return names;
}
