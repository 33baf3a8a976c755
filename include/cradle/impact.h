/* impact: one impact by every law, each answer judged by one verifier.
 *
 * A law maps the contact problem (cradle/contact.h) to impulses p, one entry per row of J. Everything else follows from
 * p and is computed in the same way for all laws: velocities, contact modes, energy and its share by contact, and the
 * checks. If an answer gains energy, pulls or leaves a contact approaching, its checks say so; nothing is clamped.
 */
#ifndef CRADLE_IMPACT_H
#define CRADLE_IMPACT_H

#include <cradle/contact.h>
#include <cradle/coulomb.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Options of all laws. Arrays belong to the caller. */
typedef struct crd_impact_options {
  double e;   /* (1) restitution of all contacts; NaN: each contact's own */
  int facets; /* of the friction cone of a spatial contact, even, at least 4; planar contacts always have 2. The magnitude
               * of friction is wrong by at most 1 - cos(pi/facets) */
  bool round_cone;  /* poisson, poisson-coulomb, anitescu-potra, sequential, routh: answer on the round cone, which
                            * does not depend on the tangents; false: on the facets */
  const int *order; /* norder, sequential: contacts in the order to be tried; NULL: all orders */
  int norder;
  const double *rate; /* nc (1), routh and wang-mason with several contacts: relative rates of normal impulse; NULL:
                            * equal */
  const double *stiffness;     /* nc (1), lzb: relative stiffness of the contacts; NULL: equal */
  double exponent;             /* (1) lzb: of the contact force over the indentation; 3/2 for contact at a point */
  int max_impacts;             /* sequential: single impacts before CRD_LIMIT */
  int max_solutions;           /* an enumeration stops at this number */
  double tolerance;            /* (1) of velocities, relative to the velocity scale of the problem */
  bool (*stop)(void *context); /* polled while a law works; true: CRD_LIMIT. May be NULL */
  void *context;               /* passed to stop */
} crd_impact_options;
/* The defaults: each contact's own e, 8 facets without round_cone, all orders, equal rates and stiffness, exponent 3/2,
 * 100 impacts, 64 solutions, tolerance CRD_APPROACH. */
CRD_API crd_impact_options crd_impact_default(void);

/* The verifier's findings about one answer. Velocities and impulses are divided by the problem's scales, so all numbers
 * are dimensionless and 1e-9 is small. */
typedef struct crd_impact_check {
  double momentum;    /* largest |M (v+ - v) - J' p - impulse|, computed by M if the problem has it, else by X */
  double cone;        /* largest |p_t| - mu p_n (mu_static if that is larger), and of moments |p_s| - mu_spin p_n and
                       * |p_r| - mu_roll p_n over the radius of gyration that the contact feels; 0 if all are inside */
  double tension;     /* largest -p_n */
  double approach;    /* largest -u_n after the impact */
  double bilateral;   /* largest |u_b| after the impact */
  double energy_gain; /* (K+ - K-) / K-, where K- includes the external impulse; negative is a loss */
  bool pulls, penetrates, leaves_cone, gains_energy; /* beyond the tolerance */
  bool breaks_rows;                                  /* a bilateral row moves after the impact, beyond the tolerance */
} crd_impact_check;

/* One answer of a law; its arrays belong to the result. */
typedef struct crd_impact_solution {
  double *p;       /* m = nrow + nb: the law's impulses in the order of J's rows, N s or N m s */
  double *v_plus;  /* nv: velocities after the impact */
  double *u_plus;  /* m: J v_plus */
  crd_mode *mode;  /* nc: mode during the impact, from the impulse */
  crd_mode *after; /* nc: mode after the impact, from the velocity: CRD_MODE_SEPARATE, SLIP, or STICK at rest */
  crd_mode *spin;  /* nc: of torsional friction, CRD_MODE_STICK or SLIP; NONE without it, or without impulse */
  crd_mode *roll;  /* nc: the same of rolling friction */
  double *work;    /* nc: J, energy added by each contact; negative is a loss */
  double kinetic_before, kinetic_after; /* J */
  double residual;                      /* (1) of the law's own equations at p, or of a phase that did not converge */
  const char *label;                    /* the law's word for this answer ("A then B", "mean-zero", ...), or "" */
  crd_impact_check check;
} crd_impact_solution;

/* The answers of one law. Zero it ({0}) before its first use; free it after the last. One result serves many impacts,
 * one after the other. */
