#include <harmonium/framework/data/table_source.hpp>

#include <doctest/doctest.h>

#include <harmonium/tests/support/scratch.hpp>

namespace table_source_test {

using namespace harmonium;
using namespace harmonium::testing;

TEST_CASE("a table is read once for its columns and its rows, and anew where it is loaded again") {
  const ScratchFolder folder;
  TableSource::Options options;
  options.path = folder.write("t.csv", "a,b\n1,0.5\n0,1.5\n1,2.5\n0,3.5\n").string();
  options.standardize = false;
  const TableSource source(options);
  const Value layers = source.observed_layers();
  CHECK(std::get<Value::List>(layers.data).size() == 2);
  // What is there now is not what the columns were found of.
  folder.write("t.csv", "a,b\n1,7.5\n0,1.5\n1,2.5\n0,3.5\n");
  const auto first_number = [&] {
    const Dataset rows = source.load({1, 0}).train;
    std::vector<double> row(rows.cols());
    rows.fetch<double>(0, 0, {row.data(), 1, row.size(), row.size()});
    return row.back();
  };
  CHECK(first_number() == 0.5);
  CHECK(first_number() == 7.5);
}

}  // namespace table_source_test
