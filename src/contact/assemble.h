/* The assembler's inside: rows of J as combinations of node velocities.
 *
 * Candidates for rows are collected first (three for every point, all of every loop), then the compliance of their
 * nodes is computed once, and then it is decided which of them are rows of the problem.
 */
#ifndef SRC_CONTACT_ASSEMBLE_H
#define SRC_CONTACT_ASSEMBLE_H

#include "contact/problem.h"
#include "linalg/simd.h"
#include "model/part.h"

/* A row of J, of one of two kinds: direction . (V(body[0] at point[0]) - V(body[1] at point[1])), V spatial velocities,
 * the direction either angular or linear; or, where ndof > 0, the sum of its coefficients times qvel (crd_row_dof, crd_row_coefficient).
 * The first kind is also the sum of form[k] . V(node[k]) over at most two nodes; node -1: that body is fixed. */
typedef struct crd_row {
  int body[2];
  double point[2][3], direction[6];
  int node[2];
  double form[2][6];
  int ndof, dof[3];
  double coefficient[3];
  const int *far_dof; /* of a tendon: ndof velocities, NULL: dof and coefficient count */
  const double *far;  /* and what each changes its length by, */
  double sign;        /* times this */
  int candidate;      /* loops: number among all rows that they could have */
  int group;          /* loops: rows of one kind from this one on, of which those that no motion changes are left out */
  int loop;           /* loops: number in the model */
  double turning;   /* direction turns with body[0]: this times (w x direction) . (V1 - V2) is part of the row's rate */
  double curvature; /* couplings of joints: this times qvel[dof[1]]^2 is; of tendons: all of it at the state's qvel */
  int bundle, lane; /* where its innovations are; CRD_NO_BUNDLE: they are not known */
} crd_row;
enum { CRD_NO_BUNDLE = -1 };

static inline int crd_row_dof(const crd_row *row, int k) { return row->far_dof ? row->far_dof[k] : row->dof[k]; }
static inline double crd_row_coefficient(const crd_row *row, int k) {
  return row->far_dof ? row->sign * row->far[k] : row->coefficient[k];
}

/* Velocity of a row on joints. */
static inline double crd_row_of_joints(const crd_row *row, const double *v) {
  double sum = 0;
  for (int k = 0; k < row->ndof; k++) sum += crd_row_coefficient(row, k) * v[crd_row_dof(row, k)];
  return sum;
}

/* A joint or tendon at its limit: u = sum of coefficients times velocities >= 0 where gap is zero. */
typedef struct crd_limit {
  const char *side; /* "lower", "upper", of a ball joint "limit" */
  double gap;
  int joint;   /* from model->njoint on: tendon joint - njoint */
  crd_row row; /* on joints; of a string in the memory of the workspace that it was found with */
} crd_limit;

/* The limits of a joint, or from model->njoint on of a tendon, (at most two) that are within `distance`; returns their
 * number. lengths: for spatial tendons, its kinematics become those of qpos; NULL where none of them has limits. */
int crd_limits_of_joint(const crd_model *model, crd_workspace *lengths, int joint, const double *qpos, double distance,
                        crd_limit limit[2]);

/* A loop that couples two tendons: the velocities of both, the coefficients of its row in the problem assembled last, and
 * the lengths that it counts from. */
typedef struct crd_tendon_loop {
  int ndof, *dof;
  double *coefficient, length0[2];
} crd_tendon_loop;

/* The plane that a link cannot leave, if there is one: motion across `axis` only. */
typedef struct crd_plane_of_link {
  bool planar;
  double axis[3];
} crd_plane_of_link;

/* Innovations e of up to four rows, a lane each, and D^-1 e (src/contact/innovations.c): along the path of `links` links
 * from number `path` on, for its nv velocities from number `entry` on, D^-1 e behind e. */
typedef struct crd_bundle {
  size_t path, entry;
  int links, nv;
  crd_v4 square; /* e' D^-1 e = J M^-1 J' */
} crd_bundle;

