/* MJCF, MuJoCo's file format, into a builder. */
#ifndef CRADLE_IO_MJCF_H
#define CRADLE_IO_MJCF_H

#include "io/visual/visual.h"
#include "io/xml/xml.h"

/* Reads the document (root <mujoco>) into *builder, which is new and empty, and fills *build. *builder may be replaced
 * by another one. What is only for show is entered in visuals unless it is NULL. Returns the document's status; the error is in the document. */
crd_status crd_mjcf_read(crd_xml_document *doc, const crd_read_options *options, crd_builder **builder,
                         crd_build_options *build, crd_visual_list *visuals);

/* Puts the content of included files in place of the <include> elements of the file with this root element. */
void crd_mjcf_expand_includes(crd_xml_document *doc, crd_xml_node *root, const crd_read_options *options);

/* Where a file that an element names is looked for: in subfolder (NULL: none) of the folder of the model's main file,
 * and where there is no such file in that of the file the element stands in. NULL when memory is out. */
const char *crd_mjcf_folder(crd_xml_document *doc, const crd_xml_node *node, const char *subfolder, const char *file);

#endif
