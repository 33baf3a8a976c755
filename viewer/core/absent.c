/* What WebAssembly has no system for: the page starts no programs, and sends itself no signals (it ends the worker). */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <time.h>

int posix_spawnp(pid_t *child, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment) {
  (void)child, (void)file, (void)actions, (void)attributes, (void)arguments, (void)environment;
  return ENOSYS;
}

int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict timer) {
  (void)clock, (void)event, (void)timer;
  return errno = ENOSYS, -1;
}

int timer_settime(timer_t timer, int flags, const struct itimerspec *restrict value, struct itimerspec *restrict old) {
  (void)timer, (void)flags, (void)value, (void)old;
  return errno = ENOSYS, -1;
}
