/* outcome: the set of velocities that a simultaneous impact can lead to, by sampling [Halm & Posa, section 5].
 *
 * A sample is one run of Algorithm 1 (Sim): while a contact approaches, it draws a bound lambda_max on the normal
 * impulses of the step, solves the step's complementarity problem (75) and continues from v'. The last v' is v+. The
 * bound of sample i in step k is a pure function of (seed, i, k), so a sample does not depend on the number of threads,
 * the split over processes or the order of computation.
 *
 * All samples of one configuration share W. A mode (each contact open, full or partial, sticking or slipping) is
 * therefore a linear map of (v, lambda_max) with a list of inequalities. These maps are computed once; a step then
 * checks a few of them and multiplies once. See docs/outcomes.md.
 *
 * Velocities are in m/s or rad/s, impulses in N s. Structs with an arena own their arrays: zero them ({0}) before the
 * first use, free them after every use.
 */
#ifndef CRADLE_OUTCOME_H
#define CRADLE_OUTCOME_H

#include <cradle/impact.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How the bounds on the normal impulses are drawn, in units of h. */
typedef enum crd_outcome_pattern {
  CRD_OUTCOME_UNIFORM,    /* independent, uniform on [0, 1]: the paper's choice */
  CRD_OUTCOME_SWITCHED,   /* uniform, each contact switched off with probability 1/2 in each step (never all) */
  CRD_OUTCOME_CORNERS,    /* one contact at a time, chosen anew in each step, with bound 1 */
  CRD_OUTCOME_HELD,       /* relative rates drawn once (uniform on the simplex) and held for all steps */
  CRD_OUTCOME_LOG,        /* 10^-s with s uniform on [0, 4]: rates of very different size */
  CRD_OUTCOME_SEQUENTIAL, /* a random order of the contacts, each alone and unbounded, again and again */
  CRD_OUTCOME_MIXED,      /* sample i uses the i mod 6-th of the above */
  CRD_OUTCOME_PATTERNS
} crd_outcome_pattern;

/* The choice of v' if (75) has several. */
typedef enum crd_outcome_selection {
  CRD_OUTCOME_AUTO,       /* draw one of the known v', each with the same probability: of all if all modes can be listed
                           * (max_modes), else of those from the modes found so far */
  CRD_OUTCOME_ALL_RANDOM, /* draw one of all; if the modes cannot be listed, every step is searched, which takes
                           * milliseconds */
  CRD_OUTCOME_LEMKE,      /* the one that Lemke's method finds with the covering vector of ones */
  CRD_OUTCOME_RANDOM_COVER, /* the same with a covering vector drawn uniformly from [0.1, 1.1] for each step */
  CRD_OUTCOME_SELECTIONS
} crd_outcome_selection;

/* How a sample ended; all but DONE are rejected. */
typedef enum crd_outcome_end {
  CRD_OUTCOME_DONE,     /* no contact approaches */
  CRD_OUTCOME_STEPS,    /* still approaching after the largest number of steps */
  CRD_OUTCOME_UNSOLVED, /* a step's complementarity problem could not be solved */
  CRD_OUTCOME_MISSING,  /* never computed: the sampling was interrupted */
  CRD_OUTCOME_ENDS
} crd_outcome_end;

/* The statement that the samples prove about the true set. */
typedef enum crd_outcome_claim {
  CRD_OUTCOME_INNER,     /* every sample is an outcome of the model; others may exist */
  CRD_OUTCOME_TRUNCATED, /* the same, but the sampling was interrupted early */
  CRD_OUTCOME_NET,   /* every outcome lies within epsilon of a sample, with probability 1 - delta (crd_outcome_net) */
  CRD_OUTCOME_EXACT, /* the samples are proven to be the whole set */
  CRD_OUTCOME_CLAIMS
} crd_outcome_claim;

CRD_API const char *crd_outcome_pattern_name(crd_outcome_pattern pattern);       /* "uniform", "switched", ... */
CRD_API const char *crd_outcome_selection_name(crd_outcome_selection selection); /* "auto", "all-random", ... */
CRD_API const char *crd_outcome_end_name(crd_outcome_end end);       /* "done", "steps", "unsolved", "missing" */
CRD_API const char *crd_outcome_claim_name(crd_outcome_claim claim); /* "inner", "truncated", "epsilon-net", "exact" */

