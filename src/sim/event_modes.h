/* Modes of a phase: of closed contacts and joints with dry friction from an instant on. */
#ifndef SRC_SIM_EVENT_MODES_H
#define SRC_SIM_EVENT_MODES_H

#include "sim/event_force.h"

typedef enum crd_force_verdict {
  CRD_FORCE_UNIQUE,
  CRD_FORCE_NONE,   /* no force keeps the contacts from closing: Painleve */
  CRD_FORCE_SEVERAL /* several accelerations are possible; the one with the least contact force was taken */
} crd_force_verdict;

/* Data of the nc + ndry units at the instant. */
typedef struct crd_mode_input {
  const double *slip; /* 2 each: unit direction in which a contact slides, sign of a joint's velocity; zero at rest */
  const bool *parts;  /* nc: contacts that part with a velocity and have no force; NULL: none */
  const crd_phase_mode *before; /* modes until now, or those that the event asks for; one that turns slides
                                 * already, so slowly that it counts as at rest. NULL: unknown */
  const double *guess;          /* nrow + nb: forces until now; NULL: none */
} crd_mode_input;

/* Modes (nc + ndry) and forces f (nrow + nb) of contacts that are closed and do not approach. Contacts that do not act on
 * each other are treated apart. CRD_OK with a verdict (CRD_FORCE_NONE: modes are not set); CRD_LIMIT: no forces were
 * found, and none excluded. Memory comes from the arena of the tools. */
crd_status crd_modes_find(const crd_force_problem *force, const crd_mode_input *input, const crd_force_tools *tools,
                          crd_phase_mode *mode, double *f, crd_force_verdict *verdict);

#endif
