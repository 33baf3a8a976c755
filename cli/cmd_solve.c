/* cradle solve: a bare complementarity or friction problem from a file. */
#include <math.h>
#include <string.h>

#include "solve.h"

/* Options of one kind of problem, given with a file of the other. */
static int refuse_foreign(const solve_options *options, bool friction) {
  const struct {
    const char *name;
    bool given, of_friction;
  } all[] = {
      {"--all", options->all, false},
      {"--classes", options->classes, false},
      {"--search", options->search != SOLVE_NOT_GIVEN, false},
      {"--max-pivots", options->max_pivots != 0, false},
      {"--method", options->method, true},
      {"--warm", options->warm, true},
      {"--compare", options->compare, true},
      {"--problem", options->problem, true},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i].given && all[i].of_friction != friction)
      return cli_complain("solve", "%s: found %s, expected %s", all[i].name,
                          friction ? "a friction problem" : "a complementarity problem",
                          friction ? "a complementarity problem" : "a friction problem");
  return CLI_DONE;
}

int cmd_solve(int argc, char **argv) {
  solve_options options = {.tolerance = NAN, .search = SOLVE_NOT_GIVEN};
  const char *input;
  const cli_option table[] = {
      {"--json", NULL, CLI_FLAG, &options.json, 0, "print one JSON object"},
      {"-o", "FILE", CLI_OUTPUT, &options.output, 0, "write to FILE instead of standard output (friction: JSON)"},
      {"--tolerance", "X", CLI_NUMBER, &options.tolerance, 1e-300,
       "largest relative residual of a solution (LCP 1e-10; friction 1e-9, large islands 1e-4)"},
      {"--line", "N", CLI_COUNT, &options.line, 1,
       "solve the problem on this line of FILE, which has one JSON object per line"},
      {"--all", NULL, CLI_FLAG, &options.all, 0, "LCP: list all solutions, as points and faces (up to 60 rows)"},
      {"--classes", NULL, CLI_FLAG, &options.classes, 0, "LCP: classes of the matrix, with proof or counterexample"},
      {"--search", "N", CLI_COUNT, &options.search, 0,
       "LCP: after a ray, search N nodes for a solution or a proof (5000 up to 12 rows, else 0)"},
      {"--max-pivots", "N", CLI_COUNT, &options.max_pivots, 0, "LCP: of each run of Lemke's method (by size)"},
      {"--method", "NAME", CLI_TEXT, &options.method, 0, "friction: newton, interior, curve or sweeps instead of auto",
       "auto newton interior curve sweeps modes"},
      {"--warm", NULL, CLI_FLAG, &options.warm, 0, "friction: begin with the guess of the file"},
      {"--compare", NULL, CLI_FLAG, &options.compare, 0,
       "friction: every method, Siconos where installed, side by side"},
      {"--problem", "FILE", CLI_OUTPUT, &options.problem, 0, "friction: write the problem to FILE as JSON"},
  };
  const cli_syntax syntax = {"solve",
                             "FILE",
                             "Solves a complementarity problem, 0 <= z _|_ W z + w >= 0 with free rows where\n"
                             "the file has some, or a contact problem with Coulomb friction, u = w + G p.",
                             "FILE is told by its content: JSON (\"cradle\": \"lcp/1\" or \"coulomb-problem/1\"),\n"
                             "plain text of Siconos (LCP, relay, MLCP, friction in two or three dimensions,\n"
                             "local or global) or HDF5 of fclib.\n",
                             table,
                             sizeof table / sizeof *table,
                             "problem.json --classes"};
  cli_parsed parsed = cli_parse(&syntax, argc, argv, &input);
  if (parsed != CLI_PARSED) return cli_parse_exit(parsed);
  if (options.max_pivots > 1000000000 || (options.search != SOLVE_NOT_GIVEN && options.search > 1000000000) ||
      options.line > 1000000000)
    return cli_complain("solve", "--max-pivots, --search, --line: expected at most 1000000000");
  crd_lcp_file lcp = {0};
  crd_coulomb_file friction = {0};
  crd_error err = {0};
  if (crd_io_read_lcp_or_coulomb(input, (int)options.line, &lcp, &friction, &err)) return cli_report(&err);
  const bool is_friction = friction.problem.n > 0;
  int code = refuse_foreign(&options, is_friction);
  if (code == CLI_DONE)
    code = is_friction ? solve_friction(input, &friction, &options) : solve_lcp(input, &lcp, &options);
  crd_io_lcp_file_free(&lcp);
  crd_io_coulomb_file_free(&friction);
  return code;
}
