/* Shared by the methods: checks of the input, frictions of a contact, products with G. */
#ifndef SRC_COULOMB_PROBLEM_H
#define SRC_COULOMB_PROBLEM_H

#include <cradle/coulomb.h>

/* One friction of a contact: rows with |p_f| <= mu p_n. */
typedef struct crd_coulomb_friction {
  int row, count;
  double mu;
  bool turns; /* spin or rolling: velocities in rad/s */
} crd_coulomb_friction;

enum { CRD_COULOMB_FRICTIONS = 3 };

/* The frictions of a contact that carry something, at most three; returns how many. Those of a sliding contact with a
 * given direction are not among them: its p_t follows from p_n. */
int crd_coulomb_frictions(const crd_coulomb_contact *contact, crd_coulomb_friction friction[CRD_COULOMB_FRICTIONS]);

/* The greater one; where b is not a number, a. As fmax, without a call. */
static inline double crd_greater(double a, double b) { return b > a ? b : a; }

/* Number of rows of a contact, all frictions included. */
static inline int crd_coulomb_contact_rows(const crd_coulomb_contact *c) {
  return 1 + c->ntangent + c->nspin + c->nroll;
}

/* CRD_OK, CRD_ERR_ARGUMENT or CRD_ERR_NUMBER; *row: the one at fault. owner (n): scratch. */
crd_status crd_coulomb_check(const crd_coulomb_problem *problem, int *owner, int *row);

/* The group of a row. */
int crd_coulomb_group(const crd_coulomb_blocks *G, int row);

/* Entry of the diagonal of G; its mean over the rows of a friction. */
double crd_coulomb_diagonal(const crd_coulomb_problem *problem, int row);
double crd_coulomb_mean_diagonal(const crd_coulomb_problem *problem, int row, int count);

/* out (m x m, rows `stride` apart): entries of G at these rows and columns. where: n, zero between calls. */
void crd_coulomb_entries(const crd_coulomb_problem *problem, int m, const int *row, int *where, size_t stride,
                         double *out);

/* u = w + G p */
void crd_coulomb_velocity(const crd_coulomb_problem *problem, const double *p, double *u);

/* Rounding errors of these velocities: half a unit in the last place of |w| + |G| |p|, in which terms may cancel. */
void crd_coulomb_rounding(const crd_coulomb_problem *problem, const double *p, double *rounding);

/* max(|w_i|, |target|, 1e-6 velocity) of the whole problem, 1 where all are zero. */
double crd_coulomb_scale(const crd_coulomb_problem *problem);

/* Scales by which a row is judged. */
typedef struct crd_coulomb_measure {
  double scale;    /* m/s: residuals are relative to it */
  double velocity; /* m/s: of the problem, or the island's largest speed */
  double length;   /* m: by which rad/s of spin and rolling become m/s, sqrt(g_n / g_f); 1 of other rows */
} crd_coulomb_measure;

typedef struct crd_coulomb_measures {
  crd_coulomb_measure whole;
  crd_coulomb_measure *row; /* n; NULL: the whole problem's for every row */
} crd_coulomb_measures;

static inline crd_coulomb_measure crd_coulomb_measure_of(const crd_coulomb_measures *measures, int row) {
  return measures->row ? measures->row[row] : measures->whole;
}

/* Is every row judged alike, as the whole problem? */
bool crd_coulomb_is_plain(const crd_coulomb_problem *problem);
/* Otherwise row by row, into row (n), and where `speed` is given by island; parent as crd_coulomb_find_islands sets it,
 * NULL: not known, and there are no speeds. */
crd_coulomb_measures crd_coulomb_measure_rows(const crd_coulomb_problem *problem, const int *parent,
                                              crd_coulomb_measure *row);

/* crd_coulomb_residual with the measures known. rounding (n): error of u, relative, may be u itself where it is not asked for;
 * error (n): the worst of each row, or NULL. */
crd_status crd_coulomb_judge_rows(const crd_coulomb_problem *problem, const crd_coulomb_measures *measures,
                                  const double *p, double *u, double *rounding, crd_coulomb_residual_parts *parts,
                                  double *error);
/* crd_coulomb_modes with the measures known and, where accuracy is not NULL, the residual of each island, at parent[row]
 * of its rows: slip and load below it are errors. */
void crd_coulomb_modes_by(const crd_coulomb_problem *problem, const crd_coulomb_measures *measures, const int *parent,
                          const double *accuracy, const double *p, const double *u, crd_mode *mode);

#endif
