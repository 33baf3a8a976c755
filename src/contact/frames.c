/* Contacts of the problem from points of contact: frames, planar contacts, merging.
 *
 * Tangents. t1 is the normal turned by -90 degrees in the x-z plane, t1 = e_y x n: +x on a floor, +z on a wall at the
 * right. A contact of a planar mechanism slides in one direction only; the tangent rows are then linearly dependent and
 * are replaced by the row along that direction. A contact that cannot slide at all has no tangent row, and one that can
 * neither open nor close is no contact of the mechanism and is left out.
 *
 * Merging. Points whose rows agree are one contact (the two corners of a planar box that lie one behind the other):
 * separate impulses there could not be told apart by any motion. It keeps the first point's rows and has the mean of
 * the points.
 *
 * Spinning and rolling. Their rows are relative angular velocities about the normal and about two axes across it; those
 * that no motion of the mechanism changes (spinning, and rolling about an axis in the plane, of a planar one) are left
 * out.
 *
 * "Zero" and "equal" are judged in the kinetic metric, |row|^2 = row M^-1 row', in which all rows of contacts have one
 * unit (kg^-1/2) and which does not depend on the choice of coordinates.
 */
#include <cradle/linalg.h>
#include <string.h>

#include "contact/assemble.h"
#include "linalg/dense.h"

static const double NO_COMPONENT =
    1e-9; /* of a unit normal: a smaller one is rounding of a normal in a plane of the axes */
static const double SAME_ROW = 1e-15; /* of the largest entry: rows that differ by rounding alone */
static const double COMPARED = 1e-3;  /* of the squared length: rows that differ more need no further look */

void crd_contact_tangents(const double n[3], double t1[3], double t2[3]) {
  double viewer[3] = {0, -1, 0}; /* from where the x-z plane is seen with x to the right and z up */
  if (fabs(n[1]) > 1 - NO_COMPONENT) viewer[1] = 0, viewer[2] = 1;
  crd_vec3_cross(t1, n, viewer);
  crd_vec3_normalize(t1);
  crd_vec3_cross(t2, n, t1);
  /* n x t1 does not change sign with n; the sign of n's leading component makes it */
  double leading = fabs(n[2]) > NO_COMPONENT ? n[2] : fabs(n[0]) > NO_COMPONENT ? n[0] : n[1];
  if (leading < 0) crd_vec3_scale(t2, -1, t2);
}

static void along(double d[6], const double direction[3]) {
  d[0] = d[1] = d[2] = 0;
  crd_vec3_copy(d + 3, direction);
}

static void candidate(crd_assembly *a, const crd_contact *c, const double direction[3]) {
  double d[6];
  along(d, direction);
  crd_assembly_candidate(a, c->body1, c->point, c->body2, c->point, d);
}

static void turning(crd_assembly *a, const crd_contact *c, const double axis[3]) {
  const double d[6] = {axis[0], axis[1], axis[2], 0, 0, 0};
  crd_assembly_candidate(a, c->body1, c->point, c->body2, c->point, d);
}

/* Rows of spinning and rolling, where the contact resists them. */
static void candidate_turning(crd_assembly *a, crd_contact *c, const crd_coefficients *coefficients) {
  c->nspin = coefficients->mu_spin > 0, c->nroll = coefficients->mu_roll > 0 ? 2 : 0;
  c->mu_spin = coefficients->mu_spin, c->mu_roll = coefficients->mu_roll;
  memcpy(c->roll, c->tangent, sizeof c->roll);
  if (c->nspin) turning(a, c, c->normal);
  for (int k = 0; k < c->nroll; k++) turning(a, c, c->roll[k]);
}

void crd_assembly_collect_contacts(crd_assembly *a, const crd_contact_point *point, int npoint) {
  const crd_model *model = a->assembler->model;
  for (int i = 0; i < npoint; i++) {
    const crd_contact_point *p = &point[i];
    if (p->gap > a->options->distance) continue;
    crd_coefficients coefficients = crd_contact_coefficients(model, p);
    crd_contact *c = &a->assembler->contact[a->nc++];
    bool given = !isnan(a->options->mu);
    *c = (crd_contact){.row = a->candidates, .gap = p->gap, .npoint = 1, .joint = -1};
    c->body1 = model->geom[p->geomA].body, c->body2 = model->geom[p->geomB].body;
    crd_vec3_copy(c->point, p->point);
    crd_vec3_copy(c->normal, p->normal);
    c->mu = c->mu_static = given ? a->options->mu : coefficients.mu;
    c->e = isnan(a->options->e) ? coefficients.e : a->options->e;
    c->ntangent = coefficients.condim == 1 && !given ? 0 : 2;
    crd_contact_tangents(c->normal, c->tangent[0], c->tangent[1]);
    candidate(a, c, c->normal);
    candidate(a, c, c->tangent[0]);
    candidate(a, c, c->tangent[1]);
    if (a->options->torsion) candidate_turning(a, c, &coefficients);
  }
}