typedef struct crd_outcome_options {
  double h;         /* largest normal impulse of a contact in a step, N s; 0: crd_outcome_default_h */
  int steps;        /* N: steps before a sample is given up; 0: crd_outcome_default_steps */
  uint64_t samples; /* M: number of samples */
  uint64_t first;   /* index of the first sample: processes that share the work take ranges */
  uint64_t seed;
  int facets; /* of the friction cone of a spatial contact, even, at least 4; planar contacts always have 2 */
  crd_outcome_pattern pattern;
  crd_outcome_selection selection;
  double tolerance; /* (1) a contact approaches while its normal velocity is below minus this share of
                     * crd_contact_problem_speed: the same as for laws and analyses, in all units */
  int threads;      /* 0: as many as the machine has */
  int max_modes;    /* list all modes beforehand if there are at most so many */
  /* use the contacts' e as Stronge's energetic coefficient at the drawn rates; Lemke's method then solves the steps
   * one by one. False: inelastic, as in the paper */
  bool restitution;
  /* Algorithm 2: a sample that still approaches after `steps` steps takes a last step with the bound epsilon/(3 psi)
   * for all contacts, and is rejected only if a contact still approaches. In the unit of v, for |.|_2; 0: Algorithm 1.
   * CRD_ERR_ARGUMENT: with restitution, or if the last step would exceed h. */
  double epsilon;
  double delta; /* (1) in (0, 1): permitted probability that the samples are not an epsilon-net */
  /* Called between chunks of samples from the calling thread, with the number done so far; false stops the sampling.
   * May be NULL. */
  bool (*progress)(void *context, uint64_t done);
  void *context; /* passed to progress */
} crd_outcome_options;

/* The defaults: h 0, steps 0, 2^16 samples from 0, seed 0, 8 facets, uniform, auto, tolerance CRD_APPROACH, 1 thread,
 * 4096 modes, epsilon 0, delta 0.01. */
CRD_API crd_outcome_options crd_outcome_default(void);

/* The largest impulse of those that stop the fastest approaching contact alone, max of -u_n / W_nn, and all contacts at
 * once without friction: so large that a few steps end the impact, also where a light body lies between heavy ones, and
 * small enough that the contacts' shares matter. It scales with the problem. 1 where nothing approaches. */
CRD_API double crd_outcome_default_h(const crd_contact_problem *problem);
/* 100 without restitution. With it, rounds of compression and rebound follow each other until the stores, which each
 * round leaves e^2 of, are empty: 100 (1 + log(1e-13)/log(e^2)) with the largest e, at most 10^6. */
CRD_API int crd_outcome_default_steps(const crd_contact_problem *problem, bool restitution);
/* Contact velocities of the outcomes below this are zero, m/s: the tolerance times the largest
 * crd_contact_problem_speed. */
CRD_API double crd_outcome_rest_speed(const crd_contact_problem *problem, const crd_outcome_options *options);

/* Smallest and largest value. */
typedef struct crd_outcome_range {
  double min, max;
} crd_outcome_range;

/* Algorithm 2 and Theorem 9 [Halm & Posa] in numbers: when M samples of at most N steps and the last one are an
 * epsilon-net of all outcomes, of any number of steps of at most h. Theorem 9 only says that such N and M exist;
 * without friction both can be given (src/outcome/net.c has the proof), with friction nothing is claimed. */
typedef struct crd_outcome_net {
  double epsilon, delta; /* as asked for; epsilon 0: Algorithm 1, and all below is zero */
  double psi;            /* sigma_max(M^-1 Jbar') m (1 + max mu) + 1, line 2 */
  double last_step;      /* epsilon/(3 psi), N s */
  double reach;          /* kg^-1/2: |r|_M^-1 of Lemma 6; 0: the friction cone is not pointed */
  double fine;           /* kg^1/2 m/s: epsilon' of (166) in the kinetic metric */
  double steps;          /* N that Lemma 10 needs; NaN: not known */
  double lipschitz; /* kg^-1/2: of the velocity after the N steps of the options in their bounds, kinetic metric; NaN */
  double log10_samples; /* M of Lemma 1 for these N as a power of ten; NaN: not known */
  bool proved;          /* so many samples are an epsilon-net; false with friction, where log10_samples only concerns
                          * what at most N steps reach, before the last one */
} crd_outcome_net;

