#define _DEFAULT_SOURCE
#include "io/trace/leftover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

void crd_leftover_stem(const char *own, char stem[CRD_LEFTOVER_STEM]) {
  enum { KEPT = 200 };
  if (strlen(own) < CRD_LEFTOVER_STEM) {
    strcpy(stem, own);
    return;
  }
  uint64_t hash = 0xcbf29ce484222325; /* FNV-1a, 64 bits */
  for (const char *at = own; *at; at++) hash = (hash ^ (unsigned char)*at) * 0x100000001b3;
  snprintf(stem, CRD_LEFTOVER_STEM, "%.*s~%016llx", KEPT, own, (unsigned long long)hash);
}

/* Is the name "own.<process>-<try>" with a process that is gone? */
static bool is_of_the_dead(const char *name, const char *own) {
  char stem[CRD_LEFTOVER_STEM];
  crd_leftover_stem(own, stem);
  const size_t length = strlen(stem);
  char *end;
  if (strncmp(name, stem, length) != 0 || name[length] != '.') return false;
  const char *process = name + length + 1;
  const long id = strtol(process, &end, 10);
  if (end == process || *end != '-' || id <= 0 || id == (long)getpid()) return false;
  const char *attempt = end + 1;
  if (!*attempt || strspn(attempt, "0123456789") != strlen(attempt)) return false;
  return kill((pid_t)id, 0) != 0 && errno == ESRCH;
}

void crd_leftovers(const char *place, bool (*each)(void *context, const char *name, int descriptor), void *context) {
  const char *slash = strrchr(place, '/'), *own = slash ? slash + 1 : place;
  const size_t folder_length = slash ? (size_t)(slash - place) + 1 : 2;
  char *folder = malloc(folder_length + 1);
  if (!folder) return;
  memcpy(folder, slash ? place : "./", folder_length);
  folder[folder_length] = 0;
  DIR *dir = opendir(folder);
  const struct dirent *entry;
  for (bool goes_on = true; dir && goes_on && (entry = readdir(dir));) {
    if (!is_of_the_dead(entry->d_name, own)) continue;
    const size_t room = folder_length + strlen(entry->d_name) + 1;
    char *name = malloc(room);
    if (!name) break;
    snprintf(name, room, "%s%s", folder, entry->d_name);
    const int descriptor = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor >= 0) {
      if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) goes_on = each(context, name, descriptor);
      close(descriptor);
    }
    free(name);
  }
  if (dir) closedir(dir);
  free(folder);
}

static bool remove_one(void *context, const char *name, int descriptor) {
  (void)context, (void)descriptor;
  unlink(name);
  return true;
}

void crd_leftovers_remove(const char *place) { crd_leftovers(place, remove_one, NULL); }
