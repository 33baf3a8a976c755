/* The impact laws as words of an option. */
#include <cradle/impact.h>
#include <string.h>

#include "cli.h"
#include "laws.h"

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

int cli_choose_laws(const char *verb, const char *text, const crd_impact_law *law[CLI_MAX_LAWS]) {
  int count = 0;
  bool all = false;
  for (const char *at = text; *at;) {
    const size_t length = strcspn(at, ",");
    char name[64] = "";
    if (length < sizeof name) memcpy(name, at, length);
    if (count == CLI_MAX_LAWS) return cli_complain(verb, "--law: found more than %d laws", CLI_MAX_LAWS), -1;
    law[count] = crd_impact_find(name);
    all = all || !law[count]; /* "all" is the one word that is no law */
    count++, at += length + (at[length] == ',');
  }
  if (!all) return count;
  for (count = 0; count < CLI_MAX_LAWS && (law[count] = crd_impact_law_at(count));) count++;
  return count;
}
