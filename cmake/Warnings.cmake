# Warnings of our own code, gcc and clang alike. Rows of tables may leave their last fields out (options of the program),
# which gcc takes as it is meant.
add_library(cradle_warnings INTERFACE)
target_compile_options(cradle_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wvla -Wundef -Wwrite-strings -Wpointer-arith -Wcast-qual -Wno-psabi
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition>
  $<$<C_COMPILER_ID:Clang>:-Wno-missing-field-initializers>
  $<$<BOOL:${CRADLE_WERROR}>:-Werror>)
