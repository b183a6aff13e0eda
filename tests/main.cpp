#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdlib>
#include <filesystem>

#include <doctest/doctest.h>

/// The main program of every test executable. Tests on real files look for them in HARMONIUM_DATA; unless somebody has
/// set it, that is the folder the build was told of, if there is one.
int main(int argc, char** argv) {
  if (std::filesystem::is_directory(HARMONIUM_DEFAULT_DATA)) setenv("HARMONIUM_DATA", HARMONIUM_DEFAULT_DATA, 0);
  return doctest::Context(argc, argv).run();
}
