#include <harmonium/framework/data/table_schema.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/tests/support/data.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace table_schema_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

using Levels = std::vector<std::string>;

CsvOptions with_header() {
  CsvOptions options;
  options.header = CsvHeader::present;
  return options;
}

/// A column whose rows repeat these texts.
TextColumn column(const Levels& texts, int times = 1) {
  const ScratchFolder folder;
  std::string text = "c,other\n";
  for (int i = 0; i < times; ++i)
    for (const std::string& t : texts) text += t + ",0\n";
  return read_text_table(folder.write("a.csv", text), with_header(), {"NA"}).columns[0];
}

void check_guess(const TextColumn& text, ColumnKind kind, const Levels& levels) {
  const ColumnGuess guess = guess_column(text);
  CHECK(guess.trouble == "");
  CHECK(guess.column.kind == kind);
  CHECK(guess.column.levels == levels);
}

}  // namespace

TEST_CASE("columns are taken for bits, spins, levels or numbers by what they hold") {
  check_guess(column({"0", "1", "NA", "1"}), ColumnKind::binary, {"0", "1"});
  check_guess(column({"1", "1"}), ColumnKind::binary, {"0", "1"});
  check_guess(column({"-1", "1.0"}), ColumnKind::spin, {"-1", "1"});
  check_guess(column({"yes", "no"}), ColumnKind::binary, {"no", "yes"});
  check_guess(column({"b", "a", "c"}), ColumnKind::categorical, {"a", "b", "c"});
  check_guess(column({"2008", "2007", "2009"}, 5), ColumnKind::categorical, {"2007", "2008", "2009"});
  check_guess(column({"10", "2"}, 5), ColumnKind::binary, {"2", "10"});
  check_guess(column({"2008", "2007", "2009"}, 2), ColumnKind::real, {});  // too few rows of each
  check_guess(column({"1.5", "2.5", "3.5"}, 5), ColumnKind::real, {});
  check_guess(column({"0.25", "3", "-7"}), ColumnKind::real, {});
  CHECK(guess_column(column({"NA", "NA"})).trouble == "is empty in every row");
  CHECK(guess_column(column({"x", "x"})).trouble == "holds 'x' alone");
  CHECK(guess_column(column({"3", "4", "5", "6", "7", "8", "9", "10"})).trouble == "counts the rows");
  CHECK(guess_column(column({"a", "b", "c", "d", "e", "f", "g", "h"})).trouble == "holds another text in each row");
  Levels many;
  for (int i = 0; i < 300; ++i) many.push_back("w" + std::to_string(i));
  CHECK(guess_column(column(many)).trouble == "holds more than 256 different texts, such as 'w0' in line 2");
}

TEST_CASE("a configuration may say what a column is") {
  const auto told = [&](const Levels& texts, ColumnKind kind, const Levels& levels = {}) {
    return told_column(column(texts), {.column = "c", .kind = kind, .levels = levels});
  };
  CHECK(told({"0", "1"}, ColumnKind::spin, {"0", "1"}).levels == Levels{"0", "1"});
  CHECK(told({"3", "1", "2"}, ColumnKind::categorical).levels == Levels{"1", "2", "3"});
  CHECK(told({"low", "high"}, ColumnKind::automatic, {"low", "middle", "high"}).kind == ColumnKind::categorical);
  CHECK(told({"3", "1", "2"}, ColumnKind::real).levels.empty());
  CHECK(
      message_of<ConfigError>([&] {
        told({"3", "1", "2"}, ColumnKind::binary);
      }) ==
      "[data] kinds: column 'c' is to be binary, and holds 3 different values: 1, 2, 3. Say another kind, or list its "
      "levels.");
}

TEST_CASE("rows of text become rows of numbers, and these the same text again") {
  const ScratchFolder folder;
  const auto path = folder.write("a.csv", "x,color,on,s,flag\n1.5,red,yes,-1,0\n2,blue,no,1,1\n-3,green,yes,-1,1\n");
  const TextTable table = read_text_table(path, {}, {});
  std::vector<TableColumn> columns;
  for (const TextColumn& text : table.columns) columns.push_back(guess_column(text).column);
  const TableSchema schema(columns);
  CHECK(schema.width() == 7);
  CHECK(schema.number_names() == Levels{"on=yes", "flag", "s", "x", "color=blue", "color=green", "color=red"});
  REQUIRE(schema.layers().size() == 4);
  CHECK(schema.layers()[0].size == 2);
  CHECK(schema.layers()[3].name == "categorical3");
  const Table numbers = schema.encode(table);
  const std::vector<double> wanted{1, 0, -1, 1.5, 0, 0, 1, 0, 1, 1, 2, 1, 0, 0, 1, 1, -1, -3, 0, 1, 0};
  for (Index i = 0; i < wanted.size(); ++i) CHECK(numbers.at(i / 7, i % 7) == wanted[i]);
  const std::vector<Levels> rows{
      {"1.5", "red", "yes", "-1", "0"}, {"2", "blue", "no", "1", "1"}, {"-3", "green", "yes", "-1", "1"}};
  for (Index r = 0; r < 3; ++r) CHECK(schema.decode<double>(std::span(wanted).subspan(7 * r, 7)) == rows[r]);
}

TEST_CASE("what a column does not take is refused with its line") {
  const ScratchFolder folder;
  const TableSchema schema({{"x", ColumnKind::real}, {"c", ColumnKind::categorical, {"a", "b", "1"}}});
  const auto refused = [&](const std::string& text) {
    const auto path = folder.write("a.csv", text);
    const std::string message =
        message_of<DataError>([&] { schema.encode(read_text_table(path, with_header(), {"NA"})); });
    return message.substr(path.string().size());
  };
  CHECK(refused("x,c\n1,a\n2,z\n") ==
        ":3: column 'c' holds 'z', and its levels are a, b, 1. Mend it, leave out the row, or have it count as not "
        "seen by data.missing_words = [\"z\"]; to train with it add it to the levels in data.kinds.");
  CHECK(
      refused("x,c\n1,a\nten,b\n") ==
      ":3: column 'x' holds 'ten', which is no number, and it is a column of numbers. Mend it, or, where it says that "
      "nothing was seen, add it to data.missing_words.");
  const TableSchema cities({{"c", ColumnKind::categorical, {"Bonn", "west, Bonn", "east"}}});
  CHECK(message_of<DataError>([&] {
          cities.encode(read_text_table(folder.write("c.csv", "c\nnorth\n"), with_header(), {"NA"}));
        }).find("its levels are Bonn, \"west, Bonn\", east. ") != std::string::npos);
  CHECK(refused("x,d\n1,a\n") == ": has no column 'c', which the other rows have");
  const auto path = folder.write("b.csv", "x,c\n1,1.0\nNA,NA\n");
  const Table holes = schema.encode(read_text_table(path, {}, {"NA"}));
  CHECK(holes.at(0, 3) == 1);  // 1.0 is the level 1
  for (Index c = 0; c < 4; ++c) CHECK(std::isnan(holes.at(1, c)));
}

}  // namespace table_schema_test
