#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/plugins/builtin/enroll.hpp>
#include <harmonium/samplers/exact.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace registry_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

Registries builtin() {
  Registries registries;
  enroll_builtin(registries);
  return registries;
}

/// Two samplers and nothing else, so that what there is can be told in full.
Registries two_samplers() {
  Registries registries;
  registries.of<Sampler>().add<Gibbs>("gibbs", "");
  registries.of<Sampler>().add<Exact>("exact", "");
  return registries;
}

Value spec(const char* type) { return make_table({{"type", make_value(type)}}); }

template <class I>
std::string refused(const Registries& registries, const Value& value) {
  return message_of<ConfigError>([&] {
    Value effective;
    registries.make<I>(value, effective);
  });
}

/// A maker of samplers for tests of its own registry.
struct Nothing final : ComponentMaker {
  void* make_component(std::string_view, const Value&, Value&) const override { return nullptr; }
};

}  // namespace

TEST_CASE("an unknown component is refused with the nearest name, the place and what there is") {
  const Registries registries = two_samplers();
  const std::string ending = " Known: exact, gibbs.";
  const std::string remedy = " If a plugin provides it, name that under 'plugins' or by --plugin.";
  CHECK(refused<Sampler>(registries, spec("gibs")) ==
        "sampler 'gibs' is not registered (did you mean 'gibbs'?)." + ending);
  CHECK(refused<Sampler>(registries, spec("unheard")) == "sampler 'unheard' is not registered." + ending + remedy);
  Value placed = spec("gibs");
  placed.where = "run.toml:3:1";
  CHECK(refused<Sampler>(registries, placed) ==
        "run.toml:3:1: sampler 'gibs' is not registered (did you mean 'gibbs'?)." + ending);
  placed.find("type")->where = "run.toml:4:8";
  CHECK(refused<Sampler>(registries, placed) ==
        "run.toml:4:8: sampler 'gibs' is not registered (did you mean 'gibbs'?)." + ending);
}

TEST_CASE("a component without a type, or whose type is no string, is told what there is") {
  const Registries registries = two_samplers();
  Value empty = make_table();
  CHECK(refused<Sampler>(registries, empty) == "sampler: no 'type' is given. Known: exact, gibbs.");
  empty.where = "run.toml:3:1";
  CHECK(refused<Sampler>(registries, empty) == "run.toml:3:1: sampler: no 'type' is given. Known: exact, gibbs.");
  CHECK(refused<Sampler>(registries, make_table({{"type", make_value(std::int64_t{3})}})) ==
        "sampler: 'type' must be a string, not an integer. Known: exact, gibbs.");
  CHECK(refused<Sampler>(Registries(), spec("gibbs")) ==
        "sampler 'gibbs' is not registered. Known: none. If a plugin provides it, name that under 'plugins' or by "
        "--plugin.");
}

TEST_CASE("a name that is taken is refused with who has it, and stays what it was") {
  Registries registries = builtin();
  registries.set_origin("mine 1.0");
  const std::string taken =
      message_of<PluginError>([&] { registries.of<Sampler>().add<Gibbs>("gibbs", "another one"); });
  CHECK(taken == "sampler 'gibbs' has two origins: built in, and mine 1.0.");
  CHECK(registries.of<Sampler>().entries().at("gibbs").summary ==
        "redraws each layer from its exact conditional, in turn");
  registries.of<Sampler>().add<Gibbs>("mine", "one more");
  CHECK(registries.of<Sampler>().entries().at("mine").origin == "mine 1.0");
  CHECK(message_of<PluginError>([&] { registries.of<Sampler>().add<Gibbs>("mine", ""); }) ==
        "sampler 'mine' has two origins: mine 1.0, and mine 1.0.");
}

TEST_CASE("a component is made with its options, and the effective table has every default") {
  const Registries registries = builtin();
  Value effective;
  CHECK(registries.make<Sampler>(spec("gibbs"), effective) != nullptr);
  CHECK(effective == make_table({{"type", make_value("gibbs")},
                                 {"tile", make_value(std::int64_t{0})},
                                 {"scan", make_value("systematic")}}));
  Value wrong = spec("gibbs");
  wrong.set("tiles", make_value(std::int64_t{4}));
  CHECK(refused<Sampler>(registries, wrong).find("did you mean 'tile'?") != std::string::npos);
}

TEST_CASE("a registry of its own starts empty and makes what is added") {
  Registry<Sampler> registry;
  CHECK(registry.entries().empty());
  registry.add<Gibbs>("gibbs", "x");
  Value effective;
  CHECK(registry.make(spec("gibbs"), Nothing(), effective) != nullptr);
  CHECK(registry.entries().at("gibbs").origin == "built in");
  CHECK(registry.entries().at("gibbs").describe().at(0).name == "tile");
}

TEST_CASE("every kind has a name of its own, and every component can be described") {
  const Registries registries = builtin();
  const std::vector<std::string> kinds = registries.kinds();
  CHECK(kinds == std::vector<std::string>{"model", "term", "unit", "initializer", "sampler", "phase", "estimator",
                                          "log_partition", "optimizer", "schedule", "regularizer", "observer", "data",
                                          "study"});
  for (const ComponentInfo& c : registries.components()) {
    CAPTURE(c.name);
    CHECK_FALSE(c.summary.empty());
    CHECK(c.origin == "built in");
    for (const OptionInfo& option : c.options) CHECK_FALSE(option.help.empty());
  }
  Value effective;
  CHECK(message_of<std::logic_error>([&] { registries.make_component("nonsense", {}, effective); }) ==
        "there is no kind of component called 'nonsense'");
}

}  // namespace registry_test
