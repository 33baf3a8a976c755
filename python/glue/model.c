/* Models with their files and counted owners, and what contact problems of one model use again. */
#define _GNU_SOURCE /* PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* recursive: a handler of a signal may call what the call that it interrupts has locked */
pthread_mutex_t crdpy_one_at_a_time = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

/* A place to assemble problems in; a call takes one out of the pool and puts it back. */
typedef struct bench {
  crd_workspace *work;
  crd_contact_assembler *assembler;
  struct bench *next;
} bench;

enum { POOL_PROBLEMS = 8 }; /* kept for the next calls */

struct crdpy_pool {
  pthread_mutex_t lock;
  int owners;
  bench *bench;
  crdpy_problem *problem;
  int problems;
};

void crdpy_free(void *memory) { free(memory); }

/* ------------------------------------------------------------------------------------------------ models */

static crd_status out_of_memory(crd_error *err) { return crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "out of memory"); }

static crdpy_model *model_new(const char *input) {
  crdpy_model *made = calloc(1, sizeof *made);
  if (!made) return NULL;
  made->pool = calloc(1, sizeof *made->pool);
  made->input = crd_arena_string(&made->arena, input);
  if (!made->pool || !made->input) {
    crd_arena_free(&made->arena);
    free(made->pool), free(made);
    return NULL;
  }
  made->pool->owners = 1;
  pthread_mutex_init(&made->pool->lock, NULL);
  return made;
}

crdpy_model *crdpy_model_hold(crdpy_model *model) {
  if (!model) return NULL;
  pthread_mutex_lock(&model->pool->lock);
  model->pool->owners++;
  pthread_mutex_unlock(&model->pool->lock);
  return model;
}

static void problem_free(crdpy_problem *problem) {
  crd_contact_problem_free(problem->problem);
  free(problem->qpos), free(problem);
}

/* Without a model; its name lies behind it. */
static crdpy_problem *problem_of(const char *input) {
  const size_t size = strlen(input) + 1;
  crdpy_problem *made = calloc(1, sizeof *made + size);
  if (made) made->input = memcpy(made + 1, input, size);
  return made;
}

void crdpy_model_drop(crdpy_model *model) {
  if (!model) return;
  crdpy_pool *pool = model->pool;
  pthread_mutex_lock(&pool->lock);
  const int left = --pool->owners;
  pthread_mutex_unlock(&pool->lock);
  if (left > 0) return;
  for (bench *b = pool->bench, *next; b; b = next) {
    next = b->next;
    crd_contact_assembler_free(b->assembler), crd_model_workspace_free(b->work), free(b);
  }
  for (crdpy_problem *p = pool->problem, *next; p; p = next) next = p->next, problem_free(p);
  pthread_mutex_destroy(&pool->lock);
  free(pool);
  crd_model_free(model->model);
  crd_io_read_report_free(&model->report);
  crd_arena_free(&model->arena);
  crdpy_model_drop(model->base);
  free(model);
}

/* "@pendulum:3" is kept as the file "pendulum.xml". */
static crd_status keep_text(crdpy_model *made, const char *name, const char *text, size_t size, crd_error *err) {
  crd_source_file *file = crd_arena_alloc(&made->arena, 1, sizeof *file);
  char *data = crd_arena_alloc(&made->arena, size + 1, 1);
  const size_t length = strcspn(name + (name[0] == '@'), ":");
  char *kept = crd_arena_alloc(&made->arena, length + 5, 1);
  if (!file || !data || !kept) return out_of_memory(err);
  memcpy(data, text, size);
  if (name[0] == '@') {
    memcpy(kept, name + 1, length), memcpy(kept + length, ".xml", 5);
  } else {
    const char *slash = strrchr(name, '/');
    kept = crd_arena_string(&made->arena, slash ? slash + 1 : name);
    if (!kept) return out_of_memory(err);
  }
  *file = (crd_source_file){kept, data, size};
  made->file = file, made->nfile = 1;
  return CRD_OK;
}

