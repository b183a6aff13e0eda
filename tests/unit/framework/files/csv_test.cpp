#include <harmonium/framework/files/csv.hpp>

#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/csv_by_name.hpp>
#include <harmonium/framework/files/csv_names.hpp>
#include <harmonium/tests/support/data.hpp>
#include <harmonium/tests/support/scratch.hpp>
#include <harmonium/tests/support/tables.hpp>

namespace csv_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

using Numbers = std::vector<double>;

Table read(const std::string& content, const CsvOptions& options = {}) {
  const ScratchFolder folder;
  return read_csv(folder.write("a.csv", content), options).table;
}

Numbers all(const Table& table) {
  Numbers values;
  for (Index r = 0; r < table.rows; ++r)
    for (Index c = 0; c < table.cols; ++c) values.push_back(table.at(r, c));
  return values;
}

// What follows the file's path.
std::string refusal(const std::string& content, const CsvOptions& options = {}) {
  const ScratchFolder folder;
  const std::string path = folder.write("a.csv", content).string();
  const std::string message = message_of<DataError>([&] { read_csv(path, options); });
  CHECK(message.starts_with(path + ":"));
  return message.substr(path.size() + 1);
}

}  // namespace

TEST_CASE("CSV: separators, headers, quotation marks and line ends are found") {
  const Numbers six = {0, 1, 2, 3, 4, 255};
  for (const char* text : {"0,1,2\n3,4,255\n", "0;1;2\n3;4;255", "0\t1\t2\r\n3\t4\t255\r\n", "0 1  2\n 3 4 255 \n",
                           "a,b,c\n0,1,2\n3,4,255\n\n\n",
                           "\xEF\xBB\xBF\"a\",\"b, or \"\"b\"\"\",c\r\n0, 1 ,2\r\n\"3\",\" 4\", \"255\" \r\n \r\n",
                           "1,x,\n0,1,2\n3,4,255\n"}) {
    INFO(text);
    const Table table = read(text);
    CHECK(table.rows == 2);
    CHECK(table.cols == 3);
    CHECK(table.shape == std::vector<Index>{2, 3});
    CHECK(table.is_bytes());
    CHECK(all(table) == six);
  }
}

TEST_CASE("CSV: whole numbers from 0 to 255 stay bytes, others are doubles") {
  CHECK(read("7").is_bytes());
  for (const char* text : {"0,256", "1\n-1", "0,0.5", "1e3,1", "0\n-0"}) CHECK_FALSE(read(text).is_bytes());
  CHECK(all(read("1,2\n3,4.25\n-5e-3,+6")) == Numbers{1, 2, 3, 4.25, -5e-3, 6});
  CHECK(std::signbit(read("1\n-0").at(1, 0)));
  CHECK(read("1e2,2.0").is_bytes());
}

TEST_CASE("CSV: a header may be demanded or ruled out, and a separator named") {
  CsvOptions options;
  options.header = CsvHeader::present;
  CHECK(read("1,2\n3,4\n", options).rows == 1);
  options.header = CsvHeader::absent;
  CHECK(refusal("a,b\n3,4\n", options) == "1: field 1: 'a' is no number");
  options = {};
  options.separator = CsvSeparator::tab;
  CHECK(read("1\t2\n", options).cols == 2);
  options.separator = CsvSeparator::comma;
  CHECK(refusal("1\n1;2\n", options) == "2: field 1: '1;2' is no number");
}

TEST_CASE("CSV: a column of labels is known by name, number or place") {
  const ScratchFolder folder;
  const auto path = folder.write("a.csv", "x,class,2\n1,7,3\n4,8,6\n");
  CsvOptions options;
  for (const char* name : {"class", "2", "last"}) {
    options.label_column = name;
    const CsvContent content = read_csv(path, options);
    CHECK(content.table.cols == 2);
    CHECK(content.labels == (std::string(name) == "class" ? Numbers{7, 8} : Numbers{3, 6}));
    CHECK(content.names == std::vector<std::string>{"x", "class", "2"});
  }
  options.label_column = "1";
  CHECK(read_csv(path, options).labels == Numbers{1, 4});
  options.label_column = "clas";
  CHECK(message_of<ConfigError>([&] { read_csv(path, options); }) ==
        "[data] label_column is 'clas', but " + path.string() +
            " has no such column (did you mean 'class'?). Give a number from 1 to 3, or \"last\".");
  options.label_column = "last";
  CHECK(message_of<DataError>([&] {
          read_csv(folder.write("b.csv", "1\n2\n"), options);
        }).find("b.csv: has no columns besides the labels") != std::string::npos);
}

