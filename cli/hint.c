/* "did you mean": the known word that is nearest to a mistyped one. */
#include <string.h>

#include "cli.h"

enum { LONGEST_WORD = 64 };

cli_hint cli_hint_begin(const char *word) { return (cli_hint){.word = word, .best = (int)strlen(word)}; }

void cli_hint_add(cli_hint *hint, const char *known) {
  if (crd_nearer_word(hint->word, known, &hint->best))
    snprintf(hint->text, sizeof hint->text, ": did you mean '%s'?", known);
}

void cli_hint_add_words(cli_hint *hint, const char *words) {
  for (const char *at = words; *at; at += strspn(at, " ")) {
    char word[LONGEST_WORD];
    const size_t length = strcspn(at, " ");
    snprintf(word, sizeof word, "%.*s", (int)length, at);
    cli_hint_add(hint, word);
    at += length;
  }
}
