# Headers keep their paths below include/harmonium; programs and other projects find the rest with find_package(harmonium).
include(CMakePackageConfigHelpers)

list(TRANSFORM HARMONIUM_PRIVATE_HEADERS REPLACE "(.+)" "PATTERN;\\1;EXCLUDE" OUTPUT_VARIABLE private)
foreach(folder IN ITEMS framework models samplers estimators studies plugins/builtin program/work)
  if(IS_DIRECTORY "${PROJECT_SOURCE_DIR}/${folder}")
    get_filename_component(parent "${folder}" DIRECTORY)
    install(DIRECTORY "${folder}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/harmonium/${parent}"
      FILES_MATCHING PATTERN "*.hpp" ${private})
  endif()
endforeach()

install(FILES harmonium.hpp DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/harmonium")

set(harmonium_config_folder "${CMAKE_INSTALL_LIBDIR}/cmake/harmonium")
configure_package_config_file(cmake/harmoniumConfig.cmake.in "${PROJECT_BINARY_DIR}/harmoniumConfig.cmake"
  INSTALL_DESTINATION "${harmonium_config_folder}" PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/harmoniumConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(EXPORT harmonium NAMESPACE harmonium:: FILE harmoniumTargets.cmake DESTINATION "${harmonium_config_folder}")
install(FILES
  "${PROJECT_BINARY_DIR}/harmoniumConfig.cmake" "${PROJECT_BINARY_DIR}/harmoniumConfigVersion.cmake"
  cmake/HarmoniumAddPlugin.cmake
  DESTINATION "${harmonium_config_folder}")

# What a plugin begins with: docs/plugins.md.
install(DIRECTORY plugins/template/ DESTINATION "${CMAKE_INSTALL_DATADIR}/harmonium/plugin_template")
install(PROGRAMS scripts/new_component.py DESTINATION "${CMAKE_INSTALL_DATADIR}/harmonium")
install(DIRECTORY scripts/components DESTINATION "${CMAKE_INSTALL_DATADIR}/harmonium")

include(InstallPages)
