/* Claims: the Delassus operator by blocks equals the dense one to rounding, dry friction of joints included; it has
 * blocks only between what acts on a common tree, so that they grow with the number of bodies and not with its square;
 * names of many contacts stay unique. */
#include <cradle/linalg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/mechanism.h"
#include "support/random_tree.h"

enum { TEXT = 400000 };

static double uniform(uint64_t seed, uint32_t *stream, double low, double high) {
  return low + (high - low) * crd_random_uniform(seed, (*stream)++, 7);
}

/* Arms of three joints and free bodies over each other, coupled by loops; every joint is rough and limited. */
static char *random_scene(uint64_t seed, int arms, int solids) {
  char *text = calloc(TEXT, 1), *at = text;
  uint32_t k = 0;
  at += sprintf(at, "<mujoco><compiler angle='radian'/><worldbody><geom type='plane' size='9 9 1' condim='3'/>");
  for (int i = 0; i < arms; i++)
    at += sprintf(at,
                  "<body name='a%d' pos='%g %g %g'><joint name='j%d' axis='%g 1 %g' range='-1 1' frictionloss='.3'/>"
                  "<geom type='capsule' size='.1 .2'/><body name='b%d' pos='.3 0 .1'><joint name='k%d' type='slide' "
                  "axis='1 0 %g' range='-1 1' frictionloss='%d'/><geom type='box' size='.2 .1 .1'/>"
                  "<body pos='.2 0 0'><joint type='ball' range='0 .4'/><geom size='.15'/></body></body></body>",
                  i, uniform(seed, &k, -1, 1), uniform(seed, &k, -1, 1), uniform(seed, &k, 0, .5), i,
                  uniform(seed, &k, -1, 1), uniform(seed, &k, -1, 1), i, i, uniform(seed, &k, -1, 1), i % 2);
  for (int i = 0; i < solids; i++)
    at += sprintf(at, "<body name='s%d' pos='%g %g %g'><freejoint/><geom type='%s' size='.2 .15 .1'/></body>", i,
                  uniform(seed, &k, -1, 1), uniform(seed, &k, -1, 1), uniform(seed, &k, 0, .6),
                  i % 3 == 0   ? "box"
                  : i % 3 == 1 ? "sphere"
                               : "cylinder");
  at += sprintf(at, "</worldbody><equality>");
  for (int i = 0; i + 1 < arms; i++) {
    at += sprintf(at, "<%s body1='b%d' body2='b%d' %s/>", i % 2 ? "weld" : "connect", i, i + 1,
                  i % 2 ? "" : "anchor='.1 0 0'");
    at += sprintf(at, "<joint joint1='j%d' joint2='k%d' polycoef='0 .5 .1 0 0'/>", i, i + 1);
  }
  if (arms > 0 && solids > 1) at += sprintf(at, "<connect body1='s0' body2='a0' anchor='0 0 .1'/>");
  sprintf(at, "</equality></mujoco>");
  return text;
}

static crd_contact_options wide_options(void) {
  crd_contact_options options = crd_contact_default();
  options.distance = 0.05, options.limit_distance = 3, options.dry_friction = true;
  options.jacobian = options.mass_matrix = false;
  return options;
}

/* The blocks as one dense matrix of n rows. */
static double *expand(const crd_blocks *B, int n) {
  double *W = calloc((size_t)n * (size_t)n, sizeof *W);
  for (int g = 0; g < B->ngroup; g++)
    for (int k = B->first[g]; k < B->first[g + 1]; k++) {
      int row = B->first_row[g], rows = B->first_row[g + 1] - row, h = B->column[k];
      int column = B->first_row[h], columns = B->first_row[h + 1] - column;
      assert_true(k == B->first[g] || B->column[k - 1] < h);
      for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
          W[(size_t)n * (size_t)(row + i) + (size_t)(column + j)] = B->value[B->offset[k] + (size_t)(columns * i + j)];
    }
  return W;
}

static double dense_entry(const crd_contact_problem *p, int i, int j) {
  int m = p->nrow + p->nb, low = i < j ? i : j, high = i + j - low;
  return high < m ? p->W[(size_t)m * (size_t)i + (size_t)j]
                  : p->W_dry[(size_t)(m + p->nf) * (size_t)(high - m) + (size_t)low];
}

