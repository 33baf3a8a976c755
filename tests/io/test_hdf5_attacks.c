/* Claims: an HDF5 file of a stranger opens no other file, costs no more memory than its own size calls for, and is read
 * whatever version of HDF5 wrote it in the plain way; all else is refused in words. The files are made by the HDF5
 * library, which follows most of what is refused here. */
#define _XOPEN_SOURCE 700
#include <cradle/io.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "io/hdf5/bytes.h"
#include "io/hdf5/file.h"
#include "support/cmocka_all.h"
#include "support/program.h"

enum { N = 3 };
static const double VALUES[N] = {1, -2.5, 1e300};
static const hsize_t SIZE[1] = {N};

static hid_t make_file(const char *path, bool new_format) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (new_format) H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  assert_true(file >= 0);
  H5Pclose(access);
  return file;
}

static void put_values(hid_t place, const char *name, hid_t creation, bool written) {
  hid_t space = H5Screate_simple(1, SIZE, NULL);
  hid_t data = H5Dcreate2(place, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  assert_true(data >= 0);
  if (written) assert_true(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, VALUES) >= 0);
  H5Dclose(data), H5Sclose(space);
}

/* Status of reading /x of three values; the reason in err. */
static crd_status read_x(const char *path, double value[N], crd_error *err) {
  crd_h5_input *file = NULL;
  crd_arena arena = {0};
  double *found;
  size_t size = CRD_H5_ANY;
  crd_status status = crd_h5_open(path, &file, err);
  if (status == CRD_OK) status = crd_h5_read(file, "/x", CRD_H5_DOUBLE, 1, &size, &arena, &found, err);
  if (status == CRD_OK && size == N) memcpy(value, found, N * sizeof *value);
  crd_h5_close(file);
  crd_arena_free(&arena);
  return status;
}

static void external_link(hid_t file) { H5Lcreate_external("other.h5", "/x", file, "x", H5P_DEFAULT, H5P_DEFAULT); }
static void external_link_absolute(hid_t file) {
  H5Lcreate_external("/etc/passwd", "/x", file, "x", H5P_DEFAULT, H5P_DEFAULT);
}
static void soft_link(hid_t file) { H5Lcreate_soft("/y", file, "x", H5P_DEFAULT, H5P_DEFAULT); }

static void external_storage(hid_t file) {
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(creation, "/etc/passwd", 0, sizeof VALUES);
  put_values(file, "x", creation, false);
  H5Pclose(creation);
}

static void compressed(hid_t file) {
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(creation, 1, SIZE), H5Pset_deflate(creation, 9);
  put_values(file, "x", creation, true);
  H5Pclose(creation);
}

static void shuffled(hid_t file) {
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(creation, 1, SIZE), H5Pset_shuffle(creation);
  put_values(file, "x", creation, true);
  H5Pclose(creation);
}

/* Chunks that nobody wrote: a few bytes that claim to be 1.5 GB. */
static void never_written(hid_t file) {
  const hsize_t size[1] = {200000000}, chunk[1] = {1000};
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, size, NULL);
  H5Pset_chunk(creation, 1, chunk), H5Pset_fletcher32(creation);
  H5Dclose(H5Dcreate2(file, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
  H5Sclose(space), H5Pclose(creation);
}

static void variable_length(hid_t file) {
  const char *text[N] = {"a", "b", "c"};
  hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, SIZE, NULL);
  H5Tset_size(type, H5T_VARIABLE);
  hid_t data = H5Dcreate2(file, "x", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text);
  H5Dclose(data), H5Sclose(space), H5Tclose(type);
}

