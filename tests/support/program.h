/* Runs the cradle program as a user would and keeps what it printed. */
#ifndef TESTS_PROGRAM_H
#define TESTS_PROGRAM_H

#include <jansson.h>

typedef struct program_run {
  int code;          /* exit code; 128 + signal where it died by one */
  char *out, *error; /* what it wrote, terminated */
} program_run;

/* build/cradle with these arguments, as a shell would split them: "example @ramone >/dev/full". Free with program_free.
 */
program_run program(const char *arguments);
void program_free(program_run *run);

/* Runs, expects exit 0 and exactly one JSON object on stdout; the caller drops the reference. */
json_t *program_json(const char *arguments);

/* The name of a file in the test's own folder, which is empty at the start and removed by program_folder_remove. The
 * result is valid until the next call. */
const char *program_file(const char *name);
void program_folder_remove(void);

/* Writes text into the file, reads it back (NULL: there is none; the caller frees). */
void program_write(const char *path, const char *text);
char *program_read(const char *path);

#endif