/* The files of the report; where text stands for the first (text is then not NULL) the others alone cannot be kept. */
static crd_status read_parts(crdpy_model *made, const char *name, const char *text, size_t size,
                             const crd_read_options *options, crd_error *err) {
  crd_status status;
  if (name[0] == '@' && !text) {
    status = crd_io_example_text(name, NULL, &made->arena, &text, err);
    if (status) return status;
    size = strlen(text);
  }
  if (text) {
    status = crd_io_read_model_text(text, size, name, options, &made->model, &made->report, err);
    return status ? status : keep_text(made, name, text, size, err);
  }
  status = crd_io_read_model(name, options, &made->model, &made->report, err);
  if (status) return status;
  made->nfile = made->report.nfile;
  return crd_io_source_files(made->report.nfile, made->report.file, &made->arena, &made->file, err);
}

crd_status crdpy_model_read(const char *name, const char *text, size_t size, const crd_read_options *options,
                            crdpy_model **out, crd_error *err) {
  *out = NULL;
  crdpy_model *made = model_new(name);
  if (!made) return out_of_memory(err);
  made->lenient = options->lenient;
  crd_status status = read_parts(made, name, text, size, options, err);
  if (status)
    crdpy_model_drop(made);
  else
    *out = made;
  return status;
}

static bool copy_files(crdpy_model *made, int nfile, const crd_source_file *file) {
  crd_source_file *kept = crd_arena_alloc(&made->arena, (size_t)nfile + 1, sizeof *kept);
  if (!kept) return false;
  for (int i = 0; i < nfile; i++) {
    char *data = crd_arena_alloc(&made->arena, file[i].size + 1, 1);
    kept[i].name = crd_arena_string(&made->arena, file[i].name);
    if (!data || !kept[i].name) return false;
    memcpy(data, file[i].data, file[i].size);
    kept[i].data = data, kept[i].size = file[i].size;
  }
  made->file = kept, made->nfile = nfile;
  return true;
}

crd_status crdpy_model_from_files(const char *input, int nfile, const crd_source_file *file, bool lenient,
                                  const char *formulation, crdpy_model **out, crd_error *err) {
  *out = NULL;
  crdpy_model *made = model_new(input);
  if (!made || !copy_files(made, nfile, file)) {
    crdpy_model_drop(made);
    return out_of_memory(err);
  }
  made->lenient = lenient;
  const crd_trace holder = {
      .header = {
          .input = made->input, .nfile = nfile, .file = made->file, .lenient = lenient, .formulation = formulation}};
  crd_status status = crd_io_trace_model(&holder, &made->model, err);
  if (status)
    crdpy_model_drop(made);
  else
    *out = made;
  return status;
}

crd_status crdpy_model_variant(crdpy_model *base, crdpy_model **out, crd_error *err) {
  *out = NULL;
  crdpy_model *made = model_new(base->input);
  if (!made) return out_of_memory(err);
  made->base = crdpy_model_hold(base);
  made->nfile = base->nfile, made->file = base->file, made->lenient = base->lenient;
  const crd_status status = crd_model_variant(base->model, &made->model, err);
  if (status)
    crdpy_model_drop(made);
  else
    *out = made;
  return status;
}

/* ------------------------------------------------------------------------------------------------ contact problems */

static bench *take_bench(crdpy_model *model) {
  pthread_mutex_lock(&model->pool->lock);
  bench *b = model->pool->bench;
  if (b) model->pool->bench = b->next;
  pthread_mutex_unlock(&model->pool->lock);
  if (b) return b;
  b = calloc(1, sizeof *b);
  if (!b) return NULL;
  b->work = crd_model_workspace_new(model->model), b->assembler = crd_contact_assembler_new(model->model);
  if (b->work && b->assembler) return b;
  crd_contact_assembler_free(b->assembler), crd_model_workspace_free(b->work), free(b);
  return NULL;
}

static void give_bench(crdpy_model *model, bench *b) {
  pthread_mutex_lock(&model->pool->lock);
  b->next = model->pool->bench, model->pool->bench = b;
  pthread_mutex_unlock(&model->pool->lock);
}

