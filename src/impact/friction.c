#include "impact/friction.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

enum { MOST_FACTORS = 300, MOST_ROWS = 6 }; /* of an island: an impact in a run ends in bounded time; of a contact */
static const double ACCEPTED = 1e-6;        /* residual of an answer that is taken, with a note above the tolerance */

crd_status crd_impact_friction_begin(crd_impact_friction *f, const crd_contact_problem *problem,
                                     const crd_impact_options *options, crd_impact_result *result) {
  size_t m = (size_t)crd_impact_rows(problem), nc = (size_t)problem->nc;
  crd_arena *arena = &result->arena;
  *f = (crd_impact_friction){.problem = problem, .options = options, .result = result};
  f->u = crd_impact_scratch(result, m), f->u_plus = crd_impact_scratch(result, m);
  f->G = crd_impact_scratch(result, m * m), f->w = crd_impact_scratch(result, m);
  f->p = crd_impact_scratch(result, m);
  f->contact = crd_arena_alloc(arena, nc, sizeof *f->contact), f->mode = crd_arena_alloc(arena, nc, sizeof *f->mode);
  f->bilateral = crd_arena_alloc(arena, (size_t)problem->nb, sizeof *f->bilateral);
  f->row = crd_arena_alloc(arena, m, sizeof *f->row);
  bool all = f->u && f->u_plus && f->G && f->w && f->p && f->contact && f->mode && f->bilateral && f->row;
  return all && crd_impact_coulomb(result) ? CRD_OK : CRD_ERR_MEMORY;
}

crd_status crd_impact_friction_facets(crd_impact_friction *f) {
  if (f->has_facets) return CRD_OK;
  crd_status status = crd_facet_lcp_begin(&f->lcp, f->problem, f->options->facets, f->result);
  f->has_facets = status == CRD_OK;
  return status;
}

/* Adds to d the velocity of contact c's tangents that normal impulses against the approach of all contacts would give
 * it, each as if alone. */
static void add_response(const crd_contact_problem *problem, const double *u, int c, double d[2]) {
  size_t m = (size_t)crd_impact_rows(problem);
  for (int k = 0; k < problem->nc; k++) {
    size_t n = (size_t)problem->contact[k].row;
    double approach = fmax(-u[n], 0), compliance = problem->W[(m + 1) * n];
    for (int t = 0; t < 2 && compliance > 0; t++)
      d[t] += problem->W[m * (size_t)(problem->contact[c].row + 1 + t) + n] * approach / compliance;
  }
}

double crd_impact_friction_direction(const crd_contact_problem *problem, const double *u, int c) {
  double slow = 1e-9 * crd_impact_scale_of(problem).velocity;
  double d[2] = {u[problem->contact[c].row + 1], u[problem->contact[c].row + 2]};
  if (hypot(d[0], d[1]) <= slow) d[0] = d[1] = 0, add_response(problem, u, c, d);
  return hypot(d[0], d[1]) > slow ? atan2(d[1], d[0]) : 0;
}

/* ------------------------------------------------------------------------------------------------ the round cone */

/* Initial modes from the present velocity: contacts that part are open, contacts that slide slip. */
static crd_mode first_mode(const crd_coulomb_contact *c, const double *u, double slow) {
  double speed = 0;
  for (int t = 1; t <= c->ntangent; t++) speed = hypot(speed, u[c->row + t]);
  return u[c->row] > slow ? CRD_MODE_NONE : speed > slow ? CRD_MODE_SLIP : CRD_MODE_STICK;
}

crd_coulomb_problem crd_impact_friction_coulomb(crd_impact_friction *f, const double *u) {
  const crd_contact_problem *problem = f->problem;
  for (int c = 0; c < problem->nc; c++) f->contact[c] = crd_impact_coulomb_contact(&problem->contact[c]);
  for (int b = 0; b < problem->nb; b++) f->bilateral[b] = problem->nrow + b;
  return (crd_coulomb_problem){.n = crd_impact_rows(problem),
                               .w = u,
                               .G = problem->W,
                               .ncontact = problem->nc,
                               .contact = f->contact,
                               .nbilateral = problem->nb,
                               .bilateral = f->bilateral,
                               .velocity = crd_impact_scale_of(problem).velocity};
}

