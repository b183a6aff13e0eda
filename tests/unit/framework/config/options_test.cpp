#include <harmonium/framework/config/options.hpp>

#include <cmath>
#include <limits>
#include <stdexcept>

#include <doctest/doctest.h>

#include <harmonium/framework/config/number_of_units.hpp>
#include <harmonium/framework/config/spelled_out.hpp>
#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>

namespace options_test {

using namespace harmonium;

namespace {

enum class Rule { plain, momentum };

/// One option of each kind.
struct Everything {
  bool quick = false;
  std::int64_t offset = -3;
  std::size_t tile = 4;
  std::uint8_t level = 1;
  double rate = 0.1;
  float decay = 0.1f;
  std::string name = "a \"b\"";
  std::vector<double> betas = {0.5, 1.0};
  std::vector<std::string> plugins;
  Rule rule = Rule::momentum;
  std::optional<double> clip;
  std::optional<std::size_t> limit = 7;
  std::optional<std::vector<double>> grid;

  void bind(OptionBinder& o) {
    o.option("quick", quick, "skips the checks");
    o.option("offset", offset, "an offset");
    o.option("tile", tile, "chains a task", at_least(1));
    o.option("level", level, "how much is told");
    o.option("rate", rate, "the learning rate", more_than(0));
    o.option("decay", decay, "the decay", within(0, 1));
    o.option("name", name, "a name");
    o.option("betas", betas, "inverse temperatures");
    o.option("plugins", plugins, "plugins to load");
    o.choice("rule", rule, {{"plain", Rule::plain}, {"momentum", Rule::momentum}}, "the rule");
    o.option("clip", clip, "the largest step", more_than(0));
    o.option("limit", limit, "the most steps");
    o.option("grid", grid, "a grid");
  }
};

Value parsed(std::string_view text) { return parse_toml(text, "run.toml"); }

template <class Options = Everything>
std::string message_of(std::string_view text, const ComponentMaker* components = nullptr) {
  Options options;
  try {
    read_options(parsed(text), "sampler 'gibbs'", options, components);
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "no error";
}

template <class Options>
std::vector<OptionInfo> description(Options options = {}) {
  return describe_options([&](OptionBinder& binder) { options.bind(binder); });
}

template <class Options>
Value written(Options options) {
  return write_options([&](OptionBinder& binder) { options.bind(binder); });
}

std::string line(const OptionInfo& info) {
  return info.name + " | " + info.type + " | " + info.fallback + " | " + info.limit + " | " + info.help;
}

}  // namespace

TEST_CASE("nothing given keeps the defaults and writes them out in order") {
  Everything options;
  const Value effective = read_options(Value{}, "sampler 'gibbs'", options);
  CHECK(write_toml(effective) == R"(quick = false
offset = -3
tile = 4
level = 1
rate = 0.1
decay = 0.1
name = "a \"b\""
betas = [0.5, 1.0]
plugins = []
rule = "momentum"
limit = 7
)");
  CHECK(written(options) == effective);
  Everything again;
  CHECK(read_options(effective, "sampler 'gibbs'", again) == effective);
}

TEST_CASE("what is given is read, and the type carried over first") {
  Everything options;
  const Value given = parsed(R"(
clip = 2
rule = "plain"
plugins = ["a", "b"]
betas = [1, 0.25]
name = "é"
decay = 0.2
rate = 1
level = 255
tile = 12
offset = -9223372036854775808
quick = true
grid = []
type = "gibbs"
)");
  const Value effective = read_options(given, "sampler 'gibbs'", options);
  CHECK(options.quick);
  CHECK(options.offset == std::numeric_limits<std::int64_t>::min());
  CHECK(options.tile == 12);
  CHECK(options.level == 255);
  CHECK(options.rate == 1.0);
  CHECK(options.decay == 0.2f);
  CHECK(options.name == "é");
  CHECK(options.betas == std::vector<double>{1, 0.25});
  CHECK(options.plugins == std::vector<std::string>{"a", "b"});
  CHECK(options.rule == Rule::plain);
  CHECK(options.clip == 2.0);
  CHECK(options.limit == 7u);
  CHECK(options.grid == std::vector<double>{});
  CHECK(write_toml(effective).starts_with("type = \"gibbs\"\nquick = true\noffset = -9223372036854775808\n"));
  CHECK(*effective.find("rate") == make_value(1.0));
  CHECK(effective.find("rate")->where == "run.toml:8:8");
  Everything again;
  CHECK(read_options(effective, "sampler 'gibbs'", again) == effective);
  // Also by way of a file.
  CHECK(read_options(parsed(write_toml(effective)), "sampler 'gibbs'", again) == effective);
}

TEST_CASE("where a list of words is read, one word stands for a list of it") {
  Everything options;
  const Value effective = read_options(parsed("plugins = 'a'"), "sampler 'gibbs'", options);
  CHECK(options.plugins == std::vector<std::string>{"a"});
  CHECK(*effective.find("plugins") == *parsed("plugins = ['a']").find("plugins"));
  CHECK(message_of("plugins=3") ==
        "run.toml:1:9: sampler 'gibbs': option 'plugins' must be a list of strings, not an integer.");
  const Value spellings = parsed("one = 'a'\nlist = ['a', 2, 'b']\nother = 3");
  CHECK(words_in(spellings.find("one")) == std::vector<std::string>{"a"});
  CHECK(words_in(spellings.find("list")) == std::vector<std::string>{"a", "b"});
  CHECK(words_in(spellings.find("other")).empty());
  CHECK(words_in(nullptr).empty());
}

TEST_CASE("where a list of numbers is read, one number stands for a list of it and is kept as one") {
  Everything options;
  const Value effective = read_options(parsed("betas = 2\ngrid = -0.5"), "sampler 'gibbs'", options);
  CHECK(options.betas == std::vector<double>{2});
  CHECK(options.grid == std::vector<double>{-0.5});
  CHECK(*effective.find("betas") == make_value(2.0));
  CHECK(message_of("grid = inf") ==
        "run.toml:1:8: sampler 'gibbs': option 'grid' = inf is not allowed: it must be a finite number.");
}

TEST_CASE("in a list of words, integers in a list of their own are one") {
  Everything options;
  const Value effective = read_options(parsed("plugins = [[0, 1], 'a', [-12]]"), "sampler 'gibbs'", options);
  CHECK(options.plugins == std::vector<std::string>{"0 1", "a", "-12"});
  CHECK(*effective.find("plugins") == *parsed("plugins = ['0 1', 'a', '-12']").find("plugins"));
  read_options(parsed("plugins = [1, -2, [0, 3]]"), "sampler 'gibbs'", options);
  CHECK(options.plugins == std::vector<std::string>{"1", "-2", "0 3"});
}

TEST_CASE("integers of the full range pass through exactly") {
  struct Seeds {
    std::int64_t low = std::numeric_limits<std::int64_t>::min();
    std::uint64_t high = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    void bind(OptionBinder& o) {
      o.option("low", low, "");
      o.option("high", high, "", at_least(1));
    }
  } seeds;
  const Value effective = read_options(parsed("low = 9007199254740993\nhigh = 9223372036854775807"), "run", seeds);
  CHECK(seeds.low == 9007199254740993);
  CHECK(seeds.high == 9223372036854775807u);
  CHECK(write_toml(effective) == "low = 9007199254740993\nhigh = 9223372036854775807\n");
  CHECK(line(description(Seeds{})[0]) == "low | integer | -9223372036854775808 |  | ");
  seeds.high = std::numeric_limits<std::uint64_t>::max();
  CHECK_THROWS_AS(written(seeds), std::logic_error);
}

TEST_CASE("an unknown option is refused, with the nearest known one") {
  const std::string known =
      " Known: quick, offset, tile, level, rate, decay, name, betas, plugins, rule, clip, limit, grid.";
  CHECK(message_of("    tiles = 4") ==
        "run.toml:1:13: sampler 'gibbs': unknown option 'tiles' (did you mean 'tile'?)." + known);
  CHECK(message_of("type = 'gibbs'\ntyp = 'gibbs'") ==
        "run.toml:2:7: sampler 'gibbs': unknown option 'typ' (did you mean 'type'?)." + known);
  CHECK(message_of("\nzebra = 4") == "run.toml:2:9: sampler 'gibbs': unknown option 'zebra'." + known);
  struct Empty {
    void bind(OptionBinder&) {}
  };
  CHECK(message_of<Empty>("type = 'x'") == "no error");
  CHECK(message_of<Empty>("precision = 4.5") ==
        "run.toml:1:13: sampler 'gibbs': unknown option 'precision' (Gaussian units begin with initializer.precision; "
        "float32 or float64 stands at the top of the file). There are none.");
  CHECK(message_of<Empty>("J = 0.4") ==
        "run.toml:1:5: sampler 'gibbs': unknown option 'J' (couplings begin at initializer.mean, in a normal law of "
        "standard deviation initializer.std). There are none.");
  CHECK(message_of<Empty>("a = 1") == "run.toml:1:5: sampler 'gibbs': unknown option 'a'. There are none.");
}

TEST_CASE("a value of a wrong type is refused") {
  const std::string who = "run.toml:1:8: sampler 'gibbs': option ";
  CHECK(message_of("tile = 'x'") == who + "'tile' must be an integer, not a string.");
  CHECK(message_of("tile = 3.0") == who + "'tile' must be an integer, not a number (write 3, not 3.0).");
  CHECK(message_of("tile = 3.5") == who + "'tile' must be an integer, not a number.");
  CHECK(message_of("tile = 1e300") == who + "'tile' must be an integer, not a number.");
  CHECK(message_of("tile = nan") == who + "'tile' must be an integer, not a number.");
  CHECK(message_of("tile = true") == who + "'tile' must be an integer, not true or false.");
  CHECK(message_of("rate = 'x'") == who + "'rate' must be a number, not a string.");
  CHECK(message_of("rate = {}") == who + "'rate' must be a number, not a table.");
  CHECK(message_of("name = 3") == who + "'name' must be a string, not an integer (in quotes it would be one).");
  CHECK(message_of("rule = []") == who + "'rule' must be one of: plain, momentum, not a list.");
  CHECK(message_of("quick= 1") == who + "'quick' must be true or false, not an integer.");
  CHECK(message_of("betas= '1'") == who + "'betas' must be a list of numbers, not a string.");
  CHECK(message_of("clip = []") == who + "'clip' must be a number, not a list.");
  CHECK(message_of("betas = [1, 'x']") ==
        "run.toml:1:13: sampler 'gibbs': option 'betas': element 2 must be a finite number, not a string.");
  CHECK(message_of("betas = [nan]") ==
        "run.toml:1:10: sampler 'gibbs': option 'betas': element 1 must be a finite number, not nan.");
  CHECK(message_of("plugins = ['a', 2]") ==
        "run.toml:1:17: sampler 'gibbs': option 'plugins': element 2 must be a string, not an integer.");
  CHECK(message_of("plugins = [2, 'a']") ==
        "run.toml:1:12: sampler 'gibbs': option 'plugins': element 1 must be a string, not an integer.");
  CHECK(message_of("plugins = [1, 2.5]") ==
        "run.toml:1:15: sampler 'gibbs': option 'plugins': element 2 must be a string, not a number.");
  for (const char* list : {"[]", "[1.5]", "['b']", "[1, [2]]"})
    CHECK(message_of(std::string("plugins = ['a', ") + list + "]") ==
          "run.toml:1:17: sampler 'gibbs': option 'plugins': element 2 must be a string, not a list.");
}

TEST_CASE("a value outside of its limit is refused") {
  const std::string who = "run.toml:1:8: sampler 'gibbs': option ";
  CHECK(message_of("rate = -1") == who + "'rate' = -1 is not allowed: it must be more than 0.");
  CHECK(message_of("rate = 0.0") == who + "'rate' = 0 is not allowed: it must be more than 0.");
  CHECK(message_of("rate = inf") == who + "'rate' = inf is not allowed: it must be a finite number.");
  CHECK(message_of("clip = nan") == who + "'clip' = nan is not allowed: it must be a finite number.");
  CHECK(message_of("clip = -2.5") == who + "'clip' = -2.5 is not allowed: it must be more than 0.");
  CHECK(message_of("tile = 0") == who + "'tile' = 0 is not allowed: it must be at least 1.");
  CHECK(message_of("tile = -1") == who + "'tile' = -1 is not allowed: it must be at least 1.");
  CHECK(message_of("limit= -1") == who + "'limit' = -1 is not allowed: it must be at least 0.");
  CHECK(message_of("level= -1") == who + "'level' = -1 is not allowed: it must be at least 0.");
  CHECK(message_of("level= 256") == who + "'level' = 256 is not allowed: it must be from 0 to 255.");
  CHECK(message_of("decay= 1.5") == who + "'decay' = 1.5 is not allowed: it must be from 0 to 1.");
  struct Narrow {
    float x = 0;
    std::int32_t n = 0;
    void bind(OptionBinder& o) {
      o.option("x", x, "");
      o.option("n", n, "");
    }
  };
  CHECK(message_of<Narrow>("x = 1e300").find("option 'x' = 1e+300 is not allowed: it must be from -3.4") !=
        std::string::npos);
  CHECK(message_of<Narrow>("n = 2147483648") ==
        "run.toml:1:5: sampler 'gibbs': option 'n' = 2147483648 is not allowed: it must be from -2147483648 to "
        "2147483647.");
  CHECK(message_of<Narrow>("n = -2147483648") == "no error");
}

TEST_CASE("a word that is no choice is refused") {
  CHECK(message_of("rule = 'momentun'") ==
        "run.toml:1:8: sampler 'gibbs': option 'rule' = 'momentun' is not known (did you mean 'momentum'?). Known: "
        "plain, momentum.");
  CHECK(message_of("rule = ''") ==
        "run.toml:1:8: sampler 'gibbs': option 'rule' = '' is not known. Known: plain, momentum.");
}

TEST_CASE("messages do without a place where there is none") {
  Everything options;
  const auto message = [&](const Value& given) -> std::string {
    try {
      read_options(given, "run", options);
    } catch (const ConfigError& e) {
      return e.what();
    }
    return "no error";
  };
  CHECK(message(make_table({{"quick", make_value("x")}})) ==
        "run: option 'quick' must be true or false, not a string.");
  Value table = make_table({{"quick", make_value("x")}});
  table.where = "run.toml:3:1";
  CHECK(message(table) == "run.toml:3:1: run: option 'quick' must be true or false, not a string.");
  Value number = make_value(1.0);
  number.where = "run.toml:3:1";
  CHECK(message(number) == "run.toml:3:1: run: must be a table, not a number.");
}

TEST_CASE("options are described as the manual prints them") {
  const std::vector<OptionInfo> infos = description<Everything>();
  std::vector<std::string> lines;
  lines.reserve(infos.size());
  for (const OptionInfo& info : infos) lines.push_back(line(info));
  CHECK(lines == std::vector<std::string>{
                     "quick | true or false | false |  | skips the checks",
                     "offset | integer | -3 |  | an offset",
                     "tile | integer | 4 | at least 1 | chains a task",
                     "level | integer | 1 | at least 0 | how much is told",
                     "rate | number | 0.1 | more than 0 | the learning rate",
                     "decay | number | 0.1 | from 0 to 1 | the decay",
                     "name | string | \"a \\\"b\\\"\" |  | a name",
                     "betas | list of numbers | [0.5, 1.0] |  | inverse temperatures",
                     "plugins | list of strings | [] |  | plugins to load",
                     "rule | one of: plain, momentum | \"momentum\" |  | the rule",
                     "clip | number | none | more than 0 | the largest step",
                     "limit | integer | 7 | at least 0 | the most steps",
                     "grid | list of numbers | none |  | a grid",
                 });
}

TEST_CASE("limits say what they hold to") {
  CHECK(at_least(1).words == "at least 1");
  CHECK(more_than(0.5).words == "more than 0.5");
  CHECK(within(-1, 1e-6).words == "from -1 to 1e-06");
  CHECK(finite().words == "a finite number");
  CHECK(at_least(1).holds(1));
  CHECK_FALSE(at_least(1).holds(0.999));
  CHECK_FALSE(more_than(1).holds(1));
  CHECK(within(0, 1).holds(0));
  CHECK(within(0, 1).holds(1));
  CHECK_FALSE(within(0, 1).holds(1.001));
  const double nan = std::nan("");
  for (const Limit& limit : {at_least(1), more_than(1), within(0, 1), finite()}) CHECK_FALSE(limit.holds(nan));
}

namespace {

struct Item {
  std::size_t every = 1;
  std::string path = "out";
  void bind(OptionBinder& o) {
    o.option("every", every, "steps between two", at_least(1));
    o.option("path", path, "where to");
  }
};

struct Nested {
  Item item;
  std::vector<Item> items = {{2, "first"}, {3, "second"}};
  std::optional<double> scale;
  void bind(OptionBinder& o) {
    o.group("item", item, "one");
    o.list("items", items, "many");
    o.option("scale", scale, "a scale");
  }
};

}  // namespace

TEST_CASE("groups and lists are tables inside the table") {
  Nested options;
  Value effective = read_options(parsed(""), "run", options);
  CHECK(write_toml(effective) ==
        "[item]\nevery = 1\npath = \"out\"\n\n[[items]]\nevery = 2\npath = \"first\"\n\n"
        "[[items]]\nevery = 3\npath = \"second\"\n");
  CHECK(written(options) == effective);

  effective = read_options(parsed("item.every = 5\n[[items]]\npath = 'x'"), "run", options);
  CHECK(options.item.every == 5);
  // Given items do not start from the values of those they replace.
  REQUIRE(options.items.size() == 1);
  CHECK(options.items[0].every == 1);
  CHECK(options.items[0].path == "x");
  Nested again;
  CHECK(read_options(effective, "run", again) == effective);
  CHECK(again.items.size() == 1);
  read_options(parsed("items = []"), "run", again);
  CHECK(again.items.empty());

  std::vector<std::string> lines;
  for (const OptionInfo& info : description<Nested>()) lines.push_back(line(info));
  CHECK(lines == std::vector<std::string>{
                     "item.every | integer | 1 | at least 1 | steps between two",
                     "item.path | string | \"out\" |  | where to",
                     "items[].every | integer | 1 | at least 1 | steps between two",
                     "items[].path | string | \"out\" |  | where to",
                     "scale | number | none |  | a scale",
                 });
}

TEST_CASE("messages name the way to an inner option") {
  const auto message = [](std::string_view text) { return message_of<Nested>(text); };
  CHECK(message("item = 1") == "run.toml:1:8: sampler 'gibbs': option 'item' must be a table, not an integer.");
  CHECK(message("[item]\nevry = 1") ==
        "run.toml:2:8: sampler 'gibbs': unknown option 'item.evry' (did you mean 'item.every'?). Known: item.every, "
        "item.path.");
  CHECK(message("[item]\ntype = 'x'") ==
        "run.toml:2:8: sampler 'gibbs': unknown option 'item.type'. Known: item.every, item.path.");
  CHECK(message("[item]\nevery = 0") ==
        "run.toml:2:9: sampler 'gibbs': option 'item.every' = 0 is not allowed: it must be at least 1.");
  CHECK(message("[[items]]\n[[items]]\npath = 0") ==
        "run.toml:3:8: sampler 'gibbs': option 'items[1].path' must be a string, not an integer (in quotes it would be "
        "one).");
  CHECK(message("[items]\npath = 0") ==
        "run.toml:1:1: sampler 'gibbs': option 'items' must be a list of tables, not a table (write [[items]]).");
  CHECK(message("items = [{}, 3]") ==
        "run.toml:1:14: sampler 'gibbs': option 'items': element 2 must be a table, not an integer.");
}

TEST_CASE("a validating struct is heard with place and name") {
  struct Range {
    double low = 0, high = 1;
    void bind(OptionBinder& o) {
      o.option("low", low, "");
      o.option("high", high, "");
    }
    void validate() const {
      if (low > high) throw ConfigError("'low' is above 'high'. Exchange them.");
    }
  };
  CHECK(message_of<Range>("low = 0.5") == "no error");
  CHECK(message_of<Range>("low = 2") == "run.toml:1:1: sampler 'gibbs': 'low' is above 'high'. Exchange them.");
  struct Ranges {
    Range inner;
    std::vector<Range> items;
    void bind(OptionBinder& o) {
      o.group("inner", inner, "");
      o.list("items", items, "");
    }
  };
  CHECK(message_of<Ranges>("inner = {low = 0.5}\nitems = [{low = 0.2}, {}]") == "no error");
  CHECK(message_of<Ranges>("inner = {low = 2}") ==
        "run.toml:1:9: sampler 'gibbs': option 'inner': 'low' is above 'high'. Exchange them.");
  CHECK(message_of<Ranges>("items = [{}, {low = 2}]") ==
        "run.toml:1:14: sampler 'gibbs': option 'items[1]': 'low' is above 'high'. Exchange them.");
  CHECK_THROWS_AS(check_options(Value{}, "x", [] { throw std::runtime_error("other"); }), std::runtime_error);
}

TEST_CASE("a name declared twice is a programming error") {
  struct Twice {
    double x = 0;
    void bind(OptionBinder& o) {
      o.option("x", x, "");
      o.option("x", x, "");
    }
  };
  Twice options;
  CHECK_THROWS_AS(read_options(Value{}, "x", options), std::logic_error);
  CHECK_THROWS_AS(description<Twice>(), std::logic_error);
  CHECK_THROWS_AS(written(Twice{}), std::logic_error);
}

namespace {

struct Part {
  static constexpr std::string_view kind = "part";
  std::string type;
  Value spec;
};

/// Knows the parts "plain" and "fancy".
struct Maker final : ComponentMaker {
  void* make_component(std::string_view kind, const Value& spec, Value& effective) const override {
    CHECK(kind == Part::kind);
    const Value* type = spec.find("type");
    if (type == nullptr) throw ConfigError(spec.where + ": part: no 'type'.");
    const std::string name = std::get<std::string>(type->data);
    if (name != "plain" && name != "fancy") throw ConfigError(type->where + ": part '" + name + "' is not registered.");
    Item options;
    effective = read_options(spec, "part '" + name + "'", options, this);
    return std::make_unique<Part>(Part{name, spec}).release();
  }
};

struct Whole {
  std::unique_ptr<Part> positive, negative;
  std::size_t steps = 1;
  void bind(OptionBinder& o) {
    o.component("positive", positive, "the data's side");
    o.component("negative", negative, "the model's side", "plain");
    o.option("steps", steps, "steps");
  }
};

}  // namespace

TEST_CASE("components are made from tables, names and fallbacks") {
  const Maker maker;
  Whole whole;
  const Value effective =
      read_options(parsed("positive = 'fancy'\n[negative]\nevery = 3"), "estimator 'cd'", whole, &maker);
  CHECK(whole.positive->type == "fancy");
  CHECK(whole.positive->spec.where == "run.toml:1:12");
  CHECK(whole.positive->spec.find("type")->where == "run.toml:1:12");
  CHECK(whole.negative->type == "plain");
  CHECK(whole.negative->spec.find("type")->where == "run.toml:2:1");
  CHECK(write_toml(effective) ==
        "steps = 1\n\n[positive]\ntype = \"fancy\"\nevery = 1\npath = \"out\"\n\n"
        "[negative]\ntype = \"plain\"\nevery = 3\npath = \"out\"\n");
  Whole again;
  CHECK(read_options(effective, "estimator 'cd'", again, &maker) == effective);

  read_options(parsed("[positive]\ntype = 'plain'"), "estimator 'cd'", again, &maker);
  CHECK(again.positive->type == "plain");
  CHECK(again.negative->type == "plain");
  CHECK(again.negative->spec == make_table({{"type", make_value("plain")}}));

  std::vector<std::string> lines;
  for (const OptionInfo& info : description<Whole>()) lines.push_back(line(info));
  CHECK(lines == std::vector<std::string>{"positive | part |  |  | the data's side",
                                          "negative | part | \"plain\" |  | the model's side",
                                          "steps | integer | 1 | at least 0 | steps"});
  Whole bare;
  CHECK(write_options([&](OptionBinder& binder) { bare.bind(binder); }) ==
        make_table({{"steps", make_value(std::int64_t{1})}}));
}

TEST_CASE("components that cannot be made are refused") {
  const Maker maker;
  const auto message = [&](std::string_view text) { return message_of<Whole>(text, &maker); };
  CHECK(message("steps = 1") ==
        "run.toml:1:1: sampler 'gibbs': component 'positive' is missing: give a table 'positive' with a 'type'.");
  CHECK(message("[postive]\ntype = 'plain'") ==
        "run.toml:1:1: sampler 'gibbs': unknown option 'postive' (did you mean 'positive'?). Known: positive, "
        "negative, steps.");
  CHECK(message("positive = 3") ==
        "run.toml:1:12: sampler 'gibbs': component 'positive' must be a table with a 'type', or the name of a type, "
        "not an integer.");
  CHECK(message("[positive]\nevery = 3") == "run.toml:1:1: part: no 'type'.");
  CHECK(message("positive = 'odd'") == "run.toml:1:12: part 'odd' is not registered.");
  CHECK(message("[positive]\ntype = 'plain'\nevry = 3") ==
        "run.toml:3:8: part 'plain': unknown option 'evry' (did you mean 'every'?). Known: every, path.");
  Whole whole;
  CHECK_THROWS_AS(read_options(parsed("positive = 'plain'"), "x", whole), std::logic_error);
}

TEST_CASE("words are compared by single-character edits") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("tile", "tiles") == 1);
  CHECK(edit_distance("tile", "tiel") == 1);  // two neighbors exchanged
  CHECK(edit_distance("model", "omdle") == 2);
  CHECK(edit_distance("ca", "abc") == 3);  // nothing is edited twice
  CHECK(nearest_name("modle", {"data", "model"}) == "model");
  const std::vector<std::string> known = {"gibbs", "metropolis", "langevin", "hmc"};
  CHECK(nearest_name("gibs", known) == "gibbs");
  CHECK(nearest_name("metropoli", known) == "metropolis");
  CHECK(nearest_name("metropo", known).empty());
  const std::vector<std::string> ways = {"exact", "variable_elimination", "thermodynamic_integration",
                                         "other_exact_way"};
  CHECK(nearest_name("elimination", ways) == "variable_elimination");
  CHECK(nearest_name("integration", ways) == "thermodynamic_integration");
  CHECK(nearest_name("nation", ways).empty());
  CHECK(nearest_name("hcm", known) == "hmc");
  CHECK(nearest_name("HMC", known) == "hmc");
  CHECK(nearest_name("aeg", {"Age", "Sex"}) == "Age");
  CHECK(nearest_name("hmx", known) == "hmc");
  CHECK(nearest_name("abcdef", {"abcdxy", "abcdex"}) == "abcdex");
  CHECK(nearest_name("a", {"b", "c"}) == "b");
  CHECK(nearest_name("a", {}).empty());
  const std::vector<std::string> estimators = {"cd", "pcd", "fast_pcd"};
  CHECK(nearest_name("cd-1", estimators) == "cd");
  CHECK(nearest_name("CD_10", estimators) == "cd");
  CHECK(nearest_name("pcd100", estimators) == "pcd");
  CHECK(nearest_name("100", estimators).empty());
  CHECK(nearest_name("-100", estimators).empty());
  CHECK(nearest_name("sgd-100", estimators).empty());
  CHECK(number_of_units("hidden_units") == " How many there are says 'num_hidden'.");
  CHECK(number_of_units("units") == " How many there are says 'size'.");
  CHECK(number_of_units("sampler").empty());
  CHECK(did_you_mean("gibs", known) == " (did you mean 'gibbs'?)");
  CHECK(did_you_mean("zzz", known).empty());
  const std::vector<std::string> models = {"boltzmann_machine", "deep", "rbm", "stack"},
                                 training = {"num_epochs", "stop_early", "keep_best"};
  CHECK(nearest_name("dbm", models) == "deep");
  const std::vector<std::string> units{"binary", "categorical", "spin"};
  CHECK(nearest_name("potts", units) == "categorical");
  CHECK(nearest_name("bernoulli", units) == "binary");
  CHECK(nearest_name("dbn", models) == "stack");
  CHECK(nearest_name("early_stopping", training) == "stop_early");
  CHECK(nearest_name("patience", training) == "stop_early");
}

}  // namespace options_test
