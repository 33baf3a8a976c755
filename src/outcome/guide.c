#include "outcome/guide.h"

#include <stdlib.h>
#include <string.h>

#include "base/layout.h"

enum {
  MOST_BLOCKS = 3,      /* of four forms: two where there are few entries */
  MOST_CANDIDATES = 96, /* conditions to choose from */
  CHOICE_POINTS = 512,  /* steps they are judged by */
  LONGEST_LIST = 64,
  MANY_ENTRIES = 64 /* of the table: more are told apart by three blocks */
};

typedef struct guide {
  outcome_table *table;
  const outcome_points *points;
  int blocks, forms_count, signatures;
  int candidates, judged;
  double *row;         /* MOST_CANDIDATES x nx */
  unsigned char *sign; /* MOST_CANDIDATES x CHOICE_POINTS: is the form negative there? */
  int *bucket;         /* CHOICE_POINTS: signs of the forms chosen so far */
  int *size;           /* signatures: zero between uses */
  int *tally;          /* signatures x entries: likewise */
  double *forms;       /* forms_count x nx */
} guide;

static bool is_negative(int nx, const double *row, const double *x) {
  double sum = 0;
  for (int j = 0; j < nx; j++) sum += row[j] * x[j];
  return sum < 0;
}

static const double *point(const guide *g, int i) { return g->points->x + (size_t)g->points->stride * (size_t)i; }

/* The conditions of the most frequent entries, and their signs at the points. */
static void collect(guide *g) {
  const outcome_table *t = g->table;
  for (int e = 0; e < t->count && t->entry[e].hits > 0; e++)
    for (int r = 0; r < 4 * t->entry[e].blocks && g->candidates < MOST_CANDIDATES; r++) {
      const double *block = t->entry[e].check + 4 * (size_t)t->nx * (size_t)(r / 4);
      double *row = g->row + (size_t)t->nx * (size_t)g->candidates, size = 0;
      for (int j = 0; j < t->nx; j++) row[j] = block[4 * j + r % 4], size += row[j] * row[j];
      if (size == 0) continue; /* filling of a block */
      unsigned char *sign = g->sign + (size_t)CHOICE_POINTS * (size_t)g->candidates++;
      for (int i = 0; i < g->judged; i++) sign[i] = is_negative(t->nx, row, point(g, i));
    }
}

/* How many steps share signs and mode with how many others, if this candidate were the next form: the larger, the
 * better the signs tell the mode. */
static double agreement(guide *g, int candidate, int chosen) {
  const unsigned char *sign = g->sign + (size_t)CHOICE_POINTS * (size_t)candidate;
  size_t entries = (size_t)g->table->count;
  double sum = 0;
  for (int i = 0; i < g->judged; i++) g->size[g->bucket[i] | sign[i] << chosen]++;
  for (int i = 0; i < g->judged; i++) {
    if (g->points->entry[i] < 0) continue;
    int bucket = g->bucket[i] | sign[i] << chosen;
    /* pairs of the same mode in a bucket, in proportion to its size: the expected share of right first guesses */
    sum += (2 * g->tally[entries * (size_t)bucket + (size_t)g->points->entry[i]]++ + 1) / (double)g->size[bucket];
  }
  for (int i = 0; i < g->judged; i++) {
    int bucket = g->bucket[i] | sign[i] << chosen;
    g->size[bucket] = 0;
    if (g->points->entry[i] >= 0) g->tally[entries * (size_t)bucket + (size_t)g->points->entry[i]] = 0;
  }
  return sum;
}

static void choose_forms(guide *g) {
  for (int chosen = 0; chosen < g->forms_count && g->candidates > 0; chosen++) {
    int best = 0;
    double most = -1;
    for (int c = 0; c < g->candidates; c++) {
      double value = agreement(g, c, chosen);
      if (value > most) best = c, most = value;
    }
    const unsigned char *sign = g->sign + (size_t)CHOICE_POINTS * (size_t)best;
    for (int i = 0; i < g->judged; i++) g->bucket[i] |= sign[i] << chosen;
    memcpy(g->forms + (size_t)g->table->nx * (size_t)chosen, g->row + (size_t)g->table->nx * (size_t)best,
           sizeof *g->forms * (size_t)g->table->nx);
  }
}

/* The modes met with one combination of signs. */
static crd_status fill_list(guide *g, int signature, crd_arena *arena) {
  outcome_table *t = g->table;
  int *count = g->tally + (size_t)t->count * (size_t)signature, best[LONGEST_LIST], length = 0;
  while (length < LONGEST_LIST) {
    int most = -1;
    for (int e = 0; e < t->count; e++)
      if (count[e] > 0 && (most < 0 || count[e] > count[most])) most = e;
    if (most < 0) break;
    best[length++] = most, count[most] = 0;
  }
  int *list = crd_arena_alloc(arena, (size_t)length, sizeof *list);
  if (!list) return CRD_ERR_MEMORY;
  memcpy(list, best, sizeof *list * (size_t)length);
  t->guide.list[signature] = list, t->guide.length[signature] = length;
  return CRD_OK;
}

static crd_status fill_lists(guide *g, crd_arena *arena) {
  outcome_table *t = g->table;
  for (int i = 0; i < g->points->count; i++) {
    int signature = 0;
    for (int f = 0; f < g->forms_count; f++)
      signature |= is_negative(t->nx, g->forms + (size_t)t->nx * (size_t)f, point(g, i)) << f;
    if (g->points->entry[i] >= 0) g->tally[(size_t)t->count * (size_t)signature + (size_t)g->points->entry[i]]++;
  }
  crd_status status = CRD_OK;
  for (int s = 0; s < g->signatures && status == CRD_OK; s++) status = fill_list(g, s, arena);
  return status;
}

crd_status outcome_guide_build(outcome_table *table, const outcome_points *points, crd_arena *arena,
                               crd_arena *scratch) {
  size_t nx = (size_t)table->nx;
  guide g = {.table = table, .points = points};
  g.blocks = table->count > MANY_ENTRIES ? MOST_BLOCKS : MOST_BLOCKS - 1;
  g.forms_count = 4 * g.blocks, g.signatures = 1 << g.forms_count;
  size_t forms = (size_t)g.forms_count, signatures = (size_t)g.signatures;
  g.judged = points->count < CHOICE_POINTS ? points->count : CHOICE_POINTS;
  double *packed;
  if (CRD_TAKE(scratch, CRD_MATRIX(g.row, MOST_CANDIDATES, nx), CRD_MATRIX(g.forms, forms, nx),
               CRD_MATRIX(g.sign, MOST_CANDIDATES, CHOICE_POINTS), CRD_ARRAY(g.bucket, CHOICE_POINTS),
               CRD_ARRAY(g.size, signatures), CRD_MATRIX(g.tally, signatures, table->count)) ||
      CRD_TAKE(arena, CRD_ARRAY(packed, outcome_packed(g.forms_count, table->nx)),
               CRD_ARRAY(table->guide.list, signatures), CRD_ARRAY(table->guide.length, signatures)))
    return CRD_ERR_MEMORY;
  collect(&g);
  choose_forms(&g);
  outcome_pack(g.forms_count, table->nx, g.forms, packed);
  table->guide.forms = packed, table->guide.blocks = g.blocks;
  return fill_lists(&g, arena);
}
