/* The contact problems of robots and heaps by crd_coulomb_solve: how many are solved to 1e-9, what they cost, which
 * method settled them; from the recorded guess, from none, perturbed, turned and in other units. Then the table of
 * ways of the built-in examples.
 *
 *   bench_coulomb [DIRECTORY]      of *.jsonl files as ../shared/islands has them (their README states the format) */
#define _POSIX_C_SOURCE 200809L
#include <cradle/cradle.h>
#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coulomb_parts.h"

typedef struct instance {
  char name[64];
  crd_coulomb_problem problem;
  double *w, *G, *guess;
  crd_coulomb_contact *contact;
  crd_mode *mode;
  int *bilateral;
  crd_coulomb_bounded *bounded;
} instance;

typedef struct collection {
  int count, capacity;
  instance *item;
} collection;

static void *take(size_t count, size_t size) {
  void *memory = calloc(count ? count : 1, size);
  if (!memory) exit(3);
  return memory;
}

static double number(const json_t *object, const char *key) { return json_number_value(json_object_get(object, key)); }
static int integer(const json_t *object, const char *key) {
  return (int)json_integer_value(json_object_get(object, key));
}
static double element(const json_t *list, int i) { return json_number_value(json_array_get(list, (size_t)i)); }

static void read_rows(instance *it, const json_t *line) {
  const json_t *contacts = json_object_get(line, "contacts"), *dry = json_object_get(line, "dry");
  const json_t *bilateral = json_object_get(line, "bilateral");
  crd_coulomb_problem *p = &it->problem;
  p->ncontact = (int)json_array_size(contacts), p->nbounded = (int)json_array_size(dry);
  p->nbilateral = integer(bilateral, "count");
  it->contact = take((size_t)p->ncontact, sizeof *it->contact), it->mode = take((size_t)p->ncontact, sizeof *it->mode);
  it->bounded = take((size_t)p->nbounded, sizeof *it->bounded);
  it->bilateral = take((size_t)p->nbilateral, sizeof *it->bilateral);
  for (int i = 0; i < p->ncontact; i++) {
    const json_t *c = json_array_get(contacts, (size_t)i);
    it->contact[i] =
        (crd_coulomb_contact){.row = integer(c, "row"), .ntangent = integer(c, "tangents"), .mu = number(c, "mu")};
    it->mode[i] = (crd_mode)integer(c, "mode");
  }
  for (int i = 0; i < p->nbounded; i++) {
    const json_t *d = json_array_get(dry, (size_t)i);
    it->bounded[i] = (crd_coulomb_bounded){integer(d, "row"), -number(d, "bound"), number(d, "bound")};
  }
  for (int i = 0; i < p->nbilateral; i++) it->bilateral[i] = integer(bilateral, "first") + i;
}

static void read_instance(instance *it, const json_t *line) {
  crd_coulomb_problem *p = &it->problem;
  int n = p->n = integer(line, "n");
  it->w = take((size_t)n, sizeof(double)), it->guess = take((size_t)n, sizeof(double));
  it->G = take((size_t)n * (size_t)n, sizeof(double));
  snprintf(it->name, sizeof it->name, "%s", json_string_value(json_object_get(line, "id")));
  read_rows(it, line);
  const json_t *G = json_object_get(line, "G");
  for (int i = 0, k = 0; i < n; i++) {
    it->w[i] = element(json_object_get(line, "w"), i), it->guess[i] = element(json_object_get(line, "guess"), i);
    for (int j = 0; j <= i; j++, k++) it->G[n * i + j] = it->G[n * j + i] = element(G, k);
  }
  p->w = it->w, p->G = it->G, p->contact = it->contact, p->bilateral = it->bilateral, p->bounded = it->bounded;
  p->velocity = number(line, "natural");
}

static void read_file(collection *all, const char *path) {
  FILE *file = fopen(path, "r");
  json_error_t error;
  if (!file) return;
  for (;;) {
    json_t *line = json_loadf(file, JSON_DISABLE_EOF_CHECK, &error);
    if (!line) break;
    if (all->count == all->capacity) {
      all->capacity = all->capacity ? 2 * all->capacity : 64;
      all->item = realloc(all->item, sizeof *all->item * (size_t)all->capacity);
      if (!all->item) exit(3);
    }
    all->item[all->count] = (instance){0};
    read_instance(&all->item[all->count++], line);
    json_decref(line);
  }
  fclose(file);
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const instance *)a)->name, ((const instance *)b)->name);
}

