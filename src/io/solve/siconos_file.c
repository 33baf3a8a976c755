/* Plain text files of the Siconos collection: which kind it is. */
#include "io/solve/siconos_file.h"

#include <string.h>

typedef enum siconos_kind { LCP, MLCP, FRICTION, UNKNOWN } siconos_kind;

static bool is_storage(double x) { return x == 0 || x == 1 || x == 2; }
static bool is_flag(double x) { return x == 0 || x == 1; }

/* By the first numbers. A friction problem begins with d, contacts, storage, size, size; an LCP with n, storage, n, n;
 * an MLCP with two flags, sizes and the first row of the first block, 0, which is no size of a matrix. "2 1 2 2" may be
 * one contact with a sparse matrix, which has the words of CSparse behind six numbers, or an LCP, which has not. */
static siconos_kind recognise(const char *text) {
  enum { NUMBERS = 7 };
  double head[NUMBERS] = {0};
  const crd_scan start = crd_scan_begin(text, "", NULL);
  const int count = crd_scan_ahead(&start, NUMBERS, head);
  if (count < 4) return UNKNOWN;
  const bool flags = is_flag(head[0]) && is_flag(head[1]);
  const bool square = is_storage(head[1]) && head[2] == head[0] && head[3] == head[0];
  const bool sparse_contact = head[0] == 2 && count == 6 && strstr(text, "CSparse");
  if (square && !(flags && head[4] == 0) && !sparse_contact) return LCP;
  if ((head[0] == 2 || head[0] == 3 || head[0] == 5) && (is_storage(head[2]) || head[3] == head[0] * head[1]))
    return FRICTION;
  return flags ? MLCP : UNKNOWN;
}

void crd_siconos_end(crd_scan *s, crd_arena *arena, const char **comment) {
  if (s->status) return;
  crd_scan_skip(s);
  if (crd_scan_ahead(s, 1, NULL) > 0) crd_scan_fail(s, CRD_ERR_FORMAT, "the end of the numbers");
  *comment = crd_scan_memory(s, crd_arena_string(arena, s->at));
}

crd_status crd_siconos_read(const char *text, const char *name, crd_lcp_file *lcp, crd_coulomb_file *coulomb,
                            crd_error *err) {
  crd_scan s = crd_scan_begin(text, name, err);
  switch (recognise(text)) {
    case LCP: crd_siconos_lcp(&s, lcp, coulomb); break;
    case MLCP:
      if (lcp)
        crd_siconos_mlcp(&s, lcp);
      else
        s.status = crd_error_set(err, CRD_ERR_FORMAT, name, 1, "found an MLCP, expected a friction problem");
      break;
    case FRICTION:
      if (coulomb)
        crd_siconos_friction(&s, coulomb);
      else
        s.status = crd_error_set(err, CRD_ERR_FORMAT, name, 1, "found a friction problem, expected an LCP or MLCP");
      break;
    case UNKNOWN:
      crd_scan_skip(&s);
      crd_scan_fail(&s, CRD_ERR_FORMAT,
                    "the first numbers of an LCP or relay (n, storage, n, n), an MLCP (two flags, sizes) or a friction "
                    "problem (dimension 2, 3 or 5, contacts, storage, size)");
  }
  return s.status;
}
