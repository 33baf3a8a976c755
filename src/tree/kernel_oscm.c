/* Operational-space compliance Lambda = J M^-1 J' of a set of nodes, without M and J [Jain, section V].
 *
 *   upsilon(k) = psi*(p,k) upsilon(p) psi(p,k) + H* D^-1 H,   p = parent of k             (52), base to tips
 *   Omega(k,k) = upsilon(k),   Omega(k,j) = psi*(p,k) Omega(p,j) for j not below k        (53), errata J-1
 *   Lambda(a,b) = phi*(k,a) Omega(k,j) phi(j,b),   node a on link k, node b on link j     (54)
 *
 * psi*(p,k) = (I - H* K') phi*(p,k) carries a motion of the parent to the child whose joint is free to yield.
 *
 * Only links between the base and the last link on a path to a node are visited, so that the nodes of one tree of many
 * cost what their tree does. Of these, the keys are the links that carry nodes and those where paths
 * part; between keys the product of psi* is accumulated once, so that a pair of keys costs one 6x6 product: O(N) +
 * O(nnode^2).
 */
#include <string.h>

#include "tree/kernels.h"
#include "tree/link_motion.h"

enum { OFF_PATH = -1, NO_KEY = -1 };

/* psi* x: what a motion x of the parent does to the link */
CRD_INLINE crd_sv carry(const crd_link *link, const crd_link_state *s, const crd_multi_state *multi, crd_sv x) {
  crd_sv y = sv_shift_motion(x, s->r);
  if (link->nv == 1) {
    add_joint_motion(link, s, -s->D_inv * sv_dot(s->U, y), &y);
  } else {
    crd_sv yielded = y;
    for (int j = 0; j < link->nv; j++) yielded = sv_add(yielded, sv_scale(-sv_dot(multi->K[j], y), multi->H[j]));
    y = yielded;
  }
  return y;
}

/* Y += a b' + b a' (b is halved by the caller where a = b) */
CRD_INLINE void add_symmetric(crd_sym6 *Y, crd_sv a, crd_sv b) {
  for (int j = 0; j < 3; j++) {
    Y->A[j] += b.w[j] * a.w + a.w[j] * b.w;
    Y->G[j] += b.w[j] * a.v + a.w[j] * b.v;
    Y->C[j] += b.v[j] * a.v + a.v[j] * b.v;
  }
}

/* (52). With X = phi* upsilon(p) phi and y = X K:
 *   (I - H*K') X (I - K H) + H* D^-1 H = X - H* y' - y H + H* (K'X K + D^-1) H = X + H* b' + b H,  b = H*(K'y + D^-1)/2
 * - y. The diagonal of K'X K + D^-1, which is that of M^-1, goes into mobility. */
CRD_INLINE void upsilon_of_link(const crd_link *link, const crd_link_state *s, const crd_multi_state *multi,
                                const crd_sym6 *parent, crd_sym6 *out, double mobility[6]) {
  sym6_shift_compliance(out, parent, s->r);
  if (link->nv == 1) {
    crd_sv H = {{0}, {0}}, K = sv_scale(s->D_inv, s->U), y = sym6_mul(out, K);
    add_joint_motion(link, s, 1, &H);
    crd_sv b = sv_scale(-1, y);
    mobility[0] = sv_dot(K, y) + s->D_inv;
    add_joint_motion(link, s, 0.5 * mobility[0], &b);
    add_symmetric(out, H, b);
    return;
  }
  int n = link->nv;
  crd_sv y[6], b[6];
  for (int j = 0; j < n; j++) y[j] = sym6_mul(out, multi->K[j]);
  for (int j = 0; j < n; j++) {
    b[j] = sv_scale(-1, y[j]);
    for (int i = 0; i < n; i++) {
      double yields = sv_dot(multi->K[i], y[j]) + multi->D_inv[n * i + j];
      b[j] = sv_add(b[j], sv_scale(0.5 * yields, multi->H[i]));
      if (i == j) mobility[j] = yields;
    }
  }
  for (int j = 0; j < n; j++) add_symmetric(out, multi->H[j], b[j]);
}

/* The first and the last link on a path to a node; last < first: all nodes are fixed. */
static void find_range(const crd_model *model, const crd_node *node, int nnode, int *first, int *last) {
  *first = model->nlink, *last = -1;
  for (int a = 0; a < nnode; a++) {
    int k = model->body[node[a].body].link;
    if (k > *last) *last = k;
    for (; k >= 0 && k != *first; k = model->link[k].parent)
      if (k < *first) *first = k;
  }
}

