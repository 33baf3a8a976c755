/* Claims: `view` makes a page of a trace and of a file of outcomes; the part "run" has the states of the trace, all of
 * them where they are few, evenly chosen ones and every event where they are many; bad usage and bad files are refused
 * with what was found, and nothing is written. */
#include <cradle/cradle.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/program.h"

static char *file(char *path, size_t size, const char *name) {
  snprintf(path, size, "%s", program_file(name));
  return path;
}

static void run(const char *format, const char *a, const char *b, int code) {
  char words[1200];
  snprintf(words, sizeof words, format, a, b);
  program_run done = program(words);
  if (done.code != code) fail_msg("%s: exit %d, expected %d: %s", words, done.code, code, done.error);
  program_free(&done);
}

/* Bytes of a base64 string, decoded by arithmetic of its own. */
static unsigned char *decode(const char *text, size_t *size) {
  static const char LETTERS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  unsigned char *bytes = malloc(strlen(text) + 1);
  unsigned bits = 0, count = 0;
  *size = 0;
  for (; *text && *text != '='; text++) {
    bits = bits << 6 | (unsigned)(strchr(LETTERS, *text) - LETTERS);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes[(*size)++] = (unsigned char)(bits >> count & 255);
  }
  return bytes;
}

static json_t *run_part(const char *path, crd_trace *trace) {
  crd_arena arena = {0};
  const char *text;
  crd_error err;
  if (crd_io_read_trace(path, trace, &err) != CRD_OK) fail_msg("%s", err.text);
  assert_int_equal(crd_io_run_text(trace, NULL, NULL, &arena, &text, &err), CRD_OK);
  json_t *part = json_loads(text, 0, NULL);
  assert_non_null(part);
  crd_arena_free(&arena);
  return part;
}

static void frames_are_the_states_of_the_trace(void **state) {
  (void)state;
  char path[400];
  run("run @bouncing-ball --time 1 -o %s%s", file(path, sizeof path, "ball.h5"), "", 0);
  crd_trace trace = {0};
  json_t *part = run_part(path, &trace);
  size_t nt, nq;
  double *t = (double *)(void *)decode(json_string_value(json_object_get(part, "t")), &nt);
  float *q = (float *)(void *)decode(json_string_value(json_object_get(part, "qpos")), &nq);
  nt /= sizeof *t, nq /= sizeof *q;
  assert_int_equal(nq, nt * (size_t)trace.nq);
  assert_int_equal(nt, trace.nrow + trace.nevent); /* no event falls on a row */
  assert_true(trace.nevent > 0);
  for (size_t i = 0, row = 0, event = 0; i < nt; i++) {
    const bool is_row = row < trace.nrow && t[i] == trace.t[row];
    const double *expected = is_row ? trace.qpos + 7 * row++ : trace.event_qpos + 7 * event;
    if (!is_row) assert_true(t[i] == trace.event[event++].t);
    for (size_t k = 0; k < 7; k++) assert_true(q[7 * i + k] == (float)expected[k]);
  }
  assert_int_equal(json_array_size(json_object_get(part, "events")), trace.nevent);
  free(t), free(q);
  json_decref(part);
  crd_io_trace_free(&trace);
}

/* A line of the series; NULL: there is none. */
static json_t *line_of(json_t *part, const char *group, const char *name) {
  size_t g, l;
  json_t *one, *line;
  json_array_foreach(json_object_get(json_object_get(part, "series"), "groups"), g, one) {
    if (strcmp(json_string_value(json_object_get(one, "title")), group) != 0) continue;
    json_array_foreach(json_object_get(one, "lines"), l,
                       line) if (strcmp(json_string_value(json_object_get(line, "name")), name) == 0) return line;
  }
  return NULL;
}

static double constant_of(json_t *part, const char *group, const char *name) {
  return json_number_value(json_object_get(line_of(part, group, name), "constant"));
}

/* An arm with a motor (gear 2, control 0.1) and a servo (kp 5, target 0.2), a torque of 0.25 from a file, beside a ball
 * that falls 0.9 m and then rests. With q the angle: the servo's force is 5 (0.2 - q), the torque on the joint 2 * 0.1 +
 * 5 (0.2 - q) + 0.25; the sensor of the joint reads q; an accelerometer shows nothing in free fall and g at rest. */
