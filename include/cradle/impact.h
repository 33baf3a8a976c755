/* impact: one impact, resolved by every law, each answer judged by one verifier.
 *
 * A law maps the contact problem (cradle/contact.h) to impulses p, one entry per row of J. Everything else follows from
 * p and is computed here, the same way for all laws: velocities, contact modes, energy and its split, and the checks. A
 * law that gains energy, pulls or leaves a contact approaching is reported with that; nothing is clamped.
 */
#ifndef CRADLE_IMPACT_H
#define CRADLE_IMPACT_H

#include <cradle/contact.h>
#include <cradle/coulomb.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct crd_impact_options {
  double e;   /* restitution for all contacts, NaN: each contact's own */
  int facets; /* of the friction cone of a spatial contact, even, at least 4; planar contacts always have 2. The
                     * friction magnitude is wrong by at most 1 - cos(pi/facets). */
  bool
      round_cone; /* poisson, poisson-coulomb, anitescu-potra, sequential, routh: facets only lead to the answer of the round cone,
                     * which does not depend on the contact's tangents; false: theirs is the answer */
  const int *order; /* sequential: contacts in the order to be tried, NULL: all orders */
  int norder;
  const double *rate; /* routh, wang-mason with several contacts: relative rates of normal impulse (nc), NULL: equal */
  const double *stiffness; /* lzb: relative stiffness of the contacts (nc), NULL: all equal */
  double exponent;   /* lzb: of the contact force over the indentation (1); 3/2 for bodies that touch in a point */
  int max_impacts;   /* sequential: single impacts before the limit */
  int max_solutions; /* enumeration stops there */
  double tolerance;  /* of velocities, relative to the problem's velocity scale (1) */
  bool (*stop)(void *context); /* asked while a law goes on for long; true: CRD_LIMIT. May be NULL */
  void *context;
} crd_impact_options;
CRD_API crd_impact_options crd_impact_default(void);

/* The verifier's findings about one answer; velocities and impulses are divided by the problem's scales, so 1e-9 is
 * small. */
typedef struct crd_impact_check {
  double momentum;  /* largest |M (v+ - v) - J' p - impulse|, through M where the problem has it, through X otherwise */
  double cone;      /* largest |p_t| - mu p_n, 0 where all are inside (mu_static where that is larger) */
  double tension;   /* largest -p_n */
  double approach;  /* largest -u_n after the impact */
  double bilateral; /* largest |u_b| after the impact */
  double energy_gain; /* (K+ - K-) / K-, of the free motion with the external impulse; negative is a loss */
  bool pulls, penetrates, leaves_cone, gains_energy; /* beyond the tolerance */
  bool breaks_rows;                                  /* a bilateral row moves after the impact, beyond the tolerance */
} crd_impact_check;

typedef struct crd_impact_solution {
  double *p;       /* m = nrow + nb impulses in the order of J's rows: what the law gives */
  double *v_plus;  /* nv */
  double *u_plus;  /* m */
  crd_mode *mode;  /* nc: during the impact, what its impulse shows */
  crd_mode *after; /* nc: after it, what the velocity shows: CRD_MODE_SEPARATE, SLIP, or STICK at rest */
  double *work;    /* nc: energy put in by each contact; negative is a loss */
  double kinetic_before, kinetic_after;
  double residual;   /* of the law's own equations at p, scaled; of those of its phases where one did not settle */
  const char *label; /* the law's word for this answer ("A then B", "mean-zero", ...), "" where it has none */
  crd_impact_check check;
} crd_impact_solution;