/* ------------------------------------------------------------------------------------------------ which rows */

/* Products of the rows of n, t1, t2 in the kinetic metric. */
typedef struct gram {
  double nn, t11, t22, t12;
} gram;

/* From the innovations, to their rounding errors. */
static gram gram_of_bundles(const crd_contact_assembler *s, int row) {
  const crd_row *r = &s->row[row];
  return (gram){crd_assembly_square(s, r), crd_assembly_square(s, r + 1), crd_assembly_square(s, r + 2),
                crd_assembly_product(s, r + 1, r + 2)};
}

/* Of the entries themselves (3 x nv), in which a row that no motion changes is exactly zero; their responses stand
 * behind them. */
static gram gram_of_entries(crd_assembly *a, double *J) {
  int n = a->assembler->model->nv;
  double *X = J + 3 * (size_t)n;
  crd_assembly_responses(a, 3, J, X);
  return (gram){crd_dense_dot(n, J, X), crd_dense_dot(n, J + n, X + n), crd_dense_dot(n, J + 2 * n, X + 2 * n),
                crd_dense_dot(n, J + n, X + 2 * n)};
}

/* Is a square so small a share of the whole that rounding could have made it? */
static bool doubtful(double square, double whole) { return !(square > CRD_SUSPICIOUS_SQUARE * whole); }

/* Which of the three rows no motion changes, and whether the products say the same beyond doubt. */
static bool is_clear(gram g, const bool zero[3]) {
  const double whole = g.nn + g.t11 + g.t22;
  if (zero[0] || doubtful(g.nn, whole)) return false;
  if (!zero[1] && doubtful(g.t11, whole)) return false;
  if (!zero[2] && doubtful(g.t22, whole)) return false;
  return zero[1] || zero[2] || !doubtful(g.t11 * g.t22 - g.t12 * g.t12, whole * whole);
}

/* The square of a row: none where no motion changes it, by its entries where rounding could have made it. */
static double square_of(bool zero, double square, double by_entries, double whole) {
  if (zero) return 0;
  return doubtful(square, whole) ? by_entries : square;
}

/* The products, with those that rounding could have made taken from the rows' entries. */
static gram gram_of_rows(crd_assembly *a, int row) {
  crd_contact_assembler *s = a->assembler;
  size_t n = (size_t)s->model->nv;
  bool zero[3];
  for (int k = 0; k < 3; k++) zero[k] = crd_planes_forbid(s, &s->row[row + k]);
  gram g = gram_of_bundles(s, row), exact = {0};
  const double whole = g.nn + g.t11 + g.t22;
  const bool clear = is_clear(g, zero);
  if (clear && !zero[1] && !zero[2]) return g;
  for (int k = 0; !clear && k < 3; k++) {
    double *J = s->entries + n * (size_t)k;
    crd_assembly_entries(a, &s->row[row + k], J);
    zero[k] = crd_assembly_is_zero(a, J);
  }
  if (!clear) exact = gram_of_entries(a, s->entries);
  g.nn = square_of(zero[0], g.nn, exact.nn, whole);
  if (zero[1] || zero[2]) { /* a planar mechanism whose plane holds one of the tangents */
    g.t11 = square_of(zero[1], g.t11, exact.t11, whole), g.t22 = square_of(zero[2], g.t22, exact.t22, whole);
    g.t12 = 0;
  } else if (!clear) {
    g.t11 = exact.t11, g.t22 = exact.t22, g.t12 = exact.t12;
  }
  return g;
}

/* Keeps both tangents, the one direction in which the contact can slide, or none; the rows stand behind the normal's.
 */
