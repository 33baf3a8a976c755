/* Scenes for collision tests: bodies with one geom each, at poses given directly, and an oracle that knows the solids
 * by their textbook support functions and inequalities, independent of the library's. */
#ifndef TESTS_SCENE_H
#define TESTS_SCENE_H

#include <cradle/collide.h>

#include "support/random_tree.h"

enum { SCENE_MAX = 64, SCENE_CONTACTS = 512 };

typedef struct scene {
  crd_builder *builder;
  crd_model *model;
  crd_collider *collider;
  int ngeom;
  bool moving; /* a moving geom was added */
  double pos[3 * SCENE_MAX], R[9 * SCENE_MAX];
  double extra[SCENE_MAX][12]; /* vertices of the meshes */
  int count;
  crd_contact_point contact[SCENE_CONTACTS];
} scene;

scene *scene_new(void);
void scene_free(scene *s);

/* Each adds a geom, on a free body of its own or (fixed, before all others) on the world, and returns its id. size as
 * in crd_geom_def. */
int scene_add(scene *s, crd_geom_type type, double a, double b, double c, bool fixed);
/* A tetrahedron with the given corners (4 x 3); a build without Qhull skips the test. */
int scene_add_tetrahedron(scene *s, const double *corner, bool fixed);
/* A definition of one's own. */
int scene_add_geom(scene *s, const crd_geom_def *def, bool fixed);
/* A solid of the type with random size of order one (mesh: a tetrahedron). */
int scene_add_random(scene *s, crd_geom_type type, random_stream *stream);

/* Builds the model and the collider; asserts. */
void scene_build(scene *s);
/* Position and rotation by an angle about an axis. */
void scene_place(scene *s, int geom, double x, double y, double z);
void scene_turn(scene *s, int geom, double ax, double ay, double az, double angle);
void scene_turn_quat(scene *s, int geom, const double quat[4]);

/* Contacts of two geoms into s->contact; the nearest one is returned (asserts that there is one). */
const crd_contact_point *scene_pair(scene *s, int g1, int g2, double distance);
/* All contacts of the scene. */
void scene_collide(scene *s, double distance);

/* The oracle: how far the solid reaches along m (unit, world) from its centre; and how far, at most, x lies outside it
 * (negative inside). */
double scene_reach(const scene *s, int geom, const double m[3]);
double scene_outside(const scene *s, int geom, const double x[3]);
/* Separation of A and B along n by the oracle. */
double scene_separation(const scene *s, int a, int b, const double n[3]);

#endif
