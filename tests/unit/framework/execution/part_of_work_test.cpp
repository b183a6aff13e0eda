#include <doctest/doctest.h>

#include <harmonium/framework/execution/part_of_work.hpp>

namespace part_of_work_test {

using namespace harmonium;

namespace {

/// Keeps the last that was shown.
class Shown final : public Display {
 public:
  void note(const std::string&) override {}
  void warn(const std::string&) override {}
  void progress(double fraction, const std::string& what) override { last = std::to_string(fraction) + " " + what; }
  void finish() override {}
  std::string last;
};

}  // namespace

TEST_CASE("a part of work goes from its begin to its end, and its name stands before what it says, once") {
  Shown shown;
  PartOfWork whole(&shown, 0.5, 1.0, "log Z"), named(&whole, 0.0, 0.5, "ground state"), stretch(&whole, 0.5, 1.0, "");
  named.progress(0.5, "unit by unit");
  CHECK(shown.last == "0.625000 log Z, ground state, unit by unit");
  named.progress(1.0, "");
  CHECK(shown.last == "0.750000 log Z, ground state");
  stretch.progress(0.0, "unit by unit");
  CHECK(shown.last == "0.750000 log Z, unit by unit");
  stretch.progress(1.0, "");
  CHECK(shown.last == "1.000000 log Z");
}

}  // namespace part_of_work_test
