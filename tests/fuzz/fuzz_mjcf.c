/* Fuzzes the model readers (MJCF, and URDF by its root element): strictly and leniently, with a report. Files that the
 * text names are looked for in a folder that does not exist. */
#include <cradle/io.h>
#include <cradle/tree.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  crd_read_options options = crd_io_read_default();
  for (int lenient = 0; lenient < 2; lenient++) {
    options.lenient = lenient;
    crd_model *model = NULL;
    crd_read_report report = {0};
    crd_error err = {0};
    crd_status status =
        crd_io_read_model_text((const char *)data, size, "no/such/folder/fuzz.xml", &options, &model, &report, &err);
    if (status == CRD_OK && model->nv > 0 && model->nv < 200) {
      crd_workspace *work = crd_model_workspace_new(model);
      if (work) {
        crd_tree_kinematics(model, work, model->qpos0);
        (void)crd_tree_factor(model, work);
      }
      crd_model_workspace_free(work);
    }
    crd_model_free(model);
    crd_io_read_report_free(&report);
  }
  return 0;
}
