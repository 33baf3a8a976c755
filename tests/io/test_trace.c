/* Traces: what is written is read back, bit by bit, in both formats; files appear whole or not at all; broken files are
 * refused with a message that names the place. */
#define _XOPEN_SOURCE 700
#include <cradle/io.h>
#include <errno.h>
#include <hdf5.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/cmocka_all.h"
#include "support/h5_change.h"

enum { NQ = 3, NV = 2, ROWS = 3000 };

static char folder[] = "/tmp/cradle-trace-XXXXXX";

static const char *place(const char *name) {
  static char path[4][256];
  static int next;
  char *here = path[next++ % 4];
  snprintf(here, sizeof path[0], "%s/%s", folder, name);
  return here;
}

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
  (void)state;
  char command[300];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

static double draw(int i, int k) { return crd_random_normal(11, (uint32_t)i, (uint64_t)k); }

static const crd_source_file FILES[2] = {{"scene.xml", "<mujoco/>", 9}, {"part/x.stl", "a\0b", 3}};
static const double CTRL[2] = {0.1, -0.2};

enum { SENSORS = 2 };

static crd_trace_header header(void) {
  crd_trace_header made = {.input = "scene.xml",
                           .nfile = 2,
                           .file = FILES,
                           .formulation = "tree",
                           .options = crd_sim_default(),
                           .time = 3,
                           .every = 2,
                           .nsensordata = SENSORS,
                           .sensors = "imu[0] touch",
                           .nctrl = 2,
                           .ctrl = CTRL,
                           .torque = "t,a\n0,1\n",
                           .torque_input = "push.csv",
                           .torque_hold = "linear"};
  made.options.timestep = 0.001, made.options.mu = 0.3, made.options.seed = UINT64_MAX;
  made.options.integrator = CRD_SIM_MIDPOINT, made.options.law = crd_impact_find("routh");
  return made;
}

/* The second of a row is known from row 1 on. */
static double reading(int i, int k) { return i == 0 && k == 1 ? NAN : draw(i, 70 + k); }

/* Row i has i % 3 contacts. */
static void make_row(int i, crd_trace_row *row, double *q, double *v, crd_sim_contact contact[2]) {
  static const char *const NAMES[2] = {"foot/floor", "hand/wall"};
  for (int k = 0; k < NQ; k++) q[k] = draw(i, k);
  for (int k = 0; k < NV; k++) v[k] = draw(i, 10 + k);
  *row = (crd_trace_row){.t = 0.001 * i, .s = 0.003 * i, .qpos = q, .qvel = v, .ncontact = i % 3, .contact = contact};
  row->energy = (crd_sim_energy){.kinetic = draw(i, 20), .loop = draw(i, 21), .gain_max = draw(i, 22)};
  row->penetration = fabs(draw(i, 23)), row->residual = fabs(draw(i, 24));
  for (int c = 0; c < 2; c++) {
    contact[c] = (crd_sim_contact){.mode = (crd_mode)((i + c) % 4), .impulse_n = draw(i, 30 + c)};
    contact[c].contact = (crd_contact){.name = NAMES[c], .body1 = i, .body2 = c, .mu = draw(i, 40 + c)};
    contact[c].contact.tangent[1][2] = draw(i, 50 + c), contact[c].velocity_t[1] = draw(i, 60 + c);
  }
}

static void write_rows(crd_trace_writer *writer, int rows) {
  double q[NQ], v[NV];
  crd_sim_contact contact[2];
  crd_trace_row row;
  for (int i = 0; i < rows; i++) {
    make_row(i, &row, q, v, contact);
    const double sensor[SENSORS] = {reading(i, 0), reading(i, 1)};
    row.sensor = sensor;
    crd_io_trace_add(writer, &row);
    const crd_sim_event event = {.t = row.t,
                                 .kind = CRD_EVENT_ZENO,
                                 .contact = "hand/wall",
                                 .count = i,
                                 .energy = -1,
                                 .s = 2 * row.t,
                                 .v_minus = i == 107 ? q : NULL};
    if (i % 100 == 7) crd_io_trace_event(writer, &event, q, v);
  }
}

