# What holds for every target of this project and for no other: the language, the arithmetic, where things are built.
include(GNUInstallDirs)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# A number must not depend on which products a compiler chooses to fuse, so contraction is off and a kernel that wants a
# fused multiply-add says so. Never -ffast-math: it breaks the kernels' rounding and everybody's infinities.
add_compile_options(-ffp-contract=off -fno-math-errno)

# Inline functions are in every library that calls them. Left visible, each is looked up by name whenever a program starts.
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

# A library that names everything it needs cannot lean on a sibling by accident. (clang's sanitizer runtimes live in the
# program, so there the rule cannot be kept.)
if(NOT HARMONIUM_SANITIZE AND NOT HARMONIUM_COVERAGE)
  string(APPEND CMAKE_SHARED_LINKER_FLAGS " -Wl,--no-undefined")
endif()

set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
file(RELATIVE_PATH harmonium_bin_to_lib "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
set(CMAKE_INSTALL_RPATH "$ORIGIN;$ORIGIN/${harmonium_bin_to_lib}")

# Every include is <harmonium/...>, the same before and after installing.
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/include")
file(CREATE_LINK "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/include/harmonium" SYMBOLIC)

find_program(HARMONIUM_CCACHE ccache)
mark_as_advanced(HARMONIUM_CCACHE)
if(HARMONIUM_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${HARMONIUM_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${HARMONIUM_CCACHE}")
endif()

# A program need not be linked again because a library's code has changed: what it needs of a library is in headers.
set(CMAKE_LINK_DEPENDS_NO_SHARED ON)