static void reduce_tangents(crd_assembly *a, crd_contact *c, gram g) {
  crd_row *row = &a->assembler->row[c->row];
  double zero = CRD_NEGLIGIBLE_SQUARE * (g.nn + g.t11 + g.t22), d[6];
  if (g.t11 <= zero && g.t22 <= zero) {
    c->ntangent = 0;
  } else if (g.t22 <= zero) {
    c->ntangent = 1;
  } else if (g.t11 <= zero) {
    c->ntangent = 1;
    row[1] = row[2];
    memcpy(c->tangent[0], c->tangent[1], sizeof c->tangent[0]);
  } else if (g.t11 * g.t22 - g.t12 * g.t12 <= zero * fmax(g.t11, g.t22)) {
    /* sliding along cos t1 + sin t2 only: the eigenvector of the larger eigenvalue of [t11 t12; t12 t22] */
    const double angle = 0.5 * atan2(2 * g.t12, g.t11 - g.t22), way = cos(angle) < 0 ? -1 : 1;
    const double x = way * cos(angle), y = way * sin(angle);
    double slide[3];
    crd_vec3_scale(slide, x, c->tangent[0]);
    crd_vec3_axpy(slide, y, c->tangent[1]);
    crd_vec3_copy(c->tangent[0], slide);
    c->ntangent = 1;
    along(d, slide);
    crd_assembly_turn(a, c->row + 1, d);
    crd_assembly_combine(a->assembler, &row[1], x, &row[2], y);
  }
}

/* Keeps of the two axes of rolling those about which the bodies can turn. */
static void reduce_rolling(crd_assembly *a, crd_contact *c, int from) {
  crd_contact_assembler *s = a->assembler;
  const int n = s->model->nv;
  double *J = s->entries, *X = J + 2 * (size_t)n;
  for (int k = 0; k < 2; k++) crd_assembly_entries(a, &s->row[from + k], J + (size_t)k * (size_t)n);
  crd_assembly_responses(a, 2, J, X);
  const double r11 = crd_dense_dot(n, J, X), r22 = crd_dense_dot(n, J + n, X + n), r12 = crd_dense_dot(n, J, X + n);
  const double zero = CRD_NEGLIGIBLE_SQUARE * (r11 + r22);
  if (r11 * r22 - r12 * r12 > zero * fmax(r11, r22)) return;
  c->nroll = r11 > zero || r22 > zero;
  /* about cos r1 + sin r2 only, as in reduce_tangents */
  const double angle = 0.5 * atan2(2 * r12, r11 - r22);
  double axis[3], d[6] = {0};
  crd_vec3_scale(axis, cos(angle), c->roll[0]);
  crd_vec3_axpy(axis, sin(angle), c->roll[1]);
  crd_vec3_copy(c->roll[0], axis), memset(c->roll[1], 0, sizeof c->roll[1]);
  crd_vec3_copy(d, axis);
  crd_assembly_turn(a, from, d);
  crd_assembly_combine(s, &s->row[from], cos(angle), &s->row[from + 1], sin(angle));
}

/* The rows of spinning and rolling that some motion changes, close behind the tangents. They stand behind three
 * candidates. */
static void reduce_turning(crd_assembly *a, crd_contact *c) {
  crd_contact_assembler *s = a->assembler;
  int to = c->row + 1 + c->ntangent, from = c->row + 3;
  if (c->nspin) {
    crd_assembly_entries(a, &s->row[from], s->entries);
    c->nspin = !crd_assembly_is_zero(a, s->entries);
    if (c->nspin && to != from) s->row[to] = s->row[from];
    to += c->nspin, from++;
  }
  if (c->nroll) {
    reduce_rolling(a, c, from);
    for (int k = 0; k < c->nroll && to != from; k++) s->row[to + k] = s->row[from + k];
  }
}

/* The rows of the contact among its candidates; false: it can neither open nor close. */
static bool reduce_rows(crd_assembly *a, crd_contact *c, double *normal_square) {
  gram g = gram_of_rows(a, c->row);
  *normal_square = g.nn;
  if (!(g.nn > CRD_NEGLIGIBLE_SQUARE * (g.t11 + g.t22))) return false;
  if (c->ntangent > 0) reduce_tangents(a, c, g);
  if (c->nspin || c->nroll) reduce_turning(a, c);
  for (int k = c->ntangent; k < 2; k++) memset(c->tangent[k], 0, sizeof c->tangent[k]);
  return true;
}

/* ------------------------------------------------------------------------------------------------ merging */

/* Length of the difference of two rows, squared. */
static double exact_distance(crd_assembly *a, int i, int j) {
  crd_contact_assembler *s = a->assembler;
  size_t n = (size_t)s->model->nv;
  double *J = s->entries, *other = J + n;
  crd_assembly_entries(a, &s->row[i], J);
  crd_assembly_entries(a, &s->row[j], other);
  double size = 0, largest = 0;
  for (size_t k = 0; k < n; k++) {
    size = fmax(size, fabs(J[k]));
    J[k] -= other[k];
    largest = fmax(largest, fabs(J[k]));
  }
  if (largest <= SAME_ROW * size) return 0;
  crd_assembly_responses(a, 1, J, other);
  return crd_dense_dot((int)n, J, other);
}

