#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdlib>
#include <filesystem>

#include <doctest/doctest.h>

#include <harmonium/tests/support/paths.hpp>
#include <harmonium/tests/support/skip.hpp>

namespace {

using namespace harmonium::testing;

unsigned tests_ran = 0, tests_skipped = 0;

/// Counts the test cases that ran, and those that were skipped.
struct SkipCounter final : doctest::IReporter {
  explicit SkipCounter(const doctest::ContextOptions&) {}
  void test_case_start(const doctest::TestCaseData&) override { was_skipped = false; }
  void test_case_end(const doctest::CurrentTestCaseStats&) override {
    ++tests_ran;
    if (was_skipped) ++tests_skipped;
  }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};

REGISTER_LISTENER("skips", 1, SkipCounter);

}  // namespace

/// The main program of every test executable. Tests on real files look for them in HARMONIUM_DATA; unless somebody has
/// set it, that is the folder the build was told of, if there is one. Where nothing failed and every test was skipped it
/// ends with `skipped_status`, which ctest shows.
int main(int argc, char** argv) {
  if (std::filesystem::is_directory(default_data_folder())) setenv("HARMONIUM_DATA", default_data_folder(), 0);
  const int status = doctest::Context(argc, argv).run();
  return status == 0 && tests_ran > 0 && tests_skipped == tests_ran ? skipped_status : status;
}