/* Lemma 1: log10 of the samples, uniform on [0, h]^dimension, whose images under a map with this Lipschitz constant are
 * an epsilon-net of the image of the box with probability 1 - delta. */
CRD_API double crd_outcome_net_samples(double h, double lipschitz, double dimension, double epsilon, double delta);

/* The samples and their summary. Arrays belong to the set; free it after use. Zero it ({0}) before its first use. */
typedef struct crd_outcome_set {
  int nv, nc, nrow;
  crd_outcome_options options; /* as used: h, threads and, where all modes are listed, selection filled in */
  uint64_t samples;            /* in the arrays: options.samples; of a file, those that were computed */
  const uint64_t *number; /* samples: of a file that an interrupt left short, which ones; NULL: from options.first on */
  double *v_plus;         /* samples x nv: velocity at the end of each sample, also of rejected ones */
  uint32_t *lcps;         /* samples: complementarity problems solved */
  unsigned char *ending;  /* samples: crd_outcome_end; only DONE ones are outcomes */
  /* summary over the outcomes */
  uint64_t ended[CRD_OUTCOME_ENDS]; /* samples by ending */
  uint64_t total_lcps;              /* of all samples computed */
  uint64_t ambiguous_lcps;          /* of these, several v' were found */
  uint64_t slow_lcps;               /* of these, solved one by one because no listed mode fitted */
  /* steps that contradict what is proved of (75), to the options' tolerance; 0 unless rounding or a solver fails.
   * Theorem 6 (a solution exists) is contradicted by ended[CRD_OUTCOME_UNSOLVED]. Not counted with restitution, whose
   * steps are not those of (75) */
  uint64_t gaining_lcps;          /* Theorem 7: kinetic energy does not rise */
  uint64_t stalled_lcps;          /* Lemma 13: a contact takes its whole bound, or none approaches */
  bool ambiguity_known;           /* every step's solutions were all listed, so ambiguous_lcps is the true number */
  uint32_t max_lcps;              /* of one sample */
  uint64_t at_rest;               /* outcomes with all contact velocities zero (within the tolerance) */
  double kinetic_before;          /* J; of v + M^-1 impulse */
  crd_outcome_range energy_ratio; /* K+/K-; as extent, empty (infinite, -infinite) where no sample is done */
  crd_outcome_range *extent;      /* nrow: contact velocities after the impact, in the order of J's rows */
  crd_outcome_claim claim;
  crd_outcome_net net;
  int modes;     /* linear maps in the table */
  double wall_s; /* seconds of sampling */
  crd_arena arena;
} crd_outcome_set;

/* Samples the set. CRD_OK, also when interrupted (claim says so); CRD_ERR_ARGUMENT: an option out of range, no contact,
 * or a contact with mu < 0 or with torsional or rolling friction; CRD_ERR_NUMBER; CRD_ERR_MEMORY; CRD_SINGULAR: bilateral rows cannot be eliminated. On
 * failure the set is empty. */
CRD_API crd_status crd_outcome_sample(const crd_contact_problem *problem, const crd_outcome_options *options,
                                      crd_outcome_set *set);
CRD_API void crd_outcome_free(crd_outcome_set *set);
/* Sets the claim that the counts of the set justify, for callers that merge sets. */
CRD_API void crd_outcome_set_claim(crd_outcome_set *set);

/* Moments and quantiles of the contact velocities (rows of J) over the outcomes. They describe the sampling, not the
 * frequencies of real impacts. */