/* Marks the links on a path to a node: children[k + 1] counts those below k, OFF_PATH for others in the range. */
static void mark_paths(const crd_model *model, crd_oscm_scratch *scratch, const crd_node *node, int nnode, int first,
                       int last) {
  for (int k = first; k <= last; k++) scratch->children[k + 1] = OFF_PATH;
  for (int a = 0; a < nnode; a++) {
    int k = model->body[node[a].body].link;
    bool arriving = false;
    for (; k >= 0; k = model->link[k].parent, arriving = true) {
      bool seen = scratch->children[k + 1] != OFF_PATH;
      if (!seen) scratch->children[k + 1] = 0;
      if (arriving) scratch->children[k + 1]++;
      if (seen) break;
    }
  }
}

CRD_INLINE void identity_columns(crd_sv out[6]) {
  memset(out, 0, 6 * sizeof *out);
  for (int j = 0; j < 3; j++) out[j].w[j] = out[3 + j].v[j] = 1;
}

/* Runs down the marked links; leaves upsilon of all, psi* from the key above of all, and the list of keys. */
static int scatter(const crd_model *model, crd_workspace *work, const crd_node *node, int nnode, int first, int last) {
  crd_oscm_scratch *scratch = &work->oscm;
  int nkey = 0;
  const crd_sym6 nothing = {0};
  for (int k = first; k <= last; k++) scratch->key[k + 1] = NO_KEY;
  /* a key is marked by its own number; nodes' links are known beforehand */
  for (int a = 0; a < nnode; a++) {
    int k = model->body[node[a].body].link;
    if (k >= 0 && scratch->children[k + 1] < 2) scratch->children[k + 1] += 2;
  }
  for (int k = first; k <= last; k++) {
    if (scratch->children[k + 1] == OFF_PATH) continue;
    const crd_link *link = &model->link[k];
    const crd_link_state *s = &work->link[k + 1];
    const crd_multi_state *multi = link->nv > 1 ? &work->multi[work->multi_of_link[k]] : NULL;
    int parent = link->parent, above = parent < 0 ? NO_KEY : scratch->key[parent + 1];
    double unused[6];
    upsilon_of_link(link, s, multi, parent < 0 ? &nothing : &scratch->upsilon[parent + 1], &scratch->upsilon[k + 1],
                    unused);
    if (above != NO_KEY) {
      crd_sv identity[6];
      identity_columns(identity);
      const crd_sv *from = scratch->key_link[above] == parent ? identity : &scratch->transfer[6 * (parent + 1)];
      for (int j = 0; j < 6; j++) scratch->transfer[6 * (k + 1) + j] = carry(link, s, multi, from[j]);
    }
    if (scratch->children[k + 1] >= 2) {
      scratch->key_link[nkey] = k, scratch->key_parent[nkey] = above;
      scratch->key[k + 1] = nkey++;
    } else {
      scratch->key[k + 1] = above;
    }
  }
  return nkey;
}

/* T X, T by columns */
CRD_INLINE void transfer_block(crd_block6 *out, const crd_sv T[6], const crd_block6 *X) {
  for (int j = 0; j < 6; j++) {
    crd_sv x = X->col[j], y = {{0}, {0}};
    for (int k = 0; k < 3; k++) {
      y = sv_add(y, sv_scale(x.w[k], T[k]));
      y = sv_add(y, sv_scale(x.v[k], T[3 + k]));
    }
    out->col[j] = y;
  }
}

CRD_INLINE void transpose_block(crd_block6 *out, const crd_block6 *X) {
  for (int half = 0; half < 2; half++) {
    const crd_sv *col = &X->col[3 * half];
    v4 upper[3] = {col[0].w, col[1].w, col[2].w}, lower[3] = {col[0].v, col[1].v, col[2].v}, t[3];
    v4_transpose(t, upper);
    for (int j = 0; j < 3; j++) *(half ? &out->col[j].v : &out->col[j].w) = t[j];
    v4_transpose(t, lower);
    for (int j = 0; j < 3; j++) *(half ? &out->col[3 + j].v : &out->col[3 + j].w) = t[j];
  }
}

CRD_INLINE void block_of_sym6(crd_block6 *out, const crd_sym6 *Y) {
  v4 Gt[3];
  v4_transpose(Gt, Y->G);
  for (int j = 0; j < 3; j++) {
    out->col[j] = (crd_sv){Y->A[j], Y->G[j]};
    out->col[3 + j] = (crd_sv){Gt[j], Y->C[j]};
  }
}

/* Lower triangle by rows. */
CRD_INLINE size_t at(int row, int column) { return (size_t)row * ((size_t)row + 1) / 2 + (size_t)column; }

