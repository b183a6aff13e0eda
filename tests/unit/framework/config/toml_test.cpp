#include <harmonium/framework/config/toml.hpp>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <stdexcept>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>

namespace toml_test {

using namespace harmonium;

namespace {

using Random = std::mt19937_64;

Value list_of(Value::List items) {
  Value list;
  list.data = std::move(items);
  return list;
}

Value integer(std::int64_t v) { return make_value(v); }

std::string message_of(std::string_view text) {
  try {
    parse_toml(text, "run.toml");
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "no error";
}

std::string message_of_reading(const std::filesystem::path& path) {
  try {
    read_toml(path);
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "no error";
}

std::size_t below(Random& random, std::size_t n) { return static_cast<std::size_t>(random() % n); }

std::string random_string(Random& random) {
  static const std::vector<std::string> pieces = {"a",
                                                  "Z",
                                                  "0",
                                                  "_",
                                                  "-",
                                                  " ",
                                                  "\t",
                                                  "\n",
                                                  "\r",
                                                  "\r\n",
                                                  "\b",
                                                  "\f",
                                                  "\"",
                                                  "'",
                                                  "\\",
                                                  "#",
                                                  ".",
                                                  "=",
                                                  "[",
                                                  "]",
                                                  "{",
                                                  "}",
                                                  ",",
                                                  "\\u0041",
                                                  "\x7f",
                                                  "\x01",
                                                  "\x1f",
                                                  "\x1b",
                                                  "'''",
                                                  "é",
                                                  "\u0085",
                                                  "\u2028",
                                                  "日本",
                                                  "\U0001F600",
                                                  "\uFEFF",
                                                  "\uFFFD",
                                                  "\uD7FF",
                                                  "\uE000",
                                                  "\U0010FFFF",
                                                  "\"\"\"",
                                                  std::string(1, '\0')};
  std::string text;
  for (std::size_t n = below(random, 8); n > 0; --n) text += pieces[below(random, pieces.size())];
  return text;
}

Value random_value(Random& random, int depth);

Value random_table(Random& random, std::size_t entries, int depth) {
  Value table = make_table();
  for (std::size_t n = below(random, entries); n > 0; --n) {
    const std::string key = random_string(random);
    table.set(key, random_value(random, depth));
  }
  return table;
}

Value random_value(Random& random, int depth) {
  switch (below(random, depth > 0 ? 9 : 5)) {
    case 0: return make_value(below(random, 2) == 0);
    case 1: return integer(static_cast<std::int64_t>(random()) >> below(random, 64));
    case 2: return make_value(std::bit_cast<double>(random()));
    case 3: return make_value(static_cast<double>(below(random, 1000)) / 8.0);
    case 4: return make_value(random_string(random));
    case 5: {
      Value::List tables;
      for (std::size_t n = below(random, 4); n > 0; --n) tables.push_back(random_table(random, 3, depth - 1));
      return list_of(std::move(tables));
    }
    case 6: {
      Value::List items;
      for (std::size_t n = below(random, 4); n > 0; --n) items.push_back(random_value(random, depth - 1));
      return list_of(std::move(items));
    }
    default: return random_table(random, 5, depth - 1);
  }
}

constexpr std::string_view example = R"(# A run.
seed = 12
name = "first \u00e9 \\ \"x\"" # with escapes
plain = 'C:\temp'
rates = [0.1, 1e-3, -inf, 2.0,]
"odd key" = true

[sampler]
type = "tempering"
ladder = {low = 0.1, high = 1.0, steps = [1, 2, [3]]}
inner.type = "gibbs"
inner.tile = 0x10

[[observers]]
every = 1_000
[observers.sink]
path = """
two
lines"""

[[observers]]
every = 2

[a.b.c]
)";

}  // namespace

TEST_CASE("every node knows its place, and keys keep their order") {
  const Value run =
      parse_toml("z = 1\n  a = [1, {b = 2}]\n\n[s]\n  type = 'g'\n[m.n]\nx.y = 1\n[[l]]\nq = 1\n[[l]]\n", "run.toml");
  CHECK(run.where == "run.toml:1:1");
  const auto& entries = std::get<Value::Table>(run.data);
  REQUIRE(entries.size() == 5);
  std::string order;
  for (const auto& entry : entries) order += entry.first;
  CHECK(order == "zasml");
  CHECK(run.find("z")->where == "run.toml:1:5");
  const auto& list = std::get<Value::List>(run.find("a")->data);
  CHECK(list[0].where == "run.toml:2:8");
  CHECK(list[1].find("b")->where == "run.toml:2:16");
  CHECK(run.find("s")->where == "run.toml:4:1");
  CHECK(run.find("s")->find("type")->where == "run.toml:5:10");
  CHECK(run.find("m")->where == "run.toml:6:1");
  CHECK(run.find("m")->find("n")->find("x")->find("y")->where == "run.toml:7:7");
  CHECK(run.find("l")->where == "run.toml:8:1");
  CHECK(std::get<Value::List>(run.find("l")->data)[1].where == "run.toml:10:1");
}

TEST_CASE("integers stay apart from numbers and keep all their bits") {
  const Value v =
      parse_toml("a = 1\nb = 1.0\nc = 9223372036854775807\nd = -9223372036854775808\ne = 0x10\nf = 1e3", "x");
  CHECK(*v.find("a") == integer(1));
  CHECK(*v.find("b") == make_value(1.0));
  CHECK(*v.find("c") == integer(std::numeric_limits<std::int64_t>::max()));
  CHECK(*v.find("d") == integer(std::numeric_limits<std::int64_t>::min()));
  CHECK(*v.find("e") == integer(16));
  CHECK(*v.find("f") == make_value(1000.0));
}

TEST_CASE("what is not TOML is refused with its place") {
  CHECK(message_of("a = 1\nb = \n") == "run.toml:2:5: not valid TOML: key-value pair: expected value, saw '\\n'.");
  CHECK(message_of("a = 1\n[b\n") == "run.toml:2:3: not valid TOML: table header: expected ']', saw '\\n'.");
  CHECK(message_of("a = 1\na = 2") ==
        "run.toml:2:5: not valid TOML: key-value pair: cannot redefine existing integer 'a'.");
  CHECK(message_of("a = é").starts_with("run.toml:1:5: not valid TOML: "));
  CHECK(message_of("é = 1").starts_with("run.toml:1:1: not valid TOML: "));
  CHECK(message_of("a = {=}").starts_with("run.toml:1:6: not valid TOML: "));
  CHECK(message_of("a = 9223372036854775808").starts_with("run.toml:1:"));
  CHECK(message_of("a = 1979-05-27") ==
        "run.toml:1:5: dates and times have no use in a configuration. Put it in quotes if it is meant as a string.");
  CHECK(message_of("a = [1, 07:32:00]").starts_with("run.toml:1:9: dates and times"));
  CHECK(message_of("a = {b = 1979-05-27T07:32:00Z}").starts_with("run.toml:1:10: dates and times"));
  CHECK(message_of("a = " + std::string(1000, '[')).find("more than 100 levels") != std::string::npos);
}

TEST_CASE("a letter may follow a folded line") {
  CHECK(*parse_toml("a = \"\"\"x\\\n  é\"\"\"", "x").find("a") == make_value("xé"));
}

TEST_CASE("files are read, and refused by name") {
  const auto folder = std::filesystem::temp_directory_path() / "harmonium_toml_test";
  std::filesystem::create_directories(folder);
  const auto file = folder / "run.toml";
  std::ofstream(file) << "\xEF\xBB\xBF"
                      << "a = 1\r\nb = [2,\r\n3]\r\n";
  const Value v = read_toml(file);
  CHECK(*v.find("a") == integer(1));
  CHECK(v.find("b")->where == file.string() + ":2:5");

  CHECK(message_of_reading(folder) == folder.string() + ": this is a folder. Name the TOML file in it.");
  const auto absent = folder / "absent.toml";
  CHECK(message_of_reading(absent) == absent.string() + ": there is no such file.");
  CHECK(message_of_reading(file / "below").starts_with((file / "below").string() + ": "));
  std::ofstream(file) << "a = \x01\n";
  CHECK(message_of_reading(file).starts_with(file.string() + ":1:5: not valid TOML: "));
  std::filesystem::permissions(file, std::filesystem::perms::none);
  // A privileged user reads it all the same.
  if (!std::ifstream(file))
    CHECK(message_of_reading(file) ==
          file.string() + ": cannot be opened: Permission denied. Name the TOML file that is meant.");
  std::filesystem::remove_all(folder);
}

TEST_CASE("documents are written to be read by people") {
  Value ladder = make_table({{"low", make_value(0.1)}, {"steps", list_of({integer(1), make_value(2.5)})}});
  Value observers = list_of(
      {make_table({{"every", integer(10)}, {"sink", make_table({{"path", make_value("a b")}})}}), make_table()});
  const Value run = make_table({{"sampler", make_table({{"type", make_value("tempering")}, {"ladder", ladder}})},
                                {"seed", integer(12)},
                                {"absent", Value{}},
                                {"outer", make_table({{"inner", make_table({{"odd key", make_value(true)}})}})},
                                {"observers", observers},
                                {"mixed", list_of({make_table({{"a", integer(1)}, {"b", Value{}}}), integer(2)})},
                                {"", make_table()}});
  CHECK(write_toml(run) == R"(seed = 12
mixed = [{a = 1}, 2]

[sampler]
type = "tempering"

[sampler.ladder]
low = 0.1
steps = [1, 2.5]

[outer.inner]
"odd key" = true

[[observers]]
every = 10

[observers.sink]
path = "a b"

[[observers]]

[""]
)");
}

TEST_CASE("values are written in the shortest way that reads back") {
  const auto written = [](double v) { return write_toml_value(make_value(v)); };
  CHECK(written(1.0) == "1.0");
  CHECK(written(-0.0) == "-0.0");
  CHECK(written(0.1) == "0.1");
  CHECK(written(1e300) == "1e+300");
  CHECK(written(5e-324) == "5e-324");
  CHECK(written(1e22) == "1e+22");
  CHECK(written(123456789.0) == "123456789.0");
  CHECK(written(std::numeric_limits<double>::infinity()) == "inf");
  CHECK(written(-std::numeric_limits<double>::infinity()) == "-inf");
  CHECK(written(std::nan("")) == "nan");
  CHECK(write_toml_value(integer(std::numeric_limits<std::int64_t>::min())) == "-9223372036854775808");
  CHECK(write_toml_value(make_value(std::string("\"\\\b\t\n\f\r\x01\x7f", 9) + "é")) ==
        R"("\"\\\b\t\n\f\r\u0001\u007Fé")");
  CHECK(write_toml_value(make_value("a\xff"
                                    "b\xed\xa0\x80")) == R"("a\uFFFDb\uFFFD\uFFFD\uFFFD")");
  CHECK(write_toml_value(list_of({list_of({}), make_table()})) == "[[], {}]");
  CHECK(write_toml(Value{}).empty());
  CHECK_THROWS_AS(write_toml(integer(1)), std::invalid_argument);
  CHECK_THROWS_AS(write_toml_value(list_of({Value{}})), std::invalid_argument);
}

TEST_CASE("every double reads back to itself") {
  Random random(1);
  for (int i = 0; i < 20000; ++i) {
    const double v = std::bit_cast<double>(random());
    if (!std::isfinite(v)) continue;
    const Value back = parse_toml("v = " + write_toml_value(make_value(v)), "x");
    REQUIRE(std::bit_cast<std::uint64_t>(std::get<double>(back.find("v")->data)) == std::bit_cast<std::uint64_t>(v));
  }
}

TEST_CASE("what is written reads back equal") {
  const Value v = parse_toml(example, "run.toml");
  CHECK(parse_toml(write_toml(v), "written") == v);
  Random random(2);
  for (int i = 0; i < 3000; ++i) {
    const Value table = random_table(random, 5, 4);
    const std::string text = write_toml(table);
    CAPTURE(text);
    REQUIRE(parse_toml(text, "written") == table);
    REQUIRE(write_toml(parse_toml(text, "written")) == text);
  }
}

TEST_CASE("no damage to a file does more than to have it refused") {
  Random random(3);
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text(example);
    for (std::size_t n = 1 + below(random, 4); n > 0; --n) {
      const std::size_t at = below(random, text.size()), length = below(random, 6);
      switch (below(random, 4)) {
        case 0: text[at] = static_cast<char>(random()); break;
        case 1: text.erase(at, length); break;
        case 2: text.insert(at, example.substr(below(random, example.size()), length)); break;
        default: text.insert(at, random_string(random)); break;
      }
      if (text.empty()) text = "a";
    }
    CAPTURE(text);
    try {
      const Value v = parse_toml(text, "run.toml");
      REQUIRE(parse_toml(write_toml(v), "written") == v);
    } catch (const ConfigError& e) {
      REQUIRE(std::string_view(e.what()).starts_with("run.toml:"));
      ++refused;
    }
  }
  CHECK(refused > 1000);
}

TEST_CASE("a document may be 100 levels deep, whatever they are made of, and no deeper") {
  const auto repeated = [](const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  };
  const auto message = [](const std::string& text) {
    try {
      parse_toml(text, "x");
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string why =
      "more than 100 levels (tables, lists and parts of a dotted key inside one another). Write it with "
      "fewer.";
  const auto dotted = [&](int parts) { return "a" + repeated(".a", parts - 1); };
  CHECK(message(dotted(101) + " = 1") == "");
  CHECK(message(dotted(102) + " = 1") == "x:1:202: " + why);
  CHECK(message("[" + dotted(100) + "]\n") == "");
  CHECK(message("\n[" + dotted(101) + "]\n") == "x:2:201: " + why);
  CHECK(message("[" + dotted(60) + "]\n" + dotted(41) + " = 1\n") == "");
  CHECK(message("[" + dotted(60) + "]\n" + dotted(42) + " = 1\n") == "x:2:82: " + why);
  CHECK(message("a = " + repeated("[", 100) + repeated("]", 100)) == "");
  CHECK(message("a = " + repeated("[", 101) + repeated("]", 101)) == "x:1:105: " + why);
  CHECK(message("a = " + repeated("{a.a = ", 50) + "1" + repeated("}", 50)) == "");
  CHECK(message("a = [1,\n" + repeated("{a.a = ", 50) + "1" + repeated("}", 50) + "]") == "x:2:346: " + why);
  // What stands side by side is not deep, nor what a string or a comment says.
  CHECK(message("a = [" + repeated("[1.5], ", 1000) + "]") == "");
  CHECK(message("a = {" + repeated("", 1) + "b.c = 1, d.e = 2}\n" + repeated("[[s.t]]\nu.v = 1.5\n", 1000)) == "");
  const std::string odd = repeated(".[{", 200);
  CHECK(message("a = \"" + odd + "\" # " + odd + "\n'" + odd + "' = '" + odd + "'\nb = \"\"\"\\\n" + odd + "\n\"\\\"" +
                odd + "\"\"\"\nc = [1] # " + odd) == "");
  CHECK(message("a = \"\"\"\n\\\n\"\"\"\n[" + dotted(101) + "]\n") == "x:4:201: " + why);
}

}  // namespace toml_test
