/* Text with a decimal point in every locale. */
#ifndef CRADLE_SRC_BASE_PRINT_H
#define CRADLE_SRC_BASE_PRINT_H

#include <cradle/base.h>
#include <stdarg.h>

/* As snprintf and vsnprintf do it in the C locale. */
int crd_print(char *text, size_t size, const char *format, ...) CRD_PRINTF(3, 4);
int crd_vprint(char *text, size_t size, const char *format, va_list args) CRD_PRINTF(3, 0);

#endif
