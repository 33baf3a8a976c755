/* Files beside a place that a killed program left there: "place.<process>-<try>", whose process is gone and whose lock
 * nobody holds (crd_beside_begin takes it). */
#ifndef SRC_IO_LEFTOVER_H
#define SRC_IO_LEFTOVER_H

#include <stdbool.h>

/* Calls each with the name of every leftover file of the place and an open, locked descriptor, which is closed
 * afterwards; ends where it says false. */
void crd_leftovers(const char *place, bool (*each)(void *context, const char *name, int descriptor), void *context);
/* Removes them. */
void crd_leftovers_remove(const char *place);

#endif