enum { CRD_OUTCOME_LEVELS = 5 };
CRD_API extern const double crd_outcome_levels[CRD_OUTCOME_LEVELS]; /* of the quantiles: 0.05, 0.25, 0.5, 0.75, 0.95 */
typedef struct crd_outcome_statistics {
  uint64_t count; /* outcomes; all below is zero where there are none */
  int rows;
  double *mean;       /* rows, m/s */
  double *covariance; /* rows x rows */
  double *quantile;   /* rows x CRD_OUTCOME_LEVELS */
} crd_outcome_statistics;
/* Arrays lie in the arena. CRD_ERR_ARGUMENT: the problem has no J or other sizes; CRD_ERR_MEMORY. */
CRD_API crd_status crd_outcome_statistics_of(const crd_contact_problem *problem, const crd_outcome_set *set,
                                             crd_outcome_statistics *statistics, crd_arena *arena);

/* Uncertain data: half widths of a box about the numbers of the problem. */
typedef struct crd_outcome_box {
  double mu; /* of every contact's friction, cut at 0 */
  double e;  /* of every contact's restitution, cut to 0 .. 1; counts with options.restitution */
  double v;  /* of every velocity before the impact, in its own unit */
  int draws; /* problems drawn from the box; each gets an equal share of the samples */
} crd_outcome_box;

/* The defaults: widths 0, 64 draws. */
CRD_API crd_outcome_box crd_outcome_box_default(void);

/* Samples problems drawn uniformly from the box: the union of their outcomes. K+/K- is that of each draw; progress
 * counts within a draw. A split over processes must keep each draw together. Statuses as crd_outcome_sample;
 * CRD_ERR_ARGUMENT also if the problem has no M. */
CRD_API crd_status crd_outcome_sample_box(const crd_contact_problem *problem, const crd_outcome_box *box,
                                          const crd_outcome_options *options, crd_outcome_set *set);

/* ------------------------------------------------------------------------------------------------ single steps */

/* Computes single steps (75) and paths of one problem, which must outlive it. Each thread has its own. */
typedef struct crd_outcome_stepper crd_outcome_stepper;
/* A stepper with these options, to be freed by the caller. CRD_ERR_ARGUMENT: with restitution, or an option out of
 * range; otherwise as crd_outcome_sample. */
CRD_API crd_status crd_outcome_stepper_new(const crd_contact_problem *problem, const crd_outcome_options *options,
                                           crd_outcome_stepper **stepper);
CRD_API void crd_outcome_stepper_free(crd_outcome_stepper *stepper);

/* Lists every v' that solves (75) from v (nv) with the bounds lambda_max (nc, N s): *count velocities in v_next
 * (capacity x nv). v must satisfy the bilateral rows and differ from the problem's velocity only by impulses at the
 * contacts. CRD_OK; CRD_LIMIT: more than capacity, or the list may be incomplete; CRD_NO_SOLUTION, CRD_RAY,
 * CRD_UNKNOWN: none was found. */
CRD_API crd_status crd_outcome_step_all(crd_outcome_stepper *stepper, const double *v, const double *lambda_max,
                                        double *v_next, int capacity, int *count);

/* The path of one sample (its index): velocities v (capacity x nv) before the first step and after each step, and
 * bounds lambda_max ((capacity - 1) x nc; NULL: not wanted). *count: velocities written; the last is the v_plus of this
 * sample. CRD_ERR_CAPACITY: capacity is below steps + 1 (steps + 2 with epsilon). */
CRD_API crd_status crd_outcome_path(crd_outcome_stepper *stepper, uint64_t sample, double *v, double *lambda_max,
                                    int capacity, int *count, crd_outcome_end *ending);

/* ------------------------------------------------------------------------------------------------ termination */

