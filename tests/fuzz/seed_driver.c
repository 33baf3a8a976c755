/* Stands in for libFuzzer in the normal build: hands every file of the folders given to the fuzz target, once whole and
 * once cut in half. A folder without any file is an error, so that the test cannot pass by running nothing. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The content of a file in memory of exactly its size, so that AddressSanitizer sees a read beyond its end. */
static uint8_t *read_whole(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  uint8_t *data = NULL;
  if (fseek(file, 0, SEEK_END) == 0) {
    long length = ftell(file);
    rewind(file);
    data = length >= 0 ? malloc(length > 0 ? (size_t)length : 1) : NULL;
    *size = data ? fread(data, 1, (size_t)length, file) : 0;
  }
  fclose(file);
  return data;
}

static int run_file(const char *path) {
  size_t size = 0;
  uint8_t *whole = read_whole(path, &size);
  uint8_t *half = malloc(size / 2 + 1);
  if (!whole || !half) {
    fprintf(stderr, "%s: cannot be read\n", path);
    free(whole), free(half);
    return 1;
  }
  memcpy(half, whole, size / 2);
  LLVMFuzzerTestOneInput(whole, size);
  LLVMFuzzerTestOneInput(half, size / 2);
  free(whole), free(half);
  return 0;
}

static int run_folder(const char *folder) {
  DIR *dir = opendir(folder);
  if (!dir) {
    fprintf(stderr, "%s: no such folder of seeds\n", folder);
    return 1;
  }
  int files = 0, failures = 0;
  for (const struct dirent *entry; (entry = readdir(dir));) {
    if (entry->d_name[0] == '.') continue;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    failures += run_file(path), files++;
  }
  closedir(dir);
  printf("%s: %d seeds\n", folder, files);
  return files == 0 || failures > 0;
}

int main(int argc, char **argv) {
  int failed = argc < 2;
  for (int i = 1; i < argc; i++) failed |= run_folder(argv[i]);
  return failed;
}
