#include <harmonium/framework/files/row_writer.hpp>

#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/files/column_file.hpp>
#include <harmonium/framework/files/csv_names.hpp>
#include <harmonium/framework/files/npy.hpp>
#include <harmonium/tests/support/scratch.hpp>
#include <harmonium/tests/support/tables.hpp>

namespace row_writer_test {

using namespace harmonium;
using harmonium::testing::content_of;
using harmonium::testing::held;
using harmonium::testing::ScratchFolder;

TEST_CASE("rows that are written piece by piece are the file that is written at once") {
  const ScratchFolder folder;
  const std::vector<float> numbers{1, 2.5f, -3, 0.1f, 5, 6};
  const MatrixView<const float> all{numbers.data(), 3, 2, 2};
  write_npy(folder / "a.npy", all);
  write_csv(folder / "a.csv", all);
  for (const char* name : {"b.npy", "b.csv"}) {
    RowWriter<float> file(folder / name, 3, 2);
    file.write(all.slice(0, 1));
    file.write(all.slice(1, 3));
    CHECK_FALSE(std::filesystem::exists(folder / name));
    file.commit();
  }
  CHECK(content_of(folder / "a.npy") == content_of(folder / "b.npy"));
  CHECK(content_of(folder / "a.csv") == content_of(folder / "b.csv"));
}

TEST_CASE("rows may have names, and a number more at their end") {
  const ScratchFolder folder;
  const std::vector<double> numbers{1, 2, 3, 4}, last{0.5, -0.25};
  RowWriter<double> file(folder / "a.csv", 2, 2, {"plain", "with, \"these\"", "energy"});
  file.write({numbers.data(), 2, 2, 2}, last);
  file.commit();
  CHECK(content_of(folder / "a.csv") == "plain,\"with, \"\"these\"\"\",energy\n1,2,0.5\n3,4,-0.25\n");
  const CsvNames names = read_csv_names(folder / "a.csv");
  CHECK(names.columns == std::vector<std::string>{"plain", "with, \"these\"", "energy"});
  CHECK(names.label == "");
}

TEST_CASE("names of columns are those of the header, without that of the labels") {
  const ScratchFolder folder;
  folder.write("a.csv", "u,class,v\n1,2,3\n");
  folder.write("bare.csv", "1,2,3\n");
  CsvOptions options;
  options.label_column = "class";
  const CsvNames names = read_csv_names(folder / "a.csv", options);
  CHECK(names.columns == std::vector<std::string>{"u", "v"});
  CHECK(names.label == "class");
  options.label_column = "last";
  const CsvNames none = read_csv_names(folder / "bare.csv", options);
  CHECK(none.columns.empty());
  CHECK(none.label == "");
}

TEST_CASE("a vector of numbers is an array of one dimension") {
  const ScratchFolder folder;
  const std::vector<double> numbers{1.5, -2, 1e-300};
  write_npy_vector(folder / "v.npy", numbers);
  const Table read = read_npy(folder / "v.npy");
  CHECK(read.shape == std::vector<Index>{3});
  CHECK(held<double>(read) == numbers);
}

TEST_CASE("named columns read back as they are, with nan for what is none") {
  const ScratchFolder folder;
  const std::vector<double> a{0.1, std::numeric_limits<double>::quiet_NaN()}, b{1e300, -3};
  const NamedColumn columns[] = {{"a", a}, {"b", b}};
  write_columns(folder / "c.csv", columns);
  CHECK(content_of(folder / "c.csv") == "a,b\n0.1,1e+300\nnan,-3\n");
  write_columns(folder / "c.npy", columns);
  const std::string npy = content_of(folder / "c.npy");
  const std::size_t start = npy.find('\n') + 1;
  CHECK(npy.starts_with(std::string("\x93NUMPY\x01\x00", 8)));
  CHECK(npy.size() == start + 4 * sizeof(double));
  double last = 0.0;
  std::copy_n(npy.data() + start + 3 * sizeof last, sizeof last, reinterpret_cast<char*>(&last));
  CHECK(last == -3);
}

TEST_CASE("whole numbers and words are columns of their own kinds") {
  const ScratchFolder folder;
  const std::vector<Index> row{7, 1'000'000'007}, kind{1, 0};
  const std::vector<double> a{0.5, 2};
  const std::vector<std::string> words{"caf\xC3\xA9, noir", "tea"};
  const NamedColumn columns[] = {{"row", row}, {"kind", kind, words}, {"a", a}};
  write_columns(folder / "c.csv", columns);
  CHECK(content_of(folder / "c.csv") == "row,kind,a\n7,tea,0.5\n1000000007,\"caf\xC3\xA9, noir\",2\n");
  write_columns(folder / "c.npy", columns);
  const std::string npy = content_of(folder / "c.npy");
  CHECK(npy.find("[('row', '<i8'), ('kind', '<U10'), ('a', '<f8'), ]") != std::string::npos);
  const std::size_t start = npy.find('\n') + 1, width = 8 + 4 * 10 + 8;
  REQUIRE(npy.size() == start + 2 * width);
  const auto number = [&](std::size_t at, auto value) {
    std::copy_n(npy.data() + start + at, sizeof value, reinterpret_cast<char*>(&value));
    return value;
  };
  const auto word = [&](std::size_t at) {
    std::u32string text;
    for (std::size_t i = 0; i < 10; ++i) text += number(at + 4 * i, char32_t{});
    return text;
  };
  CHECK(number(0, std::int64_t{}) == 7);
  CHECK(word(8) == U"tea" + std::u32string(7, U'\0'));
  CHECK(number(48, double{}) == 0.5);
  CHECK(number(width, std::int64_t{}) == 1'000'000'007);
  CHECK(word(width + 8) == U"caf\u00E9, noir");
  CHECK(number(width + 48, double{}) == 2.0);
}

}  // namespace row_writer_test
