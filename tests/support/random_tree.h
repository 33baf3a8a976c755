/* Seeded random mechanisms and states for property tests. */
#ifndef TESTS_RANDOM_TREE_H
#define TESTS_RANDOM_TREE_H

#include <cradle/tree.h>

/* A stream of random numbers: (seed, 0, 1, 2, ...). */
typedef struct random_stream {
  uint64_t seed, next;
} random_stream;

double random_in(random_stream *stream, double low, double high);
int random_int(random_stream *stream, int low, int high); /* both included */
void random_unit_quat(random_stream *stream, double quat[4]);

typedef struct random_tree_options {
  int nbody;
  double branching; /* 0: a chain, 1: every earlier body is as likely a parent */
  bool armature;    /* random armature on all joints */
  bool hinges_only;
  bool geoms; /* a sphere or a capsule on every body */
} random_tree_options;

/* Bodies of random inertia and pose, joints of every type (several on some bodies, none on others); NULL never
 * (asserts). */
crd_model *random_tree(uint64_t seed, random_tree_options options);

/* Random qpos (unit quaternions) and qvel of order one. */
void random_state(const crd_model *model, random_stream *stream, double *qpos, double *qvel);
void random_vector(random_stream *stream, int n, double *x);

/* Largest absolute entry. */
double max_abs(const double *x, int n);
/* Largest absolute difference. */
double max_difference(const double *x, const double *y, int n);

/* malloc that cannot fail, for tests */
double *new_vector(int n);

#endif