static crd_status write_trace(const char *path, int rows, crd_error *err) {
  crd_trace_writer *writer;
  const crd_trace_header head = header();
  const crd_trace_end end = {.truncated = true, .status = "interrupted", .counters = {.steps = 5999, .loop_max = 1e-9}};
  crd_status status = crd_io_trace_create(path, &head, NQ, NV, &writer, err);
  if (status) return status;
  write_rows(writer, rows);
  return crd_io_trace_commit(writer, &end, err);
}

/* The trace of write_rows, bit by bit. */
static void assert_rows(const crd_trace *trace) {
  assert_int_equal(trace->nrow, ROWS);
  assert_int_equal(trace->nq, NQ);
  assert_int_equal(trace->nv, NV);
  for (int i = 0; i < ROWS; i++) {
    double q[NQ], v[NV];
    crd_sim_contact contact[2];
    crd_trace_row row;
    make_row(i, &row, q, v, contact);
    assert_true(trace->s[i] == row.s);
    assert_true(trace->t[i] == row.t && trace->penetration[i] == row.penetration && trace->residual[i] == row.residual);
    assert_memory_equal(trace->qpos + NQ * i, q, sizeof q);
    assert_memory_equal(trace->qvel + NV * i, v, sizeof v);
    for (int k = 0; k < SENSORS; k++) {
      const double wrote = reading(i, k), found = trace->sensor[SENSORS * i + k];
      assert_true(isnan(wrote) ? isnan(found) : found == wrote);
    }
    assert_memory_equal(&trace->energy[i], &row.energy, sizeof row.energy);
    assert_int_equal(trace->offset[i + 1] - trace->offset[i], row.ncontact);
    for (int c = 0; c < row.ncontact; c++) {
      const crd_sim_contact *found = &trace->contact[trace->offset[i] + c];
      assert_string_equal(found->contact.name, contact[c].contact.name);
      assert_memory_equal(found->contact.tangent, contact[c].contact.tangent, sizeof contact[c].contact.tangent);
      assert_memory_equal(found->velocity_t, contact[c].velocity_t, sizeof contact[c].velocity_t);
      assert_true(found->impulse_n == contact[c].impulse_n && found->mode == contact[c].mode);
      assert_true(found->contact.body1 == i && found->contact.body2 == c && found->contact.mu == contact[c].contact.mu);
    }
  }
}

static void what_is_written_is_read_back(void **state) {
  (void)state;
  crd_error err = {0};
  crd_trace trace = {0};
  assert_int_equal(write_trace(place("a.h5"), ROWS, &err), CRD_OK);
  assert_int_equal(crd_io_read_trace(place("a.h5"), &trace, &err), CRD_OK);
  assert_rows(&trace);
  crd_io_trace_free(&trace);
}

static void assert_same_texts(const char *a, const char *b) {
  assert_non_null(a), assert_non_null(b);
  assert_string_equal(a, b);
}