static void controls_forces_and_sensors_are_signals(void **state) {
  (void)state;
  char model[300], torque[300], path[300], words[1000];
  program_write(
      file(model, sizeof model, "signals.xml"),
      "<mujoco><option timestep='0.001'/><worldbody><geom type='plane' size='0 0 1'/>"
      "<body pos='0 0 1'><freejoint name='free'/><geom type='sphere' size='0.1' mass='1'/><site name='s'/></body>"
      "<body pos='1 0 1'><joint name='h' type='hinge' axis='0 1 0'/>"
      "<geom type='capsule' size='0.02' fromto='0 0 0 0 0 -0.3' mass='1'/></body></worldbody>"
      "<actuator><motor name='m' joint='h' gear='2'/><position name='p' joint='h' kp='5'/></actuator>"
      "<sensor><jointpos name='angle' joint='h'/><accelerometer name='acc' site='s'/></sensor>"
      "<keyframe><key qpos='0 0 1 1 0 0 0 0.3' ctrl='0.1 0.2'/></keyframe></mujoco>");
  program_write(file(torque, sizeof torque, "torque.csv"), "t,h\n0,0.25\n");
  file(path, sizeof path, "signals.h5");
  snprintf(words, sizeof words, "run %s --time 1 --torque %s -o %s", model, torque, path);
  run("%s%s", words, "", 0);
  run("run --repeat %s%s", path, "", 0);
  crd_trace trace = {0};
  crd_arena arena = {0};
  crd_model *read = NULL;
  const char *text;
  crd_error err;
  json_decref(run_part(path, &trace));
  assert_int_equal(trace.header.nsensordata, 4);
  assert_int_equal(crd_io_trace_model(&trace, &read, &err), CRD_OK);
  assert_int_equal(crd_io_run_text(&trace, read, NULL, &arena, &text, &err), CRD_OK);
  json_t *part = json_loads(text, 0, NULL);
  assert_true(constant_of(part, "controls", "m") == 0.1 && constant_of(part, "controls", "p") == 0.2);
  assert_true(constant_of(part, "actuator forces", "m") == 0.1);
  assert_true(constant_of(part, "applied forces", "free vx") == 0);
  const char *const group[4] = {"sensors: joints", "actuator forces", "applied forces", "sensors: accelerations"};
  const char *const name[4] = {"angle", "p", "h", "acc z"};
  float *y[4];
  for (int i = 0; i < 4; i++) {
    size_t bytes;
    y[i] = (float *)(void *)decode(json_string_value(json_object_get(line_of(part, group[i], name[i]), "y")), &bytes);
    assert_int_equal(bytes, trace.nrow * sizeof(float));
  }
  for (size_t i = 0; i < trace.nrow; i++) {
    const double q = trace.qpos[8 * i + 7], servo = 5 * (0.2 - q), t = trace.t[i];
    assert_true(fabs(y[0][i] - q) < 1e-6 && fabs(y[1][i] - servo) < 1e-6);
    assert_true(fabs(y[2][i] - (0.2 + servo)) < 1e-6); /* the file's torque is not among the inputs given here */
    if (i > 0 && t < 0.42) assert_true(fabs(y[3][i]) < 1e-4);
    if (t > 0.9) assert_true(fabs(y[3][i] - 9.81) < 1e-4);
  }
  assert_true(isnan(y[3][0])); /* no step has been made */
  for (int i = 0; i < 4; i++) free(y[i]);
  json_decref(part);
  /* the program's own page knows the file */
  if (crd_io_has_page()) {
    char page[400];
    run("view %s -o %s", path, file(page, sizeof page, "signals.html"), 0);
    char *whole = program_read(page), *from = strstr(whole, "id=\"data\">") + strlen("id=\"data\">");
    *strstr(from, "</script>") = 0;
    json_t *all = json_loads(from, 0, NULL);
    assert_non_null(all);
    size_t bytes;
    float *tau = (float *)(void *)decode(
        json_string_value(json_object_get(line_of(json_object_get(all, "run"), "applied forces", "h"), "y")), &bytes);
    for (size_t i = 0; i < trace.nrow; i++)
      assert_true(fabs(tau[i] - (0.25 + 0.2 + 5 * (0.2 - trace.qpos[8 * i + 7]))) < 1e-6);
    free(tau), free(whole);
    json_decref(all);
  }
  crd_model_free(read);
  crd_arena_free(&arena);
  crd_io_trace_free(&trace);
}

static void a_long_run_is_thinned_evenly_and_keeps_its_ends(void **state) {
  (void)state;
  char path[400];
  run("run @bouncing-ball --time 20 -o %s%s", file(path, sizeof path, "long.h5"), "", 0);
  crd_trace trace = {0};
  json_t *part = run_part(path, &trace);
  size_t n;
  double *t = (double *)(void *)decode(json_string_value(json_object_get(part, "t")), &n);
  n /= sizeof *t;
  assert_true(trace.nrow == 20001 && n >= 3600 && n <= 3601 + trace.nevent);
  assert_true(t[0] == 0 && t[n - 1] == trace.t[trace.nrow - 1]);
  for (size_t i = 1; i < n; i++) assert_true(t[i] > t[i - 1] && t[i] - t[i - 1] < 0.0071); /* 20 s / 3599, and a step */
  for (size_t e = 0; e < trace.nevent; e++) {
    bool found = false;
    for (size_t i = 0; i < n; i++) found = found || t[i] == trace.event[e].t;
    assert_true(found);
  }
  free(t);
  json_decref(part);
  crd_io_trace_free(&trace);
}