struct crd_contact_assembler {
  const crd_model *model;
  crd_collider *collider;
  crd_arena arena;
  double *pos, *R;              /* ngeom x 3, x 9: poses of the geoms */
  double *jacobian;             /* 2 x 6 x nv: of the two bodies of a row */
  crd_node jacobian_of[2];      /* and where; body -1: of nothing yet */
  double *entries;              /* 6 x nv: rows of J and what they do to the mechanism */
  int *node_of_link;            /* nlink: node that moves with the link, -1: none yet */
  crd_node *node;               /* nlink: one for each link that takes part */
  crd_v4 *spread;               /* nv: D^-1 e of one bundle at its velocities, zero elsewhere */
  crd_v4 *lane_velocity;        /* nv: velocities of all joints for four rows at once */
  double *node_motion, *wrench; /* 6 nlink each: velocities of, and impulses on, all nodes */
  int nnode;
  int *root;            /* nlink: first link of the tree of each link */
  int *depth, *depth_v; /* nlink: links and velocities from each to its root */
  bool *on_path;        /* nlink: scratch, false between uses */
  int *first_contact,
      *last_contact;        /* nlink: of the contacts that act on the tree of a first link, in a list; -1: none */
  int *last_of_root;        /* nlink: last link of the tree of a first link */
  int *groups_of_root;      /* nlink + 1: groups of rows that act on each tree, first .. next first - 1 of tree_group */
  crd_plane_of_link *plane; /* nlink */
  int max_loop_rows;
  int point_rows;         /* candidates of a point at most: 3, with spinning 4, with rolling 6 */
  crd_workspace *lengths; /* for the lengths of spatial tendons that have rows; NULL: there are none */
  double *tendon_row; /* ntendon_row: rows of tendons at their limits or with friction, in the problem assembled last */
  double *tendon_way; /* nq: scratch of their rates */
  crd_tendon_loop *tendon_loop; /* nloop: of those that couple tendons */
  double *loop_shift;           /* nloop x 3: of the anchor in body 2's frame (crd_contact_accept_loops) */
  crd_part whole;               /* the model, */
  const crd_part *part;         /* and what of it has limits, loops and dry friction, and moves */
  int rows, dry;                /* of the problem assembled last: m, and joints with dry friction behind them */
  /* what grows with the number of contacts */
  crd_arena point_arena, row_arena, path_arena, loop_arena;
  crd_contact_point *point; /* found by crd_contact_at_state */
  int npoint, point_capacity;
  int *contact_of; /* per point, or -1 */
  int contact_of_capacity;
  crd_contact *contact;  /* as many as points and limits; `name` of a limit is its side */
  double *normal_square; /* of each: normal row, squared length in the kinetic metric */
  crd_row *row;
  crd_bundle *bundle; /* nbundle, of at most as many as rows */
  int nbundle;
  int *path;     /* of the bundles: path_used links, */
  crd_v4 *entry; /* and entry_used innovations */
  size_t path_used, path_room, entry_used, entry_room;
  int *next_contact; /* per contact: the next on the list of its tree */
  int *group_row;    /* rows + 1: first rows of groups (src/contact/delassus.c) */
  int *group_tree,
      *tree_group;  /* 2 per group of rows each: trees that it acts on (first links, -1: none); groups by trees */
  double *residual; /* per row: position error of a bilateral one */
  int row_capacity;
  /* of crd_contact_factor_loops; NULL: not yet */
  double *loop_factor, *loop_pivoted, *loop_force, *loop_rate;
  int *loop_first;
  bool loop_regular; /* loop_factor is one */
  int loop_rank;     /* of loop_pivoted; -1: not made yet */
};

/* An assembly in progress: the state, and the index of the next row. */
typedef struct crd_assembly {
  crd_contact_assembler *assembler;
  crd_workspace *work;
  const double *qpos, *qvel;
  const crd_contact_options *options;
  int candidates; /* rows collected */
  int rows;       /* rows decided on, the first of assembler->row */
  int nc, nrow;   /* contacts and their rows among them */
} crd_assembly;

