/* Claims: the facetted problem is the projection of the contact problem, F' W F with F mapping (p_n, beta) to impulses,
 * bordered by mu and E; directions come in exact opposites; a planar contact has two, a frictionless one none. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/facets.h"
#include "support/cmocka_all.h"
#include "support/random_tree.h"

enum { MAX_CONTACTS = 4, MAX_FACETS = 8 };

/* A random problem whose contacts have 0, 1 or 2 tangents. */
static void make_problem(crd_contact_problem *p, random_stream *stream) {
  int n = random_int(stream, 2, 8), nc = random_int(stream, 1, MAX_CONTACTS), nb = random_int(stream, 0, 2);
  int tangents[MAX_CONTACTS], nrow = 0;
  for (int c = 0; c < nc; c++) tangents[c] = random_int(stream, 0, 2), nrow += 1 + tangents[c];
  assert_int_equal(crd_contact_problem_resize(p, n, nc, nrow, nb, true), CRD_OK);
  for (int c = 0, row = 0; c < nc; row += 1 + tangents[c], c++)
    p->contact[c] =
        (crd_contact){.name = "", .row = row, .ntangent = tangents[c], .mu = random_int(stream, 0, 3) ? 0.5 : 0};
  for (int i = 0; i < n * n; i++) p->M[i] = i % (n + 1) == 0 ? 2 : 0.1;
  random_vector(stream, (nrow + nb) * n, p->J);
  random_vector(stream, n, p->v);
  assert_int_equal(crd_contact_problem_complete(p), CRD_OK);
}

static void the_matrix_is_the_projected_delassus_operator(void **state) {
  (void)state;
  crd_contact_problem *p = crd_contact_problem_new();
  for (uint64_t seed = 1; seed <= 300; seed++) {
    random_stream stream = {.seed = seed};
    make_problem(p, &stream);
    int per_contact = 2 * random_int(&stream, 2, 4), first[MAX_CONTACTS + 1], m = p->nrow + p->nb;
    double direction[2 * MAX_CONTACTS * MAX_FACETS];
    crd_facets f = {.first = first, .direction = direction};
    crd_facets_fill(p, per_contact, &f);
    assert_int_equal(f.nfacet, crd_facets_count(p, per_contact));
    double *W = new_vector(f.size * f.size), *w = new_vector(f.size), *z = new_vector(f.size), *y = new_vector(f.size);
    double *impulse = new_vector(m), *u = new_vector(m), *projected = new_vector(f.size);
    crd_facets_matrix(p, &f, W);
    crd_facets_vector(p, &f, p->u, w);
    random_vector(&stream, f.size, z);
    for (int i = 0; i < f.size; i++) {
      y[i] = w[i];
      for (int j = 0; j < f.size; j++) y[i] += W[f.size * i + j] * z[j];
    }
    /* normal, facet and bilateral rows are the velocities after the impulse, facets with gamma added */
    crd_facets_impulse(p, &f, z, impulse);
    crd_contact_problem_contact_velocity(p, impulse, u);
    crd_facets_vector(p, &f, u, projected);
    for (int c = 0; c < p->nc; c++) {
      int gamma = p->nc + f.nfacet + c, count = first[c + 1] - first[c];
      double slack = p->contact[c].mu * z[c];
      assert_int_equal(count, p->contact[c].mu == 0         ? 0
                              : p->contact[c].ntangent == 2 ? per_contact
                                                            : 2 * p->contact[c].ntangent);
      assert_true(fabs(y[c] - projected[c]) < 1e-12);
      for (int k = first[c]; k < first[c + 1]; k++) {
        assert_true(fabs(y[p->nc + k] - projected[p->nc + k] - z[gamma]) < 1e-12);
        slack -= z[p->nc + k];
        int opposite = first[c] + (k - first[c] + count / 2) % count;
        assert_true(direction[2 * k] == -direction[2 * opposite] &&
                    direction[2 * k + 1] == -direction[2 * opposite + 1]);
        assert_true(fabs(hypot(direction[2 * k], direction[2 * k + 1]) - 1) < 1e-15);
      }
      assert_true(fabs(y[gamma] - slack) < 1e-12);
    }
    for (int b = 0; b < p->nb; b++) assert_true(fabs(y[f.size - p->nb + b] - u[p->nrow + b]) < 1e-12);
    free(W), free(w), free(z), free(y), free(impulse), free(u), free(projected);
  }
  crd_contact_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_matrix_is_the_projected_delassus_operator)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