TEST_CASE("CSV: malformed files are refused with the line, the field and the reason") {
  CHECK(refusal("") == " has no rows (the file is empty)");
  CHECK(refusal("\n\n") == " has no rows (the file is empty)");
  CHECK(refusal("a,b\n") == " has no rows (a header alone)");
  CHECK(refusal("\n1,2\n") == "1: is empty (a row of numbers or a header expected)");
  CHECK(refusal("0,1,?,1\n1,0,0,1\n") ==
        "1: 1 of its 4 fields are no numbers: too many for a row, too few for a header. Mend it, or set data.header to "
        "\"yes\" or \"no\"");
  CHECK(refusal("1,2\n3\n") == "2: has 1 field, but the first line has 2");
  CHECK(refusal("1,2\n3,4,5,6\n") == "2: has 4 fields, but the first line has 2");
  // A header of one column whose name has a blank.
  CHECK(refusal("area m2\n90\n") ==
        "2: has 1 field, but the first line has 2, which was cut at its blanks. Where these are part of a field, set "
        "data.separator to \"comma\", \"semicolon\" or \"tab\".");
  CHECK(refusal("x,y\n1,2\n3,four\n") == "3: field 2 ('y'): 'four' is no number");
  const std::string comma = "' has a decimal comma, and numbers are read with a point. ",
                    remedy = "This writes all of them so: tr , . < FILE > NEW.csv";
  CHECK(refusal("1;2\n3,5;4\n") == "2: field 1: '3,5" + comma + remedy);
  CHECK(refusal("a;b\n3;-,5e1\n") == "2: field 2 ('b'): '-,5e1" + comma + remedy);
  CHECK(refusal("1,5;2,25\n3;4\n") == "1: field 1: '1,5" + comma + remedy);  // no header
  CHECK(refusal("1\t2,25\n3\t4\n") == "1: field 2: '2,25" + comma + remedy);
  CHECK(refusal("a,b\n\"1,5\",2\n") == "2: field 1 ('a'): '1,5" + comma + "Write them so.");
  CHECK(refusal("1;2\n1.234,5;4\n") == "2: field 1: '1.234,5' is no number (a decimal point expected)");
  CHECK(refusal("1;2\n1,2,3;4\n") == "2: field 1: '1,2,3' is no number (a decimal point expected)");
  CHECK(refusal("1,2\n3,\n") ==
        "2: field 2 is empty (a number expected). Fill it in, leave out the row, or set data.missing = \"nan\".");
  CHECK(refusal(",2\n3,1\n") ==
        "1: field 1 is empty (a number expected). Fill it in, leave out the row, or set data.missing = \"nan\".");
  CHECK(refusal("1,2\nnan,4\n") ==
        "2: field 1 is nan (a finite number expected). If that means that nothing was seen, set data.missing = "
        "\"nan\".");
  CHECK(refusal("1,2\n3,-inf\n") == "2: field 2 is -inf (a finite number expected)");
  CHECK(refusal("1,2\n3,1e999\n") == "2: field 2: 1e999 is beyond what a number holds");
  CHECK(refusal("1,2\n\n3,4\n") == "2: is empty, and more rows follow. Remove it.");
  CHECK(refusal("1,2\n\"3,4\n") == "2: field 1: a quotation mark without its partner");
  CHECK(refusal(std::string("\xFF\xFE\x31\0", 4)) == "1: text in UTF-16 (UTF-8 expected). Save it as UTF-8.");
  CHECK(refusal("1,2\n3,4 5\n") == "2: field 2: '4 5' is no number");
  CHECK(refusal("1,2\n0x10,4\n") == "2: field 1: '0x10' is no number");
  const ScratchFolder folder;
  CHECK(message_of<FileError>([&] { read_csv(folder / "none.csv"); }) != "");
  const std::string good = content_of(folder.write_gzipped("a.csv.gz", "1,2\n3,4\n"));
  CHECK(read_csv(folder / "a.csv.gz").table.rows == 2);
  CHECK(message_of<DataError>([&] { read_csv(folder.write("b.csv.gz", good.substr(0, good.size() - 4))); }) != "");
}

