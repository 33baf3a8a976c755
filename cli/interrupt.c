/* Ctrl-C and SIGTERM end any verb: what computes is asked to end (crd_interrupt), and where it has not within half a
 * second, the program ends as the signal ends programs. A second signal does that at once. */
#define _XOPEN_SOURCE 700
#include <signal.h>
#include <string.h>
#include <time.h>

#include "cli.h"

/* Pieces of work (questions whether to go on) of a step of run or of any other verb: minutes. */
enum { MOST_WORK = 100000000, GRACE_NS = 400000000 };

static volatile sig_atomic_t received, writing, written;
static timer_t clock_of_grace; /* one of its own: the line of cli_doing ticks by SIGALRM */

static void end_by(int number) {
  cli_end_early();
  signal(number, SIG_DFL);
  raise(number);
}

static void start_clock(void) {
  const struct itimerspec grace = {.it_value = {.tv_nsec = GRACE_NS}};
  timer_settime(clock_of_grace, 0, &grace, NULL);
}

static void on_signal(int number) {
  if (received) end_by(number);
  received = number;
  crd_interrupt();
  start_clock();
}

/* What has been computed is being written, or has been since the signal: the program is given the time that it needs to
 * finish and to say so by its exit code. */
static void on_clock(int number) {
  (void)number;
  if (writing || written)
    start_clock();
  else
    end_by(received);
}

void cli_interrupt_begin(void) {
  static const int SIGNALS[] = {SIGINT, SIGTERM};
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART | SA_NODEFER};
  sigemptyset(&action.sa_mask);
  crd_interrupt_reset(MOST_WORK);
  for (size_t i = 0; i < sizeof SIGNALS / sizeof *SIGNALS; i++) sigaction(SIGNALS[i], &action, NULL);
  action.sa_handler = on_clock;
  sigaction(SIGRTMIN, &action, NULL);
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
  timer_create(CLOCK_MONOTONIC, &event, &clock_of_grace);
}

void cli_limit_work(uint64_t most) { crd_interrupt_reset(most); }

bool cli_interrupted(void) { return crd_interrupted(); }

const char *cli_interrupt_text(void) {
  switch (crd_interrupt_status()) {
    case CRD_STOPPED: return "interrupted";
    case CRD_LIMIT: return "the limit of work is reached (--max-work)";
    default: return "";
  }
}

void cli_writes(bool begins) {
  writing += begins ? 1 : -1;
  if (!begins && received) written = 1;
}
