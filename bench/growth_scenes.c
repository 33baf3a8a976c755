#define _POSIX_C_SOURCE 200809L
#include "growth_scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static char *finish(FILE *file, char **text) {
  if (fclose(file) != 0) return free(*text), NULL;
  return *text;
}

char *growth_chain(int links, int contacts) {
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  if (!file) return NULL;
  const int every = contacts ? links / contacts : links + 1;
  fprintf(file,
          "<mujoco><option timestep='0.001' gravity='-2 0 -9.8'/>"
          "<default><geom type='sphere' size='0.04' mass='0.1' friction='0.5 0 0'/>"
          "<joint type='hinge' axis='0 1 0' damping='0.05'/></default><worldbody>"
          "<geom name='wall' type='plane' size='0 0 1' pos='-0.04 0 0' euler='0 90 0' mass='0'/>");
  for (int i = 0; i < links; i++)
    fprintf(file, "<body pos='0 0 %g'><joint/><geom pos='0 0 -0.05' contype='0' conaffinity='%d'/>\n", i ? -0.1 : 0.0,
            contacts && (i + 1) % every == 0 && (i + 1) / every <= contacts);
  for (int i = 0; i < links; i++) fprintf(file, "</body>");
  fprintf(file, "</worldbody></mujoco>");
  return finish(file, &text);
}

/* A square of places on the floor. */
static double place(int i, int count, double spacing, double *y) {
  const int side = (int)ceil(sqrt(count));
  *y = spacing * (i / side);
  return spacing * (i % side);
}

/* A scene with a floor, to which bodies are added. */
static FILE *begin_floor(char **text, size_t *size) {
  FILE *file = open_memstream(text, size);
  if (file)
    fprintf(file,
            "<mujoco><option timestep='0.001' gravity='0 0 -9.8'/><default><geom friction='0.5 0 0'/></default>"
            "<worldbody><geom type='plane' size='0 0 1'/>");
  return file;
}

char *growth_balls(int count) {
  char *text = NULL;
  size_t size;
  FILE *file = begin_floor(&text, &size);
  if (!file) return NULL;
  for (int i = 0; i < count; i++) {
    double y, x = place(i, count, 0.3, &y);
    fprintf(file, "<body pos='%g %g 0.1'><freejoint/><geom type='sphere' size='0.1'/></body>\n", x, y);
  }
  fprintf(file, "</worldbody></mujoco>");
  return finish(file, &text);
}

char *growth_towers(int count) {
  char *text = NULL;
  size_t size;
  FILE *file = begin_floor(&text, &size);
  if (!file) return NULL;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 5; k++) {
      double y, x = place(i, count, 0.5, &y);
      /* each box a little smaller than the one below: four corners on its face */
      const double half = 0.1 - 0.01 * k;
      fprintf(file, "<body pos='%g %g %g'><freejoint/><geom type='box' size='%g %g 0.1'/></body>\n", x, y,
              0.1 + 0.2 * k, half, half);
    }
  fprintf(file, "</worldbody></mujoco>");
  return finish(file, &text);
}