typedef struct crd_coefficients {
  int condim;
  double mu, e;
  double mu_spin, mu_roll; /* m; zero where condim leaves them out */
} crd_coefficients;
/* Of a pair of geoms. */
crd_coefficients crd_contact_coefficients(const crd_model *model, const crd_contact_point *point);

/* ------------------------------------------------------------------------------------------------ rows */

/* The candidate direction . (V(body1 at p1) - V(body2 at p2)); returns its number. */
int crd_assembly_candidate(crd_assembly *a, int body1, const double p1[3], int body2, const double p2[3],
                           const double direction[6]);
/* Points a row that is already there into another direction. */
void crd_assembly_turn(crd_assembly *a, int row, const double direction[6]);

/* Entries of a row in J (nv). Those that are rounding errors are zero. */
void crd_assembly_entries(crd_assembly *a, const crd_row *row, double *J);
bool crd_assembly_is_zero(const crd_assembly *a, const double *J);
/* X = M^-1 J' of up to four rows given by their entries (count x nv each). */
void crd_assembly_responses(const crd_assembly *a, int count, const double *J, double *X);

/* The first links of the trees that a row acts on, of which there are at most two, the lower one first; -1: none. */
void crd_assembly_trees(const crd_contact_assembler *s, const crd_row *row, int tree[2]);

/* Innovations (src/contact/innovations.c) of the rows first .. end - 1. After crd_tree_factor. CRD_ERR_MEMORY. */
void crd_assembly_begin_bundles(crd_contact_assembler *s);
crd_status crd_assembly_bundle(crd_assembly *a, int first, int end);
/* J_i M^-1 J_j' of two rows in bundles, up to rounding errors; and of one with itself. */
double crd_assembly_product(const crd_contact_assembler *s, const crd_row *row_i, const crd_row *row_j);
double crd_assembly_square(const crd_contact_assembler *s, const crd_row *row);
/* The row becomes x times itself and y times another one on the same bodies. */
void crd_assembly_combine(crd_contact_assembler *s, const crd_row *row, double x, const crd_row *other, double y);
/* All products of a bundle with the one that is spread at the time: product[lane][lane of that one]. */
void crd_assembly_spread(crd_contact_assembler *s, int bundle);
void crd_assembly_products(const crd_contact_assembler *s, int bundle, crd_v4 product[4]);
void crd_assembly_unspread(crd_contact_assembler *s, int bundle);

/* Fills assembler->plane. */
crd_status crd_planes_find(crd_contact_assembler *s);
/* Is the row zero in every state, since its bodies move in planes that do not hold its direction? */
bool crd_planes_forbid(const crd_contact_assembler *s, const crd_row *row);

/* A square of a length in the kinetic metric that is a smaller share of what it is composed of may be a rounding error;
 * the entries of the rows have to decide. */
#define CRD_SUSPICIOUS_SQUARE 1e-9
/* A row whose length is less than 1e-9 of those it belongs with is zero; compared are squares. */
#define CRD_NEGLIGIBLE_SQUARE 1e-18

/* ------------------------------------------------------------------------------------------------ stages */

/* Collects the candidates of points and of loops (these from row `first` on). */
void crd_assembly_collect_contacts(crd_assembly *a, const crd_contact_point *point, int npoint);
void crd_assembly_collect_loops(crd_assembly *a, int first);
/* Innovations of those that may be taken. CRD_ERR_MEMORY. */
crd_status crd_assembly_bundle_loops(crd_assembly *a, int first);

void crd_assembly_find_trees(crd_contact_assembler *s);

/* Room for the rows of as many points, and of limits and loops. */
crd_status crd_assembly_reserve_rows(crd_contact_assembler *s, int npoint);

/* Decides on the rows: contacts from points, limits of joints, bilateral rows, in this order. */
void crd_assembly_contacts(crd_assembly *a, const crd_contact_point *point, int npoint);
void crd_assembly_limits(crd_assembly *a);
void crd_assembly_loops(crd_assembly *a, int first);
/* Leaves out the rows of loops, from number `first` on, that depend on others. CRD_ERR_MEMORY. */
crd_status crd_assembly_independent_loops(crd_assembly *a, int first);
/* Length of a tendon, and where its row (the velocities tendon->dof) has its coefficients: in `lengths`, whose kinematics
 * become those of qpos, for a spatial one. */
