/* Contacts, loops and joint friction that act on each other through the mechanism in one step, and the problem they
 * make:
 *
 *   u = w + G p      the rows of the contacts (normal, tangents), the bilateral ones, those of dry friction
 *   contacts         0 <= p_n _|_ u_n >= 0,   |p_t| <= mu p_n,   p_t = -mu p_n u_t / |u_t| where it slides
 *   bilateral        u = 0
 *   dry friction     |p| <= bound,   p = -bound sign(u) where it moves
 *
 * p are the impulses over the step and u the velocities at its end [Jain, eqs. 28, 34].
 */
#ifndef SRC_IMPACT_ISLAND_H
#define SRC_IMPACT_ISLAND_H

#include <cradle/impact.h>
#include <cradle/lcp.h>

/* A contact of the island. */
typedef struct crd_island_contact {
  int id;       /* in the problem */
  int row;      /* of its normal in the island; its tangents follow */
  int ntangent; /* 0 also where mu is 0 */
  double mu;
  crd_mode mode;   /* NONE or SEPARATE: open */
  double slide[2]; /* unit vector of the sliding velocity; first guess and result */
  double turn;     /* rad; of the first facet */
  double share; /* of the friction, where contacts that stick are redundant: as the normal impulse of the last step */
} crd_island_contact;

typedef struct crd_island_dry {
  int id;
  double bound; /* of the impulse */
  int sign;     /* of its velocity; 0: it holds */
} crd_island_dry;

typedef struct crd_island {
  int n;                  /* rows: contacts, bilateral, dry */
  int ncontact, nb, ndry; /* bilateral rows begin at first_b, dry ones at first_dry */
  int first_b, first_dry;
  double soft;    /* largest diagonal entry of G */
  double natural; /* m/s: speed of the rows and what gravity adds to it in the step; loops are judged by it */
  bool sharp; /* of impulses that are not determined those of least norm to more digits: restitution multiplies them */
  crd_island_contact *contact;
  crd_island_dry *dry;
  double *G, *w, *p, *u; /* n x n, n, n, n; p: first guess and result */
} crd_island;

typedef enum crd_island_factors { CRD_ISLAND_ELIMINATED, CRD_ISLAND_ENVELOPE, CRD_ISLAND_CHOLESKY } crd_island_factors;

/* Scratch for islands of up to `rows` rows, and lists of up to `all` rows (of all islands together); grown as needed.
 */
typedef struct crd_island_memory {
  crd_arena arena;
  int all, rows;
  double *A, *weight, *x, *r, *keep, *lu_work; /* rows^2, rows x 4, 4 rows */
  int *pivot, *iwork, *from;                   /* rows */
  crd_island_factors factors; /* what A holds above forty rows; ENVELOPE: pivot says where rows begin */
  double *B, *off;            /* rows^2, rows: of the directions of sliding */
  int *sliding;               /* rows */
  double *best, *loop;        /* rows: of the interior-point method */
  double *kept;               /* rows: the best answer of all ways */
  double *guess;              /* rows: impulses from which modes are solved */
  void *cone, *strip;         /* rows */
  crd_arena lcp_arena;
  int lcp_rows;
  double *W, *w, *z, *shift; /* of the complementarity problem */
  void *variable;            /* what each of its variables stands for */
  crd_lcp_work *lcp;
} crd_island_memory;

crd_status crd_island_reserve(crd_island_memory *memory, int rows);
crd_status crd_island_reserve_all(crd_island_memory *memory, int all, int rows);
void crd_island_free(crd_island_memory *memory);
/* Memory of its own, empty; NULL: there is none. */
crd_island_memory *crd_island_new(void);
void crd_island_delete(crd_island_memory *memory);

/* Factors A (n x n, made regular by the rows' weights) in memory->A; solves with it. False: A is zero somewhere on the
 * way. */
bool crd_island_factor(crd_island_memory *memory, int n);
bool crd_island_factor_bare(crd_island_memory *memory, int n); /* A as it is */
void crd_island_solve(const crd_island_memory *memory, int n, double *x);

/* Solves with the modes and directions as given, then with those that its answer suggests, in so many rounds. p comes
 * with a first guess: of impulses that are not determined those nearest to it are taken. True: p and u satisfy
 * everything, modes and directions are theirs. */
bool crd_island_by_modes(crd_island_memory *memory, crd_island *island, int rounds);

/* Newton's method on the natural map, from the guess in p, and the modes that it ends with. As crd_island_by_modes. */
bool crd_island_by_newton(crd_island_memory *memory, crd_island *island);

/* The directions of the contacts that slide faster than `slow` (island_turn.c): how far they are from those of u at
 * most, rad; make them those of u; or turn them by Newton's method, with the factor of the n equations in the memory,
 * which is used up (false: it cannot). */
double crd_island_directions_off(const crd_island *island, double slow);
void crd_island_follow_directions(crd_island *island, double slow);
bool crd_island_turn_directions(crd_island_memory *memory, crd_island *island, int n, double slow);

/* Solves by an interior-point method, whatever the modes are, and from its answer by modes where these confirm it. Sets
 * modes and directions. Returns what the answer violates; one that is not confirmed is improved until `enough`.
 * Infinite: there is none. */
double crd_island_by_interior(crd_island_memory *memory, crd_island *island, double enough);
crd_status crd_island_reserve_interior(crd_arena *arena, size_t rows, crd_island_memory *memory);

/* Solves the mixed complementarity problem with facets, turned until friction opposes the sliding. Sets modes and
 * directions. */
crd_status crd_island_by_facets(crd_island_memory *memory, crd_island *island, int facets, long *solves);

/* Improves p contact by contact until nothing is violated by more than `enough`, as far as it gets; sets modes and
 * directions. Returns what is violated, infinite where it cannot begin. */
double crd_island_by_sweeps(crd_island_memory *memory, crd_island *island, double enough);

/* Which way an answer was found. */
typedef enum crd_island_way {
  CRD_ISLAND_MODES,
  CRD_ISLAND_NEWTON,
  CRD_ISLAND_INTERIOR,
  CRD_ISLAND_SOFTENED,
  CRD_ISLAND_FACETS,
  CRD_ISLAND_SWEEPS
} crd_island_way;

/* Of the velocities: an answer that violates more is not solved. */
#define CRD_ISLAND_SETTLED 1e-6

/* Solves by the cheapest way that finds an answer (island_settle.c), beginning with the modes and directions given; way
 * may be NULL. Returns what the answer violates; where nothing settled, p and u are the best that was found. */
double crd_island_settle(crd_island_memory *memory, crd_island *island, int facets, long *solves, crd_island_way *way);

/* Modes and directions of sliding that p and u show. */
void crd_island_read_modes(crd_island *island);
/* u = w + G p */
void crd_island_velocity(crd_island *island);
/* Largest diagonal entry of G, 1 where there is none. */
double crd_island_softest(const crd_island *island);
/* Largest violation of the problem, relative to its velocities. */
double crd_island_violation(const crd_island *island);

#endif
