/* Algorithm 2 (--epsilon), and the theorems that every step is held against. */
#include <math.h>

#include "outcomes.h"

json_t *outcomes_theorems_json(const crd_outcome_set *set) {
  json_t *object = json_object();
  json_object_set_new(object, "existence_failures", json_integer((json_int_t)set->ended[CRD_OUTCOME_UNSOLVED]));
  json_object_set_new(object, "dissipation_failures",
                      set->options.restitution ? json_null() : json_integer((json_int_t)set->gaining_lcps));
  json_object_set_new(object, "advancement_failures",
                      set->options.restitution ? json_null() : json_integer((json_int_t)set->stalled_lcps));
  return object;
}

void outcomes_theorems_print(FILE *file, const crd_outcome_set *set) {
  if (set->gaining_lcps)
    fprintf(file, "kinetic energy rose in %llu steps: Theorem 7 is contradicted\n",
            (unsigned long long)set->gaining_lcps);
  if (set->stalled_lcps)
    fprintf(file, "%llu steps went on approaching without a whole impulse: Lemma 13 is contradicted\n",
            (unsigned long long)set->stalled_lcps);
}

json_t *outcomes_net_json(const crd_outcome_net *net) {
  json_t *object = json_object();
  json_object_set_new(object, "epsilon", cli_json_number(net->epsilon));
  json_object_set_new(object, "delta", cli_json_number(net->delta));
  json_object_set_new(object, "psi", cli_json_number(net->psi));
  json_object_set_new(object, "last_step", cli_json_number(net->last_step));
  json_object_set_new(object, "steps_needed", cli_json_number(net->steps));
  json_object_set_new(object, "lipschitz", cli_json_number(net->lipschitz));
  json_object_set_new(object, "log10_samples", cli_json_number(net->log10_samples));
  json_object_set_new(object, "proved", json_boolean(net->proved));
  return object;
}

/* "1234" or "10^5678.9" */
static void print_samples(FILE *file, double log10_samples) {
  if (log10_samples < 15)
    fprintf(file, "%.0f", ceil(pow(10, log10_samples)));
  else
    fprintf(file, "10^%.4g", log10_samples);
}

void outcomes_net_print(FILE *file, const crd_outcome_set *set) {
  const crd_outcome_net *net = &set->net;
  if (!(net->epsilon > 0)) return;
  fprintf(file, "Algorithm 2: epsilon = %g, psi = %.6g, last step %.4g N s\n", net->epsilon, net->psi, net->last_step);
  if (set->claim == CRD_OUTCOME_NET) {
    fprintf(file, "every outcome lies within %g of a sample, with %g %% certainty (%d steps, ", net->epsilon,
            100 * (1 - net->delta), set->options.steps);
    print_samples(file, net->log10_samples);
    fprintf(file, " samples are enough)\n");
  } else if (isnan(net->log10_samples)) {
    fprintf(file, "no number of samples is known that makes them an epsilon-net\n");
  } else {
    fprintf(file, "Lemma 1 asks for ");
    print_samples(file, net->log10_samples);
    fprintf(file, " samples of %d steps", set->options.steps);
    if (isnan(net->steps))
      fprintf(file, "; with friction nothing is proved of longer paths\n");
    else
      fprintf(file, ", Lemma 10 for %.4g steps\n", net->steps);
  }
}
