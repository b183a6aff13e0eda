#include <harmonium/framework/files/text_table.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/tests/support/data.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace text_table_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

TextTable read(const std::string& content, const CsvOptions& options = {}) {
  const ScratchFolder folder;
  return read_text_table(folder.write("a.csv", content), options, {"NA", "?"});
}

}  // namespace

TEST_CASE("text tables: columns of numbers and of words are kept, and what is missing is counted") {
  const TextTable table = read("age,sex,city\n3,f,\"Oslo, N\"\nNA,m,Bergen\n4.5,,\"Oslo, N\"\n");
  REQUIRE(table.columns.size() == 3);
  CHECK(table.rows == 3);
  CHECK(table.header);
  CHECK(table.line(0) == 2);
  const TextColumn& age = table.columns[0];
  CHECK(age.are_numbers);
  CHECK(age.missing == 1);
  CHECK(age.numbers[2] == 4.5);
  CHECK(std::isnan(age.numbers[1]));
  const TextColumn& sex = table.columns[1];
  CHECK_FALSE(sex.are_numbers);
  CHECK(sex.words == std::vector<std::string>{"f", "m"});
  CHECK(sex.codes == std::vector<std::uint32_t>{0, 1, TextColumn::nothing});
  CHECK(sex.first_word == "f");
  CHECK(sex.line_of_word == 2);
  CHECK(table.columns[2].words == std::vector<std::string>{"Oslo, N", "Bergen"});
}

TEST_CASE("text tables: a column of numbers with decimal commas is told from one of words") {
  const auto refusal = [](const TextTable& table, Index column) {
    const std::string text = message_of<DataError>([&] { refuse_decimal_commas(table, table.columns.at(column)); });
    return text.substr(text.find("a.csv") == std::string::npos ? 0 : text.find("a.csv"));
  };
  const std::string rest =
      " has a decimal comma, and numbers are read with a point. This writes all of them so: tr , . < FILE > NEW.csv";
  const TextTable named = read("age;pair;whole\n3;1,2;4\n0,5;x;5\n");
  CHECK(named.header);
  CHECK(refusal(named, 0) == "a.csv:3: column 'age': '0,5'" + rest);
  CHECK(refusal(named, 1) == "");
  CHECK(refusal(named, 2) == "");
  const TextTable bare = read("1,5;a\n2;b\n");
  CHECK_FALSE(bare.header);
  CHECK(refusal(bare, 0) == "a.csv:1: column '1': '1,5'" + rest);
  CHECK(refusal(read("a,b\n\"1,5\",2\n"), 0).ends_with("numbers are read with a point. Write them so."));
}

TEST_CASE("text tables: a first line is a header by what it and its columns hold") {
  CHECK(read("x,y\na,1\nb,2\n").header);                    // a word above a number
  CHECK_FALSE(read("5.1,3.5,setosa\n4,3,other\n").header);  // a number in it
  CHECK(read("color,shape\nred,round\nblue,flat\nred,flat\n").header);
  CHECK_FALSE(read("e,x,n\np,x,n\ne,f,n\np,f,n\n").header);  // each of its words comes again
  const CsvOptions named{.label_column = "color"};
  CHECK(read("color,shape\nred,round\ncolor,shape\n", named).header);
  CHECK(read("5.1,3.5,setosa\n4,3,other\n").columns[2].name == "3");
}

TEST_CASE("text tables: many different texts are not kept, and numbers go on") {
  std::string text = "name,value\n";
  for (int i = 0; i < 400; ++i) text += "n" + std::to_string(i) + "," + std::to_string(i) + "\n";
  const TextTable table = read(text);
  CHECK_FALSE(table.columns[0].few_words);
  CHECK(table.columns[0].words.empty());
  CHECK_FALSE(table.columns[1].few_words);
  CHECK(table.columns[1].numbers.size() == 400);
}

TEST_CASE("text tables: classes, chosen columns and malformed lines are as in CSV files") {
  const CsvOptions options{.label_column = "kind", .columns = {"b"}};
  const TextTable table = read("a,b,kind\n1,2,x\n3,4,w\n", options);
  CHECK(table.columns.size() == 1);
  CHECK(table.labels == std::vector<double>{1, 0});
  CHECK(table.classes == std::vector<std::string>{"w", "x"});
  CHECK(table.label_name == "kind");
  const auto refused = [](const std::string& text) {
    const std::string message = message_of<DataError>([&] { read(text); });
    return message.substr(message.find("a.csv") + 5);
  };
  CHECK(refused("") == ": has no rows (the file is empty)");
  CHECK(refused("a,b\n1,2\n3\n") == ":3: has 1 field, but the first line has 2");
  CHECK(refused("area m2\n90\n") ==
        ":2: has 1 field, but the first line has 2, which was cut at its blanks. Where these are part of a field, set "
        "data.separator to \"comma\", \"semicolon\" or \"tab\".");
  CHECK(refused("a,b\n1,2\n\n3,4\n") == ":3: is empty, and more rows follow. Remove it.");
  CHECK(refused("a,a\n1,2\n") == ":1: two columns are called 'a'. Rename one.");
  CHECK(refused("a,b\n1,\"2\n") == ":2: field 2: a quotation mark without its partner");
}

}  // namespace text_table_test
