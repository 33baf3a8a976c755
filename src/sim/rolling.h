/* Points that a touching pair rolls onto within a piece. */
#ifndef SRC_SIM_ROLLING_H
#define SRC_SIM_ROLLING_H

#include "sim/group.h"

/* Before a piece, and where its length changes: nothing is held beyond what persists at (now). */
void crd_rolling_forget(crd_group *group);
/* After an attempt: are all points that close in it such that their pairs roll onto them? Then the next attempts over the
 * same piece hold them. False too where none closes. */
bool crd_rolling_holds(crd_group *group);
/* Those of the piece, as group->rows->touches has them, take part from now on. */
void crd_rolling_take(crd_group *group);

#endif