/* Omega(k, j) for any order of the keys: the stored block, or its transpose made in *turned. */
CRD_INLINE const crd_block6 *omega_of(const crd_oscm_scratch *scratch, int k, int j, crd_block6 *turned) {
  if (k >= j) return &scratch->omega[at(k, j)];
  transpose_block(turned, &scratch->omega[at(j, k)]);
  return turned;
}

/* Omega of all pairs of keys by (53); keys come parents first, so no key is above an earlier one. */
static void fill_omega(const crd_oscm_scratch *scratch, int nkey) {
  for (int k = 0; k < nkey; k++) {
    int parent = scratch->key_parent[k], link = scratch->key_link[k];
    block_of_sym6(&scratch->omega[at(k, k)], &scratch->upsilon[link + 1]);
    for (int j = 0; j < k; j++) {
      crd_block6 *block = &scratch->omega[at(k, j)], turned;
      if (parent == NO_KEY)
        memset(block, 0, sizeof *block);
      else
        transfer_block(block, &scratch->transfer[6 * (link + 1)], omega_of(scratch, parent, j, &turned));
    }
  }
}

/* (54): v = v + w x d on both sides, d = node minus link origin. */
CRD_INLINE void shift_block(crd_block6 *out, const crd_block6 *omega, v4 da, v4 db) {
  crd_sv col[6];
  v4 across_w[3], across_v[3];
  for (int j = 0; j < 6; j++) col[j] = sv_shift_motion(omega->col[j], da);
  times_cross_matrix(across_w, (const v4[3]){col[0].w, col[1].w, col[2].w}, db);
  times_cross_matrix(across_v, (const v4[3]){col[0].v, col[1].v, col[2].v}, db);
  for (int j = 0; j < 3; j++) {
    out->col[j] = col[j];
    out->col[3 + j] = (crd_sv){col[3 + j].w + across_w[j], col[3 + j].v + across_v[j]};
  }
}

/* Writes the columns of a block as rows of a row-major matrix, that is, its transpose. */
CRD_INLINE void store_transposed(double *out, size_t stride, const crd_block6 *X) {
  for (int j = 0; j < 6; j++) {
    v4_store3(out + stride * (size_t)j, X->col[j].w);
    v4_store3(out + stride * (size_t)j + 3, X->col[j].v);
  }
}

void CRD_KERNEL(oscm)(const crd_model *model, crd_workspace *work, const crd_node *node, int nnode, double *Lambda) {
  crd_oscm_scratch *scratch = &work->oscm;
  int first, last;
  find_range(model, node, nnode, &first, &last);
  mark_paths(model, scratch, node, nnode, first, last);
  int nkey = scatter(model, work, node, nnode, first, last);
  fill_omega(scratch, nkey);
  size_t stride = 6 * (size_t)nnode;
  for (int a = 0; a < nnode; a++) {
    int link_a = model->body[node[a].body].link;
    v4 da = v4_load3(node[a].point) - work->link[link_a + 1].p;
    for (int b = 0; b <= a; b++) {
      int link_b = model->body[node[b].body].link;
      crd_block6 block = {0}, turned;
      if (link_a >= 0 && link_b >= 0) {
        v4 db = v4_load3(node[b].point) - work->link[link_b + 1].p;
        const crd_block6 *omega = omega_of(scratch, scratch->key[link_a + 1], scratch->key[link_b + 1], &turned);
        shift_block(&block, omega, da, db);
      }
      transpose_block(&turned, &block);
      store_transposed(Lambda + 6 * ((size_t)a * stride + (size_t)b), stride, &turned);
      store_transposed(Lambda + 6 * ((size_t)b * stride + (size_t)a), stride, &block);
    }
    for (int i = 0; i < 6; i++) /* rounding leaves the diagonal block symmetric to the last bit but one */
      for (int j = 0; j < i; j++) {
        double *D = Lambda + 6 * ((size_t)a * stride + (size_t)a);
        D[stride * (size_t)j + (size_t)i] = D[stride * (size_t)i + (size_t)j];
      }
  }
}

void CRD_KERNEL(mobility)(const crd_model *model, crd_workspace *work, double *diagonal) {
  crd_sym6 *upsilon = work->oscm.upsilon;
  upsilon[0] = (crd_sym6){0};
  CRD_EACH (work->part, link, k) {
    const crd_link *link = &model->link[k];
    const crd_multi_state *multi = link->nv > 1 ? &work->multi[work->multi_of_link[k]] : NULL;
    upsilon_of_link(link, &work->link[k + 1], multi, &upsilon[link->parent + 1], &upsilon[k + 1], diagonal + link->v);
  }
}
