#pragma once

#include <cstdlib>
#include <string>

#include <doctest/doctest.h>

namespace harmonium::testing {

/// What a program of tests ends with where each test that it ran was skipped: ctest's SKIP_RETURN_CODE.
inline constexpr int skipped_status = 77;

/// Whether the test case that is running was skipped. The main program resets it before each.
inline bool was_skipped = false;

/// Says why the test case that is running cannot be had here; it should then return. Under the environment variable CI that
/// is a failure, so that nothing is skipped unseen.
inline void skip_test(const std::string& why) {
  if (const char* const ci = std::getenv("CI"); ci && *ci) FAIL(why);
  MESSAGE("skipped: " << why);
  was_skipped = true;
}

}  // namespace harmonium::testing