TEST_CASE("CSV: random tables are read back to the last bit") {
  std::mt19937_64 words(5);
  const ScratchFolder folder;
  for (int round = 0; round < 20; ++round) {
    const Index rows = 1 + words() % 40, cols = 1 + words() % 30;
    std::vector<double> numbers;
    while (numbers.size() < rows * cols) {
      const double v = std::bit_cast<double>(words());
      if (std::isfinite(v)) numbers.push_back(round % 2 ? v : static_cast<double>(words() % 256));
    }
    write_csv(folder / "a.csv", MatrixView<const double>{numbers.data(), rows, cols, cols});
    const Table table = read_csv(folder / "a.csv").table;
    REQUIRE(table.rows == rows);
    REQUIRE(table.cols == cols);
    CHECK(all(table) == numbers);
    std::vector<float> floats(numbers.size());
    for (float& v : floats) {
      do v = std::bit_cast<float>(static_cast<std::uint32_t>(words()));
      while (!std::isfinite(v));
    }
    write_csv(folder / "f.csv", MatrixView<const float>{floats.data(), rows, cols, cols});
    const Numbers read_back = all(read_csv(folder / "f.csv").table);
    for (Index i = 0; i < floats.size(); ++i) REQUIRE(static_cast<float>(read_back[i]) == floats[i]);
  }
}

TEST_CASE("CSV: a line longer than the reader's buffer, and lines across its end") {
  std::string text;
  for (int row = 0; row < 3; ++row) {
    for (int i = 0; i < 700000; ++i) text += i ? ",12" : "7";
    text += "\n";
  }
  const Table table = read(text);
  CHECK(table.rows == 3);
  CHECK(table.cols == 700000);
  CHECK(table.at(2, 699999) == 12);
}

TEST_CASE("CSV: the optical digits have 64 integers up to 16 and a class") {
  const auto path = data_file("optdigits/optdigits.tra.gz");
  if (!path) return;
  CHECK(table_format(*path) == TableFormat::csv);
  CsvOptions options;
  options.label_column = "last";
  const CsvContent digits = read_csv(*path, options);
  CHECK(digits.table.rows == 3823);
  CHECK(digits.table.cols == 64);
  CHECK(digits.table.is_bytes());
  CHECK(digits.labels[2] == 7);
}

TEST_CASE("CSV: columns are chosen by name or number, in the order given, or left out") {
  const ScratchFolder folder;
  const auto path = folder.write("a.csv", "id,x,what,y,class\nr1,1,foo,2,0\nr2,3,bar,4,1\n");
  CsvOptions options;
  options.label_column = "class";
  options.columns = {"y", "2"};
  CsvContent content = read_csv(path, options);
  CHECK(all(content.table) == Numbers{2, 1, 4, 3});
  CHECK(content.labels == Numbers{0, 1});
  CHECK(read_csv_names(path, options).columns == std::vector<std::string>{"y", "x"});
  options.columns = {};
  options.ignore = {"id", "what"};
  CHECK(all(read_csv(path, options).table) == Numbers{1, 2, 3, 4});
  const auto refused = [&](std::vector<std::string> columns, std::vector<std::string> ignore) {
    options.columns = std::move(columns);
    options.ignore = std::move(ignore);
    return message_of<ConfigError>([&] { read_csv(path, options); });
  };
  CHECK(refused({"yy"}, {}) == "[data] columns names 'yy', but " + path.string() +
                                   " has no such column (did you mean 'y'?). Give a name of its header, or a number "
                                   "from 1 to 5.");
  CHECK(refused({"y", "y"}, {}) == "[data] columns names 'y' twice. Leave one out.");
  CHECK(refused({"class"}, {}) ==
        "[data] columns names 'class', the column of the classes. Take it out of one of the two.");
  CHECK(refused({}, {"class"}) ==
        "[data] ignore names 'class', the column of the classes. Take it out of one of the two.");
  options.columns = {"x"};
  CHECK(message_of<ConfigError>([&] { options.validate(); }) ==
        "columns and ignore are both given (what columns does not name is left out). Remove one.");
}

TEST_CASE("CSV: words of the first line that are classes, or left out, make no header of it") {
  const ScratchFolder folder;
  CsvOptions options;
  options.label_column = "last";
  CHECK(read_csv(folder.write("a.csv", "5.1,3.5,setosa\n4,3,other\n"), options).table.rows == 2);
  options.ignore = {"1"};
  CHECK(read_csv(folder.write("b.csv", "r1,5.1,3.5,setosa\nr2,4,3,other\n"), options).table.rows == 2);
}

