# harmonium_add_plugin(<name> <source>... [CHECK <configuration>...]): the plugin <name> as the loadable modules
# <name>.so (double) and <name>_f32.so (single), linked to the framework and to nothing else of Harmonium, with every
# symbol hidden but what HARMONIUM_PLUGIN declares. `cmake --install` puts them where a Harmonium of the same prefix finds them by name. Where
# the project has tests (enable_testing), they load both modules, and run `harmonium check` on each configuration in both
# precisions. The same function in Harmonium's own tree and after installing.
function(harmonium_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "CHECK")
  if(NOT name MATCHES "^[a-z0-9_]+$" OR name MATCHES "_f32$")
    message(FATAL_ERROR "harmonium_add_plugin: '${name}' cannot be the name of a plugin. Take small letters, digits and "
      "underscores, not ending in _f32.")
  endif()
  if(HARMONIUM_PROGRAM)  # installed
    set(program "${HARMONIUM_PROGRAM}")
    set(folder "${CMAKE_CURRENT_BINARY_DIR}")
    set(version "${harmonium_VERSION}")
    set(destination "${HARMONIUM_PLUGIN_FOLDER}")
  else()
    set(program "$<TARGET_FILE:harmonium_program>")
    set(folder "${PROJECT_BINARY_DIR}/lib/harmonium/plugins")  # where the program of this build looks
    set(version "${PROJECT_VERSION}")
    set(destination "${CMAKE_INSTALL_LIBDIR}/harmonium/plugins")
  endif()
  foreach(suffix IN ITEMS "" _f32)
    set(target ${name}${suffix})
    add_library(${target} MODULE ${arg_UNPARSED_ARGUMENTS})
    target_link_libraries(${target} PRIVATE harmonium::framework${suffix})
    target_compile_definitions(${target} PRIVATE HARMONIUM_BUILT_AGAINST="${version}")
    set_target_properties(${target} PROPERTIES
      PREFIX "" SUFFIX ".so"
      C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
      LIBRARY_OUTPUT_DIRECTORY "${folder}")
    install(TARGETS ${target} LIBRARY DESTINATION "${destination}")
    if(TARGET harmonium_installable)
      add_dependencies(harmonium_installable ${target})
    endif()
    if(TARGET harmonium_warnings)
      target_link_libraries(${target} PRIVATE harmonium_warnings harmonium_packages)
    endif()
    add_test(NAME "plugins/${name}${suffix} loads" COMMAND "${program}" plugins --plugin "$<TARGET_FILE:${target}>")
    set_tests_properties("plugins/${name}${suffix} loads" PROPERTIES LABELS plugins)
    foreach(configuration IN LISTS arg_CHECK)
      set(precision float64)
      if(suffix)
        set(precision float32)
      endif()
      cmake_path(GET configuration FILENAME file)
      cmake_path(ABSOLUTE_PATH configuration)
      set(test "plugins/${name}${suffix} passes harmonium check of ${file}")
      add_test(NAME "${test}"
        COMMAND "${program}" check "${configuration}" --plugin "$<TARGET_FILE:${target}>" --set precision=${precision})
      set_tests_properties("${test}" PROPERTIES LABELS plugins TIMEOUT 1800)
    endforeach()
  endforeach()
endfunction()
