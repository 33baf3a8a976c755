/* Options of a simulation: defaults and checks. */
#include <math.h>

#include "sim/options.h"
#include "sim/prescribed.h"

enum { MOST_THREADS = 1024, LEAST_FACETS = 4, MOST_FACETS = 1024 };
static const double MOST_SHARE = 0.01; /* largest tolerance relative to a body: more would be visible */

crd_sim_options crd_sim_default(void) {
  return (crd_sim_options){.timestep = NAN,
                           .integrator = CRD_SIM_RK4,
                           .mu = NAN,
                           .e = NAN,
                           .facets = 8,
                           .gap_tolerance = 1e-6,
                           .loop_tolerance = 1e-8,
                           .max_impacts = 8,
                           .threads = 1,
                           .accuracy = 1e-4,
                           .relative_tolerance = 1e-12,
                           .absolute_tolerance = 1e-14};
}

static crd_status refuse(crd_error *err, const char *name, double found, const char *expected) {
  return crd_error_set(err, isfinite(found) ? CRD_ERR_ARGUMENT : CRD_ERR_NUMBER, NULL, 0, "%s: found %g, expected %s",
                       name, found, expected);
}

static crd_status check_share(crd_error *err, const char *name, double value) {
  if (value > 0 && value <= MOST_SHARE) return CRD_OK;
  return refuse(err, name, value, "a number above 0 and at most 0.01");
}

/* Forces that the integrator does not have. */
static crd_status check_integrator(const crd_model *model, const crd_sim_options *o, crd_error *err) {
  if (o->integrator < CRD_SIM_RK4 || o->integrator > CRD_SIM_MOREAU)
    return refuse(err, "integrator", o->integrator, "rk4, euler, midpoint, event or moreau");
  if (o->integrator != CRD_SIM_EVENT) return CRD_OK;
  if (!o->ignore_torsion && crd_model_has_torsion(model))
    return crd_error_set(
        err, CRD_ERR_MODEL, NULL, 0,
        "integrator event: found contacts with torsional or rolling friction (condim 4 or 6), which it "
        "does not have, expected another integrator (left out with --lenient)");
  if (model->nadhesive > 0)
    return crd_error_set(err, CRD_ERR_MODEL, NULL, 0,
                         "integrator event: found adhesion, which it does not have, expected another integrator");
  return CRD_OK;
}

/* Coefficients of all contacts; NaN: those of the model. */
static crd_status check_coefficients(const crd_sim_options *o, crd_error *err) {
  if (!isnan(o->mu) && !(o->mu >= 0 && o->mu < INFINITY))
    return refuse(err, "friction coefficient mu", o->mu, "a number of at least 0");
  if (!isnan(o->e) && !(o->e >= 0 && o->e <= 1)) return refuse(err, "restitution e", o->e, "a number from 0 to 1");
  return CRD_OK;
}

static crd_status check_counts(const crd_sim_options *o, crd_error *err) {
  if (o->facets < LEAST_FACETS || o->facets % 2 || o->facets > MOST_FACETS)
    return refuse(err, "facets", o->facets, "an even number from 4 to 1024");
  if (o->max_impacts < 1) return refuse(err, "impacts in one step", o->max_impacts, "at least 1");
  if (o->threads < 1 || o->threads > MOST_THREADS) return refuse(err, "threads", o->threads, "from 1 to 1024");
  return CRD_OK;
}

crd_status crd_sim_complete_options(const crd_model *model, crd_sim_options *o, crd_error *err) {
  if (isnan(o->timestep)) o->timestep = model->timestep;
  if (!o->law) o->law = crd_impact_find("poisson");
  if (!(o->timestep > 0 && o->timestep < INFINITY))
    return refuse(err, "time step", o->timestep, "a positive number of seconds");
  crd_status status = check_integrator(model, o, err);
  if (status == CRD_OK) status = check_coefficients(o, err);
  if (status == CRD_OK) status = check_counts(o, err);
  if (status == CRD_OK) status = check_share(err, "gap tolerance", o->gap_tolerance);
  if (status == CRD_OK) status = check_share(err, "loop tolerance", o->loop_tolerance);
  if (status == CRD_OK) status = check_share(err, "accuracy", o->accuracy);
  if (status == CRD_OK) status = check_share(err, "relative tolerance", o->relative_tolerance);
  if (status == CRD_OK) status = check_share(err, "absolute tolerance", o->absolute_tolerance);
  if (status == CRD_OK) status = crd_sim_check_prescribed(model, o, err);
  return status;
}
