/* Decompression with friction [Glocker & Pfeiffer, Multiple impacts with friction in rigid multibody systems, 1995].
 *
 *   0 <= p_n - least  _|_  u_n+ >= 0,     p_t in -mu p_n Sgn(u_t+),     u+ = u + W p,     bilateral rows: u_b+ = 0
 *
 * least = e p_c, the share of the impulse of compression that comes back. The whole normal impulse brings friction, not
 * only what exceeds `least` (law poisson). With p_n = least + q_n this is the facetted problem of src/contact/facets.h
 * with mu least in the rows that bound friction.
 *
 * On the round cone the polygons give the start, and contacts are solved one after the other until all hold. One
 * contact, with the effect of the others in w: for a given p_n friction is
 *
 *   p_t(p_n) = arg min p_t' W_tt p_t / 2 + p_t' (w_t + W_tn p_n)   over |p_t| <= mu p_n     (src/impact/disk.h)
 *
 * and u_n(p_n) = w_n + W_nn p_n + W_nt p_t(p_n) is continuous. Either u_n(least) >= 0, or it is zero further on. What
 * is left is measured by p_t = proj(p_t - rho u_t+) on the disk of radius mu p_n, any rho > 0.
 */
#include <math.h>
#include <string.h>

#include "impact/disk.h"
#include "impact/friction.h"

/* Sweeps over the contacts, which gain a digit in some hundred where contacts are redundant, halvings of an interval,
 * doublings of it before the impulse is taken for infinite; residual at which they end; residual that is accepted, with a
 * note above the tolerance. */
enum { MOST_SWEEPS = 4000, MOST_HALVINGS = 200, MOST_DOUBLINGS = 60 };
static const double SWEPT = 1e-13, ACCEPTED = 1e-6;

static bool is_round(const crd_impact_friction *f, int c) {
  const crd_contact *contact = &f->problem->contact[c];
  return f->options->round_cone && contact->ntangent == 2 && contact->mu > 0;
}

static bool takes_part(int contact, int c) { return contact == CRD_ALL_CONTACTS || contact == c; }

/* The equations of the opening comment at p and the velocities u, friction on the round cone; scaled. */
static double residual(const crd_impact_friction *f, int contact, const double *least, const double *p,
                       const double *u) {
  const crd_contact_problem *problem = f->problem;
  crd_impact_scale scale = crd_impact_scale_of(problem);
  double worst = 0, rho = scale.impulse / scale.velocity;
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *own = &problem->contact[c];
    int row = own->row;
    if (!takes_part(contact, c)) continue;
    worst = fmax(worst, fabs(fmin((p[row] - least[c]) / scale.impulse, u[row] / scale.velocity)));
    if (own->ntangent == 0 || (own->ntangent == 2 && !f->options->round_cone)) continue;
    double target[2] = {0, 0}, length = 0, miss = 0, radius = own->mu * fmax(p[row], 0);
    for (int t = 0; t < own->ntangent; t++) {
      target[t] = p[row + 1 + t] - rho * u[row + 1 + t];
      length = hypot(length, target[t]);
    }
    double share = length > radius ? radius / length : 1;
    for (int t = 0; t < own->ntangent; t++) miss = hypot(miss, p[row + 1 + t] - share * target[t]);
    worst = fmax(worst, miss / scale.impulse);
  }
  return worst;
}

/* ------------------------------------------------------------------------------------------------ the round cone */

/* A contact by itself: rows normal, tangents; unused tangents are zero. */
typedef struct local_contact {
  int ntangent;
  double W[9], w[3], mu;
} local_contact;

/* Friction for the normal impulse p[0]; returns u_n. */
static double friction_of(const local_contact *c, double p[3]) {
  double b[2] = {c->w[1] + c->W[3] * p[0], c->w[2] + c->W[6] * p[0]};
  const double A[4] = {c->W[4], c->W[5], c->W[7], c->W[8]};
  crd_disk_minimise(c->ntangent, A, b, c->mu * p[0], p + 1);
  return c->w[0] + c->W[0] * p[0] + c->W[1] * p[1] + c->W[2] * p[2];
}

/* p of the contact with p_n >= least. False: no normal impulse stops it. */
static bool solve_local(const local_contact *c, double least, double p[3]) {
  p[0] = least;
  double low = least, at_low = friction_of(c, p);
  if (at_low >= 0) return true;
  double high = least - 2 * at_low / c->W[0], at_high;
  for (int k = 0;; k++) {
    p[0] = high, at_high = friction_of(c, p);
    if (at_high >= 0) break;
    low = high, at_low = at_high, high = least + 2 * (high - least);
    if (k == MOST_DOUBLINGS || !isfinite(high)) return false;
  }
  for (int k = 0; k < MOST_HALVINGS && high > low; k++) {
    double middle = k % 3 == 2 ? (low + high) / 2 : low - at_low * (high - low) / (at_high - at_low);
    if (!(middle > low && middle < high)) middle = (low + high) / 2;
    if (!(middle > low && middle < high)) break;
    p[0] = middle;
    double at = friction_of(c, p);
    if (at >= 0)
      high = middle, at_high = at;
    else
      low = middle, at_low = at;
  }
  p[0] = high;
  friction_of(c, p);
  return true;
}

