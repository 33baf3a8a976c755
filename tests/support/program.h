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

/* Arguments, and what the error says. */
typedef struct program_refusal {
  const char *arguments, *says;
} program_refusal;
/* Runs each, and expects exit 1, nothing on stdout and the words on stderr. */
void program_assert_refused(const program_refusal *bad, size_t count);

/* Runs, expects exit 0 and exactly one JSON object on stdout; the caller drops the reference. */
json_t *program_json(const char *arguments);

/* The value at a path of keys and indices, "laws.0.energy_gain"; the test fails where it is missing. */
const json_t *program_at(const json_t *object, const char *path);

/* The name of a file in the test's own folder, which is empty at the start and removed by program_folder_remove. The
 * result is valid until the next call. */
const char *program_file(const char *name);
void program_folder_remove(void);
/* The same as the teardown of a group of tests. */
int program_remove_folder(void **state);
/* Removes these files and the folder, as such a teardown: the result is 0 where nothing else was left in it. */
int program_folder_holds(size_t count, const char *const *name);

/* Writes text into the file, reads it back (NULL: there is none; the caller frees). */
void program_write(const char *path, const char *text);
char *program_read(const char *path);

#endif