/* Rows, events, header and end. */
static void a_trace_in_memory_is_the_one_of_the_file(void **state) {
  (void)state;
  const crd_trace_header head = header();
  const crd_trace_end end = {.truncated = true, .status = "interrupted", .counters = {.steps = 5999, .loop_max = 1e-9}};
  crd_trace_writer *writer;
  crd_trace kept = {0}, read = {0};
  assert_int_equal(write_trace(place("beside.h5"), ROWS, NULL), CRD_OK);
  assert_int_equal(crd_io_read_trace(place("beside.h5"), &read, NULL), CRD_OK);
  assert_int_equal(crd_io_trace_collect(&head, NQ, NV, &writer, NULL), CRD_OK);
  write_rows(writer, ROWS);
  assert_false(crd_io_trace_failed(writer));
  assert_int_equal(crd_io_trace_take(writer, &end, &kept, NULL), CRD_OK);
  assert_rows(&kept);
  assert_same_texts(kept.header.input, read.header.input);
  assert_same_texts(kept.end.status, read.end.status);
  assert_same_texts(kept.version, read.version);
  assert_true(kept.end.truncated && kept.end.counters.steps == 5999 && kept.header.options.seed == UINT64_MAX);
  assert_int_equal(kept.nevent, read.nevent);
  for (size_t i = 0; i < kept.nevent; i++) {
    assert_true(kept.event[i].t == read.event[i].t && kept.event[i].s == read.event[i].s);
    assert_true(kept.event[i].kind == read.event[i].kind && kept.event[i].count == read.event[i].count);
    assert_same_texts(kept.event[i].contact, read.event[i].contact);
    assert_null(kept.event[i].v_minus);
  }
  assert_memory_equal(kept.event_qpos, read.event_qpos, kept.nevent * NQ * sizeof(double));
  assert_memory_equal(kept.event_qvel, read.event_qvel, kept.nevent * NV * sizeof(double));
  assert_memory_equal(kept.event_qvel_before, read.event_qvel_before, kept.nevent * NV * sizeof(double));
  crd_io_trace_free(&kept), crd_io_trace_free(&read);
}

static void a_trace_in_memory_is_taken_and_one_of_a_file_committed(void **state) {
  (void)state;
  const crd_trace_header head = header();
  const crd_trace_end end = {.status = "ok"};
  crd_trace_writer *writer;
  crd_trace trace = {0};
  assert_int_equal(crd_io_trace_collect(&head, NQ, NV, &writer, NULL), CRD_OK);
  assert_int_equal(crd_io_trace_commit(writer, &end, NULL), CRD_ERR_ARGUMENT);
  assert_int_equal(crd_io_trace_create(place("taken.h5"), &head, NQ, NV, &writer, NULL), CRD_OK);
  assert_int_equal(crd_io_trace_take(writer, &end, &trace, NULL), CRD_ERR_ARGUMENT);
  assert_int_not_equal(access(place("taken.h5"), F_OK), 0);
  assert_int_equal(crd_io_trace_collect(&head, 0, 0, &writer, NULL), CRD_OK);
  assert_int_equal(crd_io_trace_take(writer, &end, &trace, NULL), CRD_OK);
  assert_true(trace.nrow == 0 && trace.nevent == 0 && trace.offset[0] == 0);
  crd_io_trace_free(&trace);
  assert_int_equal(crd_io_trace_collect(&head, NQ, NV, &writer, NULL), CRD_OK);
  crd_io_trace_discard(writer);
}

static void events_carry_their_state(void **state) {
  (void)state;
  crd_trace trace = {0};
  assert_int_equal(write_trace(place("b.h5"), 250, NULL), CRD_OK);
  assert_int_equal(crd_io_read_trace(place("b.h5"), &trace, NULL), CRD_OK);
  assert_int_equal(trace.nevent, 3);
  assert_int_equal(trace.event[1].kind, CRD_EVENT_ZENO);
  assert_int_equal(trace.event[1].count, 107);
  assert_string_equal(trace.event[2].contact, "hand/wall");
  assert_true(trace.event_qpos[NQ * 2 + 1] == draw(207, 1));
  assert_true(trace.event_qvel[NV * 2 + 1] == draw(207, 11));
  assert_true(trace.event[1].s == 2 * trace.event[1].t);
  assert_true(trace.event_qvel_before[NV * 1 + 1] == draw(107, 1));  /* as told */
  assert_true(trace.event_qvel_before[NV * 2 + 1] == draw(207, 11)); /* no jump */
  crd_io_trace_free(&trace);
}