static void committed_type(hid_t file) {
  hid_t type = H5Tcopy(H5T_IEEE_F64LE), space = H5Screate_simple(1, SIZE, NULL);
  H5Tcommit2(file, "type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dclose(H5Dcreate2(file, "x", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Sclose(space), H5Tclose(type);
}

static void group_in_itself(hid_t file) {
  hid_t group = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_hard(file, "/", group, "again", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_hard(file, "/g", group, "and again", H5P_DEFAULT, H5P_DEFAULT);
  H5Gclose(group);
}

static void big_endian(hid_t file) {
  hid_t space = H5Screate_simple(1, SIZE, NULL);
  hid_t data = H5Dcreate2(file, "x", H5T_IEEE_F64BE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, VALUES);
  H5Dclose(data), H5Sclose(space);
}

static void many_attributes(hid_t file) {
  for (int i = 0; i < 20; i++) {
    char name[16];
    snprintf(name, sizeof name, "a%d", i);
    hid_t space = H5Screate(H5S_SCALAR);
    H5Aclose(H5Acreate2(file, name, H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
  }
}

static void attacks_are_refused_in_words(void **state) {
  (void)state;
  static const struct {
    void (*make)(hid_t file);
    const char *says;
  } ATTACKS[] = {{external_link, "external link"},
                 {external_link_absolute, "external link"},
                 {soft_link, "soft"},
                 {external_storage, "another file"},
                 {compressed, "filter"},
                 {shuffled, "filter"},
                 {never_written, "fewer bytes"},
                 {variable_length, "another type"},
                 {committed_type, "shared message"},
                 {group_in_itself, "found"},
                 {big_endian, "another type"},
                 {many_attributes, "cradle 0.1"}};
  const char *path = program_file("attack.h5");
  struct rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  for (int format = 0; format < 2; format++)
    for (size_t i = 0; i < sizeof ATTACKS / sizeof *ATTACKS; i++) {
      double value[N];
      crd_error err = {0};
      if (ATTACKS[i].make == many_attributes && format == 0) continue; /* the old headers hold them all */
      hid_t file = make_file(path, format == 1);
      ATTACKS[i].make(file);
      H5Fclose(file);
      const crd_status status = read_x(path, value, &err);
      if (status != CRD_ERR_FORMAT || !strstr(err.text, ATTACKS[i].says))
        fail_msg("attack %zu, format %d: status %d, '%s' does not say '%s'", i, format, status, err.text,
                 ATTACKS[i].says);
    }
  getrusage(RUSAGE_SELF, &after);
  assert_true(after.ru_maxrss - before.ru_maxrss < 100 * 1024); /* KB */
}

/* Plain files of other programs, in the old format (symbol tables, headers without checksums) and the new one. */
static void plain_files_of_others_are_read(void **state) {
  (void)state;
  const char *path = program_file("plain.h5");
  for (int format = 0; format < 2; format++)
    for (int chunked = 0; chunked < 3; chunked++) {
      double value[N];
      crd_error err = {0};
      const hsize_t two[1] = {2};
      hid_t file = make_file(path, format == 1), creation = H5Pcreate(H5P_DATASET_CREATE);
      if (chunked > 0) H5Pset_chunk(creation, 1, two);
      if (chunked > 1) H5Pset_fletcher32(creation);
      put_values(file, "x", creation, true);
      for (int i = 0; i < 50; i++) { /* several symbol tables */
        char name[16];
        snprintf(name, sizeof name, "y%d", i);
        if (format == 0) put_values(file, name, H5P_DEFAULT, true);
      }
      H5Pclose(creation);
      H5Fclose(file);
      if (read_x(path, value, &err)) fail_msg("format %d, chunks %d: %s", format, chunked, err.text);
      assert_memory_equal(value, VALUES, sizeof VALUES);
    }
}

/* A group of the old kind has no checksums: whatever its bytes say, reading ends. */
static void changed_bytes_of_old_files_end_in_values_or_words(void **state) {
  (void)state;
  const char *path = program_file("old.h5");
  hid_t file = make_file(path, false);
  for (int i = 0; i < 20; i++) {
    char name[16];
    snprintf(name, sizeof name, i ? "y%d" : "x", i);
    put_values(file, name, H5P_DEFAULT, true);
  }
  H5Fclose(file);
  FILE *stream = fopen(path, "rb");
  assert_non_null(stream);
  static unsigned char data[100000];
  const size_t size = fread(data, 1, sizeof data, stream);
  fclose(stream);
  int refused = 0;
  for (size_t k = 0; k < 40000; k++) {
    const size_t at = (size_t)(crd_random_uniform(5, 1, k) * (double)size);
    const unsigned char kept = data[at];
    data[at] = (unsigned char)(crd_random_uniform(5, 2, k) * 256);
    crd_h5_input *input;
    crd_error err = {0};
    crd_arena arena = {0};
    double *value;
    size_t rows = CRD_H5_ANY;
    crd_status status = crd_h5_open_memory(data, size, "old", &input, &err);
    if (status == CRD_OK) status = crd_h5_read(input, "/x", CRD_H5_DOUBLE, 1, &rows, &arena, &value, &err);
    refused += status != CRD_OK;
    assert_true(status == CRD_OK || err.text[0]);
    crd_h5_close(input);
    crd_arena_free(&arena);
    data[at] = kept;
  }
  assert_true(refused > 100);
}

/* Of the format's own documentation of lookup3 (the initial value 0 of nothing) and of a sum done by hand:
 * words 0x0102, 0x0304: first = 0x0406, second = 0x0102 + 0x0406 = 0x0508. */
static void checksums_are_those_of_the_format(void **state) {
  (void)state;
  const unsigned char bytes[] = {1, 2, 3, 4};
  assert_int_equal(crd_h5_lookup3(bytes, 0), 0xdeadbeef);
  assert_int_equal(crd_h5_lookup3((const unsigned char *)"Four score and seven years ago", 30), 0x17770551);
  assert_int_equal(crd_h5_fletcher32(bytes, 4), 0x05080406);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(checksums_are_those_of_the_format),
                                     cmocka_unit_test(attacks_are_refused_in_words),
                                     cmocka_unit_test(plain_files_of_others_are_read),
                                     cmocka_unit_test(changed_bytes_of_old_files_end_in_values_or_words)};
  return cmocka_run_group_tests(tests, NULL, program_remove_folder);
}
