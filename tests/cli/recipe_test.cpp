// Recipes: runs whose figures are known.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include <doctest/doctest.h>

#include <harmonium/tests/support/paths.hpp>

#include "files.hpp"

namespace recipe_test {

using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

Words names_of_recipes() {
  Words names;
  for (const auto& entry : fs::directory_iterator(fs::path(source_folder()) / "recipes"))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

/// The number behind the first `word` of a text.
double number_after(const std::string& text, const std::string& word) {
  return std::strtod(text.c_str() + text.find(word) + word.size(), nullptr);
}

}  // namespace

TEST_CASE("every file of recipes is listed, with its figures and what it needs") {
  const ScratchFolder folder;
  const Outcome outcome = run(folder, {"recipe"});
  CHECK(outcome.status == 0);
  CHECK(outcome.err == "");
  Words listed;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with(' ')) listed.push_back(line);
  CHECK(listed == names_of_recipes());
  CHECK(outcome.out.find("published -3.40") != std::string::npos);
  CHECK(outcome.out.find("needs train-images-idx3-ubyte.gz") != std::string::npos);
}

TEST_CASE("what --show prints of a recipe is a configuration that can be explained") {
  const char* const set = std::getenv("HARMONIUM_DATA");
  const fs::path data = set && *set ? set : default_data_folder();
  const ScratchFolder folder;
  for (const fs::path& files : {data / "mnist", data / "binarized_mnist"}) {
    if (!fs::exists(files)) continue;
    for (const auto& entry : fs::directory_iterator(files))
      fs::create_symlink(entry.path(), folder / entry.path().filename().string());
  }
  for (const std::string& name : names_of_recipes()) {
    CAPTURE(name);
    const Outcome shown = run(folder, {"recipe", name, "--show"});
    REQUIRE(shown.status == 0);
    CHECK(shown.out.find("[recipe]") == std::string::npos);
    folder.write(name + ".toml", shown.out);
    if (shown.out.find(".gz\"") != std::string::npos && !fs::exists(data / "mnist")) continue;
    const bool stack = shown.out.find("[[machines]]") != std::string::npos;
    const Outcome explained = run(
        folder, stack ? Words{"stack", name + ".toml", "--dry-run"} : Words{"explain", name + ".toml", "--no-timing"});
    CHECK(explained.status == 0);
    CHECK(explained.err == "");
  }
}

TEST_CASE("a recipe that is broken off goes on when it is given again, and reaches its figure") {
  const ScratchFolder folder;
  const Words words{"recipe", "bars_and_stripes", "--output", "bars"};
  {
    Running running(words, {.folder = folder.path()});
    REQUIRE(appears(folder / "bars/metrics.jsonl"));
    running.signal(SIGINT);
    check_refusal(running.wait(), 1, "stopped after update *. 'harmonium train --resume */bars' goes on.");
  }
  const Outcome outcome = run(folder, words);
  REQUIRE(outcome.status == 0);
  // Five seeds ended between -3.4112 and -3.4086, and processors round otherwise, as other seeds do: the bound is five times the
  // spread away, and nothing can be above the entropy of the data. Half as long a training ends at -3.422.
  const double found = number_after(outcome.out, "log_likelihood");
  CHECK(found < -std::log(30.0));
  CHECK(found > -3.417);
  const Outcome again = run(folder, words);
  CHECK(again.out == outcome.out);
  check_refusal(run(folder, {"recipe", "bars_and_stripes", "--output", "bars", "--seed", "2"}), 2,
                "bars: the run is over, and --set or --seed come too late. Name another --output.");
}

TEST_CASE("a recipe that cannot be made is refused before anything is written") {
  const ScratchFolder folder;
  check_refusal(run(folder, {"recipe", "mnist_15"}), 2,
                "there is no recipe 'mnist_15' (did you mean 'mnist_16'?). 'harmonium recipe' lists them.");
  check_refusal(run(folder, {"recipe", "mnist_16", "--data", "nowhere"}), 2,
                "recipe mnist_16: it needs train-images-idx3-ubyte.gz, which is not in nowhere. Say with --data FOLDER "
                "where it is.");
  check_refusal(run(folder, {"recipe", "--show"}), 2, "recipe: NAME is missing. 'harmonium recipe' lists them.");
  check_refusal(run(folder, {"recipe", "bars_and_stripes", "--set", "model.num_hiden=3"}), 2, "*num_hiden*");
  CHECK(files_below(folder.path()).empty());
}

}  // namespace recipe_test