static void a_trace_holds_what_defines_the_run(void **state) {
  (void)state;
  crd_trace trace = {0};
  const crd_trace_header head = header();
  assert_int_equal(write_trace(place("c.h5"), 10, NULL), CRD_OK);
  assert_int_equal(crd_io_read_trace(place("c.h5"), &trace, NULL), CRD_OK);
  const crd_trace_header *found = &trace.header;
  assert_string_equal(found->input, head.input);
  assert_string_equal(found->formulation, "tree");
  assert_string_equal(found->torque, head.torque);
  assert_string_equal(found->torque_input, "push.csv");
  assert_string_equal(found->torque_hold, "linear");
  assert_int_equal(found->nctrl, 2);
  assert_memory_equal(found->ctrl, CTRL, sizeof CTRL);
  assert_int_equal(found->every, 2);
  assert_true(found->time == 3);
  assert_int_equal(found->nfile, 2);
  for (int i = 0; i < 2; i++) {
    assert_string_equal(found->file[i].name, FILES[i].name);
    assert_int_equal(found->file[i].size, FILES[i].size);
    assert_memory_equal(found->file[i].data, FILES[i].data, FILES[i].size);
  }
  assert_true(found->options.law == head.options.law && found->options.integrator == head.options.integrator);
  assert_true(found->options.mu == 0.3 && isnan(found->options.e) && found->options.timestep == 0.001);
  assert_true(found->options.seed == UINT64_MAX && found->options.facets == head.options.facets);
  assert_true(trace.end.truncated && trace.end.counters.steps == 5999 && trace.end.counters.loop_max == 1e-9);
  assert_string_equal(trace.end.status, "interrupted");
  assert_string_equal(trace.version, crd_version());
  crd_io_trace_free(&trace);
}

static char *whole_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *data = calloc(*size + 1, 1);
  assert_int_equal(fread(data, 1, *size, file), *size);
  fclose(file);
  return data;
}

static void the_same_run_gives_the_same_bytes(void **state) {
  (void)state;
  size_t size[2];
  assert_int_equal(write_trace(place("d1.h5"), 500, NULL), CRD_OK);
  assert_int_equal(write_trace(place("d2.h5"), 500, NULL), CRD_OK);
  char *a = whole_file(place("d1.h5"), &size[0]), *b = whole_file(place("d2.h5"), &size[1]);
  assert_int_equal(size[0], size[1]);
  assert_memory_equal(a, b, size[0]);
  free(a), free(b);
}

static void csv_has_the_numbers_of_hdf5(void **state) {
  (void)state;
  size_t size;
  assert_int_equal(write_trace(place("e.csv"), 50, NULL), CRD_OK);
  char *text = whole_file(place("e.csv"), &size), *at;
  static const char titles[] = "t,qpos0,qpos1,qpos2,qvel0,qvel1,imu[0],touch,kinetic,potential,start,";
  assert_int_equal(strncmp(text, titles, sizeof titles - 1), 0);
  at = strchr(text, '\n') + 1;
  for (int i = 0; i < 50; i++) {
    double q[NQ], v[NV];
    crd_sim_contact contact[2];
    crd_trace_row row;
    make_row(i, &row, q, v, contact);
    assert_true(strtod(at, &at) == row.t);
    for (int k = 0; k < NQ; k++) assert_true(*at == ',' && strtod(at + 1, &at) == q[k]);
    for (int k = 0; k < NV; k++) assert_true(*at == ',' && strtod(at + 1, &at) == v[k]);
    for (int k = 0; k < SENSORS; k++) {
      assert_int_equal(*at, ',');
      const double found = strtod(at + 1, &at), wrote = reading(i, k);
      assert_true(found == wrote || (isnan(found) && isnan(wrote)));
    }
    assert_true(*at == ',' && strtod(at + 1, &at) == row.energy.kinetic);
    const char *last = strchr(at, '\n') - 1;
    assert_int_equal(*last - '0', row.ncontact);
    at = strchr(at, '\n') + 1;
  }
  assert_string_equal(at, "# truncated: interrupted\n");
  free(text);
}

static int count_files(void) {
  char command[300], answer[32] = "";
  snprintf(command, sizeof command, "ls -A %s | wc -l", folder);
  FILE *pipe = popen(command, "r");
  assert_non_null(pipe);
  assert_non_null(fgets(answer, sizeof answer, pipe));
  pclose(pipe);
  return atoi(answer);
}

