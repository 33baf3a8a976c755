/* cradle bench: the tables of the papers, measured on this machine by this program alone. Beside other simulators they
 * are measured by `make bench`, which builds those.
 *
 *   run        [Jain, Table I]          5 s of a pendulum of N links at 1 ms
 *   outcomes   [Halm & Posa, Table 3]   a sample of the set of outcomes of their five examples
 *
 * Times are processor time of one thread, which other programs on the machine disturb least.
 */
#include <cradle/outcome.h>
#include <cradle/sim.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "problem_input.h"

static double processor_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* ------------------------------------------------------------------------------------------------ Jain, Table I */

static const struct {
  int links;
  double paper_tree, paper_full; /* s, on the author's machine */
} PENDULUM[] = {{3, 1.33, 5.0}, {6, 1.57, 7.6}, {12, 3.23, 21}, {15, 2.93, 40}, {24, 5.99, 118}, {30, 4.77, 212}};

static bool is_interrupted(void *context) {
  (void)context;
  return cli_interrupted();
}

static bool measure_run(const char *input, const crd_model *model, const double *qpos, const double *qvel,
                        double *seconds, crd_sim_energy *energy, crd_sim_counters *counters) {
  crd_sim *sim = NULL;
  crd_error err = {0};
  crd_sim_options options = crd_sim_default();
  options.stop = is_interrupted;
  crd_status status = crd_sim_new(model, &options, &sim, &err);
  if (!status) status = crd_sim_reset(sim, 0, qpos, qvel, &err);
  const double start = processor_seconds();
  if (!status) status = crd_sim_run(sim, 5);
  *seconds = processor_seconds() - start;
  if (status > 0) fprintf(stderr, "cradle bench: %s: %s\n", input, crd_sim_message(sim));
  if (status < 0 && status != CRD_STOPPED) cli_report(&err);
  if (sim) *energy = crd_sim_energy_now(sim), *counters = crd_sim_counters_now(sim);
  crd_sim_free(sim);
  return !status;
}

/* The same with every body free and its joints loops; the state is that of the pendulum. */
static bool measure_full(cli_mechanism *pendulum, double *seconds) {
  crd_model *full = NULL;
  crd_error err = {0};
  crd_sim_energy energy;
  crd_sim_counters counters;
  crd_workspace *work = crd_model_workspace_new(pendulum->model);
  if (!work || crd_model_maximal(pendulum->model, &full, &err)) return crd_model_workspace_free(work), false;
  double *qpos = crd_arena_alloc(&pendulum->arena, (size_t)full->nq, sizeof *qpos);
  double *qvel = crd_arena_alloc(&pendulum->arena, (size_t)full->nv, sizeof *qvel);
  bool done = qpos && qvel &&
              crd_tree_to_maximal(pendulum->model, work, pendulum->qpos, pendulum->qvel, full, qpos, qvel) == CRD_OK;
  done = done && measure_run(pendulum->input, full, qpos, qvel, seconds, &energy, &counters);
  crd_model_workspace_free(work);
  crd_model_free(full);
  return done;
}

enum { QUICK_FULL = 6 }; /* links to which the full formulation is measured unless --full asks for all */

static int bench_run(FILE *file, json_t *rows, const cli_common *common, bool full) {
  fprintf(file, "Jain, Table I: a pendulum over a floor and before a wall, 5 s in 5000 steps\n\n");
  fprintf(file, "  %5s %10s %10s %12s %12s %10s %13s %14s\n", "links", "tree, s", "full, s", "paper, tree",
          "paper, full", "contacts", "penetration", "gain/energy");
  for (size_t i = 0; i < sizeof PENDULUM / sizeof *PENDULUM; i++) {
    char name[32];
    cli_mechanism pendulum;
    double seconds, augmented = NAN;
    crd_sim_energy energy = {0};
    crd_sim_counters counters = {0};
    snprintf(name, sizeof name, "@pendulum:%d", PENDULUM[i].links);
    int code = cli_mechanism_read(&pendulum, "bench", name, common);
    if (!code && !measure_run(name, pendulum.model, pendulum.qpos, pendulum.qvel, &seconds, &energy, &counters))
      code = CLI_VERDICT;
    if (!code && (full || PENDULUM[i].links <= QUICK_FULL) && !measure_full(&pendulum, &augmented)) code = CLI_VERDICT;
    cli_mechanism_free(&pendulum);
    if (code) return code;
    const double contacts = (double)counters.contacts / (double)counters.steps, gain = energy.gain_max / energy.start;
    char text[16] = "-";
    if (!isnan(augmented)) snprintf(text, sizeof text, "%.4f", augmented);
    fprintf(file, "  %5d %10.4f %10s", PENDULUM[i].links, seconds, text);
    fprintf(file, " %12.2f %12.1f %10.3f %13.1e %14.1e\n", PENDULUM[i].paper_tree, PENDULUM[i].paper_full, contacts,
            counters.penetration_max, gain);
    json_array_append_new(
        rows, json_pack("{s:i, s:f, s:o, s:f, s:f, s:f, s:o, s:o}", "links", PENDULUM[i].links, "seconds", seconds,
                        "seconds_full", cli_json_number(augmented), "paper_tree", PENDULUM[i].paper_tree, "paper_full",
                        PENDULUM[i].paper_full, "contacts_mean", contacts, "penetration_max",
                        cli_json_number(counters.penetration_max), "gain", cli_json_number(gain)));
  }
  return CLI_DONE;
}