double crd_tendon_length_row(const crd_model *model, crd_workspace *lengths, int t, const double *qpos,
                             const double **coefficient);
/* d/dt(row) qvel of a tendon, 0 of weighted sums. */
double crd_tendon_row_rate(crd_contact_assembler *s, int t, const double *qpos, const double *qvel);
/* The polynomial of a loop that couples joints or tendons, its first and second derivative at x. */
double crd_loop_polynomial(const double coef[5], double x, double *slope, double *bend);
/* Memory of the loops that couple tendons, and their lengths as drawn. False: memory is out. */
bool crd_tendon_loops_make(crd_contact_assembler *s);
void crd_assembly_add_tendon_loop(crd_assembly *a, const crd_loop *loop);
/* The row of dry friction: a velocity, from nv on a tendon. */
crd_row crd_assembly_dry_row(crd_assembly *a, int rubbing);

/* Joints at a limit. */
int crd_assembly_count_limits(const crd_contact_assembler *s, const double *qpos, const crd_contact_options *options);

/* W (count x count) of some rows in bundles. */
void crd_assembly_gram(crd_contact_assembler *s, const int *row, int count, double *W);
/* W and what dry friction adds, by blocks or dense. */
crd_status crd_assembly_delassus(crd_assembly *a, crd_contact_problem *problem);
/* J and X, and velocities (src/contact/velocities.c). */
void crd_assembly_jacobian(crd_assembly *a, crd_contact_problem *problem);
void crd_assembly_velocities(crd_assembly *a, crd_contact_problem *problem);

/* Which of all rows that the loops could have (max_loop_rows) are the `count` behind the nrow contact rows of the problem
 * assembled last. */
void crd_contact_loop_rows(const crd_contact_assembler *s, int nrow, int count, bool *taken);
/* From now on the anchors of connect, weld and hinge loops coincide where they do at the kinematics in `work`: what
 * they are apart there belongs to the mechanism. work NULL: as the model has them. */
void crd_contact_accept_loops(crd_contact_assembler *s, crd_workspace *work);

/* The two halves of crd_contact_hold_loops: the rows of the loops and the factor of W at (qpos, qvel) of the last
 * crd_tree_velocity and crd_tree_factor in `work`; then, as often as wanted with the same rows, the change of qacc.
 * rows: those to take (crd_contact_loop_rows), NULL: the independent ones are found. qvel NULL: rows that do not move. */
crd_status crd_contact_factor_loops(crd_contact_assembler *s, crd_workspace *work, const double *qpos,
                                    const double *qvel, const bool *rows, crd_contact_problem *problem);
void crd_contact_force_loops(crd_contact_assembler *s, crd_workspace *work, const double *qvel,
                             const crd_contact_problem *problem, double *qacc, double *force);

/* Position errors of the bilateral rows that `rows` assembled last, at qpos of the last crd_tree_kinematics in `work`;
 * nothing else of a problem is made. *largest: of all rows, those included that were left out as dependent. s is another
 * assembler, whose rows are overwritten. CRD_ERR_MEMORY. */
crd_status crd_contact_loop_residual(crd_contact_assembler *s, crd_workspace *work, const double *qpos,
                                     const crd_contact_assembler *rows, int nrow, int nb, double *residual,
                                     double *largest);

/* Name of a geom in contacts: its name, its body's, or its number (which is then written into `number`). */
const char *crd_contact_geom_name(const crd_model *model, int geom, char number[24]);
/* The name of the contact at a point, and of a joint's limit, before equal ones are numbered (CRD_CONTACT_NAME bytes). */
void crd_contact_point_name(const crd_model *model, const crd_contact_point *point, char *name);
void crd_contact_limit_name(const crd_model *model, int joint, const char *side, char *name);

/* Unit tangents t1, t2 of a contact with normal n; both change sign with n. */
void crd_contact_tangents(const double n[3], double t1[3], double t2[3]);

#endif
