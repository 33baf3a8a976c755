/* Files that a command reads are never written by it, and no two of its outputs are one.
 *
 * Two names are the same file where device and inode agree, whatever links lead there; a file that does not exist yet
 * is known by its folder's inode and its name. Devices and pipes can be written as often as one likes.
 */
#define _POSIX_C_SOURCE 200809L
#include <cradle/io.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "progress.h"

enum { OUTPUTS = 8 };

/* Files that the command will write, with their options. */
static struct { const char *option, *path; } outputs[OUTPUTS];
static int noutput;

/* The program tells which files it writes; a module that uses its parts does not. */
static bool quiet = true;

void cli_be_quiet(bool be_quiet) { quiet = be_quiet; }

void cli_wrote(const char *path) {
  cli_doing(NULL);
  if (!quiet) fprintf(stderr, "cradle: wrote %s\n", path);
}

/* Of a file that exists, or of the folder that it would be in. */
typedef struct identity {
  bool exists, regular;
  dev_t device;
  ino_t inode;
} identity;

static identity identify(const char *path) {
  struct stat found;
  if (stat(path, &found) == 0) return (identity){true, S_ISREG(found.st_mode), found.st_dev, found.st_ino};
  identity folder = {.regular = true};
  char *copy = strdup(path);
  if (copy && stat(dirname(copy), &found) == 0) folder.device = found.st_dev, folder.inode = found.st_ino;
  free(copy);
  return folder;
}

static bool same_name(const char *a, const char *b) {
  char *first = strdup(a), *second = strdup(b);
  const bool same = first && second && strcmp(basename(first), basename(second)) == 0;
  free(first), free(second);
  return same;
}

static bool same_file(const char *a, const char *b) {
  const identity first = identify(a), second = identify(b);
  if (first.exists != second.exists || !first.regular || !second.regular) return false;
  if (first.device != second.device || first.inode != second.inode) return false;
  return first.exists || same_name(a, b);
}

bool cli_add_output(const char *verb, const char *option, const char *path) {
  for (int i = 0; i < noutput; i++) {
    if (!same_file(outputs[i].path, path)) continue;
    cli_complain(verb, "%s: found '%s', which %s writes too, expected another file", option, path, outputs[i].option);
    return false;
  }
  if (noutput < OUTPUTS) outputs[noutput].option = option, outputs[noutput].path = path, noutput++;
  return true;
}

bool cli_spares(const char *verb, const char *path) {
  for (int i = 0; i < noutput; i++) {
    if (!same_file(outputs[i].path, path)) continue;
    cli_complain(verb, "%s: found '%s', which is read, expected another file to write to", outputs[i].option,
                 outputs[i].path);
    return false;
  }
  return true;
}

void cli_end_early(void) { crd_io_remove_unfinished(); }
