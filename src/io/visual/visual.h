/* Shapes and colours for pages, while a model file is read. The readers enter every geom with its colour, and the
 * shapes that take no part in the dynamics; nothing here reaches a model. What cannot be drawn is a note. */
#ifndef CRADLE_SRC_IO_VISUAL_H
#define CRADLE_SRC_IO_VISUAL_H

#include <cradle/io.h>

#include "io/mesh/file.h"

/* Most vertices of one of them: their ids have 16 bits. */
enum { CRD_VISUAL_VERTICES = 65535 };

typedef struct crd_visual_entry {
  crd_visual visual;
  bool counts; /* it is a geom of the model too */
  struct crd_visual_entry *next;
} crd_visual_entry;

typedef struct crd_visual_mesh_entry {
  crd_visual_mesh mesh;
  const void *key; /* whose mesh it is, for the reader that shares it */
  struct crd_visual_mesh_entry *next;
} crd_visual_mesh_entry;

typedef struct crd_visual_note {
  const char *text;
  struct crd_visual_note *next;
} crd_visual_note;

/* Zero it before the first use ({0}). Everything lies in the arena. */
typedef struct crd_visual_list {
  crd_visual_entry *first, *last;
  crd_visual_mesh_entry *first_mesh, *last_mesh;
  crd_visual_note *first_note, *last_note;
  int count, nmesh, nnote;
  crd_arena arena;
  bool failed; /* out of memory */
} crd_visual_list;

/* Empties the list for another reading. */
void crd_visual_clear(crd_visual_list *list);

/* Enters a shape; counts: it is a geom of the model too. The name is copied. */
void crd_visual_add(crd_visual_list *list, const crd_visual *visual, bool counts);

/* The id of the mesh with this key, -1: there is none. */
int crd_visual_find_mesh(const crd_visual_list *list, const void *key);
/* The mesh with this key is the model's mesh `id`: its numbers are not needed. */
void crd_visual_share_mesh(crd_visual_list *list, const void *key, int id);
/* Copies the mesh, which has faces; its id, -1: no memory. */
int crd_visual_add_mesh(crd_visual_list *list, const void *key, const char *name, const crd_mesh_data *data);

/* Once each. */
void crd_visual_note_add(crd_visual_list *list, const char *format, ...) CRD_PRINTF(2, 3);

/* The list in its public form; takes over its arena. CRD_ERR_MEMORY. */
crd_status crd_visual_finish(crd_visual_list *list, crd_visuals *visuals, crd_error *err);

/* Makes the mesh coarser until it has `most` triangles and CRD_VISUAL_VERTICES vertices at most: vertices in the same
 * cell of a cubic grid become one, at their mean [Rossignac, Borrel 1993]. The grid is the finest that
 * will do. O(n) a try. CRD_ERR_MEMORY. */
crd_status crd_visual_coarsen(crd_arena *arena, int most, crd_visual_mesh *mesh);

/* Mean colour (red, green, blue, opacity in 0..1) of a PNG picture of `size` bytes; false: it is none that can be
 * read, or the library has no reader for it. */
bool crd_visual_picture_mean(const char *data, size_t size, double rgba[4]);

/* The red samples of a PNG picture, 0..255, row by row from the top, in the arena; false: as above. */
bool crd_visual_picture_red(const char *data, size_t size, crd_arena *arena, int *width, int *height, double **red);

#endif
