/* Plain text files of the Siconos collection: one header tells four kinds apart.
 *
 *   LCP       n, W, w                        0 <= z _|_ W z + w >= 0
 *   relay     n, W, w, lower, upper          lower <= z <= upper, W z + w in minus its normal cone
 *   MLCP      two flags, sizes, blocks, W, w
 *   friction  d (2, 3; 5 with rolling), number of contacts, W, q, mu [, mu of rolling]
 *   global    the same with M, H, f, b for W and q: W = H' M^-1 H, q = b + H' M^-1 f
 */
#ifndef CRADLE_SRC_IO_SICONOS_FILE_H
#define CRADLE_SRC_IO_SICONOS_FILE_H

#include <cradle/io.h>

#include "io/file/scan.h"

/* Reads the text into *lcp or *coulomb, whichever it is for; the other is not touched. NULL: the caller does not take
 * this kind, which is refused by name. On failure the caller frees both. */
crd_status crd_siconos_read(const char *text, const char *name, crd_lcp_file *lcp, crd_coulomb_file *coulomb,
                            crd_error *err);

/* Parts of it. */
void crd_siconos_lcp(crd_scan *s, crd_lcp_file *lcp, crd_coulomb_file *coulomb); /* LCP or relay */
void crd_siconos_mlcp(crd_scan *s, crd_lcp_file *lcp);
void crd_siconos_friction(crd_scan *s, crd_coulomb_file *coulomb); /* local or global */

/* Text behind the last number is a comment; more numbers are refused. */
void crd_siconos_end(crd_scan *s, crd_arena *arena, const char **comment);

#endif
