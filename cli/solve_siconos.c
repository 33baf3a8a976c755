/* Methods of Siconos beside ours, where the program was built with its headers.
 *
 * The library is loaded when it is asked for, so that the program neither needs it nor starts slower. It ends the
 * process on some failures and may not end at all: each solve is a process of its own with a limit on its CPU time. The
 * problem goes over as the text of a Siconos file, which needs nothing of the library's own matrices. */
#define _DEFAULT_SOURCE
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "solve.h"

#ifdef CRADLE_SICONOS_LIBRARY
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT_S = 60, MOST_ITERATIONS = 1000000 };

typedef struct siconos {
  __typeof__(frictionContact_newFromFile) *read;
  __typeof__(solver_options_create) *options;
  __typeof__(fc2d_driver) *solve2;
  __typeof__(fc3d_driver) *solve3;
  __typeof__(numerics_set_verbose) *verbose;
} siconos;

static const struct {
  const char *name;
  int planar, solid; /* numbers of the solvers, 0: none */
} METHODS[] = {{"siconos nsgs", SICONOS_FRICTION_2D_NSGS, SICONOS_FRICTION_3D_NSGS},
               {"siconos nsn", 0, SICONOS_FRICTION_3D_NSN_AC},
               {"siconos lemke", SICONOS_FRICTION_2D_LEMKE, 0}};

static bool load(siconos *library) {
  const struct {
    const char *name;
    void *target;
  } entry[] = {{"frictionContact_newFromFile", &library->read},
               {"solver_options_create", &library->options},
               {"fc2d_driver", &library->solve2},
               {"fc3d_driver", &library->solve3},
               {"numerics_set_verbose", &library->verbose}};
  void *handle = dlopen(CRADLE_SICONOS_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  for (size_t i = 0; i < sizeof entry / sizeof *entry && handle; i++) {
    void *address = dlsym(handle, entry[i].name);
    if (!address) return false;
    memcpy(entry[i].target, &address, sizeof address); /* C has no conversion to a function */
  }
  return handle;
}

/* Rows a contact where all contacts are alike and nothing else is there, as Siconos states it; 0: it cannot. */
static int dimension(const crd_coulomb_problem *problem) {
  const int d = problem->ncontact ? 1 + problem->contact[0].ntangent : 0;
  if (problem->nbilateral || problem->nbounded || d < 2) return 0;
  for (int k = 0; k < problem->ncontact; k++) {
    const crd_coulomb_contact *contact = &problem->contact[k];
    if (contact->row != d * k || contact->ntangent != d - 1 || contact->nspin || contact->nroll || contact->slides ||
        contact->target != 0)
      return 0;
  }
  return d;
}

const char *solve_siconos_name(const crd_coulomb_problem *problem, int which) {
  const int d = dimension(problem);
  for (size_t k = 0; k < sizeof METHODS / sizeof *METHODS && d; k++)
    if ((d == 2 ? METHODS[k].planar : METHODS[k].solid) && which-- == 0) return METHODS[k].name;
  return NULL;
}

static int solver_number(const char *name, int d) {
  for (size_t k = 0; k < sizeof METHODS / sizeof *METHODS; k++)
    if (strcmp(METHODS[k].name, name) == 0) return d == 2 ? METHODS[k].planar : METHODS[k].solid;
  return 0;
}

/* ------------------------------------------------------------------------------------------------ the file */

static void write_blocks(FILE *file, const crd_coulomb_problem *problem, int d) {
  const crd_coulomb_blocks *blocks = problem->blocks;
  const int count = blocks->first[blocks->ngroup];
  fprintf(file, "1\n%d\n%d\n%d\n%d\n%d\n", problem->n, problem->n, count, blocks->ngroup, blocks->ngroup);
  for (int side = 0; side < 2; side++)
    for (int g = 0; g < blocks->ngroup; g++) fprintf(file, "%d\n", blocks->first_row[g + 1]);
  fprintf(file, "%d\n%d\n", blocks->ngroup + 1, count);
  for (int g = 0; g <= blocks->ngroup; g++) fprintf(file, "%d\n", blocks->first[g]);
  for (int b = 0; b < count; b++) fprintf(file, "%d\n", blocks->column[b]);
  for (int b = 0; b < count; b++) {
    fprintf(file, "%d\n", b);
    for (int k = 0; k < d * d; k++)
      fprintf(file, "%.17g\n", blocks->value[blocks->offset[b] + (size_t)(d * (k % d) + k / d)]);
  }
}

/* Row i of G into out. */
static void matrix_row(const crd_coulomb_problem *problem, int i, double *out) {
  const size_t n = (size_t)problem->n, nv = (size_t)problem->nv;
  if (problem->G) memcpy(out, problem->G + (size_t)i * n, n * sizeof *out);
  for (size_t j = 0; j < n && problem->J; j++) {
    out[j] = 0;
    for (size_t k = 0; k < nv; k++) out[j] += problem->J[(size_t)i * nv + k] * problem->X[j * nv + k];
  }
}

static bool write_whole(FILE *file, const crd_coulomb_problem *problem) {
  const size_t n = (size_t)problem->n;
  double *G = calloc(n * n, sizeof *G);
  fprintf(file, "0\n%zu\n%zu\n%zu %zu\n", n, n, n, n);
  for (int i = 0; i < problem->n && G; i++) matrix_row(problem, i, G + (size_t)i * n);
  for (size_t k = 0; k < n * n && G; k++) fprintf(file, "%.17g\n", G[(k % n) * n + k / n]);
  free(G);
  return G;
}

/* As a file that is read from its start; NULL: no memory. Groups of blocks have to be the contacts. */
static FILE *as_file(const crd_coulomb_problem *problem, int d) {
  FILE *file = tmpfile();
  bool done = file;
  const bool by_contact = problem->blocks && problem->blocks->ngroup == problem->ncontact;
  if (problem->blocks && !by_contact) done = false;
  if (done) fprintf(file, "%d\n%d\n", d, problem->ncontact);
  if (done && by_contact) write_blocks(file, problem, d);
  if (done && !problem->blocks) done = write_whole(file, problem);
  for (int i = 0; i < problem->n && done; i++) fprintf(file, "%.17g\n", problem->w[i]);
  for (int k = 0; k < problem->ncontact && done; k++) fprintf(file, "%.17g\n", problem->contact[k].mu);
  if (done) rewind(file);
  if (!done && file) fclose(file);
  return done ? file : NULL;
}

/* ------------------------------------------------------------------------------------------------ the process */

typedef struct result {
  int info, iterations;
  double cpu_s;
} result;

/* Never returns. */
static void solve_in_child(const crd_coulomb_problem *problem, const char *name, double tolerance, int pipe_end) {
  siconos library;
  const int d = dimension(problem), quiet = open("/dev/null", O_WRONLY);
  const size_t n = (size_t)problem->n;
  const struct rlimit limit = {LIMIT_S, LIMIT_S};
  FILE *file = as_file(problem, d);
  double *reaction = calloc(2 * n, sizeof *reaction);
  setrlimit(RLIMIT_CPU, &limit);
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody waits for it any more */
  dup2(quiet, STDOUT_FILENO), dup2(quiet, STDERR_FILENO);
  if (!file || !reaction || !load(&library)) _exit(1);
  FrictionContactProblem *posed = library.read(file);
  if (!posed) _exit(1);
  library.verbose(0);
  result r = {.cpu_s = HUGE_VAL};
  for (int k = 0; k < SOLVE_REPEATS; k++) {
    SolverOptions *options = library.options(solver_number(name, d));
    if (!options) _exit(1);
    options->dparam[SICONOS_DPARAM_TOL] = tolerance, options->iparam[SICONOS_IPARAM_MAX_ITER] = MOST_ITERATIONS;
    memset(reaction, 0, 2 * n * sizeof *reaction);
    const double start = solve_cpu();
    r.info = (d == 2 ? library.solve2 : library.solve3)(posed, reaction, reaction + n, options);
    const double once = solve_cpu() - start;
    r.cpu_s = fmin(r.cpu_s, once), r.iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
    if (once > SOLVE_LONG) break;
  }
  const char *part[2] = {(const char *)&r, (const char *)reaction};
  const size_t size[2] = {sizeof r, n * sizeof *reaction};
  for (int k = 0; k < 2; k++)
    for (size_t done = 0; done < size[k];) {
      const ssize_t written = write(pipe_end, part[k] + done, size[k] - done);
      if (written <= 0) _exit(1);
      done += (size_t)written;
    }
  _exit(0);
}

static bool read_all(int pipe_end, void *memory, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t got = read(pipe_end, (char *)memory + done, size - done);
    if (got <= 0) return false;
    done += (size_t)got;
  }
  return true;
}

