# harmonium_warnings: linked privately by every target of this project, so that a user of its headers never sees them.
add_library(harmonium_warnings INTERFACE)
target_compile_options(harmonium_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # Two warnings that GCC 12 gives for the standard library's own code once it is optimized: for "text" + std::string,
  # and for a std::optional or std::variant that holds a string. Clang and the sanitizers watch what they would have.
  target_compile_options(harmonium_warnings INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
endif()
if(HARMONIUM_DEVELOPER)
  target_compile_options(harmonium_warnings INTERFACE -Werror)
endif()
