/* What [Brogliato, Kinetic Quasi-Velocities] says about the restitution matrix of an impact: couplings of normals and
 * tangents, the energy it loses in four forms, Fremond's matrix, and the matrices that conserve energy. */
#include <math.h>

#include "check_print.h"

json_t *check_quasi_impact_json(const crd_quasi_basis *b, const double *Enn) {
  int p = b->nc, count = 0;
  crd_arena arena = {0};
  json_t *object = json_object(), *matrices = json_array();
  double form[4], ratio, *E = NULL, *fremond = crd_arena_alloc(&arena, (size_t)(p * p) + 1, sizeof *fremond);
  json_object_set_new(object, "n_H_T", cli_json_matrix(p, b->nslip, b->nH));
  json_object_set_new(object, "t_H_T", cli_json_matrix(b->ntan, b->nslip, b->tH));
  if (fremond && crd_quasi_energy_forms(b, Enn, form, &arena) == CRD_OK) {
    static const char *const equation[4] = {"46", "47", "48", "49"};
    json_t *loss = json_object();
    for (int k = 0; k < 4; k++) json_object_set_new(loss, equation[k], cli_json_number(form[k]));
    json_object_set_new(object, "energy_loss", loss);
    crd_quasi_energy_loss(b, Enn, &ratio);
    json_object_set_new(object, "normal_energy_ratio", cli_json_number(ratio));
    crd_quasi_fremond(b, Enn, fremond);
    json_object_set_new(object, "fremond", cli_json_matrix(p, p, fremond));
  }
  if (b->independent && crd_quasi_conservative(p, b->G, &count, &E, &arena) == CRD_OK)
    for (int k = 0; k < count; k++) json_array_append_new(matrices, cli_json_matrix(p, p, E + (size_t)(k * p * p)));
  json_object_set_new(object, "conservative", matrices);
  crd_arena_free(&arena);
  return object;
}

/* Q of sigma = v' Q v [Aghili, Frictional Impacts, (14) with B-01]: Q = (I + E) G U G (I + E), U = diag(mu_s^2, -1, -1). */
json_t *check_discriminator_json(const crd_friction *f) {
  int n = f->rows;
  double Q[9] = {0};
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) {
        double U = k == 0 ? f->mu_static * f->mu_static : -1;
        Q[n * i + j] += (1 + (i ? f->e_t : f->e)) * f->G[n * i + k] * U * f->G[n * k + j] * (1 + (j ? f->e_t : f->e));
      }
  return cli_json_matrix(n, n, Q);
}