static void outcomes_and_traces_become_pages(void **state) {
  (void)state;
  if (!crd_io_has_page()) skip();
  char h5[400], html[400];
  run("outcomes @rocking-block --samples 512 -o %s%s", file(h5, sizeof h5, "set.h5"), "", 0);
  run("view %s -o %s", h5, file(html, sizeof html, "set.html"), 0);
  char *page = program_read(html);
  assert_non_null(page);
  assert_non_null(strstr(page, "\"kind\": \"outcomes\""));
  assert_non_null(strstr(page, "\"scene\": "));
  free(page);
  run("outcomes @rocking-block --samples 512 --html %s%s", file(html, sizeof html, "direct.html"), "", 0);
  page = program_read(html);
  assert_non_null(page);
  free(page);
}

static void refuse(const char *format, const char *a, const char *b, const char *expected) {
  char words[1200];
  snprintf(words, sizeof words, format, a, b);
  program_run done = program(words);
  assert_int_equal(done.code, 1);
  if (!strstr(done.error, expected)) fail_msg("'%s' said '%s', expected '%s'", words, done.error, expected);
  program_free(&done);
}

static void bad_files_and_usage_are_refused(void **state) {
  (void)state;
  char text[400], html[400];
  program_write(file(text, sizeof text, "no.h5"), "this is no HDF5 file");
  file(html, sizeof html, "no.html");
  refuse("view%s%s", "", "", "found no input");
  refuse("view %s%s", text, "", "no.h5");
  refuse("view %s --state bent -o %s", text, html, "expected them with a mechanism");
  refuse("view %s -o %s", text, html, "no.h5");
  refuse("view %s -o %s", "/no/such/file.h5", html, "/no/such/file.h5");
  refuse("run @bouncing-ball --html %s -o %s", html, program_file("trace.csv"), "--html");
  assert_null(program_read(html));
}

static void a_page_that_cannot_be_written_is_a_failure_of_the_system(void **state) {
  (void)state;
  if (!crd_io_has_page()) skip();
  run("check @rocking-block --html /no/such/folder/x.html%s%s", "", "", 3);
  run("impact @rocking-block --html /no/such/folder/x.html%s%s", "", "", 3);
}

/* Well-formed as far as the two rules go that a name could break: no bare < or & in a text. */
static void pictures_are_written_and_names_stay_text(void **state) {
  (void)state;
  char path[400], svg[400];
  program_write(file(path, sizeof path, "hostile.json"),
                "{\"cradle\":\"impact-problem/1\",\"M\":[[1,0],[0,1]],\"v\":[-1,-1],\"contacts\":"
                "[{\"name\":\"<script>&\",\"n\":[1,0],\"t\":[[0,1]],\"mu\":0.5,\"e\":0.5}]}");
  run("check %s --svg %s", path, file(svg, sizeof svg, "region.svg"), 0);
  char *text = program_read(svg);
  assert_non_null(text);
  assert_non_null(strstr(text, "&lt;script&gt;&amp;"));
  assert_null(strstr(text, "<script"));
  free(text);
  run("outcomes @rocking-block --samples 512 --svg %s%s", file(svg, sizeof svg, "set.svg"), "", 0);
  assert_non_null(text = program_read(svg));
  assert_non_null(strstr(text, "A.n (m/s)"));
  free(text);
  run("run @bouncing-ball --time 1 -o %s%s", file(path, sizeof path, "short.h5"), "", 0);
  run("view %s --svg %s", path, file(svg, sizeof svg, "energy.svg"), 0);
  assert_non_null(text = program_read(svg));
  assert_non_null(strstr(text, "energy (J)"));
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames_are_the_states_of_the_trace),
      cmocka_unit_test(controls_forces_and_sensors_are_signals),
      cmocka_unit_test(a_long_run_is_thinned_evenly_and_keeps_its_ends),
      cmocka_unit_test(outcomes_and_traces_become_pages),
      cmocka_unit_test(pictures_are_written_and_names_stay_text),
      cmocka_unit_test(bad_files_and_usage_are_refused),
      cmocka_unit_test(a_page_that_cannot_be_written_is_a_failure_of_the_system),
  };
  return cmocka_run_group_tests(tests, NULL, program_remove_folder);
}
