#include "picture_files.h"

void picture_options(picture_files *files, cli_option *option, const char *svg_help, const char *png_help) {
  option[0] = (cli_option){"--svg", "FILE", CLI_OUTPUT, &files->svg, 0, svg_help};
  option[1] = (cli_option){"--png", "FILE", CLI_OUTPUT, &files->png, 0, png_help};
}

bool picture_wanted(const picture_files *files) { return files->svg || files->png; }

bool picture_possible(const picture_files *files, const char *verb) {
  if (!files->png || picture_has_png()) return true;
  cli_complain(verb, "--png: this cradle was built without cairo, expected --svg FILE");
  return false;
}

static int write_one(const picture *p, const char *path, bool (*print)(const picture *, FILE *)) {
  cli_output output;
  if (!cli_output_begin(&output)) return CLI_SYSTEM;
  const bool done = !p->failed && print(p, output.file);
  if (!done) fprintf(stderr, "cradle: no memory\n");
  return cli_output_end(&output, path, done ? CLI_DONE : CLI_SYSTEM);
}

int picture_write(picture *p, const picture_files *files) {
  int code = CLI_DONE;
  if (files->svg) code = write_one(p, files->svg, picture_svg);
  if (files->png && code == CLI_DONE) code = write_one(p, files->png, picture_png);
  picture_free(p);
  return code;
}
