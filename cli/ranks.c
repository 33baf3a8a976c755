#include "ranks.h"

#ifndef CRADLE_WITH_MPI

void cli_ranks_begin(void) {}
int cli_rank(void) { return 0; }
int cli_ranks_end(int code) { return code; }

crd_status cli_ranks_sample(const crd_contact_problem *problem, const crd_outcome_options *options,
                            crd_outcome_set *set) {
  return crd_outcome_sample(problem, options, set);
}

#else

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static int rank_count(void) {
  int begun = 0, count = 1;
  if (MPI_Initialized(&begun) == MPI_SUCCESS && begun) MPI_Comm_size(MPI_COMM_WORLD, &count);
  return count;
}

int cli_rank(void) {
  int begun = 0, rank = 0;
  if (MPI_Initialized(&begun) == MPI_SUCCESS && begun) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/* A process that mpirun did not start pays nothing for MPI. */
void cli_ranks_begin(void) {
  if (!getenv("OMPI_COMM_WORLD_SIZE") || MPI_Init(NULL, NULL) != MPI_SUCCESS) return;
  if (cli_rank() != 0 && (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)))
    MPI_Abort(MPI_COMM_WORLD, CLI_SYSTEM);
}

int cli_ranks_end(int code) {
  int begun = 0;
  if (MPI_Initialized(&begun) != MPI_SUCCESS || !begun) return code;
  fflush(stdout);
  if (code == CLI_BAD_INPUT || code == CLI_SYSTEM) MPI_Abort(MPI_COMM_WORLD, code);
  MPI_Finalize();
  return code;
}

/* The worst status of all ranks, the same everywhere. */
static crd_status agree(crd_status status) {
  int own = (int)status, least, most;
  MPI_Allreduce(&own, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&own, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return (crd_status)(least < 0 ? least : most);
}

/* First sample of a rank: parts differ by one at most. */
static uint64_t part_begin(uint64_t samples, int rank, int ranks) {
  uint64_t each = samples / (uint64_t)ranks, more = samples % (uint64_t)ranks, r = (uint64_t)rank;
  return each * r + (r < more ? r : more);
}

/* Arrays for all samples on rank 0, in the arena of its set, gathered from the parts. */
static crd_status gather(crd_outcome_set *set, const crd_outcome_set *part, uint64_t samples, int ranks) {
  int rank = cli_rank(), *count = calloc((size_t)ranks, sizeof *count), *place = calloc((size_t)ranks, sizeof *place);
  bool memory = count && place;
  size_t total = rank == 0 ? (size_t)samples : 1;
  set->v_plus = crd_arena_alloc(&set->arena, total * (size_t)part->nv, sizeof *set->v_plus);
  set->lcps = crd_arena_alloc(&set->arena, total, sizeof *set->lcps);
  set->ending = crd_arena_alloc(&set->arena, total, 1);
  memory = memory && set->v_plus && set->lcps && set->ending;
  crd_status status = agree(memory ? CRD_OK : CRD_ERR_MEMORY);
  if (status == CRD_OK) {
    MPI_Datatype velocity;
    int own = (int)part->samples;
    for (int r = 0; r < ranks; r++) {
      place[r] = (int)part_begin(samples, r, ranks);
      count[r] = (int)part_begin(samples, r + 1, ranks) - place[r];
    }
    MPI_Type_contiguous(part->nv, MPI_DOUBLE, &velocity);
    MPI_Type_commit(&velocity);
    MPI_Gatherv(part->v_plus, own, velocity, set->v_plus, count, place, velocity, 0, MPI_COMM_WORLD);
    MPI_Gatherv(part->lcps, own, MPI_UINT32_T, set->lcps, count, place, MPI_UINT32_T, 0, MPI_COMM_WORLD);
    MPI_Gatherv(part->ending, own, MPI_UNSIGNED_CHAR, set->ending, count, place, MPI_UNSIGNED_CHAR, 0, MPI_COMM_WORLD);
    MPI_Type_free(&velocity);
  }
  free(count), free(place);
  return status;
}

/* Counts, smallest and largest values: the same whatever the parts. */
static void reduce(crd_outcome_set *set) {
  MPI_Comm all = MPI_COMM_WORLD;
  uint64_t sum[6] = {set->total_lcps, set->ambiguous_lcps, set->slow_lcps,
                     set->at_rest,    set->gaining_lcps,   set->stalled_lcps};
  int known = set->ambiguity_known;
  MPI_Allreduce(MPI_IN_PLACE, sum, 6, MPI_UINT64_T, MPI_SUM, all);
  MPI_Allreduce(MPI_IN_PLACE, set->ended, CRD_OUTCOME_ENDS, MPI_UINT64_T, MPI_SUM, all);
  MPI_Allreduce(MPI_IN_PLACE, &set->max_lcps, 1, MPI_UINT32_T, MPI_MAX, all);
  MPI_Allreduce(MPI_IN_PLACE, &set->energy_ratio.min, 1, MPI_DOUBLE, MPI_MIN, all);
  MPI_Allreduce(MPI_IN_PLACE, &set->energy_ratio.max, 1, MPI_DOUBLE, MPI_MAX, all);
  MPI_Allreduce(MPI_IN_PLACE, &known, 1, MPI_INT, MPI_MIN, all);
  MPI_Allreduce(MPI_IN_PLACE, &set->modes, 1, MPI_INT, MPI_MAX, all);
  MPI_Allreduce(MPI_IN_PLACE, &set->wall_s, 1, MPI_DOUBLE, MPI_MAX, all);
  for (int i = 0; i < set->nrow; i++) {
    MPI_Allreduce(MPI_IN_PLACE, &set->extent[i].min, 1, MPI_DOUBLE, MPI_MIN, all);
    MPI_Allreduce(MPI_IN_PLACE, &set->extent[i].max, 1, MPI_DOUBLE, MPI_MAX, all);
  }
  set->total_lcps = sum[0], set->ambiguous_lcps = sum[1], set->slow_lcps = sum[2], set->at_rest = sum[3];
  set->gaining_lcps = sum[4], set->stalled_lcps = sum[5];
  set->ambiguity_known = known;
}

crd_status cli_ranks_sample(const crd_contact_problem *problem, const crd_outcome_options *options,
                            crd_outcome_set *set) {
  int ranks = rank_count(), rank = cli_rank();
  /* with fewer samples than ranks, or more than MPI counts, rank 0 does them all and the others the same for themselves
   */
  if (ranks == 1 || options->samples < (uint64_t)ranks || options->samples > INT32_MAX)
    return crd_outcome_sample(problem, options, set);
  crd_outcome_options own = *options;
  uint64_t from = part_begin(options->samples, rank, ranks);
  own.first = options->first + from;
  own.samples = part_begin(options->samples, rank + 1, ranks) - from;
  crd_status status = agree(crd_outcome_sample(problem, &own, set));
  if (status == CRD_OK) {
    crd_outcome_set part = *set;
    status = gather(set, &part, options->samples, ranks);
  }
  if (status == CRD_OK) {
    reduce(set);
    set->options.first = options->first, set->options.samples = options->samples;
    set->samples = options->samples;
    crd_outcome_set_claim(set);
    set->samples = rank == 0 ? options->samples : 0;
  } else {
    crd_outcome_free(set);
  }
  return status;
}

#endif
