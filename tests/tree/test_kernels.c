/* Claims: the portable recursions and those for this processor give the same results up to rounding; four solves at
 * once are four solves, and innovations their inward halves; a call gives the
 * same bits every time, in a fresh workspace too. */
#include <cradle/tree.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/tree_fixture.h"
#include "tree/kernels.h"
#include "tree/lanes.h"

static void instruction_sets_agree(tree_fixture *f) {
  const crd_tree_kernels *kernel[2] = {&crd_tree_kernels_portable, crd_tree_kernels_of_cpu()};
  int n = f->model->nv;
  crd_node node[5];
  double *qacc[2], *tau[2], *M[2], *Lambda[2];
  for (int a = 0; a < 5; a++) node[a] = random_node(f);
  assert_int_equal(crd_model_workspace_reserve_nodes(f->work, 5), CRD_OK);
  for (int k = 0; k < 2; k++) {
    qacc[k] = new_vector(n), tau[k] = new_vector(n), M[k] = new_vector(n * n), Lambda[k] = new_vector(900);
    assert_int_equal(kernel[k]->aba(f->model, f->work, f->qpos, f->qvel, f->tau, f->fext, qacc[k]), CRD_OK);
    kernel[k]->oscm(f->model, f->work, node, 5, Lambda[k]);
    kernel[k]->rnea(f->model, f->work, f->qvel, f->fext, tau[k]);
    kernel[k]->crba(f->model, f->work, M[k]);
  }
  assert_true(max_difference(qacc[0], qacc[1], n) <= 1e-9 * (max_abs(qacc[0], n) + 1));
  assert_true(max_difference(tau[0], tau[1], n) <= 1e-12 * (max_abs(tau[0], n) + 1) * (1 + n));
  assert_true(max_difference(M[0], M[1], n * n) <= 1e-12 * (max_abs(M[0], n * n) + 1));
  assert_true(max_difference(Lambda[0], Lambda[1], 900) <= 1e-10 * (max_abs(Lambda[0], 900) + 1));
  for (int k = 0; k < 2; k++) free(qacc[k]), free(tau[k]), free(M[k]), free(Lambda[k]);
}

static void test_instruction_sets(void **state) {
  (void)state;
  for_random_trees(instruction_sets_agree);
}

/* Four right-hand sides at once are the four solves. */
static void lanes_are_solves(tree_fixture *f) {
  const crd_model *model = f->model;
  const crd_tree_kernels *kernel[2] = {&crd_tree_kernels_portable, crd_tree_kernels_of_cpu()};
  int n = model->nv, deepest = f->model->nlink / 2;
  double *force = new_vector(n), *x = new_vector(n);
  v4 *lane = aligned_alloc(sizeof *lane, sizeof *lane * (size_t)n);
  assert_int_equal(crd_tree_aba(model, f->work, f->qpos, f->qvel, f->tau, f->fext, f->qacc), CRD_OK);
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < n; i++)
      for (int l = 0; l < 4; l++) lane[i][l] = model->dof_link[i] <= deepest ? f->tau[(i + l) % n] : 0;
    kernel[k]->lanes(model, f->work, 0, model->nlink - 1, deepest, lane);
    for (int l = 0; l < 4; l++) {
      for (int i = 0; i < n; i++) force[i] = model->dof_link[i] <= deepest ? f->tau[(i + l) % n] : 0;
      crd_tree_solve(model, f->work, force, x);
      for (int i = 0; i < n; i++) assert_true(fabs(x[i] - lane[i][l]) <= 1e-9 * (max_abs(x, n) + 1));
    }
  }
  free(force), free(x), free(lane);
}

static void test_lanes(void **state) {
  (void)state;
  for_random_trees(lanes_are_solves);
}

