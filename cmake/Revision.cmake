# Run at each build, as a script: writes the revision to ${OUTPUT}, and touches the file only when it has changed.
execute_process(COMMAND git describe --always --dirty --tags WORKING_DIRECTORY "${SOURCE}"
  OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  set(revision unknown)
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "#define HARMONIUM_REVISION \"${revision}\"\n")
