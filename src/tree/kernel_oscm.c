/* Operational-space compliance Lambda = J M^-1 J' of a set of nodes, without M and J [Jain, section V].
 *
 *   upsilon(k) = psi*(p,k) upsilon(p) psi(p,k) + H* D^-1 H,   p = parent of k             (52), base to tips
 *   Omega(k,k) = upsilon(k),   Omega(k,j) = psi*(p,k) Omega(p,j) for j not below k        (53), errata J-1
 *   Lambda(a,b) = phi*(k,a) Omega(k,j) phi(j,b),   node a on link k, node b on link j     (54)
 *
 * psi*(p,k) = (I - H* K') phi*(p,k) carries a motion of the parent to the child whose joint is free to yield.
 *
 * Only links on a path to a node are visited. Of these, the keys are the links that carry nodes and those where paths
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
 * - y. */
CRD_INLINE void upsilon_of_link(const crd_link *link, const crd_link_state *s, const crd_multi_state *multi,
                                const crd_sym6 *parent, crd_sym6 *out) {
  sym6_shift_compliance(out, parent, s->r);
  if (link->nv == 1) {
    crd_sv H = {{0}, {0}}, K = sv_scale(s->D_inv, s->U), y = sym6_mul(out, K);
    add_joint_motion(link, s, 1, &H);
    crd_sv b = sv_scale(-1, y);
    add_joint_motion(link, s, 0.5 * (sv_dot(K, y) + s->D_inv), &b);
    add_symmetric(out, H, b);
    return;
  }
  int n = link->nv;
  crd_sv y[6], b[6];
  for (int j = 0; j < n; j++) y[j] = sym6_mul(out, multi->K[j]);
  for (int j = 0; j < n; j++) {
    b[j] = sv_scale(-1, y[j]);
    for (int i = 0; i < n; i++)
      b[j] = sv_add(b[j], sv_scale(0.5 * (sv_dot(multi->K[i], y[j]) + multi->D_inv[n * i + j]), multi->H[i]));
  }
  for (int j = 0; j < n; j++) add_symmetric(out, multi->H[j], b[j]);
}

/* Marks the links on a path to a node: children[k + 1] counts those below k, OFF_PATH elsewhere. Returns the last such
 * link. */
static int mark_paths(const crd_model *model, crd_oscm_scratch *scratch, const crd_node *node, int nnode) {
  int last = -1;
  for (int k = 0; k <= model->nlink; k++) scratch->children[k] = OFF_PATH;
  for (int a = 0; a < nnode; a++) {
    int k = model->body[node[a].body].link;
    if (k > last) last = k;
    bool arriving = false;
    for (; k >= 0; k = model->link[k].parent, arriving = true) {
      bool seen = scratch->children[k + 1] != OFF_PATH;
      if (!seen) scratch->children[k + 1] = 0;
      if (arriving) scratch->children[k + 1]++;
      if (seen) break;
    }
  }
  return last;
}

CRD_INLINE void identity_columns(crd_sv out[6]) {
  memset(out, 0, 6 * sizeof *out);
  for (int j = 0; j < 3; j++) out[j].w[j] = out[3 + j].v[j] = 1;
}

/* Runs down the marked links; leaves upsilon of all, psi* from the key above of all, and the list of keys. */
static int scatter(const crd_model *model, crd_workspace *work, const crd_node *node, int nnode, int last) {
  crd_oscm_scratch *scratch = &work->oscm;
  int nkey = 0;
  const crd_sym6 nothing = {0};
  for (int k = 0; k <= last; k++) scratch->key[k + 1] = NO_KEY;
  /* a key is marked by its own number; nodes' links are known beforehand */
  for (int a = 0; a < nnode; a++) {
    int k = model->body[node[a].body].link;
    if (k >= 0 && scratch->children[k + 1] < 2) scratch->children[k + 1] += 2;
  }
  for (int k = 0; k <= last; k++) {
    if (scratch->children[k + 1] == OFF_PATH) continue;
    const crd_link *link = &model->link[k];
    const crd_link_state *s = &work->link[k + 1];
    const crd_multi_state *multi = link->nv > 1 ? &work->multi[work->multi_of_link[k]] : NULL;
    int parent = link->parent, above = parent < 0 ? NO_KEY : scratch->key[parent + 1];
    upsilon_of_link(link, s, multi, parent < 0 ? &nothing : &scratch->upsilon[parent + 1], &scratch->upsilon[k + 1]);
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

/* out (6x6, row-major) = T X, T by columns */
CRD_INLINE void transfer_block(double *out, const crd_sv T[6], const double *X) {
  for (int j = 0; j < 6; j++) {
    crd_sv y = sv_scale(X[j], T[0]);
    for (int k = 1; k < 6; k++) y = sv_add(y, sv_scale(X[6 * k + j], T[k]));
    for (int i = 0; i < 3; i++) out[6 * i + j] = y.w[i], out[6 * (i + 3) + j] = y.v[i];
  }
}

CRD_INLINE void store_sym6(double *out, const crd_sym6 *Y) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      out[6 * i + j] = Y->A[j][i], out[6 * (i + 3) + j + 3] = Y->C[j][i];
      out[6 * (i + 3) + j] = out[6 * j + i + 3] = Y->G[j][i];
    }
}