static crdpy_problem *take_problem(crdpy_model *model) {
  pthread_mutex_lock(&model->pool->lock);
  crdpy_problem *p = model->pool->problem;
  if (p) model->pool->problem = p->next, model->pool->problems--;
  model->pool->owners++;
  pthread_mutex_unlock(&model->pool->lock);
  if (p) return p;
  p = calloc(1, sizeof *p);
  if (p) {
    p->model = model, p->input = model->input;
    p->problem = crd_contact_problem_new();
    p->qpos = calloc((size_t)(model->model->nq + model->model->nv) + 1, sizeof *p->qpos);
    p->qvel = p->qpos ? p->qpos + model->model->nq : NULL;
    if (p->problem && p->qpos) return p;
    problem_free(p);
  }
  crdpy_model_drop(model);
  return NULL;
}

void crdpy_problem_drop(crdpy_problem *problem) {
  if (!problem) return;
  crdpy_model *model = problem->model;
  bool kept = false;
  if (model) {
    pthread_mutex_lock(&model->pool->lock);
    kept = model->pool->problems < POOL_PROBLEMS;
    if (kept) problem->next = model->pool->problem, model->pool->problem = problem, model->pool->problems++;
    pthread_mutex_unlock(&model->pool->lock);
  }
  if (!kept) problem_free(problem);
  crdpy_model_drop(model);
}

static crd_status assembly_failed(const crdpy_model *model, const bench *b, crd_status status, crd_error *err) {
  const int joint = crd_model_workspace_singular_joint(b->work);
  if (status == CRD_SINGULAR && joint >= 0)
    return crd_error_set(err, status, NULL, 0, "M is singular: joint '%s' has no inertia to move",
                         model->model->joint[joint].name);
  return crd_error_set(err, status, NULL, 0, "the contact problem: %s", crd_status_text(status));
}

crdpy_problem *crdpy_problem_at(crdpy_model *model, const double *qpos, const double *qvel, double mu, double e,
                                double distance, double limit_distance, crd_error *err) {
  bench *b = take_bench(model);
  crdpy_problem *p = b ? take_problem(model) : NULL;
  if (!p) {
    if (b) give_bench(model, b);
    out_of_memory(err);
    return NULL;
  }
  memcpy(p->qpos, qpos, sizeof *qpos * (size_t)model->model->nq);
  memcpy(p->qvel, qvel, sizeof *qvel * (size_t)model->model->nv);
  p->mu = mu, p->e = e;
  crd_contact_options options = crd_contact_default();
  options.mu = mu, options.e = e, options.distance = distance, options.limit_distance = limit_distance;
  crd_status status = crd_contact_at_state(b->assembler, b->work, p->qpos, p->qvel, &options, p->problem);
  if (status) {
    assembly_failed(model, b, status, err), crdpy_problem_drop(p);
    p = NULL;
  }
  give_bench(model, b);
  return p;
}

crd_status crdpy_problem_read(const char *name, const char *text, size_t size, bool any_restitution,
                              crdpy_problem **out, crd_error *err) {
  *out = NULL;
  const crd_problem_read_options options = {.any_restitution = any_restitution};
  crdpy_problem *made = problem_of(name);
  if (!made) return out_of_memory(err);
  crd_status status = text ? crd_io_read_problem_text(text, size, name, &options, &made->problem, err)
                           : crd_io_read_problem(name, &options, &made->problem, err);
  if (status)
    free(made);
  else
    *out = made;
  return status;
}

crd_status crdpy_problem_copy(const crd_contact_problem *problem, const char *input, crdpy_problem **out) {
  *out = NULL;
  crdpy_problem *made = problem_of(input);
  if (!made || !(made->problem = crd_contact_problem_new())) {
    free(made);
    return CRD_ERR_MEMORY;
  }
  crd_status status = crd_contact_problem_copy(problem, made->problem);
  if (status)
    problem_free(made);
  else
    *out = made;
  return status;
}

char *crdpy_problem_text(const crdpy_problem *problem, crd_error *err) {
  crd_arena arena = {0};
  const char *text = NULL;
  char *copy = NULL;
  if (crd_io_problem_text(problem->problem, &arena, &text, err) == CRD_OK && (copy = malloc(strlen(text) + 1)))
    strcpy(copy, text);
  crd_arena_free(&arena);
  return copy;
}
