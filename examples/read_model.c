/* Reads an MJCF or URDF file (or a text, as here without an argument) and tells what is in it and what was left out.
 *
 *   prints: nq 7, nv 6, bodies 1, mass 0.5236 kg
 *   prints: ignored in line 4: light, only for show
 */
#include <cradle/cradle.h>
#include <stdio.h>
#include <string.h>

static const char ball[] =
    "<mujoco model='ball'>\n"
    "  <worldbody>\n"
    "    <geom name='floor' type='plane' size='1 1 0.1'/>\n"
    "    <light pos='0 0 3'/>\n"
    "    <body pos='0 0 1'> <freejoint/> <geom name='ball' type='sphere' size='0.05'/> </body>\n"
    "  </worldbody>\n"
    "</mujoco>\n";

int main(int argc, char **argv) {
  crd_read_options options = crd_io_read_default();
  crd_read_report report = {0};
  crd_model *model;
  crd_error err;
  crd_status status = argc > 1
                          ? crd_io_read_model(argv[1], &options, &model, &report, &err)
                          : crd_io_read_model_text(ball, strlen(ball), "ball.xml", &options, &model, &report, &err);
  if (status) {
    char line[1024];
    crd_error_format(&err, line, sizeof line); /* file:line: what was found, what was expected */
    puts(line);
  } else {
    printf("nq %d, nv %d, bodies %d, mass %.4g kg\n", model->nq, model->nv, model->nbody - 1, model->mass);
    for (int i = 0; i < report.count; i++)
      printf("ignored in line %d: %s, %s\n", report.item[i].line, report.item[i].element, report.item[i].reason);
    crd_model_free(model);
  }
  crd_io_read_report_free(&report);
  return status != CRD_OK;
}
