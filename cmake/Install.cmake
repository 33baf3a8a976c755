# make install: the library (shared and static), its headers, the program, its manual pages and completions (cli/), models,
# documents, cradle.pc and a CMake package with the targets
# cradle::cradle (shared, needs nothing else at hand) and cradle::cradle_static (needs the libraries it calls).
include(CMakePackageConfigHelpers)

set_target_properties(cradle_shared PROPERTIES EXPORT_NAME cradle)
add_library(cradle::cradle ALIAS cradle_shared)
add_library(cradle::cradle_static ALIAS cradle_static)

install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/cradle)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png"
        PATTERN "site" EXCLUDE)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.c")
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY include/cradle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cradle)
foreach(kind IN ITEMS shared static)
  install(TARGETS cradle_${kind} EXPORT cradle_${kind} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT cradle_${kind} NAMESPACE cradle:: FILE cradle-${kind}.cmake DESTINATION ${package_dir})
endforeach()

string(REPLACE ";" " " CRADLE_PKG_NEEDS "${pkg_needs}")
configure_package_config_file(cmake/cradleConfig.cmake.in ${PROJECT_BINARY_DIR}/cradleConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cradleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cradleConfig.cmake ${PROJECT_BINARY_DIR}/cradleConfigVersion.cmake
        DESTINATION ${package_dir})

# cradle.pc says ${prefix} by the place it lies in, so that an installed tree can be moved.
file(RELATIVE_PATH CRADLE_PREFIX_FROM_PC ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" CRADLE_PREFIX_FROM_PC "${CRADLE_PREFIX_FROM_PC}")
string(REPLACE ";" " " CRADLE_LINK_WORDS "${link_words}")
configure_file(cmake/cradle.pc.in ${PROJECT_BINARY_DIR}/cradle.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cradle.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