typedef struct crd_impact_result {
  crd_status status; /* CRD_OK; CRD_NO_SOLUTION, CRD_RAY, CRD_LIMIT, CRD_SINGULAR: verdicts about the problem under this
                      * law; CRD_ERR_ARGUMENT: the law does not apply (note says why) */
  int count;         /* answers; more than one: the law is ambiguous here */
  crd_impact_solution *solution;
  int nnote;
  const char **note; /* diagnostics, one sentence each */
  int capacity, note_capacity;
  double unit_velocity, unit_impulse; /* m/s, N s: powers of two in which the law computes; its answers are in SI */
  crd_arena arena;
  struct crd_lcp_work
      *lcp; /* workspace of the laws that solve complementarity problems, kept from one impact to the next */
  int lcp_rows;
  crd_coulomb_work *coulomb; /* the same of those that solve on the round cone */
} crd_impact_result;

/* Zero a result ({0}) before its first use. Reset keeps the memory, free releases it. */
CRD_API void crd_impact_result_reset(crd_impact_result *result);
/* Keeps the answers and notes and gives back what was needed to find them, which the next impact would use again.
 * CRD_ERR_MEMORY: nothing changed. */
CRD_API crd_status crd_impact_result_trim(crd_impact_result *result, const crd_contact_problem *problem);
CRD_API void crd_impact_result_free(crd_impact_result *result);

typedef struct crd_impact_law {
  const char *name; /* "projection", "moreau", ... as on the command line */
  const char *title;
  const char *source; /* paper and equations */
  bool dissipative;   /* proved never to gain energy, for the coefficients its paper admits */
  /* Adds answers (impulses) to the result; returns its status. */
  crd_status (*resolve)(const crd_contact_problem *problem, const crd_impact_options *options,
                        crd_impact_result *result);
  /* How far p is from satisfying the law's equations, scaled; judges resolve independently of how it works. */
  double (*residual)(const crd_contact_problem *problem, const crd_impact_options *options, const double *p);
} crd_impact_law;

/* The laws in the order they are listed, NULL from the first index behind the last. */
CRD_API const crd_impact_law *crd_impact_law_at(int index);
CRD_API const crd_impact_law *crd_impact_find(const char *name); /* NULL: no such law */

/* Resolves the impact: the law's answers, completed and verified. The result is reset first. Returns result->status. */
/* CRD_ERR_NUMBER: a velocity, row, mass or coefficient of the problem is not finite. */
CRD_API crd_status crd_impact_resolve(const crd_impact_law *law, const crd_contact_problem *problem,
                                      const crd_impact_options *options, crd_impact_result *result);

/* ------------------------------------------------------------------------------------------------ many impacts */

/* Rows of problems, resolved by every law of a list on several threads. The functions are called from any of them, of one
 * row always from one and the same; each gets the batch's context and the number of the row, from `first` on. */
typedef struct crd_impact_batch {
  const crd_impact_law *const *law; /* nlaw */
  int nlaw;
  const crd_impact_options *options; /* NULL: the default; its `stop` may be asked from every thread */
  int threads;                       /* 0: as many as there are processors */
  /* Makes `problem`, which has been used for other rows, that of the row, completed. Anything but CRD_OK: the row is left
   * out and counted, the others go on. */
  crd_status (*problem)(void *context, size_t row, crd_contact_problem *problem);
  /* The answers of one law (its place in the list) to one row; they last until the function returns. The laws of a row
   * come in their order. */
  void (*answer)(void *context, size_t row, int law, const crd_contact_problem *problem,
                 const crd_impact_result *result);
  /* Asked between rows by the calling thread, with the rows begun so far; false: stop. May be NULL. */
  bool (*progress)(void *context, size_t rows);
  void *context;
} crd_impact_batch;

/* The rows first .. first + count - 1. bad, resolved: rows left out and rows done; may be NULL. Answers do not depend on
 * the number of threads. CRD_ERR_ARGUMENT: no law, no functions; CRD_ERR_MEMORY; CRD_STOPPED: by progress. */
CRD_API crd_status crd_impact_resolve_batch(const crd_impact_batch *batch, size_t first, size_t count, size_t *resolved,
                                            size_t *bad);

#ifdef __cplusplus
}
#endif
#endif
