/* cmocka wants these headers before its own. */
#ifndef TESTS_CMOCKA_ALL_H
#define TESTS_CMOCKA_ALL_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#endif
