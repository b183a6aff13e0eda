# The pages of the documentation, which point to each other and to pictures as in the sources. Some point to sources too, which are
# not installed: there the name stays without the link.
install(FILES README.md CHANGELOG.md CONTRIBUTING.md LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DOCDIR}/docs" FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.svg")
install(CODE "set(harmonium_pages \"${CMAKE_INSTALL_DOCDIR}/docs\")")
install(CODE [[
  cmake_path(ABSOLUTE_PATH harmonium_pages BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}")
  file(GLOB pages "$ENV{DESTDIR}${harmonium_pages}/*.md")
  foreach(page IN LISTS pages)
    file(READ "${page}" text)
    string(REGEX REPLACE "\\[([^]\n]*)\\]\\(\\.\\./[^)\n]*\\)" "\\1" linked "${text}")
    if(NOT linked STREQUAL text)
      file(WRITE "${page}" "${linked}")
    endif()
  endforeach()
]])
