/* Fuzzes the URDF reader, strict and lenient. Meshes are looked for in a folder that does not exist. */
#include <cradle/io.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  for (int lenient = 0; lenient < 2; lenient++) {
    const crd_read_options options = {.lenient = lenient != 0};
    crd_model *model = NULL;
    crd_read_report report = {0};
    crd_error err;
    crd_io_read_model_text((const char *)data, size, "no-such-folder/fuzz.urdf", &options, &model, &report, &err);
    crd_model_free(model);
    crd_io_read_report_free(&report);
  }
  return 0;
}
