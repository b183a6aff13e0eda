# Two kinds of code. What never names Real is compiled once (harmonium_base); what does is compiled once per precision:
# in double under its plain name, in single with the suffix _f32 and HARMONIUM_SINGLE_PRECISION.
set(HARMONIUM_PRECISIONS f64 f32)

# harmonium_suffix(<variable> <f64|f32>): what a target's name ends with.
function(harmonium_suffix variable precision)
  if(precision STREQUAL f64)
    set(${variable} "" PARENT_SCOPE)
  elseif(precision STREQUAL f32)
    set(${variable} _f32 PARENT_SCOPE)
  else()
    message(FATAL_ERROR "Unknown precision '${precision}'. Known: ${HARMONIUM_PRECISIONS}.")
  endif()
endfunction()

# harmonium_glob(<variable> [RECURSE] <folder>...): the sources of some folders, looked up again at each build, so that
# a new file needs no edit here. A folder may still be empty; a library then has one empty source.
function(harmonium_glob variable)
  cmake_parse_arguments(PARSE_ARGV 1 arg RECURSE "" "")
  set(mode GLOB)
  if(arg_RECURSE)
    set(mode GLOB_RECURSE)
  endif()
  list(TRANSFORM arg_UNPARSED_ARGUMENTS APPEND "/*.cpp" OUTPUT_VARIABLE patterns)
  list(TRANSFORM patterns PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  file(${mode} sources CONFIGURE_DEPENDS ${patterns})
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# harmonium_add_library(<name> SOURCES <source>... [LINK <library>...]): the shared library lib/libharmonium_<name>.so,
# target harmonium_<name>, to the outside harmonium::<name>.
function(harmonium_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" EXPORT_NAME "SOURCES;LINK")
  if(NOT arg_SOURCES)
    set(arg_SOURCES "${PROJECT_BINARY_DIR}/empty.cpp")
    file(CONFIGURE OUTPUT "${arg_SOURCES}" CONTENT "// No sources yet.\n")
  endif()
  if(NOT arg_EXPORT_NAME)
    set(arg_EXPORT_NAME ${name})
  endif()
  set(target harmonium_${name})
  add_library(${target} SHARED ${arg_SOURCES})
  add_library(harmonium::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${arg_EXPORT_NAME})
  target_include_directories(${target} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PUBLIC ${arg_LINK} PRIVATE harmonium_packages harmonium_warnings)
  install(TARGETS ${target} EXPORT harmonium)
endfunction()

# harmonium_add_libraries(<name> SOURCES <source>... [LINK <name>...] [EXPORT_NAME <name>]): one for each precision.
function(harmonium_add_libraries name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" EXPORT_NAME "SOURCES;LINK")
  if(NOT arg_EXPORT_NAME)
    set(arg_EXPORT_NAME ${name})
  endif()
  foreach(precision IN LISTS HARMONIUM_PRECISIONS)
    harmonium_suffix(suffix ${precision})
    list(TRANSFORM arg_LINK REPLACE "(.+)" "harmonium_\\1${suffix}" OUTPUT_VARIABLE libraries)
    harmonium_add_library(${name}${suffix}
      SOURCES ${arg_SOURCES} LINK harmonium_base ${libraries} EXPORT_NAME ${arg_EXPORT_NAME}${suffix})
    if(precision STREQUAL f32)
      target_compile_definitions(harmonium_${name}${suffix} PUBLIC HARMONIUM_SINGLE_PRECISION)
    endif()
  endforeach()
endfunction()