/* Omega of all pairs of keys by (53); keys come parents first, so no key is above an earlier one. */
static void fill_omega(const crd_oscm_scratch *scratch, int nkey) {
  double *omega = scratch->omega;
  for (int k = 0; k < nkey; k++) {
    int parent = scratch->key_parent[k], link = scratch->key_link[k];
    store_sym6(omega + 36 * ((size_t)k * nkey + k), &scratch->upsilon[link + 1]);
    for (int j = 0; j < k; j++) {
      double *block = omega + 36 * ((size_t)k * nkey + j), *mirror = omega + 36 * ((size_t)j * nkey + k);
      if (parent == NO_KEY)
        memset(block, 0, 36 * sizeof *block);
      else
        transfer_block(block, &scratch->transfer[6 * (link + 1)], omega + 36 * ((size_t)parent * nkey + j));
      for (int r = 0; r < 6; r++)
        for (int c = 0; c < 6; c++) mirror[6 * c + r] = block[6 * r + c];
    }
  }
}

/* (54): rows of the linear part get d x (angular rows), d = node minus link origin; the same for columns. */
CRD_INLINE void shift_block(double *Lambda, size_t stride, const double *omega, const double da[3],
                            const double db[3]) {
  double B[36];
  for (int c = 0; c < 6; c++) {
    double w[3] = {omega[c], omega[6 + c], omega[12 + c]};
    for (int i = 0; i < 3; i++) {
      int j = (i + 1) % 3, k = (i + 2) % 3;
      B[6 * i + c] = w[i];
      B[6 * (i + 3) + c] = omega[6 * (i + 3) + c] + w[j] * da[k] - w[k] * da[j];
    }
  }
  for (int r = 0; r < 6; r++) {
    const double *w = B + 6 * r;
    double *out = Lambda + stride * (size_t)r;
    for (int i = 0; i < 3; i++) {
      int j = (i + 1) % 3, k = (i + 2) % 3;
      out[i] = w[i];
      out[i + 3] = w[i + 3] + w[j] * db[k] - w[k] * db[j];
    }
  }
}

void CRD_KERNEL(oscm)(const crd_model *model, crd_workspace *work, const crd_node *node, int nnode, double *Lambda) {
  crd_oscm_scratch *scratch = &work->oscm;
  int last = mark_paths(model, scratch, node, nnode);
  int nkey = scatter(model, work, node, nnode, last);
  fill_omega(scratch, nkey);
  size_t stride = 6 * (size_t)nnode;
  for (int a = 0; a < nnode; a++) {
    int link_a = model->body[node[a].body].link;
    double da[3], db[3];
    v4_store3(da, v4_load3(node[a].point) - work->link[link_a + 1].p);
    for (int b = 0; b <= a; b++) {
      int link_b = model->body[node[b].body].link;
      double *block = Lambda + 6 * ((size_t)a * stride + (size_t)b),
             *mirror = Lambda + 6 * ((size_t)b * stride + (size_t)a);
      if (link_a < 0 || link_b < 0) {
        for (int r = 0; r < 6; r++)
          for (int c = 0; c < 6; c++) block[stride * r + c] = mirror[stride * r + c] = 0;
        continue;
      }
      v4_store3(db, v4_load3(node[b].point) - work->link[link_b + 1].p);
      int ka = scratch->key[link_a + 1], kb = scratch->key[link_b + 1];
      shift_block(block, stride, scratch->omega + 36 * ((size_t)ka * nkey + kb), da, db);
      for (int r = 0; r < 6; r++)
        for (int c = 0; c < (a == b ? r : 6); c++) mirror[stride * c + r] = block[stride * r + c];
    }
  }
}
