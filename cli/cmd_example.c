/* cradle example: lists the built-in examples, or writes one. */
#include <cradle/io.h>
#include <math.h>

#include "cli.h"

static int list(const char *path) {
  cli_output output;
  if (!cli_output_begin(&output)) return CLI_SYSTEM;
  for (int i = 0; i < crd_io_example_count(); i++) {
    const crd_example *example = crd_io_example_at(i);
    char name[64];
    snprintf(name, sizeof name, "@%s%s", example->name, example->n_max > 0 ? ":N" : "");
    fprintf(output.file, "%-23s %s\n", name, example->summary);
  }
  return cli_output_end(&output, path, CLI_DONE);
}

static int write(const char *spec, const crd_example_options *options, const char *path) {
  crd_arena arena = {0};
  crd_error err = {0};
  const char *text;
  cli_output output = {0};
  int code = CLI_SYSTEM;
  if (crd_io_example_text(spec, options, &arena, &text, &err)) {
    code = cli_report(&err);
  } else if (cli_output_begin(&output)) {
    fputs(text, output.file);
    code = cli_output_end(&output, path, CLI_DONE);
  }
  crd_arena_free(&arena);
  return code;
}

int cmd_example(int argc, char **argv) {
  const char *spec, *path = NULL;
  crd_example_options example = crd_example_default();
  const cli_option options[] = {
      {"--base", "Z", CLI_NUMBER, &example.base, -HUGE_VAL, "height of the base of @pendulum, m (5.5)"},
      {"-o", "FILE", CLI_TEXT, &path, 0, "write to FILE instead of standard output"},
  };
  const cli_syntax syntax = {
      "example", "[NAME[:N]]", "Lists the built-in examples; with a name, writes that one as MJCF.",
      NULL,      options,      sizeof options / sizeof options[0]};
  cli_parsed parsed = cli_parse(&syntax, argc, argv, &spec);
  if (parsed != CLI_PARSED) return cli_parse_exit(parsed);
  return spec ? write(spec, &example, path) : list(path);
}