/* Do two rows of contacts agree within the tolerance (a share of their length, squared)? ii: length of the first. */
static bool rows_agree(crd_assembly *a, int i, int j, double ii, double tolerance) {
  const crd_contact_assembler *s = a->assembler;
  double jj = crd_assembly_square(s, &s->row[j]);
  double distance = ii + jj - 2 * crd_assembly_product(s, &s->row[i], &s->row[j]);
  if (!doubtful(distance, ii) && distance > tolerance * ii) return false;
  return exact_distance(a, i, j) <= tolerance * ii;
}

/* Is contact c (reduced) the same as the new contact d, whose normal row has the length squared `square`? */
static bool is_same(crd_assembly *a, int index, const crd_contact *d, double square) {
  const crd_contact_assembler *s = a->assembler;
  const crd_contact *c = &s->contact[index];
  double tolerance = a->options->merge_tolerance * a->options->merge_tolerance;
  double cc = s->normal_square[index];
  int trees[2][2];
  if (c->ntangent != d->ntangent || c->mu != d->mu || c->e != d->e) return false;
  if (c->nspin != d->nspin || c->nroll != d->nroll || c->mu_spin != d->mu_spin || c->mu_roll != d->mu_roll)
    return false;
  crd_assembly_trees(s, &s->row[c->row], trees[0]), crd_assembly_trees(s, &s->row[d->row], trees[1]);
  if (trees[0][0] != trees[1][0] || trees[0][1] != trees[1][1]) return false;
  if (fabs(cc - square) > fmax(COMPARED, 4 * sqrt(tolerance)) * cc) return false;
  if (!rows_agree(a, c->row, d->row, cc, tolerance)) return false;
  for (int k = 1; k <= c->ntangent; k++)
    if (!rows_agree(a, c->row + k, d->row + k, crd_assembly_square(s, &s->row[c->row + k]), tolerance)) return false;
  return true;
}

static void join(crd_contact *c, const crd_contact *d) {
  double weight = 1.0 / (c->npoint + 1);
  for (int i = 0; i < 3; i++) c->point[i] += weight * (d->point[i] - c->point[i]);
  c->gap = fmin(c->gap, d->gap);
  c->npoint++;
}

/* The tree whose list the contact is on: the lower one of its two. */
static int list_of(const crd_contact_assembler *s, const crd_row *row) {
  int tree[2];
  crd_assembly_trees(s, row, tree);
  return tree[0];
}

/* The first contact that is the same as the new one; a->nc: none. */
static int find_same(crd_assembly *a, int list, const crd_contact *fresh, double square) {
  const crd_contact_assembler *s = a->assembler;
  for (int c = s->first_contact[list]; c >= 0; c = s->next_contact[c])
    if (is_same(a, c, fresh, square)) return c;
  return a->nc;
}

static void put_on_list(crd_contact_assembler *s, int list, int contact) {
  *(s->first_contact[list] < 0 ? &s->first_contact[list] : &s->next_contact[s->last_contact[list]]) = contact;
  s->last_contact[list] = contact, s->next_contact[contact] = -1;
}

void crd_assembly_contacts(crd_assembly *a, const crd_contact_point *point, int npoint) {
  crd_contact_assembler *s = a->assembler;
  int collected = 0;
  a->nc = a->rows = 0;
  for (int i = 0; i < npoint; i++) {
    s->contact_of[i] = -1;
    if (point[i].gap > a->options->distance) continue;
    crd_contact fresh = s->contact[collected++];
    double square;
    if (!reduce_rows(a, &fresh, &square)) continue; /* so are those between fixed bodies */
    int list = list_of(s, &s->row[fresh.row]), same = find_same(a, list, &fresh, square);
    s->contact_of[i] = same;
    if (same < a->nc) {
      join(&s->contact[same], &fresh);
      continue;
    }
    if (fresh.row != a->rows)
      memmove(&s->row[a->rows], &s->row[fresh.row], sizeof *s->row * (size_t)crd_contact_rows(&fresh));
    fresh.row = a->rows;
    a->rows += crd_contact_rows(&fresh);
    s->normal_square[a->nc] = square;
    put_on_list(s, list, a->nc);
    s->contact[a->nc++] = fresh;
  }
  for (int c = 0; c < a->nc; c++) s->first_contact[list_of(s, &s->row[s->contact[c].row])] = -1;
  a->nrow = a->rows;
}
