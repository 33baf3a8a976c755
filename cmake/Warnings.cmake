# Warnings of our own code, gcc and clang alike. Rows of tables may leave their last fields out (options of the program).
add_library(cradle_warnings INTERFACE)
target_compile_options(cradle_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wvla -Wundef -Wwrite-strings -Wpointer-arith -Wcast-qual -Wno-psabi
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition>
  -Wno-missing-field-initializers
  $<$<BOOL:${CRADLE_WERROR}>:-Werror>)
