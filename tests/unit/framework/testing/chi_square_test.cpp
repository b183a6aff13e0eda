// Pearson's chi-square of tables that are known, and of one that has nothing to tell.
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/testing/chi_square.hpp>

namespace chi_square_test {

using harmonium::conformance::ChiSquare;

TEST_CASE("the chi-square of counts is the sum by hand, and cells of which few are expected are pooled") {
  ChiSquare of;
  // Expected 50, 30, 12, 4, 4: the last two are one cell of 8.
  of.add(std::vector<std::uint64_t>{58, 24, 10, 5, 3}, std::vector<double>{0.5, 0.3, 0.12, 0.04, 0.04});
  CHECK(of.degrees() == 3.0);
  CHECK(of.statistic() == doctest::Approx(64.0 / 50 + 36.0 / 30 + 4.0 / 12));
  CHECK_FALSE(of.rejected());
  ChiSquare wrong;
  wrong.add(std::vector<std::uint64_t>{900, 100}, std::vector<double>{0.5, 0.5});
  CHECK(wrong.rejected());
}

TEST_CASE("of a law that leaves one cell there is nothing to reject") {
  ChiSquare of;
  of.add(std::vector<std::uint64_t>{999, 1}, std::vector<double>{0.9985, 0.0015});
  CHECK(of.degrees() == 0.0);
  CHECK_FALSE(of.rejected());
}

}  // namespace chi_square_test