/* f_i' M^-1 f_j = e_i' D^-1 e_j: of wrenches on a node and forces on the joints above it, by a solve and by innovations. */
static void innovations_are_halves_of_solves(tree_fixture *f) {
  const crd_model *model = f->model;
  const crd_tree_kernels *kernel[2] = {&crd_tree_kernels_portable, crd_tree_kernels_of_cpu()};
  crd_node node = random_node(f);
  int n = model->nv, link = model->body[node.body].link, count = 0, path[256], nv = 0;
  if (link < 0) return;
  for (int l = link; l >= 0; l = model->link[l].parent) path[count++] = l, nv += model->link[l].nv;
  double *tau = new_vector(n), *x[4], *total[4];
  v4 *e = aligned_alloc(sizeof *e, sizeof *e * (size_t)(2 * nv)), wrench[6];
  assert_int_equal(crd_tree_aba(model, f->work, f->qpos, f->qvel, f->tau, f->fext, f->qacc), CRD_OK);
  for (int c = 0; c < 6; c++)
    for (int l = 0; l < 4; l++) wrench[c][l] = f->tau[(c + 3 * l) % n] + c - l;
  for (int l = 0; l < 4; l++) {
    double p[6];
    x[l] = new_vector(n), total[l] = new_vector(n);
    for (int c = 0; c < 6; c++) p[c] = wrench[c][l];
    for (int i = 0; i < n; i++) tau[i] = 0;
    for (int i = 0; i < count; i++)
      for (int k = 0; k < model->link[path[i]].nv; k++) tau[model->link[path[i]].v + k] = l - k;
    crd_tree_response(model, f->work, &node, 1, p, tau, x[l]);
    for (int i = 0; i < n; i++) total[l][i] = tau[i];
    crd_tree_joint_forces(model, f->work, &node, 1, p, total[l]);
  }
  for (int k = 0; k < 2; k++) {
    for (int i = 0, at = 0; i < count; i++)
      for (int j = 0; j < model->link[path[i]].nv; j++, at++) e[at] = (v4){0 - j, 1 - j, 2 - j, 3 - j};
    crd_tree_innovations_begin(f->work, path, count);
    crd_tree_innovations_push(model, f->work, &node, wrench);
    kernel[k]->innovations(model, f->work, path, count, e, e + nv);
    for (int l = 0; l < 4; l++)
      for (int m = 0; m < 4; m++) {
        double want = 0, got = 0, size = 0;
        for (int i = 0; i < n; i++) want += total[l][i] * x[m][i], size += fabs(total[l][i] * x[m][i]);
        for (int i = 0; i < nv; i++) got += e[i][l] * e[nv + i][m];
        assert_true(fabs(got - want) <= 1e-9 * size);
      }
  }
  for (int l = 0; l < 4; l++) free(x[l]), free(total[l]);
  free(tau), free(e);
}

static void test_innovations(void **state) {
  (void)state;
  for_random_trees(innovations_are_halves_of_solves);
}

static void a_call_gives_the_same_bits_again(tree_fixture *f) {
  int n = f->model->nv;
  double *again = new_vector(n);
  crd_workspace *fresh = crd_model_workspace_new(f->model);
  assert_int_equal(crd_tree_aba(f->model, f->work, f->qpos, f->qvel, f->tau, f->fext, f->qacc), CRD_OK);
  crd_tree_solve(f->model, f->work, f->tau, again); /* other work in between */
  crd_tree_crba(f->model, f->work, f->M);
  assert_int_equal(crd_tree_aba(f->model, f->work, f->qpos, f->qvel, f->tau, f->fext, again), CRD_OK);
  assert_memory_equal(again, f->qacc, sizeof *again * (size_t)n);
  assert_int_equal(crd_tree_aba(f->model, fresh, f->qpos, f->qvel, f->tau, f->fext, again), CRD_OK);
  assert_memory_equal(again, f->qacc, sizeof *again * (size_t)n);
  crd_model_workspace_free(fresh);
  free(again);
}

static void test_same_bits(void **state) {
  (void)state;
  for_random_trees(a_call_gives_the_same_bits_again);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_instruction_sets), cmocka_unit_test(test_lanes),
                                     cmocka_unit_test(test_innovations), cmocka_unit_test(test_same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
