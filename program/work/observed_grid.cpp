#include <harmonium/program/work/observed_grid.hpp>

#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The whole numbers of a list, empty where it is none.
std::vector<Index> whole_numbers(const Value* list) {
  std::vector<Index> numbers;
  if (!list || !list->is_list()) return numbers;
  for (const Value& item : std::get<Value::List>(list->data)) {
    if (const auto* whole = std::get_if<std::int64_t>(&item.data)) numbers.push_back(static_cast<Index>(*whole));
    else if (const auto* real = std::get_if<double>(&item.data)) numbers.push_back(static_cast<Index>(*real));
  }
  return numbers;
}

bool has_text(const Value& table, std::string_view key, std::string_view text) {
  const Value* own = table.find(key);
  const auto* words = own ? std::get_if<std::string>(&own->data) : nullptr;
  return words && *words == text;
}

/// That of the term `lattice` of a layer; nothing where it has none.
std::optional<SiteGrid> grid_of_term(const Value& configuration, const std::string& layer) {
  if (const Value* terms = configuration.find("terms"); terms && terms->is_list())
    for (const Value& term : std::get<Value::List>(terms->data)) {
      if (!has_text(term, "type", "lattice") || !has_text(term, "layer", layer)) continue;
      SiteGrid grid{whole_numbers(term.find("shape")), {}};
      grid.open.assign(grid.shape.size(), false);
      for (const Index axis : whole_numbers(term.find("open_axes"))) grid.open.at(axis) = true;
      return grid;
    }
  return {};
}

std::string words_of_grid(const SiteGrid& grid) {
  std::vector<Index> open;
  for (Index axis = 0; axis < grid.open.size(); ++axis)
    if (grid.open[axis]) open.push_back(axis);
  return fmt::format("{}{}", fmt::join(grid.shape, "x"),
                     open.empty() ? "" : fmt::format(" with open_axes = [{}]", fmt::join(open, ", ")));
}

SiteGrid grid_of_words(const std::string& words) {
  constexpr std::string_view ending = ":open";
  std::string_view sizes = words;
  const bool open = sizes.ends_with(ending);
  if (open) sizes.remove_suffix(ending.size());
  SiteGrid grid;
  const auto refuse = [&] {
    throw ConfigError(fmt::format(
        "--correlations {}: give the sites along each axis, such as 16x16, 28x28:open where axes end, or 'lattice'.",
        words));
  };
  for (const char *at = sizes.data(), *end = at + sizes.size();;) {
    Index size = 0;
    const auto [next, error] = std::from_chars(at, end, size);
    if (error != std::errc() || size == 0) refuse();
    grid.shape.push_back(size);
    if (next == end) break;
    if (*next != 'x') refuse();
    at = next + 1;
  }
  grid.open.assign(grid.shape.size(), open);
  return grid;
}

}  // namespace

std::optional<SiteGrid> observed_grid(const std::string& words, const EnergyModel& model, LayerId layer) {
  if (words.empty()) return {};
  const Layer& own = model.layout()[layer];
  const std::optional<SiteGrid> lattice = grid_of_term(model.configuration(), own.name);
  if (words == "lattice" && !lattice)
    throw ConfigError(fmt::format(
        "--correlations lattice: layer '{}' has no term 'lattice'. Say what its units are sites of, such as 16x16.",
        own.name));
  SiteGrid grid = words == "lattice" ? *lattice : grid_of_words(words);
  if (lattice && (grid.shape != lattice->shape || grid.open != lattice->open))
    throw ConfigError(
        fmt::format("--correlations {}: layer '{}' has a term 'lattice' of other sites, {}. Say 'lattice'.", words,
                    own.name, words_of_grid(*lattice)));
  double sites = 1.0;
  for (const Index size : grid.shape) sites *= static_cast<double>(size);
  if (sites != static_cast<double>(own.size))
    throw ConfigError(fmt::format("--correlations {}: these are {} sites, and layer '{}' has {} units.", words, sites,
                                  own.name, own.size));
  return grid;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
