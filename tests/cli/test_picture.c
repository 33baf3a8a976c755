/* Claims: every verb that shows something writes it as SVG and as PNG, the PNG three pixels for each unit of the SVG;
 * names of any bytes stay text; the scene of a run is drawn where the trace has the bodies; bad usage is refused and
 * nothing is written. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/program.h"

static void path_of(char path[400], const char *name) { snprintf(path, 400, "%s", program_file(name)); }

/* Runs, expects this exit code and returns what was said on stderr; the caller frees. */
static char *run(int code, const char *format, ...) {
  char words[2400];
  va_list list;
  va_start(list, format);
  vsnprintf(words, sizeof words, format, list);
  va_end(list);
  program_run done = program(words);
  if (done.code != code) fail_msg("%s: exit %d, expected %d: %s", words, done.code, code, done.error);
  char *error = strdup(done.error);
  program_free(&done);
  return error;
}

static bool has_png(void) {
  char path[400];
  path_of(path, "probe.png");
  char words[500];
  snprintf(words, sizeof words, "view @rocking-block --png %s", path);
  program_run done = program(words);
  const bool has = done.code == 0;
  if (!has) assert_non_null(strstr(done.error, "built without cairo"));
  program_free(&done);
  return has;
}

static unsigned big_endian(const unsigned char *at) {
  return (unsigned)at[0] << 24 | (unsigned)at[1] << 16 | (unsigned)at[2] << 8 | at[3];
}

/* Width and height in the header of a PNG file [PNG specification, 11.2.2]. */
static void png_size(const char *path, unsigned size[2]) {
  static const unsigned char SIGNATURE[8] = {137, 'P', 'N', 'G', 13, 10, 26, 10};
  unsigned char head[24];
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fread(head, 1, sizeof head, file), sizeof head);
  fclose(file);
  assert_memory_equal(head, SIGNATURE, sizeof SIGNATURE);
  assert_memory_equal(head + 12, "IHDR", 4);
  size[0] = big_endian(head + 16), size[1] = big_endian(head + 20);
}

static void every_verb_draws_in_both_formats(void **state) {
  (void)state;
  static const char *const VERB[] = {"view @ramone",
                                     "impact @compass-gait",
                                     "check @double-pendulum-floor",
                                     "outcomes @rocking-block --samples 256",
                                     "outcomes @rocking-block --samples 256 --sweep mu=0:1:4",
                                     "run @bouncing-ball --time 0.5",
                                     "run @pendulum:3 --time 0.5 --at 0,0.25,0.5"};
  const bool both = has_png();
  for (size_t i = 0; i < sizeof VERB / sizeof VERB[0]; i++) {
    char svg[400], png[400];
    unsigned size[2], width, height;
    path_of(svg, "picture.svg"), path_of(png, "picture.png");
    free(both ? run(0, "%s --svg %s --png %s", VERB[i], svg, png) : run(0, "%s --svg %s", VERB[i], svg));
    char *text = program_read(svg);
    assert_non_null(text);
    assert_int_equal(sscanf(text, "<svg xmlns='http://www.w3.org/2000/svg' width='%u' height='%u'", &width, &height),
                     2);
    assert_non_null(strstr(text, "</svg>"));
    free(text);
    if (!both) continue;
    png_size(png, size);
    assert_int_equal(size[0], 3 * width);
    assert_int_equal(size[1], 3 * height);
  }
}

/* The number of panels follows from the data: one a contact and one for the bars, one a set, one a time. */
static void panels_follow_the_data(void **state) {
  (void)state;
  static const struct {
    const char *words;
    unsigned width;
  } CASE[] = {{"impact @compass-gait", 3 * 376},
              {"impact @double-pendulum-floor", 2 * 376},
              {"outcomes @rocking-block --samples 64 --sweep mu=0:1:4", 4 * 376},
              {"outcomes @rocking-block --samples 64 --sweep mu=0:1:50", 6 * 376},
              {"run @bouncing-ball --time 0.2 --at 0,0.1,0.2", 3 * 260}};
  for (size_t i = 0; i < sizeof CASE / sizeof CASE[0]; i++) {
    char svg[400];
    unsigned width;
    path_of(svg, "panels.svg");
    free(run(0, "%s --svg %s", CASE[i].words, svg));
    char *text = program_read(svg);
    assert_int_equal(sscanf(text, "<svg xmlns='http://www.w3.org/2000/svg' width='%u'", &width), 1);
    assert_int_equal(width, CASE[i].width);
    free(text);
  }
}

/* ------------------------------------------------------------------------------------------------ the scene */

/* Smallest and largest x, y of the pieces of bodies (a fill with the same stroke) in the frame'th frame. */
static void extent_of_bodies(const char *text, int frame, double low[2], double high[2]) {
  low[0] = low[1] = INFINITY, high[0] = high[1] = -INFINITY;
  for (const char *at = text; (at = strstr(at, "<path fill='#")); at++) {
    char fill[16], stroke[16];
    const char *d = strstr(at, " d='M");
    if (sscanf(at, "<path fill='%15[^']' stroke='%15[^']'", fill, stroke) != 2 || strcmp(fill, stroke) != 0) continue;
    for (d += 5; *d != '\'' && *d != 'Z';) {
      char *next;
      const double x = strtod(d, &next), y = strtod(next, &next);
      if (x >= 260 * frame && x <= 260 * (frame + 1))
        low[0] = fmin(low[0], x), high[0] = fmax(high[0], x), low[1] = fmin(low[1], y), high[1] = fmax(high[1], y);
      for (d = next; *d == ' ';) d++;
    }
  }
}

