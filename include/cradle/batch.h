/* batch: one model, many simulations ("members") that are stepped together, each with a state, controls and a seed of
 * its own.
 *
 * A member gives the same bits as a crd_sim of its own with the same model, options and calls, for any number of
 * threads and members. It takes the memory of one crd_sim_save (some kilobytes), not of a whole simulation: each thread
 * has one crd_sim, into which it restores one member after the other.
 *
 * States lie in arrays of one row a member, which live as long as the batch, at the same addresses:
 *
 *   crd_batch_ctrl (count x nactuator)    the caller writes controls of the steps to come
 *   crd_batch_qpos (count x nq), crd_batch_qvel (count x nv), crd_batch_act (count x nact), crd_batch_time (count),
 *   crd_batch_sensors (count x nsensordata), crd_batch_status (count)    the caller reads
 *
 * A member that fails keeps the state before the step that failed, says why, and stands still until it is reset; the
 * others go on. A batch belongs to one thread at a time; the model is shared. Units, frames and orders are those of
 * cradle/sim.h.
 */
#ifndef CRADLE_BATCH_H
#define CRADLE_BATCH_H

#include <cradle/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct crd_batch crd_batch;

typedef struct crd_batch_options {
  int count;    /* members, at least 1 */
  int threads;  /* that step them; 0: as many as OpenMP gives (OMP_NUM_THREADS); without OpenMP always 1 */
  bool sensors; /* read the model's sensors after every step, into crd_batch_sensors; false: the array stays zero */
  /* Of every member. control, control_next and observer must be NULL: crd_batch_ctrl drives the members. seed: of
   * member 0; member i gets seed + i (crd_batch_seeds). stop: asked in the calling thread, at least every few
   * milliseconds. */
  crd_sim_options sim;
} crd_batch_options;
/* 1 member, all threads, sensors read, crd_sim_default(). */
CRD_API crd_batch_options crd_batch_default(void);

/* A batch with all members at the model's first state (as crd_sim_new; if crd_sim_reset refuses this state, all members
 * fail until they are reset). options NULL: the default. On failure *batch is NULL and *err (may be NULL) states the
 * value found and expected: CRD_ERR_ARGUMENT, CRD_ERR_MEMORY, and the failures of crd_sim_new. The model must outlive
 * the batch. */
CRD_API crd_status crd_batch_new(const crd_model *model, const crd_batch_options *options, crd_batch **batch,
                                 crd_error *err);
CRD_API void crd_batch_free(crd_batch *batch);

CRD_API const crd_model *crd_batch_model(const crd_batch *batch);
CRD_API int crd_batch_count(const crd_batch *batch);
/* Threads that a call uses at most. */
CRD_API int crd_batch_threads(const crd_batch *batch);
/* Bytes that the batch holds for its members' states and arrays, without the simulations of the threads. */
CRD_API size_t crd_batch_bytes(const crd_batch *batch);

/* ------------------------------------------------------------------------------------------------ arrays */

/* Controls (count x nactuator) of the next steps: written by the caller between calls, constant until written again; a
 * reset zeroes the rows of its members. */
CRD_API double *crd_batch_ctrl(crd_batch *batch);
/* Seeds (count) of the random numbers in a law (crd_sim_options.seed): written by the caller between calls. */
CRD_API uint64_t *crd_batch_seeds(crd_batch *batch);

/* The present states, one row a member; read only. */
CRD_API const double *crd_batch_qpos(const crd_batch *batch);    /* count x nq */
CRD_API const double *crd_batch_qvel(const crd_batch *batch);    /* count x nv: m/s, rad/s */
CRD_API const double *crd_batch_act(const crd_batch *batch);     /* count x nact */
CRD_API const double *crd_batch_time(const crd_batch *batch);    /* count: s */
CRD_API const double *crd_batch_sensors(const crd_batch *batch); /* count x nsensordata, as crd_sim_sensors */

/* How the last step or reset of each member ended (count): CRD_OK, or why it stands still. */
CRD_API const crd_status *crd_batch_status(const crd_batch *batch);
/* Why a member failed, "" where it has not; lives until its next step, reset or crd_batch_put. NULL: no such member. */
CRD_API const char *crd_batch_message(const crd_batch *batch, int member);
/* How many members stand failed; *first (may be NULL): the first of them, -1 where there is none. */
CRD_API int crd_batch_failures(const crd_batch *batch, int *first);

/* ------------------------------------------------------------------------------------------------ moving
 * These return CRD_OK when every member was served, also where some of them failed (crd_batch_failures); CRD_STOPPED
 * when options.sim.stop asked for the end: each member then stands after a whole step, some further than others, as
 * crd_batch_time says; CRD_ERR_ARGUMENT for arguments out of bounds, and nothing has happened. */

/* `steps` (at least 1) steps of every member that has not failed, with its row of crd_batch_ctrl. */
CRD_API crd_status crd_batch_step(crd_batch *batch, int steps);

/* Records of a rollout after each of its `length` rounds, any of them NULL: rows as in the arrays above, round after
 * round. From the round of its failure on, the rows of a member are NaN. */
typedef struct crd_batch_record {
  double *time;    /* length x count */
  double *qpos;    /* length x count x nq */
  double *qvel;    /* length x count x nv */
  double *act;     /* length x count x nact */
  double *sensors; /* length x count x nsensordata; needs options.sensors */
} crd_batch_record;

/* `length` rounds of `steps` steps of every member that has not failed: in round t with the controls ctrl[t] (length x
 * count x nactuator; NULL: crd_batch_ctrl in all rounds), which are read only; crd_batch_ctrl does not change. The same
 * bits as `length` calls of crd_batch_step. The arrays then hold the last states; record NULL: only these. */
CRD_API crd_status crd_batch_rollout(crd_batch *batch, int length, int steps, const double *ctrl,
                                     const crd_batch_record *record);

/* Resets the n members member[0] .. member[n - 1] (all different), as crd_sim_reset at time 0, to the states qpos (n x
 * nq) and qvel (n x nv), row i for member[i]; NULL: qpos0, rest. member NULL: all members, n = count. Sets their
 * controls to zero and clears their failures. If a state is refused, its member fails with that status and keeps its
 * old state. CRD_ERR_ARGUMENT: a number outside 0 .. count - 1, or the same number twice. */
CRD_API crd_status crd_batch_reset(crd_batch *batch, const int *member, int n, const double *qpos, const double *qvel);

/* ------------------------------------------------------------------------------------------------ single members */

/* Copies a member into a simulation of the same model and options, which gives access to contacts, energies and events
 * of further steps; and copies a simulation, with its controls and pushes (crd_sim_wrench), into a member, whose
 * failure is cleared. CRD_ERR_ARGUMENT: no such member; CRD_ERR_FORMAT: the simulation is of another model or
 * integrator; CRD_ERR_MEMORY. */
CRD_API crd_status crd_batch_get(const crd_batch *batch, int member, crd_sim *sim);
CRD_API crd_status crd_batch_put(crd_batch *batch, int member, const crd_sim *sim);

#ifdef __cplusplus
}
#endif
#endif
