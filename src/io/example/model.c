/* A built-in example read into a model, through the same reader as any file. */
#include <cradle/io.h>
#include <string.h>

crd_status crd_io_example_model(const char *spec, const crd_example_options *options, crd_model **model,
                                crd_error *err) {
  crd_arena arena = {0};
  const char *text;
  *model = NULL;
  crd_status status = crd_io_example_text(spec, options, &arena, &text, err);
  if (!status) status = crd_io_read_model_text(text, strlen(text), spec, NULL, model, NULL, err);
  crd_arena_free(&arena);
  return status;
}
