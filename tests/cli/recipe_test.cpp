// Recipes: runs whose figures are known.
#include <algorithm>
#include <cmath>
#include <cstdint>
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
    // Of MNIST drawn anew: what the machine above the first has of it.
    CHECK((explained.err == "" || (stack && like(explained.err, "harmonium: note: data.binarize = 'each_epoch'*\n"))));
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
  check_refusal(
      run(folder, {"recipe", "bars_and_stripes", "--output", "bars", "--seed", "2"}), 2,
      "--output bars: the folder holds another run than that of the recipe 'bars_and_stripes', or it with other "
      "settings. *");
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

TEST_CASE("a recipe goes on with its own run under its own settings alone") {
  const CliFolder folder;
  const Words recipe{"recipe", "bars_and_stripes",       "--output", "bars",
                     "--set",  "training.num_epochs=20", "--seed",   "5"};
  const auto with = [&](const Words& last) {
    Words words(recipe.begin(), recipe.begin() + 4);
    words.insert(words.end(), last.begin(), last.end());
    return run(folder, words);
  };
  const char* const other =
      "--output bars: the folder holds another run than that of the recipe 'bars_and_stripes', or it with other "
      "settings. "
      "Name another folder, or give --set and --seed as that run had them.";
  const auto refused = [&] {
    check_refusal(with({}), 2, other);
    check_refusal(with({"--set", "training.num_epochs=20"}), 2, other);
    check_refusal(with({"--set", "training.num_epochs=21", "--seed", "5"}), 2, other);
    check_refusal(with({"--set", "training.num_epochs=20", "--seed", "6"}), 2, other);
  };
  const Outcome outcome = run(folder, recipe);
  REQUIRE(outcome.status == 0);
  refused();
  CHECK(run(folder, recipe).out == outcome.out);
  // The same of one that was broken off, as a kill leaves it.
  const std::string log = content_of(folder / "bars/metrics.jsonl");
  for (const char* file : {"model.h5", "model.h5.sha256", "verdict.txt"}) fs::remove(folder / "bars" / file);
  const Words before = files_below(folder / "bars");
  refused();
  CHECK(files_below(folder / "bars") == before);
  CHECK(run(folder, recipe).out == outcome.out);
  CHECK(content_of(folder / "bars/metrics.jsonl") == log);
  // Another run, and a bare model, are none of the recipe's.
  folder.trained();
  const std::string model = content_of(folder / "run/model.h5");
  check_refusal(run(folder, {"recipe", "bars_and_stripes", "--output", "run"}), 2, "--output run: the folder holds *");
  fs::remove(folder / "run/config.toml");
  check_refusal(run(folder, {"recipe", "bars_and_stripes", "--output", "run"}), 2, "--output run: the folder holds *");
  CHECK(content_of(folder / "run/model.h5") == model);
  check_refusal(run(folder, {"recipe", "bars_and_stripes", "--output", "small.toml"}), 2,
                "--output small.toml: a file of this name exists. Give the name of a folder.");
}

TEST_CASE("machines of a recipe's stack have seeds of their own, from the one that is given") {
  const ScratchFolder folder;
  std::vector<std::uint8_t> pixels(100 * 784);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i % 7 == 0 ? 255 : i % 11);
  for (const char* file : {"train-images-idx3-ubyte.gz", "binarized_mnist_test-idx2-ubyte.gz"})
    folder.write_gzipped(file, idx_bytes(100, 784, pixels));
  const auto words = [](const std::string& seed) {
    return Words{"recipe", "mnist_dbn", "--output", "deep", "--set", "training.num_epochs=1",
                 "--seed", seed,        "--quiet"};
  };
  {
    Running running(words("7"), {.folder = folder.path()});
    REQUIRE(appears(folder / "deep/machine2/metrics.jsonl"));
    running.signal(SIGINT);
    CHECK(running.wait().status == 1);
  }
  CHECK(content_of(folder / "deep/machine1/config.toml").find("seed = 7\n") != std::string::npos);
  CHECK(content_of(folder / "deep/machine2/config.toml").find("seed = 8\n") != std::string::npos);
  check_refusal(run(folder, words("9")), 2, "deep: the folder holds another stack, *");
  fs::remove(folder / "deep/stack.toml");
  check_refusal(run(folder, words("7")), 2, "--output deep: the folder holds 'machine1' and no stack *");
}

}  // namespace recipe_test
