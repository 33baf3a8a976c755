/* What WebAssembly has no system for: the page starts no programs. */
#include <errno.h>
#include <spawn.h>

int posix_spawnp(pid_t *child, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment) {
  (void)child, (void)file, (void)actions, (void)attributes, (void)arguments, (void)environment;
  return ENOSYS;
}
