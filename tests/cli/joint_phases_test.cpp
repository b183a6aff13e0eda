// The training of all layers of a deep Boltzmann machine in phases, each from where the one before it ended.
#include <doctest/doctest.h>

#include "files.hpp"
#include "stacks.hpp"

namespace joint_phases_test {

using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

/// Two RBMs, and two phases of the machine that they make: the second by chains that ladders supply.
constexpr const char* phases_file = R"(base = "small.toml"

[[machines]]
"training.num_epochs" = 10

[[machines]]
"model.num_hidden" = 4
"training.num_epochs" = 10

[[joint]]
"training.num_epochs" = 20
"training.checkpoint_every" = 6

[[joint]]
"training.num_epochs" = 15
"estimator.type" = "tempered_pcd"
"estimator.num_ladders" = 2
"estimator.betas" = [1, 0.6, 0.3, 0]
)";

bool has(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

}  // namespace

TEST_CASE("a phase has the shared settings but for its own, and starts from the model of the one before it") {
  const CliFolder folder;
  folder.write("deep.toml", phases_file);
  const Outcome outcome = run(folder, {"stack", "deep.toml"});
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  CHECK(has(outcome.err, "all layers at once, phase 1 of 2"));
  CHECK(has(outcome.err, "all layers at once, phase 2 of 2"));
  const std::string first = content_of(folder / "deep/joint/config.toml"),
                    second = content_of(folder / "deep/joint2/config.toml");
  CHECK(has(first, "start.h5"));
  CHECK(!has(first, "parallel_tempering"));
  CHECK(has(first, "checkpoint_keep = \"all\""));
  CHECK(has(second, "joint/model.h5"));
  CHECK(has(second, "parallel_tempering"));
  CHECK(has(second, "checkpoint_keep = \"last\""));
  CHECK(has(second, "num_epochs = 15"));
  const auto seed = [](const std::string& config) {
    const auto at = config.find("seed = ");
    return config.substr(at, config.find('\n', at) - at);
  };
  CHECK(seed(first) != seed(second));
  CHECK(content_of(folder / "deep/model.h5") == content_of(folder / "deep/joint2/model.h5"));
  CHECK(content_of(folder / "deep/model.h5") != content_of(folder / "deep/joint/model.h5"));
  // Its first phase is what a stack of that phase alone trains.
  const std::string text = phases_file;
  folder.write("short.toml", text.substr(0, text.rfind("[[joint]]")));
  REQUIRE(stack(folder, {"short.toml"}).status == 0);
  CHECK(content_of(folder / "short/joint/metrics.jsonl") == content_of(folder / "deep/joint/metrics.jsonl"));
  // Both are shown, and beside other runs the last one alone.
  const Outcome alone = run(folder, {"compare", "deep"});
  CHECK(has(alone.out, "joint2"));
  CHECK(has(alone.out, "machine2"));
  const Outcome both = run(folder, {"compare", "deep", "short"});
  CHECK(has(both.out, "deep/joint2"));
  CHECK(!has(both.out, "deep/joint "));
}

TEST_CASE("phases that were broken off go on to the bit, and another first phase under the second is refused") {
  const CliFolder folder;
  folder.write("deep.toml", phases_file);
  const auto with = [&](const std::string& output) {
    return stack(folder, {"deep.toml", "--output", output, "--set", "training.checkpoint_minutes=0.0001"});
  };
  REQUIRE(with("whole").status == 0);
  REQUIRE(with("broken").status == 0);
  const auto goes_on = [&] {
    fs::remove(folder / "broken/model.h5");
    REQUIRE(with("broken").status == 0);
    for (const char* log : {"joint/metrics.jsonl", "joint2/metrics.jsonl"})
      CHECK(content_of(folder / "broken" / log) == content_of(folder / "whole" / log));
    CHECK(figure(folder, "broken", "log_likelihood") == figure(folder, "whole", "log_likelihood"));
  };
  fs::remove(folder / "broken/joint2/model.h5");
  goes_on();
  fs::remove_all(folder / "broken/joint2");
  goes_on();
  fs::remove_all(folder / "broken/joint");  // it comes out the same, and so the second phase is of it
  goes_on();
  REQUIRE(run(folder, {"resume", "broken/joint", "--epochs", "22", "--quiet"}).status == 0);
  const std::string refusal = "broken/joint/model.h5: another model than the one that 'joint2' was made from *";
  check_refusal(with("broken"), 2, refusal);
  // Nor is it taken where the machines below are other ones.
  fs::remove_all(folder / "broken/joint");
  REQUIRE(run(folder, {"resume", "broken/machine2", "--epochs", "12", "--quiet"}).status == 0);
  check_refusal(with("broken"), 2, refusal);
  fs::remove_all(folder / "broken/joint2");
  CHECK(with("broken").status == 0);
}

TEST_CASE("a phase that has not begun may be added, or be another one, and one that has may not") {
  const CliFolder folder;
  const std::string text = phases_file;
  const auto with = [&](const std::string& file) {
    folder.write("deep.toml", file);
    return stack(folder, {"deep.toml"});
  };
  REQUIRE(with(text).status == 0);
  const std::string whole = content_of(folder / "deep/model.h5");
  fs::remove_all(folder / "deep");
  REQUIRE(with(text.substr(0, text.rfind("[[joint]]"))).status == 0);
  CHECK(content_of(folder / "deep/model.h5") != whole);
  const auto machine = fs::last_write_time(folder / "deep/machine1/model.h5");
  REQUIRE(with(text).status == 0);
  CHECK(content_of(folder / "deep/model.h5") == whole);
  CHECK(fs::last_write_time(folder / "deep/machine1/model.h5") == machine);
  REQUIRE(with(text).status == 0);
  const std::string another = "*the folder holds another stack, or this one with other settings*";
  check_refusal(with(text.substr(0, text.rfind("[[joint]]"))), 2, another);
  check_refusal(with(text + "\"estimator.gibbs_steps\" = 2\n"), 2, another);
  fs::remove_all(folder / "deep/joint2");
  CHECK(with(text + "\"estimator.gibbs_steps\" = 2\n").status == 0);
  CHECK(content_of(folder / "deep/model.h5") != whole);
  check_refusal(with(text.substr(0, text.find("[[joint]]"))), 2, another);
}

TEST_CASE("a mistake in a later phase is told before any machine is trained") {
  const CliFolder folder;
  folder.write("deep.toml", std::string(phases_file) + "\"estimator.gibbs_stepps\" = 3\n");
  check_refusal(stack(folder, {"deep.toml"}), 2,
                "*gibbs_stepps*Phase 2 of the training of all layers, [[joint]]. Nothing was started.*");
  CHECK(!fs::exists(folder / "deep"));
  for (const char* own : {"\"model.num_hidden\" = [3, 3]", "initializer = { type = \"normal\", std = 3.0 }"}) {
    folder.write("deep.toml", std::string(phases_file) + own + "\n");
    check_refusal(stack(folder, {"deep.toml"}), 2, "*' of [joint] follows from the machines*");
  }
  const std::string text = phases_file;
  folder.write("deep.toml", "joint = []\n" + text.substr(0, text.find("[[joint]]")));
  check_refusal(stack(folder, {"deep.toml"}), 2, "*'joint' is a table *, or several*");
}

}  // namespace joint_phases_test