/* A limit on the size of files stands for a full disk: the system refuses to write more. */
static void a_full_disk_is_an_error_and_leaves_nothing(void **state) {
  (void)state;
  static const char *const ENDINGS[2] = {"full.h5", "full.csv"};
  struct rlimit before, small;
  const int files = count_files();
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &before);
  small = before, small.rlim_cur = 100000;
  setrlimit(RLIMIT_FSIZE, &small);
  for (int i = 0; i < 2; i++) {
    crd_error err = {0};
    assert_int_equal(write_trace(place(ENDINGS[i]), ROWS, &err), CRD_ERR_FILE);
    assert_non_null(strstr(err.text, strerror(EFBIG)));
    assert_int_not_equal(access(place(ENDINGS[i]), F_OK), 0);
  }
  setrlimit(RLIMIT_FSIZE, &before);
  assert_int_equal(count_files(), files);
}

static void places_that_cannot_be_written_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *path;
    crd_status status;
    const char *says;
  } CASES[] = {{"/tmp/no/such/folder/x.h5", CRD_ERR_FILE, "No such file"},
               {"/tmp/no/such/folder/x.csv", CRD_ERR_FILE, "No such file"},
               {"/tmp/x.txt", CRD_ERR_ARGUMENT, "expected .h5 or .csv"},
               {"/tmp/x", CRD_ERR_ARGUMENT, "expected .h5 or .csv"}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    crd_error err = {0};
    assert_int_equal(write_trace(CASES[i].path, 1, &err), CASES[i].status);
    assert_non_null(strstr(err.text, CASES[i].says));
  }
}

static void a_given_up_trace_leaves_nothing(void **state) {
  (void)state;
  const int files = count_files();
  for (int i = 0; i < 2; i++) {
    crd_trace_writer *writer;
    const crd_trace_header head = header();
    assert_int_equal(crd_io_trace_create(place(i ? "g.h5" : "g.csv"), &head, NQ, NV, &writer, NULL), CRD_OK);
    write_rows(writer, 100);
    assert_false(crd_io_trace_failed(writer));
    crd_io_trace_discard(writer);
  }
  assert_int_equal(count_files(), files);
}

/* ------------------------------------------------------------------------------------------------ broken files */

static void remove_object(hid_t file, const char *name) { H5Ldelete(file, name, H5P_DEFAULT); }

static void replace_integers(hid_t file, const char *name, hid_t type, hsize_t count, const int64_t *value) {
  H5Ldelete(file, name, H5P_DEFAULT);
  hid_t space = H5Screate_simple(1, &count, NULL);
  hid_t made = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(made, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, value);
  H5Dclose(made), H5Sclose(space);
}

static void set_integer(hid_t file, const char *name, int64_t value) {
  hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
  H5Awrite(attribute, H5T_NATIVE_INT64, &value);
  H5Aclose(attribute);
}

static void set_number(hid_t file, const char *name, hsize_t at, double value) {
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set), one = H5Screate(H5S_SCALAR);
  const hsize_t start[2] = {at, 0}, count[2] = {1, 1};
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
  H5Dwrite(set, H5T_NATIVE_DOUBLE, one, space, H5P_DEFAULT, &value);
  H5Sclose(one), H5Sclose(space), H5Dclose(set);
}

static void set_name(hid_t file, const char *value) {
  h5_replace_texts(file, "/model/name", 2, (const char *const[]){"scene.xml", value});
}

