/* Depth-first order of the bodies, and joints and geoms grouped by body in that order. O(n), without recursion, so that
 * depth is no limit. */
#include "base/layout.h"
#include "model/build.h"

/* Children of each body as linked lists in the order of definition. */
typedef struct child_lists {
  int *first, *next;
} child_lists;

static bool list_children(crd_build *b, child_lists *lists) {
  int n = b->in->body.count;
  lists->first = crd_arena_alloc(&b->scratch, (size_t)n, sizeof(int));
  lists->next = crd_arena_alloc(&b->scratch, (size_t)n, sizeof(int));
  if (!lists->first || !lists->next) return false;
  for (int i = 0; i < n; i++) lists->first[i] = lists->next[i] = -1;
  for (int i = n - 1; i > 0; i--) {
    int parent = b->body_def[i].parent;
    lists->next[i] = lists->first[parent];
    lists->first[parent] = i;
  }
  return true;
}

/* Numbers the bodies that hang on the world; the others keep -1. Returns how many were numbered. */
static int number_bodies(crd_build *b, const child_lists *lists) {
  for (int i = 0; i < b->in->body.count; i++) b->body_id[i] = -1;
  int count = 0, at = 0;
  for (;;) {
    b->body_id[at] = count;
    b->body_source[count++] = at;
    if (lists->first[at] >= 0) {
      at = lists->first[at];
      continue;
    }
    while (at != 0 && lists->next[at] < 0) at = b->body_def[at].parent;
    if (at == 0) return count;
    at = lists->next[at];
  }
}

/* A body that does not hang on the world has a cycle above it: walk up until certainly on it, then once around for the
 * first of its bodies. */
static crd_status report_cycle(const crd_build *b) {
  int at = 0, n = b->in->body.count;
  while (b->body_id[at] >= 0) at++;
  for (int i = 0; i < n; i++) at = b->body_def[at].parent;
  int first = at;
  for (int i = 0; i < n; i++) {
    at = b->body_def[at].parent;
    if (at < first) first = at;
  }
  crd_element body = crd_element_body(b, first);
  int parent = b->body_def[first].parent;
  return crd_build_fail(b, CRD_ERR_MODEL, &body, "is its own ancestor (parent \"%s\", id %d); bodies must form a tree",
                        b->body_def[parent].name, parent);
}

/* Stable counting sort of n parts by the frozen id of their body. body_of reads the body of part i. */
static bool group_by_body(crd_build *b, int n, int (*body_of)(const crd_build *, int), int *id, int *source) {
  int *start = crd_arena_alloc(&b->scratch, (size_t)b->in->body.count + 1, sizeof(int));
  if (!start) return false;
  for (int i = 0; i < n; i++) start[b->body_id[body_of(b, i)] + 1]++;
  for (int i = 0; i < b->in->body.count; i++) start[i + 1] += start[i];
  for (int i = 0; i < n; i++) {
    id[i] = start[b->body_id[body_of(b, i)]]++;
    source[id[i]] = i;
  }
  return true;
}

static int body_of_joint(const crd_build *b, int i) { return b->joint_def[i].body; }
static int body_of_geom(const crd_build *b, int i) { return b->geom_def[i].body; }

crd_status crd_build_order(crd_build *b) {
  int nbody = b->in->body.count, njoint = b->in->joint.count, ngeom = b->in->geom.count;
  child_lists lists;
  if (CRD_TAKE(&b->scratch, CRD_ARRAY(b->body_id, nbody), CRD_ARRAY(b->body_source, nbody),
               CRD_ARRAY(b->joint_id, njoint), CRD_ARRAY(b->joint_source, njoint), CRD_ARRAY(b->geom_id, ngeom),
               CRD_ARRAY(b->geom_source, ngeom)) ||
      !list_children(b, &lists))
    return crd_build_no_memory(b);
  if (number_bodies(b, &lists) < nbody) return report_cycle(b);
  if (!group_by_body(b, njoint, body_of_joint, b->joint_id, b->joint_source) ||
      !group_by_body(b, ngeom, body_of_geom, b->geom_id, b->geom_source))
    return crd_build_no_memory(b);
  return CRD_OK;
}