static void compare(mechanism *m) {
  crd_contact_options options = wide_options();
  mechanism_assemble(m, &options);
  crd_contact_problem *dense = m->problem, *sparse = crd_contact_problem_new();
  options.blocks = true;
  assert_int_equal(crd_contact_at_state(m->assembler, m->work, m->qpos, m->qvel, &options, sparse), CRD_OK);
  assert_null(sparse->W);
  assert_null(sparse->W_dry);
  assert_int_equal(sparse->nc, dense->nc);
  assert_int_equal(sparse->nrow, dense->nrow);
  assert_int_equal(sparse->nb, dense->nb);
  assert_int_equal(sparse->nf, dense->nf);
  int n = dense->nrow + dense->nb + dense->nf;
  assert_int_equal(sparse->blocks->first_row[sparse->blocks->ngroup], n);
  double *W = expand(sparse->blocks, n), largest = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, dense_entry(dense, i, i));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      assert_true(fabs(W[(size_t)n * (size_t)i + (size_t)j] - dense_entry(dense, i, j)) <= 1e-13 * largest);
      assert_true(W[(size_t)n * (size_t)i + (size_t)j] == W[(size_t)n * (size_t)j + (size_t)i]);
    }
  assert_true(max_difference(sparse->u, dense->u, dense->nrow + dense->nb) == 0);
  free(W);
  crd_contact_problem_free(sparse);
}

static void blocks_equal_the_dense_matrix(void **state) {
  (void)state;
  int contacts = 0;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    char *text = random_scene(seed, (int)(seed % 4), (int)(seed % 7) * 4);
    mechanism m = mechanism_from_text(text);
    uint32_t k = 1000;
    for (int j = 0; j < m.model->njoint; j++)
      if (m.model->joint[j].nq == 1) m.qpos[m.model->joint[j].q] += uniform(seed, &k, -.5, .5);
    for (int i = 0; i < m.model->nv; i++) m.qvel[i] = uniform(seed, &k, -1, 1);
    compare(&m);
    contacts += m.problem->nc;
    mechanism_free(&m);
    free(text);
  }
  assert_true(contacts > 1000);
}

/* Spheres in rows on the floor, each touching the next of its row of ten. */
static char *rows_of_spheres(int n) {
  char *text = calloc(TEXT, 1), *at = text;
  at += sprintf(at, "<mujoco><worldbody><geom type='plane' size='99 99 1'/>");
  for (int i = 0; i < n; i++)
    at += sprintf(at, "<body pos='%g %d .1'><freejoint/><geom size='.1'/></body>", 0.2 * (i % 10), i / 10);
  sprintf(at, "</worldbody></mujoco>");
  return text;
}

static void blocks_grow_with_the_bodies(void **state) {
  (void)state;
  for (int n = 100; n <= 1600; n *= 4) {
    char *text = rows_of_spheres(n);
    mechanism m = mechanism_from_text(text);
    crd_contact_options options = wide_options();
    options.blocks = true, options.distance = 1e-6;
    mechanism_assemble(&m, &options);
    const crd_blocks *B = m.problem->blocks;
    assert_int_equal(m.problem->nc, n + 9 * n / 10);
    /* a sphere within a row has three contacts: the floor's block row has 3 blocks, a neighbour's 5; ends have fewer */
    int blocks = 8 * 3 + 2 * 2 + 7 * 5 + 2 * 4;
    assert_int_equal(B->first[B->ngroup], blocks * n / 10);
    mechanism_free(&m);
    free(text);
  }
}

static int compare_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void names_of_many_contacts_differ(void **state) {
  (void)state;
  char *text = rows_of_spheres(200);
  mechanism m = mechanism_from_text(text);
  mechanism_assemble(&m, NULL);
  const char *name[400];
  int nc = m.problem->nc;
  assert_int_equal(nc, 380);
  for (int c = 0; c < nc; c++) name[c] = m.problem->contact[c].name;
  qsort(name, (size_t)nc, sizeof *name, compare_text);
  for (int c = 1; c < nc; c++) assert_true(strcmp(name[c - 1], name[c]) != 0);
  mechanism_free(&m);
  free(text);
}

static void rows_and_blocks_exclude_each_other(void **state) {
  (void)state;
  mechanism m = mechanism_from_text("<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>");
  crd_contact_options options = crd_contact_default();
  options.blocks = true;
  assert_int_equal(crd_contact_at_state(m.assembler, m.work, m.qpos, m.qvel, &options, m.problem), CRD_ERR_ARGUMENT);
  mechanism_free(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_equal_the_dense_matrix), cmocka_unit_test(blocks_grow_with_the_bodies),
      cmocka_unit_test(names_of_many_contacts_differ), cmocka_unit_test(rows_and_blocks_exclude_each_other)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
