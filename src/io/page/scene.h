/* The table of meshes in the JSON of a scene. */
#ifndef CRADLE_SRC_IO_SCENE_H
#define CRADLE_SRC_IO_SCENE_H

#include <cradle/io.h>

#include "io/file/text.h"

/* Adds ', "meshes": [...]': the model's by their ids, then those of the visuals that the model does not have. visuals may
 * be NULL. */
void crd_scene_add_meshes(crd_text *text, const crd_model *model, const crd_visuals *visuals, crd_arena *arena);
/* Where a mesh of the visuals stands in that table. */
int crd_scene_mesh_place(const crd_model *model, const crd_visuals *visuals, int mesh);

#endif