/* Solves one contact; u (nrow) follows. */
static bool sweep_contact(crd_impact_friction *f, int c, double least, double *p, double *u) {
  const crd_contact *own = &f->problem->contact[c];
  int nrow = f->problem->nrow, rows = 1 + own->ntangent;
  local_contact local = {.ntangent = own->ntangent, .mu = own->mu};
  double fresh[3] = {0};
  for (int i = 0; i < rows; i++) {
    local.w[i] = u[own->row + i];
    for (int j = 0; j < rows; j++) {
      local.W[3 * i + j] = f->reduced.W[(size_t)nrow * (size_t)(own->row + i) + (size_t)(own->row + j)];
      local.w[i] -= local.W[3 * i + j] * p[own->row + j];
    }
  }
  if (!solve_local(&local, least, fresh)) return false;
  for (int j = 0; j < rows; j++) {
    double change = fresh[j] - p[own->row + j];
    for (int i = 0; i < nrow; i++) u[i] += f->reduced.W[(size_t)nrow * (size_t)i + (size_t)(own->row + j)] * change;
    p[own->row + j] = fresh[j];
  }
  return true;
}

/* Velocities of the contact rows after the impulses before + p of the contacts, bilateral rows answering. */
static void reduced_velocity(const crd_impact_friction *f, const double *before, const double *p, double *u) {
  int nrow = f->problem->nrow;
  for (int i = 0; i < nrow; i++) {
    u[i] = f->reduced.u_free[i];
    for (int j = 0; j < nrow; j++) u[i] += f->reduced.W[(size_t)nrow * (size_t)i + (size_t)j] * (before[j] + p[j]);
  }
}

/* One sweep over all contacts. */
static crd_status sweep_all(crd_impact_friction *f, int contact, const double *least, double *p) {
  const crd_contact_problem *problem = f->problem;
  for (int c = 0; c < problem->nc; c++)
    if (takes_part(contact, c) && !sweep_contact(f, c, least[c], p, f->u_plus)) {
      crd_impact_note(f->result, "no normal impulse ends the approach of %s", problem->contact[c].name);
      return CRD_NO_SOLUTION;
    }
  return CRD_OK;
}

/* From the answer of the polygons to that of the round cone. */
static crd_status sweep(crd_impact_friction *f, int contact, const double *before, const double *least, double *p) {
  const crd_contact_problem *problem = f->problem;
  if (!f->has_reduced) {
    crd_status status = crd_bilateral_eliminate(&f->reduced, problem, &f->result->arena);
    if (status != CRD_OK) return status;
    f->has_reduced = true;
  }
  reduced_velocity(f, before, p, f->u_plus);
  for (int k = 0; k < MOST_SWEEPS && residual(f, contact, least, p, f->u_plus) > SWEPT; k++) {
    crd_status status = sweep_all(f, contact, least, p);
    if (status != CRD_OK) return status;
  }
  for (int i = 0; i < problem->nrow; i++) f->p[i] = before[i] + p[i];
  crd_bilateral_impulses(&f->reduced, problem, f->p);
  for (int b = problem->nrow; b < crd_impact_rows(problem); b++) p[b] = f->p[b] - before[b];
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------------ both */

crd_status crd_impact_friction_decompress(crd_impact_friction *f, int contact, const double *before,
                                          const double *least, double *p) {
  const crd_contact_problem *problem = f->problem;
  int m = crd_impact_rows(problem);
  bool round = false;
  crd_status status = crd_impact_friction_facets(f);
  if (status != CRD_OK) return status;
  memcpy(f->p, before, sizeof(double) * (size_t)m);
  for (int c = 0; c < problem->nc; c++) {
    f->p[problem->contact[c].row] += least[c];
    round = round || (takes_part(contact, c) && is_round(f, c));
  }
  crd_contact_problem_contact_velocity(problem, f->p, f->u);
  f->lcp.pressed = least;
  status = crd_facet_lcp_resolve(&f->lcp, contact, f->u, p);
  f->lcp.pressed = NULL;
  /* On the round cone the polygons only give the start. A path of theirs that ends without an answer, which may be
   * a matter of rounding, says nothing about the disks: the sweeps then start without friction. */
  if (round && status > CRD_OK) memset(p, 0, sizeof(double) * (size_t)m), status = CRD_OK;
  if (status != CRD_OK) return status;
  for (int c = 0; c < problem->nc; c++) p[problem->contact[c].row] += least[c];
  if (round) status = sweep(f, contact, before, least, p);
  if (status != CRD_OK) return status;

  for (int i = 0; i < m; i++) f->p[i] = before[i] + p[i];
  crd_contact_problem_contact_velocity(problem, f->p, f->u_plus);
  double left = residual(f, contact, least, p, f->u_plus);
  if (left <= f->options->tolerance) return CRD_OK;
  f->accepted = fmax(f->accepted, left);
  crd_impact_note(f->result, "decompression meets the friction law with a residual of %.2g", left);
  return left <= ACCEPTED ? CRD_OK : CRD_LIMIT;
}
