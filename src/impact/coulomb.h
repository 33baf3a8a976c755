/* The frictional contact problem in contact space, with all its solutions.
 *
 *   w = W p + b,    0 <= p_n _|_ w_n >= 0,    p_t in -mu p_n Sgn(w_t)     for every contact
 *
 * Sgn(w_t) is w_t / |w_t|, or the unit disc where w_t = 0. With w = u+ + E u- these are the impacts with restitution
 * and Coulomb friction of [Brogliato, (66)-(70)]; with accelerations in place of velocities, contact forces.
 *
 * Each contact separates (p = 0), sticks (w = 0) or slips in a direction d (w_n = 0, p_t = -mu p_n d, w_t = k d, k >=
 * 0). In a given mode the problem is linear but for the directions of slipping spatial contacts. Every mode is tried: 4
 * of a planar contact, 3 of a spatial and 2 of a frictionless one.
 */
#ifndef SRC_IMPACT_COULOMB_H
#define SRC_IMPACT_COULOMB_H

#include "impact/impact.h"

typedef struct crd_cones_contact {
  int row;      /* of the normal; the tangents follow */
  int ntangent; /* rows on which friction acts: 1 planar, 2 spatial, 0 frictionless */
  double mu;
} crd_cones_contact;

/* The contact as this problem sees it. */
crd_cones_contact crd_cones_contact_of(const crd_contact *contact);

typedef struct crd_cones {
  int nc, m;                        /* contacts, rows; rows of no contact carry no impulse */
  const crd_cones_contact *contact; /* nc */
  const double *W, *b;              /* m x m, symmetric positive semidefinite; m */
  double velocity, impulse;         /* what w and p are measured by */
  double tolerance;                 /* of w and p, relative to these */
  int starts;                       /* of every search for the directions of several slipping spatial contacts */
} crd_cones;

typedef enum crd_cones_mode {
  CRD_CONES_STICK, /* of a frictionless contact: pushes */
  CRD_CONES_SLIP_PLUS,
  CRD_CONES_SLIP_MINUS, /* planar, along or against the tangent */
  CRD_CONES_SLIP,       /* spatial */
  CRD_CONES_SEPARATE
} crd_cones_mode;

typedef struct crd_cones_answer {
  const double *p, *w;        /* m */
  const crd_cones_mode *mode; /* nc */
  int freedom;                /* dimension of the set of impulses in this mode; 0: they are determined */
} crd_cones_answer;

/* Receives every solution found, the same one possibly from several modes. Another status than CRD_OK ends the search.
 */
typedef crd_status (*crd_cones_sink)(void *context, const crd_cones_answer *answer);

typedef struct crd_cones_report {
  long modes;      /* tried */
  bool searched;   /* directions of several slipping spatial contacts were searched for from starting points: all that
                      were found are solutions, but others may exist */
  bool undecided;  /* of a mode without determined impulses none was found and none could be excluded */
  bool every_slip; /* a contact may slip in a continuum of directions; one stands for them */
} crd_cones_report;

/* Tries all modes, sticking first. CRD_LIMIT: there are too many to be tried, nothing was done. Memory comes from the
 * result. Otherwise the first status of the sink that is not CRD_OK, or CRD_OK. */
crd_status crd_cones_enumerate(const crd_cones *problem, crd_impact_result *memory, crd_cones_sink sink, void *context,
                               crd_cones_report *report);

/* Which contacts take part in a solution that continues given impulses: those that push, or all that stay closed. */
typedef enum crd_cones_touch { CRD_CONES_LOADED, CRD_CONES_CLOSED } crd_cones_touch;

/* The solution nearest to the impulses p: in the mode that they suggest, or in one that its answer, where it
 * contradicts the mode, points to. Nothing reaches the sink where none is found. */
crd_status crd_cones_improve(const crd_cones *problem, crd_impact_result *memory, const double *p,
                             crd_cones_touch touch, crd_cones_sink sink, void *context);

/* How far the impulse p and velocity w of a contact (normal, tangents) are from its law, scaled: complementarity of the
 * normals, and the distance of p_t from where Coulomb's law wants it. */
double crd_cones_residual(const crd_cones_contact *contact, const double *p, const double *w, double velocity,
                          double impulse);

#endif
