# The page that the library carries: viewer/ bundled into one HTML template, as a C array. It needs node and npm to be made;
# without them the library is complete but for it, and --html says so.
option(CRADLE_WITH_PAGE "carry the HTML page (node and npm, when building)" ON)
find_program(NODE_PROGRAM node)
find_program(NPM_PROGRAM npm)
set(page_source ${PROJECT_BINARY_DIR}/viewer/page_template.c)
if(CRADLE_WITH_PAGE AND NODE_PROGRAM AND NPM_PROGRAM)
  set(CRADLE_HAS_PAGE ON)
  file(GLOB viewer_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/viewer/src/* ${PROJECT_SOURCE_DIR}/viewer/*.json
       ${PROJECT_SOURCE_DIR}/viewer/*.mjs)
  add_custom_command(OUTPUT ${page_source} COMMAND ${PROJECT_SOURCE_DIR}/tools/viewer-page ${page_source}
                     DEPENDS ${viewer_sources} ${PROJECT_SOURCE_DIR}/tools/viewer-page COMMENT "Bundling the page" VERBATIM)
else()
  set(CRADLE_HAS_PAGE OFF)
  message(STATUS "No HTML pages: node or npm is not installed")
  file(CONFIGURE OUTPUT ${page_source} CONTENT "#include \"io/page.h\"
const unsigned char crd_page_template[] = {0};
const size_t crd_page_template_size = 0;
")
endif()
list(APPEND sources ${page_source})
