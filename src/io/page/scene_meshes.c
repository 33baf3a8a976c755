/* Meshes of a scene. A small one is written as it is. A large one is made coarser where all together have more triangles
 * than a page should carry, and written in 16 bits a number. */
#include <math.h>

#include "io/json/text.h"
#include "io/page/scene.h"
#include "io/visual/visual.h"

/* Triangles of all large meshes together: about 1.2 MB of a page. */
static const double MOST_FACES = 100000;
/* A mesh of at most so many triangles is small. */
enum { SMALL = 1000 };

static const double LARGEST_U16 = 65535;

static void begin(crd_text *text, int place, const char *name) {
  crd_text_add(text, place ? ",\n  {\"name\": " : "\n  {\"name\": ");
  crd_json_add_string(text, name ? name : "");
}

static void add_exact(crd_text *text, const crd_visual_mesh *mesh) {
  crd_text_add(text, ", \"vert\": ");
  crd_json_add_f32(text, 3 * (size_t)mesh->nvert, mesh->vert);
  crd_text_add(text, ", \"face\": ");
  crd_json_add_u32(text, 3 * (size_t)mesh->nface, mesh->face);
  crd_text_add(text, "}");
}

/* Coordinates as steps of the box from its low corner, ids of vertices as they are. */
static void add_compact(crd_text *text, const crd_visual_mesh *mesh, crd_arena *arena) {
  double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  int *step = crd_arena_alloc(arena, 3 * (size_t)mesh->nvert + 1, sizeof *step);
  if (!step) {
    text->failed = true;
    return;
  }
  for (int i = 0; i < 3 * mesh->nvert; i++) {
    low[i % 3] = fmin(low[i % 3], mesh->vert[i]);
    high[i % 3] = fmax(high[i % 3], mesh->vert[i]);
  }
  for (int i = 0; i < 3 * mesh->nvert; i++) {
    const double edge = high[i % 3] - low[i % 3];
    step[i] = edge > 0 ? (int)lround((mesh->vert[i] - low[i % 3]) / edge * LARGEST_U16) : 0;
  }
  crd_text_add(text, ", \"low\": ");
  crd_json_add_vector(text, 3, low);
  crd_text_add(text, ", \"high\": ");
  crd_json_add_vector(text, 3, high);
  crd_text_add(text, ", \"vert\": ");
  crd_json_add_u16(text, 3 * (size_t)mesh->nvert, step);
  crd_text_add(text, ", \"face\": ");
  crd_json_add_u16(text, 3 * (size_t)mesh->nface, mesh->face);
  crd_text_add(text, "}");
}

static void add(crd_text *text, crd_visual_mesh mesh, double share, crd_arena *arena) {
  if (mesh.nface <= SMALL) {
    add_exact(text, &mesh);
    return;
  }
  if (crd_visual_coarsen(arena, (int)fmax(share * mesh.nface, SMALL), &mesh) != CRD_OK) text->failed = true;
  if (!text->failed) add_compact(text, &mesh, arena);
}

/* Without faces a mesh is its hull, and the page finds the faces of that. */
static crd_visual_mesh of_model(const crd_mesh *mesh, crd_arena *arena, bool *failed) {
  crd_visual_mesh whole = {.nvert = mesh->nvert, .nface = mesh->nface, .vert = mesh->vert, .face = mesh->face};
  if (mesh->nface > 0) return whole;
  double *vert = crd_arena_alloc(arena, 3 * (size_t)mesh->nhull + 1, sizeof *vert);
  if (!vert) *failed = true;
  for (int i = 0; vert && i < mesh->nhull; i++)
    for (int k = 0; k < 3; k++) vert[3 * i + k] = mesh->vert[3 * mesh->hull[i] + k];
  return (crd_visual_mesh){.nvert = vert ? mesh->nhull : 0, .vert = vert};
}

static double count_large(const crd_model *model, const crd_visuals *visuals) {
  double faces = 0;
  for (int i = 0; i < model->nmesh; i++) faces += model->mesh[i].nface > SMALL ? model->mesh[i].nface : 0;
  for (int i = 0; visuals && i < visuals->nmesh; i++)
    faces += visuals->mesh[i].nface > SMALL ? visuals->mesh[i].nface : 0;
  return faces;
}

int crd_scene_mesh_place(const crd_model *model, const crd_visuals *visuals, int mesh) {
  if (visuals->mesh[mesh].model_mesh >= 0) return visuals->mesh[mesh].model_mesh;
  int place = model->nmesh;
  for (int i = 0; i < mesh; i++) place += visuals->mesh[i].model_mesh < 0;
  return place;
}

void crd_scene_add_meshes(crd_text *text, const crd_model *model, const crd_visuals *visuals, crd_arena *arena) {
  const double share = fmin(1, MOST_FACES / fmax(count_large(model, visuals), 1));
  crd_text_add(text, ",\n \"meshes\": [");
  for (int i = 0; i < model->nmesh; i++) {
    begin(text, i, model->mesh[i].name);
    add(text, of_model(&model->mesh[i], arena, &text->failed), share, arena);
  }
  for (int i = 0; visuals && i < visuals->nmesh; i++) {
    if (visuals->mesh[i].model_mesh >= 0) continue;
    begin(text, crd_scene_mesh_place(model, visuals, i), visuals->mesh[i].name);
    add(text, visuals->mesh[i], share, arena);
  }
  crd_text_add(text, "]");
}
