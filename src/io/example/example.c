/* The built-in examples: their table, and the text of one of them by name. */
#include "io/example/example.h"

#include <cradle/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*example_writer)(crd_text *text, const crd_example_request *request);

static const struct entry {
  crd_example about;
  example_writer write;
} TABLE[] = {
    {{"newtons-cradle", "N touching balls on strings, the first one coming: one in, one out (Newton's cradle)", 5, 2,
      1000},
     crd_example_newtons_cradle},
    {{"pendulum", "N links over a floor and before a wall, thrown from the horizontal (Jain)", 3, 1, 10000},
     crd_example_pendulum},
    {{"rocking-block", "a block dropped flat on two corners (Halm & Posa)", 0, 0, 0}, crd_example_rocking_block},
    {{"rocking-block-zeno", "the block pivoting on one corner, rocking to rest", 0, 0, 0},
     crd_example_rocking_block_zeno},
    {{"compass-gait", "a two-legged walker, leading foot striking (Halm & Posa)", 0, 0, 0}, crd_example_compass_gait},
    {{"box-wall", "a tilted box sliding into a wall (Halm & Posa)", 0, 0, 0}, crd_example_box_wall},
    {{"ramone", "the walking robot RAMone, leading foot striking (Halm & Posa)", 0, 0, 0}, crd_example_ramone},
    {{"disk-stack", "a disk falling on two that touch (Halm & Posa)", 0, 0, 0}, crd_example_disk_stack},
    {{"painleve-rod", "a rod sliding on its tip, friction above critical (Painleve)", 0, 0, 0},
     crd_example_painleve_rod},
    {{"ball-chain", "N equal balls in a row, the first one coming (Newton's cradle)", 3, 2, 1000},
     crd_example_ball_chain},
    {{"disk-in-corner", "a disk striking floor and wall at once", 0, 0, 0}, crd_example_disk_in_corner},
    {{"double-pendulum-floor", "two rods, the tip striking a rough floor (Kane)", 0, 0, 0},
     crd_example_double_pendulum_floor},
    {{"four-bar", "a closed four-bar linkage striking a wall (Aghili)", 0, 0, 0}, crd_example_four_bar},
    {{"bouncing-ball", "a ball dropped from 1 m", 0, 0, 0}, crd_example_bouncing_ball},
    {{"box-on-slope", "a box on a slope, its corner striking, or at rest (Brogliato)", 0, 0, 0},
     crd_example_box_on_slope},
    {{"disk-on-plane", "a spinning disk striking a plane, or sliding on it (Brogliato)", 0, 0, 0},
     crd_example_disk_on_plane},
    {{"unequal-balls", "N balls of 1, 2, 4, ... kg in a row, the first one coming (Brogliato)", 3, 2, 20},
     crd_example_unequal_balls},
    {{"impact-oscillator", "a carriage on a spring, its rod rubbing on the floor (Leine)", 0, 0, 0},
     crd_example_impact_oscillator},
    {{"rattleback", "a stone that spins one way and refuses the other (Kane and Levinson)", 0, 0, 0},
     crd_example_rattleback},
    {{"tippe-top", "a top that turns over by friction (Cohen)", 0, 0, 0}, crd_example_tippe_top},
    {{"euler-disk", "a disk that rolls in place, its centre at rest (Moffatt)", 0, 0, 0}, crd_example_euler_disk},
    {{"dominoes", "a row of N dominoes, the first one pushed (Stronge)", 10, 2, 1000}, crd_example_dominoes},
};
enum { COUNT = sizeof TABLE / sizeof TABLE[0] };

int crd_io_example_count(void) { return COUNT; }

const crd_example *crd_io_example_at(int index) { return index >= 0 && index < COUNT ? &TABLE[index].about : NULL; }

/* No example has this name; the message offers the nearest one. */
static crd_status refuse_name(const char *spec, const char *name, size_t length, crd_error *err) {
  enum { LONGEST = 80 };
  char typed[LONGEST] = "", hint[LONGEST] = "";
  int best = (int)length;
  if (length < sizeof typed) memcpy(typed, name, length);
  for (int i = 0; i < COUNT; i++)
    if (crd_nearer_word(typed, TABLE[i].about.name, &best))
      snprintf(hint, sizeof hint, ": did you mean '@%s'?", TABLE[i].about.name);
  return crd_error_set(err, CRD_ERR_ARGUMENT, NULL, 0,
                       "found '%.80s', expected the name of a built-in example (`cradle example` lists them)%s", spec,
                       hint);
}

/* Splits "[@]name[:n]": finds the entry and the size. */
static crd_status find(const char *spec, const struct entry **found, int *n, crd_error *err) {
  const char *name = spec[0] == '@' ? spec + 1 : spec, *colon = strchr(name, ':');
  const size_t length = colon ? (size_t)(colon - name) : strlen(name);
  const struct entry *entry = NULL;
  for (int i = 0; i < COUNT && !entry; i++)
    if (strncmp(TABLE[i].about.name, name, length) == 0 && !TABLE[i].about.name[length]) entry = &TABLE[i];
  if (!entry) return refuse_name(spec, name, length, err);

  *found = entry, *n = entry->about.n_default;
  if (!colon) return CRD_OK;
  if (entry->about.n_max == 0)
    return crd_error_set(err, CRD_ERR_ARGUMENT, NULL, 0,
                         "found '%.80s', but the example %s has no size: expected '@%s'", spec, entry->about.name,
                         entry->about.name);
  char *end = NULL;
  const long value = colon[1] >= '0' && colon[1] <= '9' ? strtol(colon + 1, &end, 10) : -1;
  if (value < entry->about.n_min || value > entry->about.n_max || *end)
    return crd_error_set(err, CRD_ERR_ARGUMENT, NULL, 0, "found '%.80s', expected '@%s:N' with N from %d to %d", spec,
                         entry->about.name, entry->about.n_min, entry->about.n_max);
  *n = (int)value;
  return CRD_OK;
}

crd_example_options crd_io_example_default(void) { return (crd_example_options){.base = 5.5}; }

crd_status crd_io_example_text(const char *spec, const crd_example_options *options, crd_arena *arena,
                               const char **text, crd_error *err) {
  const crd_example_options defaults = crd_io_example_default();
  const struct entry *entry = NULL;
  int n = 0;
  *text = NULL;
  crd_status status = find(spec, &entry, &n, err);
  if (status) return status;
  const crd_example_request request = {n, (options ? options : &defaults)->base};
  if (!isfinite(request.base))
    return crd_error_set(err, CRD_ERR_NUMBER, NULL, 0, "height of the base: found %g, expected a finite number",
                         request.base);

  crd_text written = {0};
  entry->write(&written, &request);
  if (!written.failed) *text = crd_arena_string(arena, written.data);
  crd_text_free(&written);
  return *text ? CRD_OK
               : crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "no memory for the example %s", entry->about.name);
}
