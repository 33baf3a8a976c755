/* Options of sampling from the arguments of `cradle outcomes`. */
#include <stdlib.h>
#include <string.h>

#include "outcomes.h"

/* h, N and M of the examples of Halm & Posa, tables 4 to 8. */
static const struct {
  const char *name;
  double h;
  int steps, log2_samples;
} PAPER[] = {
    {"@rocking-block", 0.3, 10, 14}, {"@compass-gait", 0.25, 5, 20}, {"@box-wall", 2, 5, 18},
    {"@ramone", 1, 10, 20},          {"@disk-stack", 1, 10, 20},
};

static bool read_samples(const char *text, uint64_t *samples) {
  return cli_take_count(text, samples) && *samples >= 1 && *samples <= (1ull << 32);
}

/* The place of a name that the parser has looked at. */
static int place(const char *text, const char *(*name)(int), int count) {
  int i = 0;
  while (i < count - 1 && strcmp(text, name(i)) != 0) i++;
  return i;
}

static const char *pattern_name(int i) { return crd_outcome_pattern_name((crd_outcome_pattern)i); }
static const char *selection_name(int i) { return crd_outcome_selection_name((crd_outcome_selection)i); }

bool outcomes_options(const outcomes_settings *s, const char *input, crd_outcome_options *options) {
  *options = crd_outcome_default();
  for (size_t i = 0; i < sizeof PAPER / sizeof PAPER[0]; i++)
    if (strcmp(input, PAPER[i].name) == 0)
      options->h = PAPER[i].h, options->steps = PAPER[i].steps, options->samples = 1ull << PAPER[i].log2_samples;
  if (s->samples && !read_samples(s->samples, &options->samples)) {
    cli_complain("outcomes", "--samples: found '%s', expected a number from 1 to 2^32, which may be written 2^k or 1e6",
                 s->samples);
    return false;
  }
  if (s->facets % 2 || s->facets > 256) {
    cli_complain("outcomes", "--facets: found %llu, expected an even number from 4 to 256",
                 (unsigned long long)s->facets);
    return false;
  }
  if (s->steps > 1000000 || s->common.threads > 1024) {
    cli_complain("outcomes", "expected at most 1000000 --steps and 1024 --threads");
    return false;
  }
  if (s->pattern) options->pattern = (crd_outcome_pattern)place(s->pattern, pattern_name, CRD_OUTCOME_PATTERNS);
  if (s->selection)
    options->selection = (crd_outcome_selection)place(s->selection, selection_name, CRD_OUTCOME_SELECTIONS);
  if (s->h > 0) options->h = s->h;
  options->restitution = s->restitution;
  if (s->epsilon > 0 && (s->restitution || s->box || s->sweep)) {
    cli_complain("outcomes", "--epsilon: found it beside %s, expected one inelastic problem (Algorithm 2)",
                 s->restitution ? "--restitution"
                 : s->box       ? "--box"
                                : "--sweep");
    return false;
  }
  options->epsilon = s->epsilon;
  if (s->steps) options->steps = (int)s->steps;
  options->facets = (int)s->facets, options->tolerance = s->tolerance;
  options->seed = s->common.seed, options->threads = (int)s->common.threads;
  return true;
}
