// What is told of a stack whose rows are in several parts.
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "files.hpp"

namespace stack_parts_test {

using namespace harmonium::testing;
using nlohmann::json;

namespace {

/// A first machine that learned little, and a second one of small random couplings, which has more likelihood.
constexpr const char* parts_file = R"(base = "small.toml"
start = "initializer"

[[machines]]
estimator = { type = "exact" }
"training.num_epochs" = 100
"optimizer.learning_rate" = 0.5

[[machines]]
estimator = { type = "exact" }
"model.num_hidden" = 12
"training.num_epochs" = 1
"optimizer.learning_rate" = 1e-12
)";

}  // namespace

TEST_CASE("the parts of a stack's data stand beside each other, and what is alike of them is said once") {
  const CliFolder folder;
  folder.write("parts.toml", parts_file);
  const Outcome made =
      run(folder, {"stack", "parts.toml", "--set", "data.validation=3", "--set", "data.test=3", "--threads", "1"});
  INFO(made.err);
  REQUIRE(made.status == 0);
  CHECK(made.out == "parts/model.h5\n");
  const json all = json::parse(run(folder, {"evaluate", "parts", "--json", "--quiet"}).out)["splits"];
  const auto row = [&](const char* name, const char* figure) {
    std::string line = fmt::format("\n{:<16}", name);
    for (const char* part : {"training", "validation", "test"})
      line += fmt::format("{:>14.4f}", all[part][figure].get<double>());
    return line + "  nats a row, ";
  };
  for (const std::string& line : {row("first machine", "first_machine_log_likelihood"), row("stack", "log_likelihood"),
                                  row("stack's bound", "variational_bound"),
                                  fmt::format("\n{:>30}{:>14}{:>14}\n", "training", "validation", "test")})
    CHECK_MESSAGE(made.err.find(line) != std::string::npos, line);
  const auto gain = [&](const char* part) {
    const json& own = all[part];
    return own["log_likelihood"].get<double>() - own["first_machine_log_likelihood"].get<double>();
  };
  const std::string said = fmt::format(
      "raining, validation and test rows: The machines above the first raise the log likelihood by {:.4f}, {:.4f} and "
      "{:.4f} nats a row.",
      gain("training"), gain("validation"), gain("test"));
  CHECK(made.err.find("\nharmonium: t" + said + "\n") != std::string::npos);
  CHECK(run(folder, {"evaluate", "parts", "--quiet"}).out.find("\n\nt" + said + "\n") != std::string::npos);
  REQUIRE(run(folder, {"report", "parts", "--no-diagnosis", "--quiet"}).status == 0);
  CHECK(content_of(folder / "report.html").find("<p>T" + said + "</p>") != std::string::npos);
}

}  // namespace stack_parts_test
