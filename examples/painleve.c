/* Is contact with friction well-posed here? Painleve's rod, stated as a contact problem without any model.
 *
 * A uniform rod of length 2 l leans at the angle a and slides on its lower end. Its contact loses the uniqueness of its
 * forces at mu = (1 + 3 cos^2 a) / (3 sin a cos a), least at tan a = 2, where it is 4/3:
 *
 *   prints: critical friction 1.33333
 */
#include <cradle/cradle.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  const double a = atan(2), l = 0.5;
  const double M[] = {1, 0, 0, 0, 1, 0, 0, 0, l * l / 3};   /* 1 kg: x, y, angle */
  const double J[] = {0, 1, -l * cos(a), 1, 0, l * sin(a)}; /* normal and tangent of the lower end */
  const double v[] = {1, 0, 0};                             /* it slides */
  crd_contact_problem *problem = crd_contact_problem_new();
  if (!problem || crd_contact_problem_resize(problem, 3, 1, 2, 0, true)) return puts("no memory"), 1;
  memcpy(problem->M, M, sizeof M), memcpy(problem->J, J, sizeof J), memcpy(problem->v, v, sizeof v);
  problem->contact[0] = (crd_contact){
      .name = "lower end", .ntangent = 1, .mu = 0.5, .mu_static = 0.5, .body1 = -1, .body2 = -1, .joint = -1};
  crd_status status = crd_contact_problem_complete(problem);

  crd_arena arena = {0};
  crd_quasi_basis basis;
  double critical = NAN;
  if (!status) status = crd_analysis_quasi_form(&basis, problem, NULL, 0, &arena);
  if (!status) status = crd_analysis_wellposed_critical_least(&basis, problem, &critical, &arena);
  if (status) return puts(crd_status_text(status)), 1;
  printf("critical friction %.6g\n", critical);

  crd_arena_free(&arena);
  crd_contact_problem_free(problem);
  return 0;
}
