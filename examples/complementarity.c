/* All solutions of a linear complementarity problem: z >= 0, y = W z + w >= 0, z'y = 0.
 *
 * W = [1 2; 2 1], w = (-1, -1) is no P-matrix problem (det W < 0), so solutions need not be unique. By hand: z = (1, 0)
 * gives y = (0, 1), z = (0, 1) gives y = (1, 0), and W z = (1, 1) has z = (1/3, 1/3).
 *
 *   prints: 3 solutions, all of them: yes
 *   prints: z = 0.333333 0.333333
 *   prints: z = 1 0
 */
#include <cradle/cradle.h>
#include <stdio.h>

int main(void) {
  const double W[] = {1, 2, 2, 1}, w[] = {-1, -1};
  crd_lcp_problem problem = crd_lcp_dense(2, W, w);
  crd_lcp_work *work = crd_lcp_work_new(2, 0);
  crd_lcp_solutions all = {0};
  if (!work) return puts("no memory"), 1;

  crd_status status = crd_lcp_enumerate(work, &problem, NULL, &all);
  if (status) return puts(crd_status_text(status)), 1;
  printf("%d solutions, all of them: %s\n", all.count, all.complete ? "yes" : "no");
  for (int k = 0; k < all.count; k++) printf("z = %.6g %.6g\n", all.piece[k].base[0], all.piece[k].base[1]);

  crd_lcp_solutions_free(&all);
  crd_lcp_work_free(work);
  return 0;
}