static void no_t(hid_t file) { remove_object(file, "/t"); }
static void no_energy(hid_t file) { remove_object(file, "/energy"); }
static void no_names(hid_t file) { remove_object(file, "/names"); }
static void no_events(hid_t file) { remove_object(file, "/events"); }
static void no_seed(hid_t file) { H5Adelete(file, "seed"); }
static void other_format(hid_t file) { h5_replace_attribute(file, "cradle", "outcomes/2"); }
static void other_law(hid_t file) { h5_replace_attribute(file, "law", "wishful"); }
static void other_integrator(hid_t file) { h5_replace_attribute(file, "integrator", "leapfrog"); }
static void other_formulation(hid_t file) { h5_replace_attribute(file, "formulation", "round"); }
static void zero_every(hid_t file) { set_integer(file, "every", 0); }
static void two_truncated(hid_t file) { set_integer(file, "truncated", 2); }
static void nan_position(hid_t file) { set_number(file, "/qpos", 4, NAN); }
static void infinite_sensor(hid_t file) { set_number(file, "/sensors", 4, INFINITY); }
static void short_sensors(hid_t file) {
  remove_object(file, "/sensors"), H5Lcopy(file, "/events/qvel", file, "/sensors", 0, 0);
}
static void nan_energy(hid_t file) { set_number(file, "/energy", 3, NAN); }
static void nan_impulse(hid_t file) { set_number(file, "/contacts/impulse", 2, INFINITY); }
static void time_goes_back(hid_t file) { set_number(file, "/t", 5, -1); }
static void name_leaves(hid_t file) { set_name(file, "part/../../x.stl"); }
static void name_is_absolute(hid_t file) { set_name(file, "/etc/x.stl"); }
static void short_qvel(hid_t file) { remove_object(file, "/qvel"), H5Lcopy(file, "/events/qvel", file, "/qvel", 0, 0); }
static void bad_kind(hid_t file) { replace_integers(file, "/events/kind", H5T_STD_I32LE, 1, (int64_t[]){99}); }
static void bad_mode(hid_t file) {
  replace_integers(file, "/contacts/mode", H5T_STD_I32LE, 9, (int64_t[]){0, 1, 2, -3, 0, 0, 0, 0, 0});
}
static void bad_name(hid_t file) {
  replace_integers(file, "/contacts/name", H5T_STD_I32LE, 9, (int64_t[]){0, 0, 0, 7, 0, 0, 0, 0, 0});
}
static void bad_offset(hid_t file) {
  replace_integers(file, "/contacts/offset", H5T_STD_I64LE, 11, (int64_t[]){0, 0, 1, 3, 3, 9, 6, 6, 7, 9, 9});
}
static void bad_file_offset(hid_t file) {
  replace_integers(file, "/model/offset", H5T_STD_I64LE, 3, (int64_t[]){0, 9, 1000});
}

static void set_energy(hid_t file) { set_number(file, "/energy", 3, 0.5); }
static void set_impulse(hid_t file) { set_number(file, "/contacts/impulse", 2, 0.25); }

