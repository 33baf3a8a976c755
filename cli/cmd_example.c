/* cradle example: lists the built-in examples, or writes one. */
#include <math.h>

#include "common.h"

static void print_list(FILE *file) {
  for (int i = 0; i < crd_io_example_count(); i++) {
    const crd_example *example = crd_io_example_at(i);
    char name[64];
    snprintf(name, sizeof name, "@%s%s", example->name, example->n_max > 0 ? ":N" : "");
    enum { NAME = 24 };
    fprintf(file, "%-*s", NAME, name);
    cli_print_wrapped(file, example->summary, NAME, NAME, cli_columns());
  }
}

static json_t *list_json(void) {
  json_t *list = json_array();
  for (int i = 0; i < crd_io_example_count(); i++) {
    const crd_example *example = crd_io_example_at(i);
    json_array_append_new(
        list, json_pack("{s:s, s:s, s:i, s:i, s:i}", "name", example->name, "summary", example->summary, "n_default",
                        example->n_default, "n_min", example->n_min, "n_max", example->n_max));
  }
  return json_pack("{s:o}", "examples", list);
}

int cmd_example(int argc, char **argv) {
  const char *spec, *path = NULL, *text = NULL;
  bool json = false;
  crd_example_options example = crd_io_example_default();
  const cli_option options[] = {
      {"--base", "Z", CLI_NUMBER, &example.base, -HUGE_VAL, "height of the base of @pendulum, m (5.5)"},
      {"--json", NULL, CLI_FLAG, &json, 0, "print one JSON object"},
      {"-o", "FILE", CLI_OUTPUT, &path, 0, "write to FILE instead of standard output"},
  };
  const cli_syntax syntax = {"example",
                             "[NAME[:N]]",
                             "Lists the built-in examples; with a name, writes that one as MJCF.",
                             NULL,
                             options,
                             sizeof options / sizeof options[0],
                             "@pendulum:4 -o pendulum.xml"};
  cli_parsed parsed = cli_parse(&syntax, argc, argv, &spec);
  if (parsed != CLI_PARSED) return cli_parse_exit(parsed);

  crd_arena arena = {0};
  crd_error err = {0};
  cli_output output = {0};
  int code = CLI_DONE;
  if (spec && crd_io_example_text(spec, &example, &arena, &text, &err)) code = cli_report(&err);
  if (code == CLI_DONE && !cli_output_begin(&output)) code = CLI_SYSTEM;
  if (code == CLI_DONE) {
    bool done = true;
    if (json)
      done = cli_json_print(output.file, spec ? json_pack("{s:s, s:s}", "name", spec, "mjcf", text) : list_json());
    else if (spec)
      fputs(text, output.file);
    else
      print_list(output.file), cli_output_fit(&output);
    code = cli_output_end(&output, path, done ? CLI_DONE : CLI_SYSTEM);
  }
  crd_arena_free(&arena);
  return code;
}
