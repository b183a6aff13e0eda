# harmonium_add_plugin(<name> <source>...): the loadable modules <name>.so and <name>_f32.so, linked to the framework and
# to nothing else of Harmonium, with every symbol hidden but the manifest. The same function here and after installing.
function(harmonium_add_plugin name)
  foreach(suffix IN ITEMS "" _f32)
    set(target ${name}${suffix})
    add_library(${target} MODULE ${ARGN})
    target_link_libraries(${target} PRIVATE harmonium::framework${suffix})
    set_target_properties(${target} PROPERTIES
      PREFIX ""
      CXX_VISIBILITY_PRESET hidden
      VISIBILITY_INLINES_HIDDEN ON
      LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib/harmonium")
    if(TARGET harmonium_warnings)
      target_link_libraries(${target} PRIVATE harmonium_warnings harmonium_packages)
    endif()
  endforeach()
endfunction()
