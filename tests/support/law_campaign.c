#include "support/law_campaign.h"

#include <math.h>

#include "support/cmocka_all.h"
#include "support/impact_problem.h"

/* Energy that went through the contacts: rounding is measured by this, which for nearly dependent rows is far more than
 * what the mechanism has. */
static double exchanged(const crd_contact_problem *p, const crd_impact_solution *s) {
  double sum = p->kinetic_free;
  for (int i = 0; i < p->nrow + p->nb; i++) sum += fabs(s->p[i]) * (fabs(p->u_free[i]) + fabs(s->u_plus[i]));
  return sum / fmax(p->kinetic_free, 1e-300);
}

static void check_answer(const char *law, uint64_t seed, const crd_contact_problem *p, const crd_impact_solution *s) {
  double size = exchanged(p, s);
  if (!(s->check.energy_gain <= 1e-12 * size))
    fail_msg("%s, seed %llu: gains %g of %g exchanged", law, (unsigned long long)seed, s->check.energy_gain, size);
  if (!(s->check.momentum <= 1e-10 * size))
    fail_msg("%s, seed %llu: momentum %g", law, (unsigned long long)seed, s->check.momentum);
  if (!(s->check.bilateral <= 1e-9 * size))
    fail_msg("%s, seed %llu: bilateral %g", law, (unsigned long long)seed, s->check.bilateral);
}

long laws_keep_their_promises(uint64_t first, uint64_t last, int max_contacts) {
  crd_impact_result result = {0};
  long answers = 0;
  for (uint64_t seed = first; seed <= last; seed++) {
    random_stream stream = {.seed = seed};
    random_problem_options def = {.ntangent = random_int(&stream, 0, 2), .nb = random_int(&stream, 0, 2)};
    def.nc = random_int(&stream, 1, def.ntangent == 2 && max_contacts > 4 ? 4 : max_contacts);
    def.nv = random_int(&stream, 3, 12), def.redundant = random_int(&stream, 0, 3) == 0;
    if (def.nv < def.nb + 2) def.nv = def.nb + 2;
    crd_contact_problem *p = random_problem(&stream, def);
    double mu = random_in(&stream, 0, 1.2);
    for (int c = 0; c < p->nc; c++) p->contact[c].mu = p->contact[c].mu_static = mu;
    crd_impact_options options = crd_impact_default();
    options.e = random_int(&stream, 0, 2) / 2.0, options.facets = 4;
    options.max_solutions = seed % 16 ? 1 : 6; /* enumerating all answers is the dear part */
    for (int i = 0; crd_impact_law_at(i); i++) {
      const crd_impact_law *law = crd_impact_law_at(i);
      if (!law->dissipative) continue;
      crd_status status = crd_impact_resolve(law, p, &options, &result);
      if (status < 0 && status != CRD_ERR_ARGUMENT)
        fail_msg("%s, seed %llu: %s", law->name, (unsigned long long)seed, crd_status_text(status));
      if (law == crd_impact_find("anitescu-potra") && status != CRD_OK) /* solvable by theorem */
        fail_msg("%s, seed %llu: %s", law->name, (unsigned long long)seed, crd_status_text(status));
      for (int k = 0; k < result.count; k++, answers++) check_answer(law->name, seed, p, &result.solution[k]);
    }
    crd_contact_problem_free(p);
  }
  crd_impact_result_free(&result);
  return answers;
}
