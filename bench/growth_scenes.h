/* Scenes of which the cost of a step is measured against their size: MJCF texts to be freed, NULL: no memory. */
#ifndef BENCH_GROWTH_SCENES_H
#define BENCH_GROWTH_SCENES_H

/* A chain of damped hinges hanging down a wall towards which gravity leans; `contacts` of its links, evenly spaced,
 * carry balls that rest against the wall, the others touch nothing. */
char *growth_chain(int links, int contacts);
/* Balls side by side on a floor, one contact each. */
char *growth_balls(int count);
/* Towers of five boxes side by side on a floor, 20 contacts each. */
char *growth_towers(int count);

#endif
