/* The URDF reader: links become bodies, joints become joints of their child's body, collisions become geoms.
 *
 * As in MuJoCo: the root link is welded to the world (a link named "world" is the world), bodies come depth first with
 * children in the order of the <joint> elements, a floating joint is a free joint, a planar joint two slides and a
 * hinge called NAME_TX, NAME_TY and NAME_RZ. A link without <inertial> takes its mass from its collisions at 1000
 * kg/m^3.
 */
#ifndef CRADLE_SRC_IO_URDF_H
#define CRADLE_SRC_IO_URDF_H

#include "io/visual/visual.h"
#include "io/xml/xml.h"

/* Reads the document (root element <robot>) into the builder, which is new and empty, and fills *build; what is
 * only for show is entered in visuals unless it is NULL. Returns the
 * document's status; the error is in the document. */
crd_status crd_urdf_read(crd_xml_document *doc, const crd_read_options *options, crd_builder *builder,
                         crd_build_options *build, crd_visual_list *visuals);

#endif
