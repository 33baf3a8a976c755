/* The last step of every reader. */
#ifndef CRADLE_IO_READ_H
#define CRADLE_IO_READ_H

#include "io/xml/xml.h"

/* crd_model_builder_build for definitions whose lines are places of the document (crd_xml_place): a message gets the file and
 * the line that the place stands for. Returns the document's status. */
crd_status crd_read_build(crd_xml_document *doc, const crd_builder *builder, const crd_build_options *options,
                          crd_model **model);

#endif
