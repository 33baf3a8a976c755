/* Claim: every element and attribute of MuJoCo's own schema (that of the installed version) is in the table of MJCF:
 * read, refused by name, or listed without effect, and never "unknown". */
#define _POSIX_C_SOURCE 200809L /* strtok_r */
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <string.h>

#include "io/xml/schema.h"
#include "support/cmocka_all.h"

enum { DEPTH = 8, NAME = 64 };

/* Lines: three blanks for each level, a name, its cardinality in parentheses, attributes; or more attributes alone. */
static void mujocos_schema_is_known(void **state) {
  (void)state;
  static char text[200000];
  char open[DEPTH][NAME] = {{0}}, *rest;
  int depth = 0, checked = 0;
  assert_true(mj_printSchema(NULL, text, sizeof text, 0, 0) > 0);
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    char *mark = strstr(line + strspn(line, " "), " ("), *more, *words = line;
    if (mark) {
      depth = (int)strspn(line, " ") / 3;
      assert_true(depth < DEPTH);
      snprintf(open[depth], NAME, "%.*s", (int)strcspn(line + 3 * depth, " "), line + 3 * depth);
      if (strcmp(open[depth], "(world)body") == 0) { /* the row of all bodies */
        snprintf(open[depth - 1], NAME, "body");
        snprintf(open[depth], NAME, "body");
      } else if (depth == 1) {
        snprintf(open[0], NAME, "mujoco");
      }
      if (depth > 0 && !crd_schema_knows(&crd_mjcf_schema, open[depth - 1], open[depth], NULL))
        fail_msg("<%s> in <%s> is unknown", open[depth], open[depth - 1]);
      words = strchr(mark, ')') + 1;
    }
    for (char *word = strtok_r(words, " ", &more); word && depth > 0; word = strtok_r(NULL, " ", &more), checked++)
      if (!crd_schema_knows(&crd_mjcf_schema, open[depth - 1], open[depth], word))
        fail_msg("<%s> %s in <%s> is unknown", open[depth], word, open[depth - 1]);
  }
  assert_true(checked > 500);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(mujocos_schema_is_known)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