static void read_directory(collection *all, const char *path) {
  DIR *directory = opendir(path);
  if (!directory) {
    printf("no recorded islands in %s: give their directory as argument\n", path);
    exit(0);
  }
  for (struct dirent *entry; (entry = readdir(directory));) {
    size_t length = strlen(entry->d_name);
    char name[4096];
    if (length < 6 || strcmp(entry->d_name + length - 6, ".jsonl") != 0) continue;
    snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
    read_file(all, name);
  }
  closedir(directory);
  qsort(all->item, (size_t)all->count, sizeof *all->item, by_name);
}

/* ------------------------------------------------------------------------------------------------ runs */

typedef struct tally {
  int count, exact, close, refused;
  int settled[CRD_COULOMB_METHODS];
  double *us;
  double worst_us, sum_us, worst_residual;
} tally;

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void solve_one(crd_coulomb_work *work, const instance *it, const crd_coulomb_problem *problem, bool warm,
                      tally *t, bool verbose) {
  enum { REPEATS = 3 };
  int n = problem->n;
  double *p = take((size_t)n, sizeof *p), *u = take((size_t)n, sizeof *u), best = INFINITY;
  crd_mode *mode = take((size_t)problem->ncontact, sizeof *mode);
  crd_coulomb_options options = crd_coulomb_default();
  crd_coulomb_report report = {0};
  crd_coulomb_state state = {p, u, mode};
  options.warm = warm;
  for (int k = 0; k < REPEATS; k++) {
    memcpy(p, it->guess, sizeof *p * (size_t)n);
    memcpy(mode, it->mode, sizeof *mode * (size_t)problem->ncontact);
    double begin = thread_seconds();
    crd_coulomb_solve(work, problem, &options, &state, &report);
    best = fmin(best, thread_seconds() - begin);
  }
  double us = 1e6 * best;
  if (us > t->worst_us) t->worst_us = us;
  t->us[t->count++] = us, t->sum_us += us;
  t->exact += report.residual <= 1e-9 && report.status == CRD_OK;
  t->close += report.residual <= 1e-6 && report.status >= CRD_OK;
  for (int k = 0; k < CRD_COULOMB_METHODS; k++) t->settled[k] += report.settled[k];
  t->worst_residual = fmax(t->worst_residual, report.residual);
  if (verbose && !(report.status == CRD_OK))
    printf("    %-32s n %3d %s residual %.2g newton %d interior %d  %.0f us\n", it->name, n,
           crd_status_text(report.status), report.residual, report.iterations[CRD_COULOMB_NEWTON],
           report.iterations[CRD_COULOMB_INTERIOR], us);
  free(p), free(u), free(mode);
}

/* ------------------------------------------------------------------------------------------------ variants */

typedef enum variant { RECORDED, COLD, PERTURBED, TURNED, UNITS } variant;

/* The same problem a tenth off in w, with its tangents turned by random angles, or in other units: G by g, w by s. */
static crd_coulomb_problem vary(const instance *it, variant which, uint64_t seed, instance *to) {
  int n = it->problem.n;
  *to = *it;
  to->w = take((size_t)n, sizeof(double)), to->G = take((size_t)n * (size_t)n, sizeof(double));
  to->guess = take((size_t)n, sizeof(double));
  to->bounded = take((size_t)it->problem.nbounded, sizeof *to->bounded);
  memcpy(to->w, it->w, sizeof(double) * (size_t)n), memcpy(to->guess, it->guess, sizeof(double) * (size_t)n);
  memcpy(to->G, it->G, sizeof(double) * (size_t)n * (size_t)n);
  memcpy(to->bounded, it->bounded, sizeof *to->bounded * (size_t)it->problem.nbounded);
  double speed = 0, g = 1, s = 1;
  for (int i = 0; i < n; i++) speed = fmax(speed, fabs(it->w[i]));
  if (which == PERTURBED) { /* along G, so that redundant rows stay consistent */
    double *x = take((size_t)n, sizeof(double)), *dw = take((size_t)n, sizeof(double)), largest = 0;
    for (int i = 0; i < n; i++) x[i] = crd_random_normal(seed, 1, (uint64_t)i) / sqrt(fmax(it->G[(n + 1) * i], 1e-300));
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) dw[i] += it->G[n * i + j] * x[j];
      largest = fmax(largest, fabs(dw[i]));
    }
    for (int i = 0; i < n; i++) to->w[i] += 0.1 * speed * dw[i] / (largest > 0 ? largest : 1);
    for (int i = 0; i < it->problem.nbilateral; i++) to->w[it->bilateral[i]] = it->w[it->bilateral[i]];
    free(x), free(dw);
  }
  if (which == UNITS) {
    g = pow(10, 18 * crd_random_uniform(seed, 2, 0) - 9), s = pow(10, 18 * crd_random_uniform(seed, 2, 1) - 9);
    for (int i = 0; i < n; i++) to->w[i] *= s, to->guess[i] *= s / g;
    for (int i = 0; i < n * n; i++) to->G[i] *= g;
    for (int i = 0; i < it->problem.nbounded; i++) to->bounded[i].lower *= s / g, to->bounded[i].upper *= s / g;
  }
  for (int c = 0; which == TURNED && c < it->problem.ncontact; c++) {
    int row = it->contact[c].row + 1;
    double angle = 6.28 * crd_random_uniform(seed, 3, (uint64_t)c), a = cos(angle), b = sin(angle);
    if (it->contact[c].ntangent < 2) continue;
    double *pair[2] = {to->w, to->guess};
    for (int k = 0; k < 2; k++) {
      double x = pair[k][row], y = pair[k][row + 1];
      pair[k][row] = a * x + b * y, pair[k][row + 1] = a * y - b * x;
    }
    for (int j = 0; j < n; j++) {
      double x = to->G[n * row + j], y = to->G[n * (row + 1) + j];
      to->G[n * row + j] = a * x + b * y, to->G[n * (row + 1) + j] = a * y - b * x;
    }
    for (int i = 0; i < n; i++) {
      double x = to->G[n * i + row], y = to->G[n * i + row + 1];
      to->G[n * i + row] = a * x + b * y, to->G[n * i + row + 1] = a * y - b * x;
    }
  }
  crd_coulomb_problem problem = it->problem;
  problem.w = to->w, problem.G = to->G, problem.bounded = to->bounded, problem.velocity *= s;
  return problem;
}