static void broken_files_are_refused_with_the_place(void **state) {
  (void)state;
  static const struct {
    void (*break_it)(hid_t file);
    const char *says;
  } CASES[] = {{no_t, "/t"},
               {no_energy, "/energy"},
               {no_names, "/names"},
               {no_events, "/events/t"},
               {no_seed, "seed"},
               {other_format, "found 'outcomes/2', expected 'trace/2'"},
               {other_law, "law"},
               {other_integrator, "integrator"},
               {other_formulation, "formulation"},
               {zero_every, "every"},
               {two_truncated, "truncated"},
               {nan_position, "/qpos"},
               {infinite_sensor, "/sensors"},
               {short_sensors, "/sensors"},
               {nan_energy, "/energy"},
               {nan_impulse, "/contacts/impulse"},
               {time_goes_back, "/t"},
               {name_leaves, "/model/name"},
               {name_is_absolute, "/model/name"},
               {short_qvel, "/qvel"},
               {bad_kind, "/events/kind"},
               {bad_mode, "/contacts/mode"},
               {bad_name, "/contacts/name"},
               {bad_offset, "/contacts/offset"},
               {bad_file_offset, "/model/offset"}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    crd_error err = {0};
    crd_trace trace = {0};
    assert_int_equal(write_trace(place("broken.h5"), 10, NULL), CRD_OK);
    hid_t file = H5Fopen(place("broken.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    CASES[i].break_it(file);
    h5_reseal(file);
    H5Fclose(file);
    assert_true(crd_io_read_trace(place("broken.h5"), &trace, &err) < 0);
    if (!strstr(err.text, CASES[i].says)) fail_msg("case %zu: '%s' lacks '%s'", i, err.text, CASES[i].says);
    assert_null(trace.t);
  }
}

/* The same changes without new digests: each is noticed. */
static void what_was_changed_afterwards_is_refused(void **state) {
  (void)state;
  void (*const changes[])(hid_t) = {zero_every, other_law, time_goes_back, bad_kind, set_energy, set_impulse, no_seed};
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    crd_error err = {0};
    crd_trace trace = {0};
    assert_int_equal(write_trace(place("changed.h5"), 10, NULL), CRD_OK);
    hid_t file = H5Fopen(place("changed.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    changes[i](file);
    H5Fclose(file);
    assert_int_equal(crd_io_read_trace(place("changed.h5"), &trace, &err), CRD_ERR_FORMAT);
    if (!strstr(err.text, "sha256")) fail_msg("case %zu: '%s'", i, err.text);
  }
}

/* A byte of the file is another: it is noticed, or nothing that is read depends on it. */
static void a_changed_byte_is_refused_or_of_no_consequence(void **state) {
  (void)state;
  enum { ROWS_HERE = 12, CHANGES = 4000 };
  size_t size, written = 0, refused = 0, tried = 0;
  crd_trace sound = {0};
  assert_int_equal(write_trace(place("sound.h5"), ROWS_HERE, NULL), CRD_OK);
  assert_int_equal(crd_io_read_trace(place("sound.h5"), &sound, NULL), CRD_OK);
  char *data = whole_file(place("sound.h5"), &size);
  FILE *file = fopen(place("flip.h5"), "wb");
  assert_non_null(file);
  fwrite(data, 1, size, file), fflush(file);
  for (size_t at = 0; at < size; at++) written += data[at] != 0;
  for (size_t at = 0, seen = 0; at < size; at++) {
    /* most of the file is room for rows that did not come: zeros, which are left alone */
    if (data[at] == 0 || seen++ % (written / CHANGES + 1) != 0) continue;
    tried++;
    crd_trace trace = {0};
    const char changed = (char)(data[at] ^ (1 << at % 8));
    fseek(file, (long)at, SEEK_SET), fwrite(&changed, 1, 1, file), fflush(file);
    const crd_status status = crd_io_read_trace(place("flip.h5"), &trace, NULL);
    fseek(file, (long)at, SEEK_SET), fwrite(&data[at], 1, 1, file), fflush(file);
    refused += status != CRD_OK;
    if (status == CRD_OK) {
      assert_int_equal(trace.nrow, ROWS_HERE);
      assert_memory_equal(trace.qpos, sound.qpos, sizeof(double) * NQ * ROWS_HERE);
      assert_memory_equal(trace.energy, sound.energy, sizeof *sound.energy * ROWS_HERE);
      assert_memory_equal(&trace.end.counters, &sound.end.counters, sizeof sound.end.counters);
      for (int64_t c = 0; c < sound.offset[ROWS_HERE]; c++)
        assert_true(trace.contact[c].impulse_n == sound.contact[c].impulse_n);
    }
    crd_io_trace_free(&trace);
  }
  fclose(file);
  assert_true(tried > 1000 && refused > 0);
  crd_io_trace_free(&sound);
  free(data);
}

static void files_cut_short_are_refused(void **state) {
  (void)state;
  size_t size;
  assert_int_equal(write_trace(place("whole.h5"), 300, NULL), CRD_OK);
  char *data = whole_file(place("whole.h5"), &size);
  for (int i = 0; i < 40; i++) {
    crd_trace trace = {0};
    FILE *file = fopen(place("cut.h5"), "wb");
    assert_non_null(file);
    fwrite(data, 1, (size_t)(crd_random_uniform(3, 1, (uint64_t)i) * (double)size), file);
    fclose(file);
    assert_true(crd_io_read_trace(place("cut.h5"), &trace, NULL) < 0);
  }
  free(data);
}

/* ------------------------------------------------------------------------------------------------ the model */

static void write_text(const char *path, const char *text) {
  assert_int_equal(crd_io_write_file(path, text, strlen(text), NULL), CRD_OK);
}

static void a_model_of_several_files_is_read_from_the_trace_alone(void **state) {
  (void)state;
  crd_error err = {0};
  crd_arena arena = {0};
  crd_read_report report = {0};
  crd_model *model, *again;
  mkdir(place("robot"), 0700), mkdir(place("robot/parts"), 0700);
  write_text(place("robot/main.xml"), "<mujoco><include file='parts/body.xml'/></mujoco>");
  write_text(
      place("robot/parts/body.xml"),
      "<mujoco><worldbody><body name='b'><freejoint/><geom type='sphere' size='0.3'/></body></worldbody></mujoco>");
  assert_int_equal(crd_io_read_model(place("robot/main.xml"), NULL, &model, &report, &err), CRD_OK);
  assert_int_equal(report.nfile, 2);
  crd_trace_header head = header();
  assert_int_equal(crd_io_source_files(report.nfile, report.file, &arena, &head.file, &err), CRD_OK);
  head.nfile = report.nfile;
  assert_string_equal(head.file[0].name, "main.xml");
  assert_string_equal(head.file[1].name, "parts/body.xml");
  crd_trace_writer *writer;
  const crd_trace_end end = {.status = "ok"};
  assert_int_equal(crd_io_trace_create(place("m.h5"), &head, model->nq, model->nv, &writer, &err), CRD_OK);
  assert_int_equal(crd_io_trace_commit(writer, &end, &err), CRD_OK);
  unlink(place("robot/parts/body.xml"));
  crd_trace trace = {0};
  assert_int_equal(crd_io_read_trace(place("m.h5"), &trace, &err), CRD_OK);
  assert_int_equal(crd_io_trace_model(&trace, &again, &err), CRD_OK);
  assert_int_equal(again->nq, model->nq);
  assert_true(again->mass == model->mass);
  crd_model_free(model), crd_model_free(again);
  crd_io_trace_free(&trace);
  crd_io_read_report_free(&report);
  crd_arena_free(&arena);
}

/* The model of a stranger's trace must not read the user's files. */
static void a_model_in_a_trace_reads_nothing_outside_it(void **state) {
  (void)state;
  char text[400];
  write_text(place("secret.xml"), "<mujoco><worldbody/></mujoco>");
  snprintf(text, sizeof text, "<mujoco><include file='%s'/></mujoco>", place("secret.xml"));
  const crd_source_file file = {"main.xml", text, strlen(text)};
  const crd_trace trace = {.header = {.input = "main.xml", .formulation = "tree", .nfile = 1, .file = &file}};
  crd_error err = {0};
  crd_model *model;
  assert_true(crd_io_trace_model(&trace, &model, &err) < 0);
  assert_null(model);
  assert_non_null(strstr(err.text, "secret.xml"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_written_is_read_back),
                                     cmocka_unit_test(a_trace_in_memory_is_the_one_of_the_file),
                                     cmocka_unit_test(a_trace_in_memory_is_taken_and_one_of_a_file_committed),
                                     cmocka_unit_test(events_carry_their_state),
                                     cmocka_unit_test(a_trace_holds_what_defines_the_run),
                                     cmocka_unit_test(the_same_run_gives_the_same_bytes),
                                     cmocka_unit_test(csv_has_the_numbers_of_hdf5),
                                     cmocka_unit_test(a_full_disk_is_an_error_and_leaves_nothing),
                                     cmocka_unit_test(places_that_cannot_be_written_are_refused),
                                     cmocka_unit_test(a_given_up_trace_leaves_nothing),
                                     cmocka_unit_test(broken_files_are_refused_with_the_place),
                                     cmocka_unit_test(what_was_changed_afterwards_is_refused),
                                     cmocka_unit_test(a_changed_byte_is_refused_or_of_no_consequence),
                                     cmocka_unit_test(files_cut_short_are_refused),
                                     cmocka_unit_test(a_model_of_several_files_is_read_from_the_trace_alone),
                                     cmocka_unit_test(a_model_in_a_trace_reads_nothing_outside_it)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
