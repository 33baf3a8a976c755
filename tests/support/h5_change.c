#define _XOPEN_SOURCE 700
#include "support/h5_change.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/seal.h"

static const char DIGEST[] = "sha256";

static void put_text(hid_t object, const char *name, const char *text) {
  hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  H5Tset_size(type, strlen(text) ? strlen(text) : 1), H5Tset_strpad(type, H5T_STR_NULLPAD);
  if (H5Aexists(object, name) > 0) H5Adelete(object, name);
  hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, type, text);
  H5Aclose(attribute), H5Sclose(space), H5Tclose(type);
}

static void put_digest(hid_t object, const unsigned char digest[CRD_SHA256_BYTES]) {
  char text[CRD_SHA256_TEXT];
  crd_sha256_text(digest, text);
  put_text(object, DIGEST, text);
}

/* Of the values as they lie in the file; texts of variable length have none, and are refused for that. */
static void digest_values(hid_t dataset) {
  hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
  const size_t size = H5Tget_size(type) * (size_t)H5Sget_simple_extent_npoints(space);
  unsigned char *value = calloc(size + 1, 1), digest[CRD_SHA256_BYTES];
  crd_sha256 sum;
  H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value);
  crd_sha256_begin(&sum);
  crd_sha256_add(&sum, value, size);
  crd_sha256_end(&sum, digest);
  put_digest(dataset, digest);
  free(value);
  H5Sclose(space), H5Tclose(type);
}

typedef struct sealing {
  unsigned char seal[CRD_SHA256_BYTES];
  char path[300];
} sealing;

static herr_t add_attribute(hid_t object, const char *name, const H5A_info_t *info, void *data) {
  sealing *s = data;
  (void)info;
  if (strcmp(s->path, "/") == 0 && strcmp(name, DIGEST) == 0) return 0;
  hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(attribute);
  const size_t size = H5Tget_size(type);
  char *value = calloc(size + 1, 1);
  H5Aread(attribute, type, value);
  const H5T_class_t class = H5Tget_class(type);
  crd_h5_seal_add(s->seal, s->path, name,
                  class == H5T_STRING  ? 't'
                  : class == H5T_FLOAT ? 'n'
                                       : 'i',
                  value, class == H5T_STRING ? strlen(value) : size);
  free(value);
  H5Tclose(type), H5Aclose(attribute);
  return 0;
}

static void visit(hid_t object, sealing *s) {
  hsize_t at = 0;
  H5G_info_t group = {0};
  const size_t length = strlen(s->path);
  const bool is_group = H5Iget_type(object) != H5I_DATASET && H5Gget_info(object, &group) >= 0;
  if (length == 0) strcpy(s->path, "/");
  if (!is_group) digest_values(object);
  H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &at, add_attribute, s);
  for (hsize_t i = 0; is_group && i < group.nlinks; i++) {
    char name[200];
    H5Lget_name_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
    snprintf(s->path + length, sizeof s->path - length, "/%s", name);
    hid_t member = H5Oopen(object, name, H5P_DEFAULT);
    visit(member, s);
    H5Oclose(member);
  }
  s->path[length] = 0;
}

void h5_reseal(hid_t file) {
  sealing s = {0};
  hid_t root = H5Gopen2(file, "/", H5P_DEFAULT);
  visit(root, &s);
  put_digest(root, s.seal);
  H5Gclose(root);
}

void h5_replace_texts(hid_t file, const char *name, int count, const char *const *text) {
  enum { WIDTH = 64 };
  char values[8][WIDTH] = {{0}};
  const hsize_t size = (hsize_t)count;
  for (int i = 0; i < count; i++) snprintf(values[i], WIDTH, "%s", text[i]);
  H5Ldelete(file, name, H5P_DEFAULT);
  hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &size, NULL);
  H5Tset_size(type, WIDTH), H5Tset_strpad(type, H5T_STR_NULLPAD);
  hid_t made = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  H5Dclose(made), H5Sclose(space), H5Tclose(type);
}

void h5_replace_attribute(hid_t file, const char *name, const char *text) { put_text(file, name, text); }