/* ------------------------------------------------------------------------------------------------ Halm & Posa, Table 3
 */

static const struct {
  const char *name;
  double h;
  int steps;
  double paper_lcps, paper_us;
} IMPACT[] = {{"@rocking-block", 0.3, 10, 2.67, 2100},
              {"@compass-gait", 0.25, 5, 2.27, 1900},
              {"@box-wall", 2, 5, 1.97, 1600},
              {"@ramone", 1, 10, 3.20, 2200},
              {"@disk-stack", 1, 10, 9.04, 11000}};

static int bench_outcomes(FILE *file, json_t *rows, const cli_common *common, bool full) {
  (void)full;
  fprintf(file, "Halm & Posa, Table 3: a sample of the set of outcomes, 2^16 samples\n\n");
  fprintf(file, "  %-15s %12s %12s %14s %14s\n", "example", "LCPs", "paper", "us a sample", "paper");
  for (size_t i = 0; i < sizeof IMPACT / sizeof *IMPACT; i++) {
    cli_problem input;
    crd_outcome_set set = {0};
    crd_outcome_options options = crd_outcome_default();
    options.h = IMPACT[i].h, options.steps = IMPACT[i].steps, options.seed = common->seed;
    int code = cli_problem_read(&input, "bench", IMPACT[i].name, common, false);
    const double start = processor_seconds();
    if (!code) code = cli_exit_code(crd_outcome_sample(input.problem, &options, &set));
    const double microseconds = 1e6 * (processor_seconds() - start) / (double)options.samples;
    const double lcps = (double)set.total_lcps / (double)options.samples;
    cli_problem_free(&input);
    crd_outcome_free(&set);
    if (!code && crd_interrupt_status() != CRD_OK) code = CLI_VERDICT; /* a part of the samples */
    if (code) return code;
    fprintf(file, "  %-15s %12.2f %12.2f %14.3f %14.0f\n", IMPACT[i].name, lcps, IMPACT[i].paper_lcps, microseconds,
            IMPACT[i].paper_us);
    json_array_append_new(rows, json_pack("{s:s, s:f, s:f, s:f, s:f}", "example", IMPACT[i].name, "lcps", lcps,
                                          "paper_lcps", IMPACT[i].paper_lcps, "us_per_sample", microseconds,
                                          "paper_us_per_sample", IMPACT[i].paper_us));
  }
  return CLI_DONE;
}

/* ------------------------------------------------------------------------------------------------ the verb */

static const struct {
  const char *name;
  int (*measure)(FILE *file, json_t *rows, const cli_common *common, bool full);
} TABLES[] = {{"run", bench_run}, {"outcomes", bench_outcomes}};
enum { TABLES_COUNT = sizeof TABLES / sizeof *TABLES };

static int measure_tables(const char *wanted, const cli_common *common, bool full) {
  cli_output text, output; /* the text is not shown where JSON is wanted */
  json_t *object = json_object();
  int code = CLI_DONE;
  if (!cli_output_begin(&text)) return CLI_SYSTEM;
  for (int i = 0; i < TABLES_COUNT && code == CLI_DONE; i++) {
    if (wanted && strcmp(wanted, TABLES[i].name) != 0) continue;
    json_t *rows = json_array();
    if (!wanted && i > 0) fputc('\n', text.file);
    code = TABLES[i].measure(text.file, rows, common, full);
    json_object_set_new(object, TABLES[i].name, rows);
  }
  const char *cut = cli_interrupt_text();
  if (cut[0])
    fprintf(text.file, "\n%s: the rows above are whole\n", cut),
        json_object_set_new(object, "status", json_string(cut));
  if (!common->json) {
    json_decref(object);
    return cli_output_end(&text, common->output, code);
  }
  cli_output_end(&text, NULL, CLI_SYSTEM); /* frees it */
  if (!cli_output_begin(&output)) return json_decref(object), CLI_SYSTEM;
  if (!cli_json_print(output.file, object)) code = CLI_SYSTEM;
  return cli_output_end(&output, common->output, code);
}

int cmd_bench(int argc, char **argv) {
  const char *wanted;
  cli_common common = cli_common_default();
  bool full = false;
  const cli_option table[] = {
      {"--json", NULL, CLI_FLAG, &common.json, 0, "print one JSON object"},
      {"-o", "FILE", CLI_OUTPUT, &common.output, 0, "write to FILE instead of standard output"},
      {"--seed", "N", CLI_COUNT, &common.seed, 0, "seed of the samples (0)"},
      {"--full", NULL, CLI_FLAG, &full, 0, "run: the full formulation of all pendulums, not of the short ones only"},
  };
  const cli_syntax syntax = {"bench",
                             "[run|outcomes]",
                             "The tables of the papers, measured here; both where none is named.",
                             NULL,
                             table,
                             sizeof table / sizeof *table,
                             "run --json"};
  cli_parsed parsed = cli_parse(&syntax, argc, argv, &wanted);
  if (parsed != CLI_PARSED) return cli_parse_exit(parsed);
  bool known = !wanted;
  for (int i = 0; i < TABLES_COUNT && !known; i++) known = strcmp(wanted, TABLES[i].name) == 0;
  if (!known) return cli_complain("bench", "found '%s', expected run or outcomes", wanted);
  return measure_tables(wanted, &common, full);
}
