/* Models from files: the root element says which format it is. */
#include <cradle/io.h>
#include <string.h>

#include "io/file/read.h"
#include "io/mjcf/mjcf.h"
#include "io/urdf/urdf.h"
#include "io/xml/xml.h"

crd_status crd_read_build(crd_xml_document *doc, const crd_builder *builder, const crd_build_options *options,
                          crd_model **model) {
  doc->status = crd_model_builder_build(builder, options, model, &doc->error);
  if (doc->status != CRD_OK && doc->error.line > 0) {
    const char *file;
    crd_xml_place(doc, doc->error.line, &file, &doc->error.line);
    strncpy(doc->error.file, file, sizeof doc->error.file - 1);
  }
  return doc->status;
}

/* visuals NULL: a model is built, otherwise what is for show is collected there and nothing is built. */
static crd_status read_document(crd_xml_document *doc, const crd_read_options *options, crd_model **model,
                                crd_read_report *report, crd_visual_list *visuals) {
  if (!crd_xml_ok(doc)) return doc->status;
  crd_builder *builder = crd_model_builder_new();
  if (!builder) return crd_xml_fail_memory(doc);
  crd_build_options build_options = crd_model_build_default();
  if (crd_xml_is(doc->root, "mujoco")) {
    crd_mjcf_read(doc, options, &builder, &build_options, visuals);
  } else if (crd_xml_is(doc->root, "robot")) {
    crd_urdf_read(doc, options, builder, &build_options, visuals);
  } else {
    crd_xml_fail(doc, doc->root, CRD_ERR_FORMAT,
                 "found the root element <%.60s>, expected <mujoco> (MJCF) or <robot> (URDF)", doc->root->name);
  }
  if (crd_xml_ok(doc) && !visuals) crd_read_build(doc, builder, &build_options, model);
  crd_model_builder_free(builder);
  if (visuals) return doc->status;
  if (crd_xml_ok(doc) && crd_xml_report(doc, report) != CRD_OK) {
    crd_model_free(*model);
    *model = NULL;
  }
  return doc->status;
}

static crd_status finish(crd_xml_document *doc, const crd_read_options *options, crd_model **model,
                         crd_read_report *report, crd_error *err) {
  const crd_read_options defaults = crd_io_read_default();
  crd_status status = read_document(doc, options ? options : &defaults, model, report, NULL);
  if (status != CRD_OK && err) *err = doc->error;
  crd_xml_free(doc);
  return status;
}

crd_status crd_io_read_model(const char *path, const crd_read_options *options, crd_model **model,
                             crd_read_report *report, crd_error *err) {
  crd_xml_document doc;
  *model = NULL;
  crd_xml_load(&doc, path);
  return finish(&doc, options, model, report, err);
}

crd_status crd_io_read_model_text(const char *text, size_t size, const char *name, const crd_read_options *options,
                                  crd_model **model, crd_read_report *report, crd_error *err) {
  crd_xml_document doc;
  *model = NULL;
  crd_xml_load_text(&doc, text, size, name);
  return finish(&doc, options, model, report, err);
}

/* ------------------------------------------------------------------------------------------------ visuals */

static crd_status finish_visuals(crd_xml_document *doc, const crd_read_options *options, crd_visuals *visuals,
                                 crd_error *err) {
  const crd_read_options defaults = crd_io_read_default();
  crd_visual_list list = {0};
  *visuals = (crd_visuals){0};
  crd_status status = read_document(doc, options ? options : &defaults, NULL, NULL, &list);
  if (status == CRD_OK) {
    status = crd_visual_finish(&list, visuals, err);
  } else if (err) {
    *err = doc->error;
  }
  crd_visual_clear(&list);
  crd_xml_free(doc);
  return status;
}

crd_status crd_io_read_visuals(const char *path, const crd_read_options *options, crd_visuals *visuals,
                               crd_error *err) {
  crd_xml_document doc;
  crd_xml_load(&doc, path);
  return finish_visuals(&doc, options, visuals, err);
}

crd_status crd_io_read_visuals_text(const char *text, size_t size, const char *name, const crd_read_options *options,
                                    crd_visuals *visuals, crd_error *err) {
  crd_xml_document doc;
  crd_xml_load_text(&doc, text, size, name);
  return finish_visuals(&doc, options, visuals, err);
}
