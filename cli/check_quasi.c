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
  if (fremond && crd_analysis_quasi_energy_forms(b, Enn, form, &arena) == CRD_OK) {
    static const char *const equation[4] = {"46", "47", "48", "49"};
    json_t *loss = json_object();
    for (int k = 0; k < 4; k++) json_object_set_new(loss, equation[k], cli_json_number(form[k]));
    json_object_set_new(object, "energy_loss", loss);
    crd_analysis_quasi_energy_loss(b, Enn, &ratio);
    json_object_set_new(object, "normal_energy_ratio", cli_json_number(ratio));
    crd_analysis_quasi_fremond(b, Enn, fremond);
    json_object_set_new(object, "fremond", cli_json_matrix(p, p, fremond));
  }
  if (b->independent && crd_analysis_quasi_conservative(p, b->G, &count, &E, &arena) == CRD_OK)
    for (int k = 0; k < count; k++) json_array_append_new(matrices, cli_json_matrix(p, p, E + (size_t)(k * p * p)));
  json_object_set_new(object, "conservative", matrices);
  crd_arena_free(&arena);
  return object;
}

static json_t *split(const crd_quasi_basis *b, const double *v, crd_arena *arena) {
  double *part = crd_arena_alloc(arena, (size_t)(b->nc + b->ntan) + 1, sizeof *part);
  json_t *object = json_object();
  if (!part) return object;
  crd_analysis_quasi_force(b, v, part, part + b->nc);
  json_object_set_new(object, "norm", cli_json_vector(b->nc, part));
  json_object_set_new(object, "tan", cli_json_vector(b->ntan, part + b->nc));
  return object;
}

/* Powers (18), (27) and their sum (28) of the contact forces of one motion. */
static json_t *powers(const check_view *view, const crd_persistent_motion *motion, crd_arena *arena) {
  const crd_contact_problem *given = view->input->problem;
  const crd_check *c = view->check;
  double *lambda_n = crd_arena_alloc(arena, (size_t)given->nrow + 1, 2 * sizeof *lambda_n), normal, fn, ft;
  json_t *object = json_object();
  if (!lambda_n) return object;
  double *lambda_t = lambda_n + given->nrow;
  for (int k = 0, held = 0, p = 0, t = 0; k < given->nc; k++) {
    const crd_contact *contact = &given->contact[k];
    if (held < c->nheld && c->held[held] == k) { /* not part of the basis */
      held++;
      continue;
    }
    lambda_n[p++] = motion->force[contact->row];
    for (int i = 1; i <= contact->ntangent; i++) lambda_t[t++] = motion->force[contact->row + i];
  }
  crd_analysis_quasi_power(&c->quasi, lambda_n, lambda_t, &normal, &fn, &ft);
  json_object_set_new(object, "normal", cli_json_number(normal));
  json_object_set_new(object, "friction_normal", cli_json_number(fn));
  json_object_set_new(object, "friction_tangential", cli_json_number(ft));
  json_object_set_new(object, "total", cli_json_number(normal + fn + ft));
  return object;
}

json_t *check_quasi_motions_json(const check_view *view) {
  const crd_contact_problem *given = view->input->problem;
  json_t *list = json_array();
  crd_arena arena = {0};
  for (int k = 0; view->persistent && given->M && k < view->persistent->count; k++) {
    const crd_persistent_motion *motion = &view->persistent->motion[k];
    json_t *object = json_object();
    double *force = crd_arena_alloc(&arena, (size_t)given->nv + 1, sizeof *force);
    for (int i = 0; force && i < given->nv; i++)
      for (int j = 0; j < given->nv; j++) force[i] += given->M[i * given->nv + j] * motion->qacc[j];
    if (force) json_object_set_new(object, "force", split(&view->check->quasi, force, &arena));
    json_object_set_new(object, "power", powers(view, motion, &arena));
    json_array_append_new(list, object);
  }
  crd_arena_free(&arena);
  return list;
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