/* Seen from the front the ball of radius 0.1 m, dropped from 1.1 m, is at 1.1 - g t^2 / 2; its drawn diameter is the
 * scale. */
static void the_scene_is_drawn_where_the_trace_has_the_bodies(void **state) {
  (void)state;
  char svg[400];
  double low[2][2], high[2][2];
  path_of(svg, "fall.svg");
  free(run(0, "run @bouncing-ball --time 0.4 --look front --at 0,0.4 --svg %s", svg));
  char *text = program_read(svg);
  for (int i = 0; i < 2; i++) extent_of_bodies(text, i, low[i], high[i]);
  free(text);
  const double scale = (high[0][1] - low[0][1]) / 0.2;
  assert_true(fabs((low[1][1] - low[0][1]) / scale - 0.5 * 9.81 * 0.4 * 0.4) < 0.01);
  assert_true(fabs((high[1][1] - low[1][1]) / scale - 0.2) < 0.002);
  assert_true(fabs(low[1][0] - 260 - low[0][0]) < 0.02); /* it falls straight down */
}

/* The picture of a mechanism stays within its frame, however it is looked at. */
static void a_mechanism_fits_its_frame(void **state) {
  (void)state;
  static const char *const LOOK[] = {"oblique", "front", "side", "top"};
  for (int i = 0; i < 4; i++) {
    char svg[400];
    double low[2], high[2];
    path_of(svg, "fit.svg");
    free(run(0, "view @ramone --look %s --svg %s", LOOK[i], svg));
    char *text = program_read(svg);
    extent_of_bodies(text, 0, low, high);
    free(text);
    assert_true(low[0] >= 13 && low[1] >= 13 && high[0] <= 247 && high[1] <= 247);
    assert_true(high[0] - low[0] > 200 || high[1] - low[1] > 200); /* and fills it */
  }
}

/* ------------------------------------------------------------------------------------------------ words and refusals
 */

static void names_of_any_bytes_stay_text(void **state) {
  (void)state;
  char path[400], svg[400], png[400];
  path_of(path, "hostile.json"), path_of(svg, "hostile.svg"), path_of(png, "hostile.png");
  program_write(path,
                "{\"cradle\":\"impact-problem/1\",\"M\":[[1,0],[0,1]],\"v\":[-1,-1],\"contacts\":"
                "[{\"name\":\"<script>&'\\u0007\",\"n\":[1,0],\"t\":[[0,1]],\"mu\":0.5,\"e\":0.5}]}");
  static const char *const VERB[] = {"check", "impact", "outcomes --samples 64"};
  for (int i = 0; i < 3; i++) {
    free(run(0, "%s %s --svg %s", VERB[i], path, svg));
    char *text = program_read(svg);
    if (i < 2) assert_non_null(strstr(text, "&lt;script&gt;&amp;'<"));
    assert_null(strstr(text, "<script"));
    assert_null(strchr(text, 7));
    free(text);
  }
  /* the name of the file is no UTF-8 */
  char strange[400];
  path_of(strange, "caf\xe9.json");
  char *content = program_read(path);
  program_write(strange, content);
  free(content);
  free(has_png() ? run(0, "outcomes %s --samples 64 --svg %s --png %s", strange, svg, png)
                 : run(0, "outcomes %s --samples 64 --svg %s", strange, svg));
  char *text = program_read(svg);
  assert_non_null(strstr(text, "caf\xef\xbf\xbd.json"));
  free(text);
}

static void bad_usage_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *words, *says;
  } CASE[] = {{"view @ramone --look behind", "expected oblique, front, side or top"},
              {"view @ramone --at 1", "--at: found a mechanism"},
              {"view @ramone --state nowhere", "nowhere"},
              {"run @bouncing-ball --time 1 --at 2", "expected up to 8 times from 0 to 1 s"},
              {"run @bouncing-ball --time 1 --at soon", "expected up to 8 times"},
              {"run @bouncing-ball --time 1 --at 0,0,0,0,0,0,0,0,0", "expected up to 8 times"},
              {"run @pendulum:3 --law routh --runs 2", "found several runs"},
              {"check @ball-chain:3 --mu 0", "found no contact with friction"}};
  char svg[400];
  path_of(svg, "refused.svg");
  for (size_t i = 0; i < sizeof CASE / sizeof CASE[0]; i++) {
    char *error = run(1, "%s --svg %s", CASE[i].words, svg);
    if (!strstr(error, CASE[i].says)) fail_msg("'%s' said '%s'", CASE[i].words, error);
    free(error);
    assert_null(program_read(svg));
  }
  char *error = run(1, "run @bouncing-ball --time 1 --at 0.5");
  assert_non_null(strstr(error, "--at: found no picture"));
  free(error);
  error = run(1, "view @ramone -o %s", svg);
  assert_non_null(strstr(error, "expected the name of a page"));
  assert_null(program_read(svg));
  free(error);
  free(run(3, "impact @ramone --svg /no/such/folder/x.svg"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_verb_draws_in_both_formats),
      cmocka_unit_test(panels_follow_the_data),
      cmocka_unit_test(the_scene_is_drawn_where_the_trace_has_the_bodies),
      cmocka_unit_test(a_mechanism_fits_its_frame),
      cmocka_unit_test(names_of_any_bytes_stay_text),
      cmocka_unit_test(bad_usage_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, program_remove_folder);
}
