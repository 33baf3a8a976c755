/* Exists so that the support library has an object before the first helper is written. */
#include "support/cmocka_all.h"
typedef int support_is_not_empty;
