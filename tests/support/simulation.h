/* A simulation with its model, from a scene, MJCF text or a built-in example, and a record of its events. */
#ifndef TESTS_SIMULATION_H
#define TESTS_SIMULATION_H

#include <cradle/sim.h>

enum { SIMULATION_EVENTS = 4096 };

typedef struct simulation {
  crd_model *model;
  crd_sim *sim;
  int count; /* of events; those beyond the room are counted only */
  crd_sim_event event[SIMULATION_EVENTS];
} simulation;

/* All of them. */
enum { SIMULATION_INTEGRATORS = 5 };
extern const crd_sim_integrator simulation_integrators[SIMULATION_INTEGRATORS];

/* Starts at the first keyframe where there is one. options NULL: the default; its observer is replaced by the record.
 */
simulation *simulation_from_text(const char *source, const crd_sim_options *options); /* MJCF, or a scene with changes
                                                                                         (support/scene_text.h) */
simulation *simulation_by(const char *source,
                          crd_sim_integrator integrator); /* the same with default options except for it */
simulation *simulation_from_example(const char *spec, const crd_sim_options *options); /* "@name[:n]" */
simulation *simulation_from_model(crd_model *model, const crd_sim_options *options);   /* takes the model over */
void simulation_free(simulation *s);

/* Runs to time t; the test fails with the simulation's message unless it gets there. */
void simulation_run(simulation *s, double t);
/* The nth event (from 0) of a kind; the test fails where there is none. */
const crd_sim_event *simulation_event(const simulation *s, crd_sim_event_kind kind, int n);
int simulation_count(const simulation *s, crd_sim_event_kind kind);

#endif
