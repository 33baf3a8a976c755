# The page that the library carries, viewer/page.html, as a C array.
option(CRADLE_WITH_PAGE "carry the HTML page that --html writes" ON)
set(CRADLE_HAS_PAGE ${CRADLE_WITH_PAGE})
set(page_source ${PROJECT_BINARY_DIR}/viewer/page_template.c)
if(CRADLE_WITH_PAGE)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/viewer)
  add_custom_command(OUTPUT ${page_source}
                     COMMAND ${PROJECT_SOURCE_DIR}/tools/embed ${PROJECT_SOURCE_DIR}/viewer/page.html ${page_source}
                     DEPENDS ${PROJECT_SOURCE_DIR}/viewer/page.html ${PROJECT_SOURCE_DIR}/tools/embed
                     COMMENT "Embedding the page" VERBATIM)
else()
  file(CONFIGURE OUTPUT ${page_source} CONTENT "#include \"io/page.h\"
const unsigned char crd_page_template[] = {0};
const size_t crd_page_template_size = 0;
")
endif()
list(APPEND sources ${page_source})
