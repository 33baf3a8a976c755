/* Contexts and integrators of SUNDIALS 6 and 7 that print nothing.
 *
 * Up to version 6 each CVODE has an error handler and a context takes a pointer to a communicator. From version 7 on
 * the handler belongs to the context, which takes the communicator itself, and warnings of CVODE no longer pass through
 * it.
 */
#ifdef CRADLE_WITH_SUNDIALS
#include "sim/cvode.h"

#include <stdbool.h>

#if SUNDIALS_VERSION_MAJOR >= 7

static void be_silent(int line, const char *function, const char *file, const char *message, SUNErrCode code,
                      void *data, SUNContext context) {
  (void)line, (void)function, (void)file, (void)message, (void)code, (void)data, (void)context;
}

SUNContext crd_cvode_context(void) {
  SUNContext context = NULL;
  if (SUNContext_Create(SUN_COMM_NULL, &context) != SUN_SUCCESS) return NULL;
  if (SUNContext_ClearErrHandlers(context) != SUN_SUCCESS ||
      SUNContext_PushErrHandler(context, be_silent, NULL) != SUN_SUCCESS)
    SUNContext_Free(&context);
  return context;
}

static bool silence(void *cvode) { return CVodeSetMaxHnilWarns(cvode, -1) == CV_SUCCESS; }

#else

static void be_silent(int code, const char *module, const char *function, char *message, void *data) {
  (void)code, (void)module, (void)function, (void)message, (void)data;
}

SUNContext crd_cvode_context(void) {
  SUNContext context = NULL;
  return SUNContext_Create(NULL, &context) == 0 ? context : NULL;
}

static bool silence(void *cvode) { return CVodeSetErrHandlerFn(cvode, be_silent, NULL) == CV_SUCCESS; }

#endif

void *crd_cvode_new(int method, SUNContext context) {
  void *cvode = CVodeCreate(method, context);
  if (cvode && !silence(cvode)) CVodeFree(&cvode);
  return cvode;
}

#else
typedef int crd_cvode_left_out; /* ISO C wants a declaration in every file */
#endif