typedef struct crd_impact_result {
  crd_status status; /* CRD_OK; CRD_NO_SOLUTION, CRD_RAY, CRD_LIMIT, CRD_SINGULAR: verdicts about the problem under this
                      * law; CRD_ERR_ARGUMENT: the law does not apply (a note gives the reason) */
  int count;         /* answers; more than one: the law is ambiguous here */
  crd_impact_solution *solution; /* count */
  int nnote;
  const char **note; /* nnote: diagnostics, one sentence each */
  /* private: capacities, units of computation (powers of two; answers are in SI) and reused workspaces */
  int capacity, note_capacity;
  double unit_velocity, unit_impulse; /* m/s, N s */
  crd_arena arena;
  struct crd_lcp_work *lcp;
  int lcp_rows;
  crd_coulomb_work *coulomb;
} crd_impact_result;

/* Empties the result but keeps its memory for the next impact. */
CRD_API void crd_impact_result_reset(crd_impact_result *result);
/* Releases all memory except the answers and notes. CRD_ERR_MEMORY: nothing changed. */
CRD_API crd_status crd_impact_result_trim(crd_impact_result *result, const crd_contact_problem *problem);
/* Releases all memory; the result is empty and can be used again. */
CRD_API void crd_impact_result_free(crd_impact_result *result);

/* Whether a law has torsional and rolling friction: not, with options.round_cone only, or always. */
typedef enum crd_law_turning { CRD_TURNING_REFUSED, CRD_TURNING_ON_ROUND_CONE, CRD_TURNING_CARRIED } crd_law_turning;

/* An impact law: constant, lives as long as the library. */
typedef struct crd_impact_law {
  const char *name;        /* "projection", "moreau", ... as on the command line */
  const char *title;       /* one line */
  const char *source;      /* paper and equations */
  bool dissipative;        /* proved never to gain energy, for the coefficients its paper admits */
  crd_law_turning turning; /* a law does not apply to a problem with torsional or rolling friction that it refuses */
  /* Adds answers (impulses) to the result; returns its status. Called by crd_impact_resolve. */
  crd_status (*resolve)(const crd_contact_problem *problem, const crd_impact_options *options,
                        crd_impact_result *result);
  /* (1) The error of p in the law's equations, scaled. It judges `resolve` independently of its method. */
  double (*residual)(const crd_contact_problem *problem, const crd_impact_options *options, const double *p);
} crd_impact_law;

/* The laws in the order of their list, from index 0; NULL from the first index behind the last. */
CRD_API const crd_impact_law *crd_impact_law_at(int index);
/* The law of this name; NULL: there is none. */
CRD_API const crd_impact_law *crd_impact_find(const char *name);

/* Resolves the impact by a law: resets the result, computes the answers, completes and verifies them. Returns
 * result->status; CRD_ERR_NUMBER: a velocity, row, mass or coefficient of the problem is not finite. */
CRD_API crd_status crd_impact_resolve(const crd_impact_law *law, const crd_contact_problem *problem,
                                      const crd_impact_options *options, crd_impact_result *result);

/* ------------------------------------------------------------------------------------------------ many impacts */

/* Resolves rows of problems by every law of a list, on several threads. The callbacks are called from any of these
 * threads; one row stays on one thread. Each gets `context` and the number of the row, counted from `first`. */
typedef struct crd_impact_batch {
  const crd_impact_law *const *law; /* nlaw */
  int nlaw;
  const crd_impact_options *options; /* NULL: the default; its `stop` may be called from every thread */
  int threads;                       /* 0: as many as there are processors */
  /* Fills and completes `problem`, which may contain an earlier row. If it does not return CRD_OK, the row is left out
   * and counted, and the others continue. */
  crd_status (*problem)(void *context, size_t row, crd_contact_problem *problem);
  /* Receives the answers of one law (its index in the list) to one row; they are valid until it returns. The laws of a
   * row come in the order of the list. */
  void (*answer)(void *context, size_t row, int law, const crd_contact_problem *problem,
                 const crd_impact_result *result);
  /* Called between rows from the calling thread, with the number of rows begun so far; false: stop. May be NULL. */
  bool (*progress)(void *context, size_t rows);
  void *context;
} crd_impact_batch;

/* Resolves the rows first .. first + count - 1. resolved, bad (may be NULL): rows done and rows left out. The answers
 * do not depend on the number of threads. CRD_ERR_ARGUMENT: no law or no callbacks; CRD_ERR_MEMORY; CRD_STOPPED: by
 * progress. */
CRD_API crd_status crd_impact_resolve_batch(const crd_impact_batch *batch, size_t first, size_t count, size_t *resolved,
                                            size_t *bad);

#ifdef __cplusplus
}
#endif
#endif
