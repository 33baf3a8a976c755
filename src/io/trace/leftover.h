/* Files beside a place that a killed program left there: "place.<process>-<try>", whose process is gone and whose lock
 * nobody holds (crd_beside_begin takes it). */
#ifndef SRC_IO_LEFTOVER_H
#define SRC_IO_LEFTOVER_H

#include <stdbool.h>

/* Prefix of the names of new files beside a file: its own name, or where that is so long that a folder would not take
 * it with a process and a number behind (255 bytes), its first bytes and a hash of all. */
enum { CRD_LEFTOVER_STEM = 224 };
void crd_leftover_stem(const char *own, char stem[CRD_LEFTOVER_STEM]);

/* Calls each with the name of every leftover file of the place and an open, locked descriptor, which is closed
 * afterwards; ends where it says false. */
void crd_leftovers(const char *place, bool (*each)(void *context, const char *name, int descriptor), void *context);
/* Removes them. */
void crd_leftovers_remove(const char *place);

#endif
