/* Shared by the laws: adding answers and notes, the scales of a problem, coefficients in force. */
#ifndef SRC_IMPACT_IMPACT_H
#define SRC_IMPACT_IMPACT_H

#include <cradle/impact.h>

/* Sizes that velocities, impulses and energies are measured by; never zero. */
typedef struct crd_impact_scale {
  double velocity; /* largest |u| before the impact, bounded below by the speed that the kinetic energy would give */
  double impulse;  /* velocity over the mean diagonal of W */
} crd_impact_scale;
crd_impact_scale crd_impact_scale_of(const crd_contact_problem *problem);

/* The problem in units of its own, in the result's memory (src/impact/own_units.c); laws see no other. Back: the impulses
 * of the answers in SI. CRD_ERR_MEMORY. */
crd_status crd_impact_own_units(const crd_contact_problem *problem, crd_impact_result *result,
                                crd_contact_problem *own);
void crd_impact_own_units_back(const crd_contact_problem *problem, crd_impact_result *result);

/* A new answer with p zero, or NULL when memory is out. Pointers to earlier answers stay valid until the next call. */
crd_impact_solution *crd_impact_add(crd_impact_result *result, const crd_contact_problem *problem);
/* Adds the answer p unless an earlier one leads to the same velocities within the tolerance (impulses of redundant
 * contacts may differ and still be the same answer). */
crd_status crd_impact_add_distinct(crd_impact_result *result, const crd_contact_problem *problem,
                                   const crd_impact_options *options, const double *p, const char *label);
crd_status crd_impact_note(crd_impact_result *result, const char *format, ...) CRD_PRINTF(2, 3);
/* Zeroed scratch that lives as long as the result's contents, or NULL. */
double *crd_impact_scratch(crd_impact_result *result, size_t count);

/* The workspace for complementarity problems of n rows, grown where needed; NULL when memory is out. */
struct crd_lcp_work *crd_impact_lcp(crd_impact_result *result, int n);

/* The workspace for Coulomb problems; NULL when memory is out. */
crd_coulomb_work *crd_impact_coulomb(crd_impact_result *result);

/* The contact's restitution under these options. */
double crd_impact_restitution(const crd_contact_problem *problem, const crd_impact_options *options, int contact);

/* The contact as one of a Coulomb problem with the same rows. */
static inline crd_coulomb_contact crd_impact_coulomb_contact(const crd_contact *contact) {
  return (crd_coulomb_contact){.row = contact->row,
                               .ntangent = contact->ntangent,
                               .nspin = contact->nspin,
                               .nroll = contact->nroll,
                               .mu = contact->mu,
                               .mu_spin = contact->mu_spin,
                               .mu_roll = contact->mu_roll};
}

static inline int crd_impact_rows(const crd_contact_problem *problem) { return problem->nrow + problem->nb; }

/* Largest |u_b+| of the bilateral rows, which impulses p should leave at rest; not scaled. */
double crd_impact_bilateral_speed(const crd_contact_problem *problem, const double *p);
/* Residual of the conditions on every impact without remaining approach, under any law: the largest of -u_n+, -p_n,
 * |p_t| - mu p_n (likewise of spinning and rolling) and |u_b+|, scaled. */
double crd_impact_violation(const crd_contact_problem *problem, const double *p);

/* Fills v_plus, u_plus, mode, work, energies and check of an answer from its p. */
void crd_impact_complete(const crd_contact_problem *problem, const crd_impact_options *options,
                         crd_impact_solution *solution);

/* Does the answer bring energy, beyond rounding? */
bool crd_impact_brings_energy(const crd_contact_problem *problem, const crd_impact_solution *solution);
/* Draws it back towards impulses that take energy (m, the same problem without restitution) until it brings none;
 * returns how much of the way from there is left, 0 to 1. */
double crd_impact_draw_back(const crd_contact_problem *problem, const crd_impact_options *options,
                            const double *inelastic, crd_impact_solution *solution);

#endif