TEST_CASE("CSV: classes may be words, which are numbered by the alphabet or as they are listed") {
  const ScratchFolder folder;
  const auto path = folder.write("a.csv", "x,kind\n1,cat\n2,\"bird, small\"\n3,cat\n");
  CsvOptions options;
  options.label_column = "kind";
  CsvContent content = read_csv(path, options);
  CHECK(content.classes == std::vector<std::string>{"bird, small", "cat"});
  CHECK(content.labels == Numbers{1, 0, 1});
  options.classes = {"cat", "dog", "bird, small"};
  content = read_csv(path, options);
  CHECK(content.classes == options.classes);
  CHECK(content.labels == Numbers{0, 2, 0});
  options.classes = {"dog", "bird, small"};
  CHECK(refusal("x,kind\n1,cat\n", options) ==
        "2: field 2 ('kind') is 'cat', and the classes are dog, bird, small. Add it to data.classes.");
  options.classes = {};
  CHECK(
      refusal("x,kind\n1,0\n2,cat\n", options) ==
      "3: field 2 ('kind') is 'cat', but rows before it have numbers (classes are all numbers or all words). Mend it, "
      "or list what they are called in data.classes.");
  CHECK(refusal("x,kind\n1,cat\n2,0\n", options) ==
        "3: field 2 ('kind') is the number 0, but rows before it have words (classes are all numbers or all words). "
        "Mend it, or list what they are called in data.classes.");
  CHECK(refusal("x,kind\n1,cat\n2,\n", options) ==
        "3: field 2 ('kind') is empty (a class expected). Fill it in, leave out the row, or set data.missing = "
        "\"nan\", by "
        "which it was not seen; where all classes are to be told or drawn (transform, sample --clamp) leave the column "
        "out of the file.");
}

TEST_CASE("a class that was not seen is NaN where entries may be missing, beside numbers and words") {
  const ScratchFolder folder;
  CsvOptions options;
  options.label_column = "kind";
  options.missing = true;
  const auto labels = [&](const std::string& text) { return read_csv(folder.write("c.csv", text), options).labels; };
  const Numbers words = labels("x,kind\n1,\n2,dog\n3,cat\n4,nan\n"), numbers = labels("x,kind\n1,2\n2,\n3,0\n");
  REQUIRE(words.size() == 4);
  CHECK(std::isnan(words[0]));
  CHECK(words[1] == 1);
  CHECK(words[2] == 0);
  CHECK(std::isnan(words[3]));
  REQUIRE(numbers.size() == 3);
  CHECK(numbers[0] == 2);
  CHECK(std::isnan(numbers[1]));
  CHECK(numbers[2] == 0);
}

TEST_CASE("what is no text is refused as such") {
  CHECK(refusal(std::string("\x93NUMPY\x01\0v\0{", 11)) ==
        " is no text: it holds bytes that are no characters. If it is of another kind than its name says, give it its "
        "own "
        "name, or set data.type.");
  CHECK(refusal(std::string("1,2\n3,\0\n", 8)).find("is no text") != std::string::npos);
  CHECK(refusal(std::string("PK\x03\x04\x14\0\x06", 7)) ==
        " is no text, but an archive, such as a spreadsheet's own format. Save it as CSV.");
}

TEST_CASE("columns are found by the names of another file's") {
  const ScratchFolder folder;
  CsvOptions options;
  options.label_column = "last";
  const std::filesystem::path file = folder.write("a.csv", "a,b,kind\n1,2,x\n");
  CHECK(read_csv_header(file) == std::vector<std::string>{"a", "b", "kind"});
  options.columns = {"nowhere"};  // names that are not there do no harm
  CHECK(read_csv_header(file, options).size() == 3);
  CHECK(read_csv_header(folder.write("b.csv", "1,2,x\n"), options).empty());
  const CsvNames first{{"b", "a"}, "kind"};
  options.columns = {};
  options.ignore = {"1"};
  const CsvOptions found = by_names(options, "f", {"a", "c", "b", "kind"}, first, "");
  CHECK(found.columns == first.columns);
  CHECK(found.ignore.empty());
  CHECK(found.label_column == "kind");
  CHECK(by_names(options, "f", {}, first, "").ignore == options.ignore);
  CHECK(by_names(options, "f", {"a", "b"}, {}, "").ignore == options.ignore);
  // Two of one name are told apart where they stand as they did.
  const CsvNames twice{{"a", "a"}, "kind"};
  CHECK(by_names(options, "f", {"a", "a", "kind"}, twice, "").columns.empty());
  CHECK_THROWS_AS(by_names(options, "f", {"a", "kind", "a", "b"}, twice, ""), ConfigError);
  CHECK_THROWS_AS(by_names(options, "f", {"b", "c", "kind"}, first, ""), ConfigError);
}

}  // namespace csv_test