/* A bound on the length of a sample [Halm & Posa, Lemma 6 and Theorem 8], for bounds drawn uniformly on [0, h]:
 *
 *   P(Z > c ceil(|v0|_M) + k) <= exp(-k / (m + 1)^2),     c = 4 ceil((m + 1) |r|_2 / (h sqrt(sigma))),
 *
 * Z the number of LCPs, m the contacts, sigma the least eigenvalue of M and r any vector with r . dv >= sum of p_n for
 * every velocity change dv = M^-1 J' p with p in the (facetted) friction cone; here the shortest such vector, which the
 * paper leaves open. Theorem 8 depends on the coordinates through |r|_2 / sqrt(sigma) and rounds |v0|_M up to a whole
 * number of units. The same proof with |r|_M^-1 = sqrt(r' M^-1 r) in its place and one rounding at the end gives
 *
 *   P(Z > free_steps + k) <= exp(-k / (m + 1)^2),         free_steps = 2 ceil(2 (m + 1) |r|_M^-1 |v0|_M / h),
 *
 * which is the same number in all coordinates and units.
 *
 * Such an r exists if and only if the friction cone is pointed (Assumption 2): no nonzero impulses in the cone cancel
 * each other. If it is not pointed, the witness is such a combination, and there is no bound. */
typedef struct crd_outcome_termination {
  bool pointed;
  double distance; /* kg^1/2: the least |M^-1/2 J' p| of impulses p in the cone with sum of p_n = 1: 1 / free_norm; 0
                    * where the cone is not pointed */
  double *witness; /* nrow: the p of that least effect, in the order of J's rows, sum of p_n = 1 */
  double *r; /* nv: shortest in |r|_2 (or free_r where that stays undecided); NULL where the cone is not pointed */
  /* nv: shortest in |r|_M^-1; NULL likewise. Bilateral rows apply: r . dv for velocities that keep them */
  double *free_r;
  double norm;        /* |r|_2 */
  double sigma;       /* NaN without M in the problem; norm, c and steps are then NaN too */
  double free_norm;   /* |free_r|_M^-1 */
  double speed;       /* |v0|_M, of the velocity after the external impulse */
  double probability; /* as asked for */
  double k;           /* least k with exp(-k / (m + 1)^2) <= probability */
  double c;           /* (78) */
  double steps;       /* c ceil(|v0|_M) + k: exceeded with at most the probability */
  double free_steps;  /* the same from the coordinate-free form, its k included */
  crd_arena arena;
} crd_outcome_termination;

/* The bound for the step size h > 0, with `facets` a contact as in the options, exceeded with at most `probability` (in
 * (0, 1)). CRD_OK, also where the cone is not pointed; CRD_ERR_ARGUMENT: h or probability out of range, or no contact;
 * CRD_ERR_MEMORY; CRD_UNKNOWN: undecided to working accuracy. Zero the result ({0}) before its first use; free it after
 * every use. */
CRD_API crd_status crd_outcome_bound(const crd_contact_problem *problem, int facets, double h, double probability,
                                     crd_outcome_termination *termination);
CRD_API void crd_outcome_termination_free(crd_outcome_termination *termination);

/* ------------------------------------------------------------------------------------------------ shape of the set */

/* A coordinate of velocities: a row of J (a contact velocity) or an entry of v. */
typedef struct crd_outcome_axis {
  char name[128]; /* cut short where a contact's name is longer */
  int row;        /* of J, -1: none */
  int dof;        /* of v, where row is -1 */
} crd_outcome_axis;

/* The axis "A.n", "A.t" (a planar contact), "A.t1" or "A.t2" of the contact A, or "v[3]", an entry of v (from 0).
 * CRD_ERR_ARGUMENT: there is no such contact, tangent or entry. */
CRD_API crd_status crd_outcome_axis_find(const crd_contact_problem *problem, const char *name, crd_outcome_axis *axis);
/* The default axes: the normals of the first contacts, at most two, then tangents and entries of v until there are two.
 * Returns their number, which is below two if the mechanism has fewer velocities. */
CRD_API int crd_outcome_axis_default(const crd_contact_problem *problem, crd_outcome_axis axis[2]);

/* The outcomes of the set (rejected samples left out) in these axes: *count x naxis numbers and the sample each belongs
 * to, in the arena. sample may be NULL. */
CRD_API crd_status crd_outcome_points(const crd_contact_problem *problem, const crd_outcome_set *set,
                                      const crd_outcome_axis *axis, int naxis, crd_arena *arena, double **point,
                                      uint64_t **sample, size_t *count);

/* The convex hull of points in two or three axes. Points that lie on a line or in a plane have a hull of that
 * dimension; nothing is moved to avoid it. */