/* The same of one contact with the bilateral rows; f->row: its rows in the problem. */
static crd_coulomb_problem single_contact(crd_impact_friction *f, int contact) {
  const crd_contact_problem *problem = f->problem;
  size_t m = (size_t)crd_impact_rows(problem);
  crd_coulomb_problem one = crd_impact_friction_coulomb(f, f->w);
  f->contact[0] = f->contact[contact], one.ncontact = 1, one.n = 0;
  for (int k = 0; k < crd_contact_rows(&problem->contact[contact]); k++) f->row[one.n++] = f->contact[0].row + k;
  f->contact[0].row = 0;
  for (int b = 0; b < problem->nb; b++) f->bilateral[b] = one.n, f->row[one.n++] = problem->nrow + b;
  for (int i = 0; i < one.n; i++) {
    f->w[i] = f->u[f->row[i]];
    for (int j = 0; j < one.n; j++) f->G[one.n * i + j] = problem->W[m * (size_t)f->row[i] + (size_t)f->row[j]];
  }
  one.G = f->G;
  return one;
}

static crd_status resolve_round(crd_impact_friction *f, int contact, double *p) {
  bool all = contact == CRD_ALL_CONTACTS;
  crd_coulomb_problem problem = all ? crd_impact_friction_coulomb(f, f->u) : single_contact(f, contact);
  crd_coulomb_options options = crd_coulomb_default();
  crd_coulomb_state state = {f->p, f->u_plus, f->mode};
  crd_coulomb_report report;
  double slow = f->options->tolerance * problem.velocity;
  options.warm = true, options.max_factorizations = MOST_FACTORS;
  options.stop = f->options->stop, options.context = f->options->context;
  memset(f->p, 0, sizeof *f->p * (size_t)problem.n);
  for (int c = 0; c < problem.ncontact; c++) f->mode[c] = first_mode(&problem.contact[c], problem.w, slow);
  crd_status status = crd_coulomb_solve(f->result->coulomb, &problem, &options, &state, &report);
  if (status < CRD_OK) return status;
  if (status != CRD_OK && !(status == CRD_LIMIT && report.residual <= ACCEPTED)) {
    crd_impact_note(f->result, "no answer of the round cone was found: %s", crd_status_text(status));
    return status;
  }
  if (status != CRD_OK) {
    f->accepted = fmax(f->accepted, report.residual);
    crd_impact_note(f->result, "the round cone is met with a residual of %.2g", report.residual);
  }
  memset(p, 0, sizeof *p * (size_t)crd_impact_rows(f->problem));
  for (int i = 0; i < problem.n; i++) p[all ? i : f->row[i]] = f->p[i];
  return CRD_OK;
}

crd_status crd_impact_friction_resolve(crd_impact_friction *f, int contact, const double *before, double *p) {
  const crd_contact_problem *problem = f->problem;
  if (before)
    crd_contact_problem_contact_velocity(problem, before, f->u);
  else
    memcpy(f->u, problem->u_free, sizeof *f->u * (size_t)crd_impact_rows(problem));
  if (f->options->round_cone) return resolve_round(f, contact, p);
  crd_status status = crd_impact_friction_facets(f);
  return status == CRD_OK ? crd_facet_lcp_resolve(&f->lcp, contact, f->u, p) : status;
}

/* ------------------------------------------------------------------------------------------------ residual */

static double velocity_after(const crd_contact_problem *problem, int row, const double *p) {
  int m = crd_impact_rows(problem);
  return problem->u_free[row] + crd_dense_dot(m, problem->W + (size_t)m * (size_t)row, p);
}

/* The contact alone, with the effect of all others in w. */
static double contact_residual(const crd_contact_problem *problem, const crd_contact *own, const double *p) {
  size_t m = (size_t)crd_impact_rows(problem), first = (size_t)own->row;
  int n = crd_contact_rows(own);
  double G[MOST_ROWS * MOST_ROWS], w[MOST_ROWS], u[MOST_ROWS];
  for (int i = 0; i < n; i++) {
    w[i] = velocity_after(problem, own->row + i, p);
    for (int j = 0; j < n; j++) {
      G[n * i + j] = problem->W[m * (first + (size_t)i) + first + (size_t)j];
      w[i] -= G[n * i + j] * p[own->row + j];
    }
  }
  crd_coulomb_contact contact = crd_impact_coulomb_contact(own);
  contact.row = 0;
  crd_coulomb_problem one = {.n = n, .w = w, .G = G, .ncontact = 1, .contact = &contact};
  crd_coulomb_residual_parts parts;
  crd_coulomb_residual(&one, p + own->row, u, &parts);
  return parts.worst * parts.scale;
}

double crd_impact_friction_residual(const crd_contact_problem *problem, const crd_impact_options *options,
                                    const double *p) {
  if (!options->round_cone) return crd_facet_residual(problem, options->facets, p);
  double worst = 0;
  for (int c = 0; c < problem->nc; c++) worst = fmax(worst, contact_residual(problem, &problem->contact[c], p));
  for (int b = problem->nrow; b < crd_impact_rows(problem); b++)
    worst = fmax(worst, fabs(velocity_after(problem, b, p)));
  return worst / crd_impact_scale_of(problem).velocity;
}
