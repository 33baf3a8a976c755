/* The assembler's inside: rows of J as combinations of node velocities. */
#ifndef SRC_CONTACT_ASSEMBLE_H
#define SRC_CONTACT_ASSEMBLE_H

#include "contact/problem.h"

/* A row of J as a linear form of at most two node velocities, u = sum of form[k] . V(node[k]); node -1: none. A row
 * without nodes (a joint coupling, a limit, dry friction) is known by its entries in J alone. */
typedef struct crd_row_form {
  int node[2];
  double form[2][6];
} crd_row_form;

/* A joint at its limit: u = sum of coefficient[k] qvel[dof + k] >= 0 where gap is zero. */
typedef struct crd_limit {
  const char *side; /* "lower", "upper", of a ball joint "limit" */
  int joint, count;
  double gap, coefficient[3];
} crd_limit;
/* The limits of a joint (at most two) that are within `distance`; returns their number. */
int crd_limits_of_joint(const crd_model *model, int joint, const double *qpos, double distance, crd_limit limit[2]);

struct crd_contact_assembler {
  const crd_model *model;
  crd_collider *collider;
  crd_arena arena;
  double *pos, *R;   /* ngeom x 3, x 9: poses of the geoms */
  double *jacobian;  /* 2 x 6 x nv: of the two bodies of a contact or loop */
  int *node_of_link; /* nlink: node that moves with the link, -1: none yet */
  crd_node *node;    /* nlink: one for each link that takes part */
  int nnode;
  double *column; /* 6 nlink: a column of Lambda Q' D */
  int max_loop_rows;
  int *limited, nlimited; /* joints that have limits */
  int *rubbing, nrubbing; /* velocities that have dry friction */
  /* what grows with the number of contacts */
  crd_arena point_arena, row_arena, node_arena;
  crd_contact_point *point; /* found by crd_contact_at_state */
  int npoint, point_capacity;
  int *contact_of; /* per point, or -1 */
  int contact_of_capacity;
  crd_row_form *row;
  int row_capacity;
  double *Lambda; /* (6 nnode)^2 */
  int Lambda_capacity;
};

/* What is being assembled: the state, and where the next row goes. */
typedef struct crd_assembly {
  crd_contact_assembler *assembler;
  crd_workspace *work;
  const double *qpos, *qvel;
  const crd_contact_options *options;
  crd_contact_problem *problem;
  int rows; /* rows of J, X and assembler->row that are filled */
} crd_assembly;

/* Coefficients of a pair of geoms. */
typedef struct crd_coefficients {
  int condim;
  double mu, e;
} crd_coefficients;
crd_coefficients crd_contact_coefficients(const crd_model *model, const crd_contact_point *point);

/* Names of all contacts, each from the first of the points that it stands for; limits have theirs already. */
void crd_contact_name_all(crd_contact_problem *problem, const crd_model *model, const crd_contact_point *point,
                          const int *contact_of, int npoint);
/* The name of a joint's limit (room for CRD_CONTACT_NAME). */
void crd_contact_name_limit(const crd_model *model, const crd_limit *limit, char *name);

/* Unit tangents t1, t2 of a contact with normal n; both change sign with n. */
void crd_contact_tangents(const double n[3], double t1[3], double t2[3]);

/* Appends the row d . (V(body1 at p1) - V(body2 at p2)), d = (angular, 0) or (0, linear), with its J, X and form; the
 * Jacobians of the two points are already in assembler->jacobian (crd_assembly_bodies). Entries of J that are rounding
 * errors become zero. */
void crd_assembly_bodies(crd_assembly *a, int body1, const double p1[3], int body2, const double p2[3]);
void crd_assembly_row(crd_assembly *a, int body1, const double p1[3], int body2, const double p2[3], const double d[6]);

/* Puts row `from` into the place of row `to`. */
void crd_assembly_move_row(crd_assembly *a, int to, int from);

/* A row whose length is less than 1e-9 of those it belongs with is zero; compared are squares. */
#define CRD_NEGLIGIBLE_SQUARE 1e-18

/* Length of row i in the kinetic metric, squared: J_i M^-1 J_i'. */
double crd_assembly_square(const crd_assembly *a, int i);
/* The same of the difference of two rows. */
double crd_assembly_distance(const crd_assembly *a, int i, int j);

/* Contacts from points, limits of joints, loops from the model: append their rows, in this order. */
void crd_assembly_contacts(crd_assembly *a, const crd_contact_point *point, int npoint);
void crd_assembly_limits(crd_assembly *a);
void crd_assembly_loops(crd_assembly *a);

/* The rows of dry friction, after crd_assembly_delassus. */
crd_status crd_assembly_dry_friction(crd_assembly *a);

/* W of all rows by the operational-space compliance of the nodes. */
crd_status crd_assembly_delassus(crd_assembly *a);

#endif