typedef struct crd_outcome_hull {
  int axes;       /* 2 or 3 */
  int dim;        /* -1: no points; 0 a point, 1 a segment, 2 a polygon, 3 a polyhedron */
  int npoint;     /* vertices */
  double *point;  /* npoint x axes; the polygon in order, counter-clockwise where there are two axes */
  size_t *index;  /* npoint: which of the given points it is */
  int nface;      /* triangles: of the surface, outward (dim 3), or that make up the polygon (dim 2) */
  int *face;      /* nface x 3 */
  double size;    /* length, area or volume in its own dimension, (m/s)^dim; 0 for a point */
  double measure; /* area (two axes) or volume (three): size where dim = axes, 0 otherwise */
  crd_arena arena;
} crd_outcome_hull;

/* Hull of count points (count x axes). Points closer than tolerance (m/s) to a line or plane through them lie in it;
 * NaN takes 1e-9 of their largest coordinate. CRD_OK; CRD_ERR_ARGUMENT: axes is not 2 or 3; CRD_ERR_NUMBER;
 * CRD_ERR_MEMORY; CRD_UNKNOWN: this build has no Qhull, or it failed. Zero the hull ({0}) before its first use; free it
 * after every use. */
CRD_API crd_status crd_outcome_hull_make(const double *point, size_t count, int axes, double tolerance,
                                         crd_outcome_hull *hull);
CRD_API void crd_outcome_hull_free(crd_outcome_hull *hull);

/* Distance of x (axes numbers) from the hull: 0 in it, positive outside. Where dim = axes, minus the distance to the
 * nearest face for a point inside. Infinity where there are no points. */
CRD_API double crd_outcome_hull_distance(const crd_outcome_hull *hull, const double *x);
/* A velocity v (nv) along the axis. */
CRD_API double crd_outcome_axis_value(const crd_contact_problem *problem, const crd_outcome_axis *axis,
                                      const double *v);
/* Distance of v, measured after the impact, from the hull of the set's samples in two or three axes, as by
 * crd_outcome_hull_distance. The statuses of crd_outcome_hull_make. */
CRD_API crd_status crd_outcome_distance(const crd_contact_problem *problem, const crd_outcome_set *set,
                                        const crd_outcome_axis *axis, int naxis, const double *v, double *distance);
/* The share of `whole` that the hull `part` covers, by size: 0 if its dimension is lower, 1 if both are points. */
CRD_API double crd_outcome_hull_coverage(const crd_outcome_hull *part, const crd_outcome_hull *whole);

/* Estimates the epsilon for which the points (count x dim) are an epsilon-net of the set: the largest distance from a
 * point of the second half to the nearest point of the first half. Regions that neither half reaches have no influence.
 * 0 for fewer than two points. CRD_ERR_MEMORY, CRD_ERR_NUMBER. */
CRD_API crd_status crd_outcome_spacing(const double *point, size_t count, int dim, double *epsilon);

/* One combination of contact modes after the impact, and its frequency. */
typedef struct crd_outcome_mode {
  const crd_mode *mode; /* nc: CRD_MODE_SEPARATE, CRD_MODE_STICK (no velocity left) or CRD_MODE_SLIP */
  uint64_t count;       /* outcomes */
  uint64_t sample;      /* the first of them */
} crd_outcome_mode;

typedef struct crd_outcome_modes {
  int nc;
  size_t count;
  const crd_outcome_mode *item; /* the most frequent first */
  uint64_t outcomes;            /* of the set */
  crd_arena arena;
} crd_outcome_modes;

/* Counts the combinations of contact modes among the outcomes; a velocity below tolerance (m/s) counts as zero.
 * CRD_ERR_MEMORY; CRD_ERR_CAPACITY: more than 40 contacts. */
CRD_API crd_status crd_outcome_modes_count(const crd_contact_problem *problem, const crd_outcome_set *set,
                                           double tolerance, crd_outcome_modes *modes);
CRD_API void crd_outcome_modes_free(crd_outcome_modes *modes);

#ifdef __cplusplus
}
#endif
#endif
