/* cradle as one of the engines of Jain's pendulum (peers/pendulum.h). Variants: integrator and formulation, "rk4 tree".
 */
#ifndef BENCH_CRADLE_PENDULUM_H
#define BENCH_CRADLE_PENDULUM_H

#include "peers/pendulum.h"

extern const pendulum_engine cradle_pendulum;

#endif
