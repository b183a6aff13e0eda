// The examples of --help, run. They stand in the commands alone: here they are read from the help.
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <harmonium/tests/support/paths.hpp>
#include <harmonium/tests/support/skip.hpp>

#include "files.hpp"

namespace examples_test {

using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The indented lines below one that is `title`, without their indentation.
Words below(const Words& lines, const std::string& title) {
  Words found;
  auto line = std::ranges::find(lines, title);
  if (line == lines.end()) return found;
  for (++line; line != lines.end() && line->starts_with("  "); ++line) found.push_back(line->substr(2));
  return found;
}

Words commands() {
  const ScratchFolder folder;
  Words names;
  for (const std::string& line : below(lines_of(run(folder, {"--help"}).out), "Subcommands:"))
    names.push_back(line.substr(0, line.find(' ')));
  REQUIRE(names.size() > 15);
  return names;
}

/// Rows of four bits and their class, which is the first bit, with names.
std::string rows(unsigned first) {
  std::string text = "ear,tail,wing,fin,label\n";
  for (unsigned i = first; i < 16; i += 2)
    text += fmt::format("{},{},{},{},{}\n", i & 1u, i >> 1 & 1u, i >> 2 & 1u, i >> 3 & 1u, i >> 3 & 1u);
  return text;
}

/// The files that examples speak of (cli/command.hpp).
class ExampleFolder : public ScratchFolder {
 public:
  ExampleFolder() {
    write("data.csv", rows(0));
    write("test.csv", rows(1));
    write("config.toml",
          "data = { type = \"csv\", path = \"data.csv\", header = \"yes\", label_column = \"last\" }\n"
          "model = { type = \"rbm\", num_visible = 4, num_hidden = 6, num_labels = 2 }\n"
          "estimator = { type = \"pcd\", num_chains = 20 }\n"
          "training = { num_epochs = 20, batch_size = 4 }\n");
    write("glass.txt", "4 4\n1 2 1\n2 3 -1\n3 4 1\n4 1 1\n");
    write("maxcut.txt", "4 4\n1 2 1\n2 3 1\n3 4 1\n4 1 1\n");
    write("stack.toml", "base = \"config.toml\"\n[[machines]]\n[[machines]]\n\"model.num_hidden\" = 2\n");
    write("sweep.toml", "base = \"config.toml\"\nseed = [1, 2]\n[grid]\n\"model.num_hidden\" = [2, 4]\n");
    fs::create_directory(*this / "build");
    fs::create_directory(*this / "bin");
    fs::create_symlink(program_path(), *this / "bin/harmonium");
    for (const Words& words : {Words{"train", "config.toml", "--output", "runs/first", "--quiet"},
                               Words{"train", "config.toml", "--output", "runs/second", "--seed", "2", "--quiet"},
                               Words{"import", "glass.txt", "--output", "glass.h5"}}) {
      fs::create_directories(*this / "runs");
      const Outcome outcome = run(*this, words);
      REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
    }
    fs::copy(*this / "runs/first/model.h5", *this / "model.h5");
  }

  /// Runs a line in a shell; what it wrote, and whether it went well.
  std::pair<std::string, bool> shell(const std::string& line) const {
    write("line.sh", line + "\n");
    const int status = std::system(
        fmt::format("cd '{0}' && PATH='{0}/bin':$PATH sh -eu line.sh < /dev/null > said 2>&1", path().string())
            .c_str());
    return {content_of(*this / "said"), WIFEXITED(status) && WEXITSTATUS(status) == 0};
  }
};

/// Beginnings of examples that would take seconds, and settings that shorten them: what they make is looked at elsewhere.
constexpr std::pair<std::string_view, std::string_view> shortenings[] = {
    {"harmonium recipe bars_and_stripes", " --set training.num_epochs=20"},
    {"harmonium study cd-bias", " --set learning_rate=0.01 --set fixed_updates=1000"},
    {"harmonium study estimators", " --set repeats=40"}};

}  // namespace

TEST_CASE("the help of every command fits a screen, and ends with two examples") {
  const ScratchFolder folder;
  for (const std::string& command : commands()) {
    CAPTURE(command);
    const Words lines = lines_of(run(folder, {command, "--help"}).out);
    CHECK(lines.size() <= 45);
    for (const std::string& line : lines) CHECK_MESSAGE(line.size() <= 120, line);
    const Words examples = below(lines, "Examples:");
    CHECK(examples.size() == 2);
    for (const std::string& example : examples)
      CHECK_MESSAGE(
          example.find("harmonium " + command + " ") + example.ends_with("harmonium " + command) != std::string::npos,
          example);
    REQUIRE(!lines.empty());
    CHECK(lines.back() == (examples.empty() ? "" : "  " + examples.back()));
  }
}

TEST_CASE("the examples of every command's help run") {
  if (std::system("command -v gnuplot > /dev/null 2>&1") != 0) {
    skip_test("gnuplot is not installed, so that the examples were not run");
    return;
  }
  const ExampleFolder folder;
  std::size_t shortened = 0;
  for (const std::string& command : commands())
    for (std::string example : below(lines_of(run(folder, {command, "--help"}).out), "Examples:")) {
      for (const auto& [beginning, settings] : shortenings)
        if (example.starts_with(beginning)) {
          example += settings;
          ++shortened;
        }
      // A server runs until it is told to stop: what timeout says where it had to.
      const auto outcome = folder.shell(command == "watch" ? "timeout 2 " + example + " || [ $? = 124 ]" : example);
      CHECK_MESSAGE(outcome.second, example << "\n" << outcome.first);
    }
  CHECK(shortened == std::size(shortenings));
}

TEST_CASE("the first steps of the program's help run, one after the other") {
  const ExampleFolder folder;
  const Words steps = below(lines_of(run(folder, {"--help"}).out), "First steps:");
  REQUIRE(steps.size() > 5);
  for (const std::string& step : steps) {
    const std::string line = step.substr(0, step.find("  "));  // behind it stands what it does
    const auto outcome = folder.shell(line);
    CHECK_MESSAGE(outcome.second, line << "\n" << outcome.first);
  }
}

TEST_CASE("an example that has rotted is seen") {
  const ExampleFolder folder;
  CHECK(folder.shell("harmonium evaluate model.h5").second);
  for (const char* rotten : {"harmonium evaluate modle.h5", "harmonium evaluate model.h5 --effrot 2", "harmonum list"})
    CHECK_MESSAGE(!folder.shell(rotten).second, rotten);
}

}  // namespace examples_test