void solve_siconos(const crd_coulomb_problem *problem, int which, double tolerance, double *p, solve_rival *rival) {
  int ends[2], ending = 0;
  result r = {0};
  *rival = (solve_rival){.name = solve_siconos_name(problem, which), .status = "failed"};
  if (pipe(ends) != 0) return;
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    solve_in_child(problem, rival->name, tolerance, ends[1]);
  }
  close(ends[1]);
  rival->answered =
      child > 0 && read_all(ends[0], &r, sizeof r) && read_all(ends[0], p, (size_t)problem->n * sizeof *p);
  close(ends[0]);
  if (child > 0) waitpid(child, &ending, 0);
  rival->iterations = r.iterations, rival->cpu_s = r.cpu_s;
  if (rival->answered)
    rival->status = r.info == 0 ? "ok" : "not converged";
  else if (WIFSIGNALED(ending) && (WTERMSIG(ending) == SIGXCPU || WTERMSIG(ending) == SIGKILL))
    rival->status = "over 60 s";
}

#else

const char *solve_siconos_name(const crd_coulomb_problem *problem, int which) {
  (void)problem, (void)which;
  return NULL;
}

void solve_siconos(const crd_coulomb_problem *problem, int which, double tolerance, double *p, solve_rival *rival) {
  (void)problem, (void)which, (void)tolerance, (void)p;
  *rival = (solve_rival){.name = "siconos", .status = "not installed"};
}

#endif
