/* Siconos' test problems by crd_coulomb_solve and by Siconos' own nonsmooth Gauss-Seidel, both to 1e-8 in one run. The
 * residual of both answers is ours, of the problem as posed. NSGS runs in a process of its own, since it may end it,
 * and gets LIMIT seconds. */
#define _DEFAULT_SOURCE
#include <cradle/io.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coulomb_parts.h"

static const double TOLERANCE = 1e-8;
enum { LIMIT = 20, SHORT_REPEATS = 200 }; /* s; rounds of which the fastest counts */

#ifdef CRADLE_HAVE_SICONOS
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void nsgs_in_child(const char *path, int n, bool planar, int end) {
  const struct rlimit limit = {LIMIT, LIMIT};
  double *p = calloc(2 * (size_t)n, sizeof *p), seconds = INFINITY;
  setrlimit(RLIMIT_CPU, &limit);
  if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(1);
  FrictionContactProblem *problem = frictionContact_new_from_filename(path);
  if (!problem || !p) _exit(1);
  numerics_set_verbose(0);
  for (int k = 0; k < SHORT_REPEATS && (k == 0 || k * seconds < 0.1); k++) {
    SolverOptions *options = solver_options_create(planar ? SICONOS_FRICTION_2D_NSGS : SICONOS_FRICTION_3D_NSGS);
    options->dparam[SICONOS_DPARAM_TOL] = TOLERANCE, options->iparam[SICONOS_IPARAM_MAX_ITER] = 10000000;
    memset(p, 0, 2 * (size_t)n * sizeof *p);
    double start = thread_seconds();
    (planar ? fc2d_driver : fc3d_driver)(problem, p, p + n, options);
    seconds = fmin(seconds, thread_seconds() - start);
  }
  bool sent = write(end, &seconds, sizeof seconds) == (ssize_t)sizeof seconds;
  for (size_t done = 0, size = (size_t)n * sizeof *p; sent && done < size;) {
    ssize_t part = write(end, (char *)p + done, size - done);
    if (part <= 0) break;
    done += (size_t)part;
  }
  _exit(0);
}

/* Seconds, and the impulses in p; infinite: no answer within the limit. */
static double by_nsgs(const char *path, int n, bool planar, double *p) {
  int ends[2];
  double seconds = INFINITY;
  if (pipe(ends) != 0) return INFINITY;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) nsgs_in_child(path, n, planar, ends[1]);
  close(ends[1]);
  bool whole = child > 0 && read(ends[0], &seconds, sizeof seconds) == (ssize_t)sizeof seconds;
  for (size_t done = 0, size = (size_t)n * sizeof *p; whole && done < size;) {
    ssize_t part = read(ends[0], (char *)p + done, size - done);
    if (part <= 0) whole = false;
    done += part > 0 ? (size_t)part : 0;
  }
  close(ends[0]);
  if (child > 0) waitpid(child, NULL, 0);
  return whole ? seconds : INFINITY;
}
#else
static double by_nsgs(const char *path, int n, bool planar, double *p) {
  (void)path, (void)n, (void)planar, (void)p;
  return INFINITY;
}
#endif

static void run_file(crd_coulomb_work *work, const char *path, const char *name) {
  crd_coulomb_file file = {0};
  crd_error err = {0};
  if (crd_io_read_coulomb(path, 0, &file, &err) != CRD_OK) {
    printf("%-46s %s\n", name, err.text);
    return;
  }
  const crd_coulomb_problem *problem = &file.problem;
  size_t n = (size_t)problem->n;
  double *p = calloc(n + 1, sizeof *p), *u = calloc(n + 1, sizeof *u), best = INFINITY;
  crd_mode *mode = calloc((size_t)problem->ncontact + 1, sizeof *mode);
  if (!p || !u || !mode) exit(3);
  crd_coulomb_state state = {p, u, mode};
  crd_coulomb_options options = crd_coulomb_default();
  crd_coulomb_report report = {0};
  options.tolerance = options.large_tolerance = TOLERANCE, options.max_sweeps = 100000;
  for (int k = 0; k < SHORT_REPEATS && (k == 0 || k * best < 0.1); k++) {
    double start = thread_seconds();
    crd_coulomb_solve(work, problem, &options, &state, &report);
    best = fmin(best, thread_seconds() - start);
  }
  printf("%-46s %6d %8d %10.4f %9.1e %s", name, problem->ncontact, report.islands, 1e3 * best, report.residual,
         report.status == CRD_OK ? "     " : "above");
  bool local = file.format && strcmp(file.format, "siconos friction") == 0 && problem->ncontact > 0;
  double seconds = local ? by_nsgs(path, problem->n, problem->contact[0].ntangent == 1, p) : INFINITY;
  if (seconds < INFINITY) {
    crd_coulomb_residual_parts parts;
    crd_coulomb_residual(problem, p, u, &parts);
    printf(" %11.4f %9.1e %8.1f\n", 1e3 * seconds, parts.worst, seconds / best);
  } else {
    printf(" %11s\n", local ? "none" : "");
  }
  fflush(stdout);
  free(p), free(u), free(mode);
  crd_io_coulomb_file_free(&file);
}

void bench_siconos_data(const char *directory) {
  struct dirent **entry;
  int count = scandir(directory, &entry, NULL, alphasort);
  crd_coulomb_work *work = crd_coulomb_work_new();
  printf("\n%-46s %6s %8s %10s %9s       %11s %9s %8s\n", "Siconos' data, to 1e-8", "conts", "islands", "ms",
         "residual", "NSGS ms", "residual", "ratio");
  for (int i = 0; i < count; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, entry[i]->d_name);
    if (strstr(entry[i]->d_name, ".dat") || strstr(entry[i]->d_name, ".hdf5")) run_file(work, path, entry[i]->d_name);
    free(entry[i]);
  }
  if (count >= 0) free(entry);
  crd_coulomb_work_free(work);
}
