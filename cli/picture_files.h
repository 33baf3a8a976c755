/* The options --svg and --png of a verb, and writing a picture to the files they name. */
#ifndef CRADLE_CLI_PICTURE_FILES_H
#define CRADLE_CLI_PICTURE_FILES_H

#include "cli.h"
#include "draw/picture.h"

/* --svg FILE and --png FILE of a verb; NULL: not given. */
typedef struct picture_files {
  const char *svg, *png;
} picture_files;
enum { PICTURE_OPTIONS = 2 };
/* The two options into a verb's table. */
void picture_options(picture_files *files, cli_option *option, const char *svg_help, const char *png_help);
/* Is one of them wanted? */
bool picture_wanted(const picture_files *files);
/* false after a message where PNG is wanted from a program without cairo. */
bool picture_possible(const picture_files *files, const char *verb);
/* Writes the files that are wanted and frees the picture. Returns CLI_DONE, or the exit code after a message. */
int picture_write(picture *p, const picture_files *files);

#endif
