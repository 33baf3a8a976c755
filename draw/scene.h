/* A mechanism at a state as part of a picture: bodies from their geoms, planes, contacts with normals, friction cones
 * and arrows, seen in parallel projection. What the page draws with WebGL, for paper. */
#ifndef CRADLE_DRAW_SCENE_H
#define CRADLE_DRAW_SCENE_H

#include <cradle/impact.h>
#include <cradle/model.h>
#include <cradle/tree.h>

#include "draw/picture.h"

typedef struct scene_camera {
  double right[3], up[3], toward[3]; /* axes of the picture and the direction to the eye, world */
  double centre[3];                  /* world point in the middle of the frame */
  double scale;                      /* of the picture's units to a metre */
  double size;                       /* of the mechanism, m: what glyphs are measured by */
  double nearest;                    /* how far it comes toward the eye */
  double left, top, width, height;   /* of the frame */
} scene_camera;

/* Looks from "oblique", "front", "side" or "top" (front is along y); oblique keeps close to the plane of a planar
 * mechanism. false: there is no such view. */
bool scene_look(scene_camera *camera, const char *view, const crd_model *model);
/* Makes all these configurations (count x nq) fit a frame of this size. Uses work. CRD_ERR_MEMORY. */
crd_status scene_fit(scene_camera *camera, const crd_model *model, crd_workspace *work, const double *qpos, int count,
                     double width, double height);

/* A contact: point, normal, cone of friction and an arrow between two points, all in the world's frame. */
typedef struct scene_mark {
  double point[3], normal[3], mu;
  double from[3], to[3]; /* of the arrow; equal: none */
  int colour;            /* of all but the normal */
} scene_mark;

/* Sticking blue, slipping brown, the others grey, as on the pages. */
int scene_mode_colour(crd_mode mode);

/* Draws the mechanism at qpos into the frame, marks over it. Uses work. CRD_ERR_MEMORY. */
crd_status scene_draw(picture *to, const scene_camera *camera, const crd_model *model, crd_workspace *work,
                      const double *qpos, const scene_mark *mark, int nmark);

/* ------------------------------------------------------------------------------------------------ pieces */

/* A flat piece of a surface, or an edge (two corners), in the world's frame. */
typedef struct scene_facet {
  int corners; /* 2 to 4 */
  double corner[4][3];
  int colour;   /* as it is lit */
  double depth; /* toward the eye */
  size_t order; /* in which it was added */
  bool fixed;   /* of a body that does not move */
} scene_facet;

typedef struct scene_surface {
  scene_facet *facet;
  size_t count, room;
  bool failed; /* out of memory */
} scene_surface;

/* Adds what the eye sees of the geom at this pose. Planes have none. */
void scene_add_geom(scene_surface *surface, const scene_camera *camera, const crd_model *model, int geom,
                    const double pos[3], const double R[9]);
/* The geom's place in the picture's colours, and whether it is drawn at all. */
int scene_colour(const crd_model *model, int geom);
bool scene_is_shown(const crd_model *model, int geom);

/* World to picture. */
void scene_project(const scene_camera *camera, const double point[3], double xy[2]);
/* The planes of the model that are seen from their front (behind = false) or from behind. */
void scene_draw_planes(picture *to, const scene_camera *camera, const crd_model *model, const crd_workspace *work,
                       bool behind);
void scene_draw_mark(picture *to, const scene_camera *camera, const scene_mark *mark);
/* Convex hull of count points x y, counter-clockwise, in place; the number of its corners. */
int scene_hull(int count, double *xy);

#endif