static void print_tally(const char *name, tally *t) {
  qsort(t->us, (size_t)t->count, sizeof *t->us, ascending);
  printf("%-24s %6d %6d %6d %8.1f %8.1f %8.1f %8.1f %8.1e", name, t->count, t->exact, t->close, t->sum_us / t->count,
         t->us[t->count / 2], t->us[(int)(0.99 * t->count)], t->worst_us, t->worst_residual);
  for (int k = CRD_COULOMB_NEWTON; k < CRD_COULOMB_METHODS; k++) printf(" %8d", t->settled[k]);
  printf("\n");
}

/* Then the table of ways: islands by the method whose answer stands. */
static void print_heading(void) {
  printf("                         solves   1e-9   1e-6  mean us      p50      p99    worst residual");
  for (int k = CRD_COULOMB_NEWTON; k < CRD_COULOMB_METHODS; k++)
    printf(" %8s", crd_coulomb_method_name((crd_coulomb_method)k));
  printf("\n");
}

static void run(const collection *all, variant which, const char *title, int repeats, bool each, bool verbose) {
  crd_coulomb_work *work = crd_coulomb_work_new();
  size_t most = (size_t)all->count * (size_t)repeats;
  tally total = {.us = take(most, sizeof(double))};
  if (each) printf("%s\n", title), print_heading();
  for (int i = 0; i < all->count;) {
    char model[64];
    snprintf(model, sizeof model, "%s", all->item[i].name);
    *strchr(model, '/') = 0;
    size_t length = strlen(model);
    tally t = {.us = take(most, sizeof(double))};
    for (; i < all->count && strncmp(all->item[i].name, model, length) == 0 && all->item[i].name[length] == '/'; i++)
      for (int k = 0; k < repeats; k++) {
        instance varied;
        crd_coulomb_problem problem = vary(&all->item[i], which, (uint64_t)(1000 * i + k), &varied);
        solve_one(work, &varied, &problem, which != COLD, &t, verbose);
        free(varied.w), free(varied.G), free(varied.guess), free(varied.bounded);
      }
    for (int k = 0; k < t.count; k++) total.us[total.count + k] = t.us[k];
    total.count += t.count, total.exact += t.exact, total.close += t.close, total.sum_us += t.sum_us;
    for (int k = 0; k < CRD_COULOMB_METHODS; k++) total.settled[k] += t.settled[k];
    total.worst_us = fmax(total.worst_us, t.worst_us);
    total.worst_residual = fmax(total.worst_residual, t.worst_residual);
    if (each) print_tally(model, &t);
    free(t.us);
  }
  print_tally(each ? "all" : title, &total);
  free(total.us);
  crd_coulomb_work_free(work);
}

int main(int argc, char **argv) {
  collection all = {0};
  read_directory(&all, argc > 1 ? argv[1] : "../shared/islands");
  bool verbose = argc > 2;
  run(&all, RECORDED, "from the recorded guess", 1, true, verbose);
  printf("\n");
  print_heading();
  run(&all, COLD, "from no guess", 1, false, verbose);
  run(&all, PERTURBED, "w perturbed, ten times", 10, false, verbose);
  run(&all, TURNED, "tangents turned", 1, false, verbose);
  run(&all, UNITS, "other units", 1, false, verbose);
  bench_examples();
  return 0;
}
