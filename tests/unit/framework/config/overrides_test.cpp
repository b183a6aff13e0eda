#include <harmonium/framework/config/overrides.hpp>

#include <random>

#include <doctest/doctest.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>

namespace overrides_test {

using namespace harmonium;

namespace {

/// `before` with the assignment applied, as TOML.
std::string changed(std::string_view before, std::string_view assignment) {
  Value config = parse_toml(before, "run.toml");
  apply_override(config, assignment);
  return write_toml(config);
}

/// What the assignment is refused with; the configuration must not change.
std::string message_of(std::string_view before, std::string_view assignment) {
  Value config = parse_toml(before, "run.toml");
  const Value unchanged = config;
  try {
    apply_override(config, assignment);
  } catch (const ConfigError& e) {
    CHECK(config == unchanged);
    return e.what();
  }
  return "no error";
}

constexpr std::string_view hint = " Write KEY=VALUE, as in sampler.tile=8, observers[0].every=10 or \"odd key\".x=1.";

}  // namespace

TEST_CASE("an override sets, replaces and creates") {
  CHECK(changed("seed = 1", "seed=2") == "seed = 2\n");
  CHECK(changed("", "a.b.c=1") == "[a.b]\nc = 1\n");
  CHECK(changed("[a]\nx = 1", "a.y = 2") == "[a]\nx = 1\ny = 2\n");
  CHECK(changed("[a]\nx = 1", "a=2") == "a = 2\n");
  CHECK(changed("", R"("odd key".'a.b'."\"=" . x=1)") == "[\"odd key\".\"a.b\".\"\\\"=\"]\nx = 1\n");
  Value empty;
  apply_override(empty, "a=1");
  CHECK(empty == make_table({{"a", make_value(std::int64_t{1})}}));
}

TEST_CASE("values are TOML where they can be, strings otherwise") {
  const auto value = [](std::string_view text) {
    Value config;
    apply_override(config, "v=" + std::string(text));
    return write_toml_value(*config.find("v"));
  };
  CHECK(value("3") == "3");
  CHECK(value(" 3.0 ") == "3.0");
  CHECK(value("1e-3") == "0.001");
  CHECK(value("true") == "true");
  CHECK(value("\"3\"") == "\"3\"");
  CHECK(value("'a'") == "\"a\"");
  CHECK(value("[1, 'x', {a = 2}]") == "[1, \"x\", {a = 2}]");
  CHECK(value("{type = 'gibbs', tile = 3}") == "{type = \"gibbs\", tile = 3}");
  CHECK(value("gibbs") == "\"gibbs\"");
  CHECK(value("a=b") == "\"a=b\"");
  CHECK(value("data/run 1.csv") == "\"data/run 1.csv\"");
  CHECK(value("1 # one") == "\"1 # one\"");
  CHECK(value("1, 2") == "\"1, 2\"");
  CHECK(value("1\nw = 2") == "\"1\\nw = 2\"");
  CHECK(value("2024-01-01") == "\"2024-01-01\"");
  CHECK(value("[1, 2") == "\"[1, 2\"");
}

TEST_CASE("what an override sets has the override as its place") {
  Value config = parse_toml("[a]\nx = 1", "run.toml");
  apply_override(config, "a.b.c={d = [1]}");
  const std::string place = "--set a.b.c={d = [1]}";
  const Value& b = *config.find("a")->find("b");
  CHECK(config.find("a")->where == "run.toml:1:1");
  CHECK(b.where == place);
  CHECK(b.find("c")->where == place);
  CHECK(b.find("c")->find("d")->where == place);
  CHECK(std::get<Value::List>(b.find("c")->find("d")->data)[0].where == place);
}

TEST_CASE("lists are reached by index, and grow by one") {
  CHECK(changed("a = [1, 2]", "a[1]=5") == "a = [1, 5]\n");
  CHECK(changed("a = [1, 2]", "a[ 2 ]=5") == "a = [1, 2, 5]\n");
  CHECK(changed("a = [[1], [2]]", "a[1][0]=5") == "a = [[1], [5]]\n");
  CHECK(changed("[[observers]]\nevery = 2", "observers[0].every=1") == "[[observers]]\nevery = 1\n");
  CHECK(changed("", "run.observers[0].every=1") == "[[run.observers]]\nevery = 1\n");
}

TEST_CASE("nothing behind the equals sign takes back what was set") {
  CHECK(changed("a = 1\nb = 2", "a=") == "b = 2\n");
  CHECK(changed("[a]\nx = 1\ny = 2", "a.x = ") == "[a]\ny = 2\n");
  CHECK(changed("a = [1, 2, 3]", "a[1]=") == "a = [1, 3]\n");
  CHECK(changed("a = 1", "a=\"\"") == "a = \"\"\n");
  CHECK(message_of("a = 1", "b=") ==
        "--set b=: 'b' is not set, so there is nothing to take back. An empty text is written --set b='\"\"'.");
  CHECK(
      message_of("a = [1]", "a[1]=") ==
      "--set a[1]=: 'a[1]' is not set, so there is nothing to take back. An empty text is written --set a[1]='\"\"'.");
}

TEST_CASE("the name of a component becomes its table where an option of it is set") {
  CHECK(changed("sampler = 'gibbs'", "sampler.tile=3") == "[sampler]\ntype = \"gibbs\"\ntile = 3\n");
}

TEST_CASE("a name becomes the table that it stands for at its place") {
  CHECK(changed("training.stop_early = 'loss'", "training.stop_early.patience=3") ==
        "[training.stop_early]\nmetric = \"loss\"\npatience = 3\n");
  CHECK(changed("training.keep_best = 'loss'", "training.keep_best.goal=less") ==
        "[training.keep_best]\nmetric = \"loss\"\ngoal = \"less\"\n");
  CHECK(changed("start_from = 'm.h5'", "start_from.sha256=ab") == "[start_from]\npath = \"m.h5\"\nsha256 = \"ab\"\n");
  CHECK(changed("optimizer.schedule = 'linear'", "optimizer.schedule.final=0.5") ==
        "[optimizer.schedule]\ntype = \"linear\"\nfinal = 0.5\n");
  Value config;
  apply_override(config, "training.stop_early=loss");
  apply_override(config, "training.stop_early.patience=3");
  const Value& figure = *config.find("training")->find("stop_early");
  CHECK(figure == make_table({{"metric", make_value("loss")}, {"patience", make_value(std::int64_t{3})}}));
  CHECK(figure.find("metric")->where == "--set training.stop_early=loss");
}

TEST_CASE("what cannot be meant is refused") {
  CHECK(message_of("", "seed") == "--set seed: there is no '='." + std::string(hint));
  CHECK(message_of("", "") == "--set : a part of the key is empty." + std::string(hint));
  CHECK(message_of("", "=1") == "--set =1: a part of the key is empty." + std::string(hint));
  CHECK(message_of("", "a..b=1") == "--set a..b=1: a part of the key is empty." + std::string(hint));
  CHECK(message_of("", "a.=1") == "--set a.=1: a part of the key is empty." + std::string(hint));
  CHECK(message_of("", "[0]=1") == "--set [0]=1: a part of the key is empty." + std::string(hint));
  const std::string odd = ": a part with other characters than letters, digits, '_' and '-' needs quotes.";
  CHECK(message_of("", "a b=1") == "--set a b=1" + odd + std::string(hint));
  CHECK(message_of("", "é=1") == "--set é=1" + odd + std::string(hint));
  CHECK(message_of("", "'a=1") == "--set 'a=1: a quote in the key is not closed." + std::string(hint));
  CHECK(message_of("", "\"a\\") == "--set \"a\\: a quote in the key is not closed." + std::string(hint));
  CHECK(message_of("", R"("\q"=1)") ==
        R"(--set "\q"=1: a quoted part of the key is no TOML string.)" + std::string(hint));
  CHECK(message_of("", "a[x]=1") == "--set a[x]=1: an index is a whole number from 0." + std::string(hint));
  CHECK(message_of("", "a[-1]=1") == "--set a[-1]=1: an index is a whole number from 0." + std::string(hint));
  CHECK(message_of("", "a[1=1") ==
        "--set a[1=1: an index is a whole number from 0, closed by ']'." + std::string(hint));
  CHECK(message_of("seed = 1", "seed.tile=3") ==
        "--set seed.tile=3: 'seed' is an integer, not a table (run.toml:1:8), so it has no 'tile'. Set 'seed' "
        "to a table first.");
  CHECK(message_of("[[a]]\nb = 1", "a.b=3") ==
        "--set a.b=3: 'a' is a list, not a table (run.toml:1:1), so it has no 'b'. Name an element, as in a[0].");
  CHECK(message_of("[[a]]\nb = 1", "a.2.b=3") ==
        "--set a.2.b=3: 'a' is a list, not a table (run.toml:1:1), so it has no '2'. Name an element, as in a[2].");
  CHECK(message_of("[a]\nb = 1", "a.b[0].c=3") ==
        "--set a.b[0].c=3: 'a.b' is an integer, not a list (run.toml:2:5), so it has no elements.");
  CHECK(message_of("a = [1, 2]", "a[3]=3") ==
        "--set a[3]=3: 'a' has 2 elements (run.toml:1:5), so the index may be from 0 to 2, where 2 appends, not 3.");
  CHECK(message_of("", "x.a[1]=3") == "--set x.a[1]=3: 'x.a' has 0 elements, so the index may be 0, not 1.");
}

TEST_CASE("any text is applied or refused") {
  std::mt19937_64 random(4);
  constexpr std::string_view letters = "ab.[]01=\"'\\ {}#,\n\t\xff-";
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (auto n = random() % 12; n > 0; --n) text += letters[random() % letters.size()];
    Value config = parse_toml("a = [1, {b = 2}]\nb = {a = 3}", "run.toml");
    CAPTURE(text);
    try {
      apply_override(config, text);
      // What is no UTF-8 cannot be written as it is.
      if (text.find('\xff') == std::string::npos) REQUIRE(parse_toml(write_toml(config), "written") == config);
    } catch (const ConfigError& e) {
      REQUIRE(std::string_view(e.what()).starts_with("--set "));
    }
  }
}

TEST_CASE(
    "of two settings of which one can be meant, the one that is set replaces what a file has, and says what it was") {
  Value config = parse_toml("[training]\nnum_epochs = 4\n[data]\nvalidation = 0.5", "run.toml");
  const auto replaced = apply_override(config, "training.num_updates=9");
  REQUIRE(replaced);
  CHECK(replaced->table == "training");
  CHECK(replaced->name == "num_epochs");
  CHECK(replaced->value == make_value(std::int64_t{4}));
  CHECK(replaced->value.where == "run.toml:2:14");
  CHECK(config.find("training")->find("num_epochs") == nullptr);
  CHECK_FALSE(apply_override(config, "training.num_updates=8"));
  CHECK_FALSE(apply_override(config, "seed=8"));
  // Both by the command line stay, whichever option they came from: whoever reads the configuration refuses them.
  CHECK_FALSE(apply_override(config, "training.num_epochs=3", "--epochs 3"));
  CHECK(config.find("training")->find("num_updates") != nullptr);
  CHECK(config.find("training")->find("num_epochs")->where == "--epochs 3");
}

}  // namespace overrides_test
