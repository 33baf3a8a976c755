/* The differences between SUNDIALS 6 and 7: opening a context and silencing CVODE.
 *
 * CVODE's messages would go to the terminal; what happens is told by statuses. Include it only where
 * CRADLE_WITH_SUNDIALS is defined.
 */
#ifndef SRC_SIM_CVODE_H
#define SRC_SIM_CVODE_H

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>

/* A context of one process, or NULL; the caller frees it with SUNContext_Free after everything made from it. */
SUNContext crd_cvode_context(void);

/* A CVODE that prints nothing, or NULL. method: CV_ADAMS or CV_BDF; the caller frees it with CVodeFree. */
void *crd_cvode_new(int method, SUNContext context);

#endif
