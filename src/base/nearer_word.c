/* "Did you mean": how far one word is from another. */
#include <cradle/base.h>
#include <string.h>

enum { LONGEST = 64 };

/* Letters to add, drop, change or exchange with a neighbour (optimal string alignment). */
static int distance(const char *a, size_t na, const char *b, size_t nb) {
  int row[3][LONGEST + 1];
  for (size_t j = 0; j <= nb; j++) row[0][j] = (int)j;
  for (size_t i = 1; i <= na; i++) {
    int *now = row[i % 3], *before = row[(i + 2) % 3], *two = row[(i + 1) % 3];
    now[0] = (int)i;
    for (size_t j = 1; j <= nb; j++) {
      int best = before[j - 1] + (a[i - 1] != b[j - 1]);
      if (before[j] + 1 < best) best = before[j] + 1;
      if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && two[j - 2] + 1 < best)
        best = two[j - 2] + 1;
      now[j] = best;
    }
  }
  return row[na % 3][nb];
}

bool crd_nearer_word(const char *word, const char *known, int *best) {
  const size_t typed = strlen(word), length = strlen(known);
  if (typed >= LONGEST || length >= LONGEST) return false;
  const int d = distance(word, typed, known, length);
  const int most = (int)(length + 1) / 3; /* of a short word a slip leaves too little */
  if (d >= *best || d > most) return false;
  *best = d;
  return true;
}
