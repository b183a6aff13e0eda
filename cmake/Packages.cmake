# Everything this project is built upon, found once; what is missing is reported together, by its Debian name.

set(harmonium_missing "")

# harmonium_require(<Debian package> <arguments of find_package>...)
macro(harmonium_require debian name)
  find_package(${name} ${ARGN} QUIET)
  if(NOT ${name}_FOUND)
    string(APPEND harmonium_missing "\n  ${name} (Debian: ${debian})")
  endif()
endmacro()

# Without a vendor, whatever library the system's alternatives point at would be linked.
if(NOT DEFINED BLA_VENDOR)
  set(BLA_VENDOR OpenBLAS)
endif()

harmonium_require(build-essential Threads)
harmonium_require(libboost-dev Boost 1.74)
harmonium_require(libtbb-dev TBB)
harmonium_require(libxtensor-dev xtensor)
harmonium_require(libopenblas-pthread-dev BLAS)
harmonium_require(libopenblas-pthread-dev LAPACK)
if(BLAS_FOUND AND LAPACK_FOUND)
  harmonium_require(libxtensor-blas-dev xtensor-blas)
endif()
harmonium_require(libfmt-dev fmt)
harmonium_require(libtomlplusplus-dev tomlplusplus)
harmonium_require(libcli11-dev CLI11)
harmonium_require(libhdf5-dev HDF5 COMPONENTS C)
harmonium_require(zlib1g-dev ZLIB)
harmonium_require(libpng-dev PNG)
harmonium_require(libnlopt-dev NLopt)
harmonium_require(libssl-dev OpenSSL COMPONENTS Crypto)
# It has no file for find_package, and what it was compiled with must be known.
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(httplib QUIET IMPORTED_TARGET cpp-httplib)
endif()
if(NOT httplib_FOUND)
  string(APPEND harmonium_missing "\n  cpp-httplib (Debian: libcpp-httplib-dev and pkg-config)")
endif()
# What libzip says of itself to CMake asks for its tools, which Debian has in packages of their own.
find_path(HARMONIUM_LIBZIP_INCLUDE zip.h)
find_library(HARMONIUM_LIBZIP zip)
mark_as_advanced(HARMONIUM_LIBZIP_INCLUDE HARMONIUM_LIBZIP)
if(NOT HARMONIUM_LIBZIP_INCLUDE OR NOT HARMONIUM_LIBZIP)
  string(APPEND harmonium_missing "\n  libzip (Debian: libzip-dev)")
endif()
if(HARMONIUM_TESTS)
  harmonium_require(doctest-dev doctest)
  harmonium_require(nlohmann-json3-dev nlohmann_json)
endif()
if(HARMONIUM_BENCH)
  harmonium_require(libbenchmark-dev benchmark)
endif()

if(harmonium_missing)
  message(FATAL_ERROR "These packages were not found:${harmonium_missing}\n"
    "On Debian or Ubuntu, scripts/install_packages.sh installs them.")
endif()

# Headers that need a package from the list below: for our sources alone, and not installed.
set(HARMONIUM_PRIVATE_HEADERS framework/config/given_options.hpp framework/config/named_binder.hpp
  framework/data/dataset_range.hpp framework/data/dataset_storage.hpp framework/files/hdf5_dataset.hpp framework/files/hdf5_handle.hpp framework/kernels/simd_kernels.hpp)

# toml++ is taken as headers alone, from the system's include path: its compiled form asserts on malformed text.
# What the sources (never the installed headers) may use beyond what harmonium::base already carries.
add_library(harmonium_packages INTERFACE)
target_link_libraries(harmonium_packages INTERFACE
  xtensor-blas fmt::fmt hdf5::hdf5 ZLIB::ZLIB ${HARMONIUM_LIBZIP} PNG::PNG OpenSSL::Crypto NLopt::nlopt)
