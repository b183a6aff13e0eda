#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <harmonium/framework/files/edge_list_or_matrix.hpp>
#include <harmonium/framework/files/npy_start.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace edge_list_or_matrix_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

std::string npy_array(std::size_t rows, std::size_t cols, const std::vector<double>& values) {
  std::string bytes = npy_start("'<f8'", fmt::format("({}, {})", rows, cols));
  return bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
}

}  // namespace

TEST_CASE("a file of couplings is edges or a matrix by its first lines") {
  const ScratchFolder scratch;
  const auto check = [&](CouplingForm form, const std::string& text) {
    CAPTURE(text);
    scratch.write("j.txt", text);
    CHECK((coupling_form(scratch / "j.txt") == form));
  };
  for (const char* edges : {"", "3 1\n1 2 1\n", "1 2 1\n2 3 1\n", "1 2 1\n2 3 1\n1 3 1\n1 4 1\n", "i,j,w\n0,1,1\n",
                            "2 1\n1 2\n", "2 1\n2 1\n", "1 2 7\n2 3 1\n2 1 5\n", "3 2\n1 2\n", "one\n", "4 3.5\n"})
    check(CouplingForm::edges, edges);
  for (const char* matrix : {"0 1 1 1\n", "0 1 # two\n\n1 0\n", "1 0.5\n0.5 1\n", "1 0 0\n0 1 0\n0 0 1\n",
                             "0.1 0.2 0.3\n1 2 3\n4 5 6\n", "x y z\n0 0 0\n0 0 0\n0 0 0\n"})
    check(CouplingForm::matrix, matrix);
  check(CouplingForm::unclear, "0 1 5\n2 0 7\n3 1 0\n");
  check(CouplingForm::unclear, "0 1 2\n1 7 3\n2 3 0\n");
  check(CouplingForm::unclear, "a b c\n0 1 5\n2 0 7\n3 1 0\n");
  // Nodes may be written as floats; a matrix stays one.
  check(CouplingForm::edges, "0.0 1.0 0.5\n1.0 2.0 -1.0\n2.0 3.0 1.5\n");
  check(CouplingForm::matrix, "0.0 1.0 2.0\n1.0 0.0 3.0\n2.0 3.0 0.0\n");
  check(CouplingForm::matrix, "2.0 1.0\n1.0 2.0\n");
  for (const std::size_t rows : {1, 2, 3, 4}) {
    scratch.write("j.npy", npy_array(rows, 3, std::vector<double>(3 * rows, 0.0)));
    CHECK((coupling_form(scratch / "j.npy") == (rows == 3 ? CouplingForm::matrix : CouplingForm::edges)));
  }
}

}  // namespace edge_list_or_matrix_test
