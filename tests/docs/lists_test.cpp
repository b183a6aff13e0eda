#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/tests/support/paths.hpp>
#include <harmonium/tests/support/runs.hpp>

namespace lists_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

using Names = std::set<std::string>;

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream in(std::string(source_folder()) + "/" + file);
  REQUIRE(in);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// "| a | b |" as "a", "b".
std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> cells;
  std::istringstream in(row.substr(1));
  for (std::string cell; std::getline(in, cell, '|');) {
    const auto from = cell.find_first_not_of(' '), to = cell.find_last_not_of(' ');
    cells.push_back(from == std::string::npos ? "" : cell.substr(from, to - from + 1));
  }
  return cells;
}

/// What stands between backquotes; of `"binary"` and `{ type = "categorical", … }` what is between quotation marks.
Names names_in(const std::string& cell) {
  Names names;
  for (std::size_t at = 0; (at = cell.find('`', at)) != std::string::npos;) {
    const std::size_t end = cell.find('`', at + 1);
    REQUIRE(end != std::string::npos);
    std::string name = cell.substr(at + 1, end - at - 1);
    if (const auto quote = name.find('"'); quote != std::string::npos)
      name = name.substr(quote + 1, name.find('"', quote + 1) - quote - 1);
    names.insert(name);
    at = end + 1;
  }
  return names;
}

/// The names in one column of the table below the line that begins with `header`.
Names listed(const std::string& page, const std::string& header, std::size_t column) {
  const std::vector<std::string> lines = lines_of(page);
  auto line = std::ranges::find_if(lines, [&](const std::string& l) { return l.starts_with(header); });
  REQUIRE_MESSAGE(line != lines.end(), page << " has no table that begins with " << header);
  Names names;
  for (line += 2; line != lines.end() && line->starts_with("|"); ++line)
    names.merge(names_in(cells_of(*line).at(column)));
  return names;
}

Names registered(const std::string& kind) {
  Names names;
  for (const ComponentInfo& c : builtin().components())
    if (c.kind == kind) names.insert(c.name);
  REQUIRE_FALSE(names.empty());
  return names;
}

/// The commands of `harmonium --help`, as the golden file of its transcript has it.
Names commands() {
  Names names;
  bool inside = false;
  for (const std::string& line : lines_of("tests/cli/golden/help.txt")) {
    if (inside && line.empty()) break;
    if (inside) names.insert(line.substr(2, line.find(' ', 2) - 2));
    inside |= line == "Subcommands:";
  }
  REQUIRE(names.size() > 5);
  return names;
}

/// What one has and the other lacks: "-gibs +gibbs".
std::string difference(const Names& page, const Names& program) {
  std::string text;
  for (const std::string& name : page)
    if (!program.contains(name)) text += "-" + name + " ";
  for (const std::string& name : program)
    if (!page.contains(name)) text += "+" + name + " ";
  return text;
}

}  // namespace

TEST_CASE("README's table of what there is names what the program has, all of it and nothing else") {
  const std::vector<std::pair<std::string, std::string>> rows = {{"models", "model"},
                                                                 {"terms", "term"},
                                                                 {"units", "unit"},
                                                                 {"initializers", "initializer"},
                                                                 {"samplers", "sampler"},
                                                                 {"phases", "phase"},
                                                                 {"gradient estimators", "estimator"},
                                                                 {"log Z", "log_partition"},
                                                                 {"schedules", "schedule"},
                                                                 {"optimizers", "optimizer"},
                                                                 {"regularizers", "regularizer"},
                                                                 {"observers", "observer"},
                                                                 {"data", "data"},
                                                                 {"studies", "study"}};
  CHECK(rows.size() == builtin().kinds().size());  // a kind that is new has no row yet
  const std::vector<std::string> lines = lines_of("README.md");
  const auto names_of = [&](const std::string& row) {
    const auto line =
        std::ranges::find_if(lines, [&](const std::string& l) { return l.starts_with("| " + row + " |"); });
    REQUIRE_MESSAGE(line != lines.end(), "README.md has no row " << row);
    return names_in(cells_of(*line).at(1));
  };
  for (const auto& row : rows) {
    CAPTURE(row.first);
    CHECK(difference(names_of(row.first), registered(row.second)) == "");
  }
  CHECK(difference(names_of("commands"), commands()) == "");
}

TEST_CASE("the pages that list components list all of them") {
  struct List {
    const char *page = nullptr, *header = nullptr, *kind = nullptr;
    std::size_t column = 0;
  };
  for (const List& list :
       {List{"docs/boltzmann_machines.md", "| `[model] type` |", "model"},
        List{"docs/units.md", "| `visible_units`", "unit"}, List{"docs/samplers.md", "| sampler |", "sampler"},
        List{"docs/estimators.md", "| estimator |", "estimator"}, List{"docs/data.md", "| `type` |", "data"},
        List{"docs/training.md", "| figure |", "observer", 1}}) {
    CAPTURE(list.page);
    CHECK(difference(listed(list.page, list.header, list.column), registered(list.kind)) == "");
  }
}

TEST_CASE("a name too much or too little on a page is seen") {
  Names page = registered("sampler");
  page.erase("gibbs");
  page.insert("gibs");
  CHECK(difference(page, registered("sampler")) == "-gibs +gibbs ");
  CHECK(names_in("`a` and `{ type = \"b\", n = q }`, `\"c\"`") == Names{"a", "b", "c"});
}

}  // namespace lists_test
