#include <harmonium/program/work/state_samples.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/files/npy.hpp>
#include <harmonium/framework/files/row_writer.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/columns_by_name.hpp>
#include <harmonium/program/work/sample_file.hpp>
#include <harmonium/program/work/table_samples.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// An observed unit of a row.
struct Site {
  Index first_column, width;
  bool of_class;
};

std::vector<Site> sites_of(const Layout& layout) {
  const PerLayer<Index> first = layout.first_columns(layout.observed());
  std::vector<Site> sites;
  for (const LayerId l : layout.ids(layout.observed()))
    for (Index u = 0; u < layout[l].size; ++u)
      sites.push_back({first[l] + u * layout[l].unit->width(), layout[l].unit->width(), layout[l].name == label_layer});
  return sites;
}

Real state_of(const Site& site, std::span<const Real> row) {
  const Real* const unit = row.data() + site.first_column;
  return site.width == 1 ? *unit : static_cast<Real>(std::max_element(unit, unit + site.width) - unit);
}

template <class T>
Matrix<T> states_of(const std::vector<Site>& sites, const SamplingPlan& plan, const Sampling& sampling) {
  const std::span<const Real> all(sampling.samples());
  Matrix<T> states = zeros<T>(plan.request().num_samples, sites.size());
  for (Index r = 0; r < plan.request().num_samples; ++r)
    for (Index u = 0; u < sites.size(); ++u)
      states(r, u) = static_cast<T>(state_of(sites[u], all.subspan(r * plan.columns(), plan.columns())));
  return states;
}

void write_csv_states(const std::vector<Site>& sites, const SamplingPlan& plan, const Sampling& sampling) {
  const ModelHeader& header = plan.header();
  std::vector<std::string> names = site_column_names(header, plan.model().layout());
  const auto label = std::ranges::find_if(sites, [](const Site& site) { return site.of_class; });
  if (label != sites.end()) names.insert(names.begin() + (label - sites.begin()), label_column_name(header));
  const std::vector<std::string> words = class_words(header.config);
  const std::span<const Real> all(sampling.samples());
  write_csv_samples(plan, sampling, names, [&](Index r) {
    std::vector<std::string> fields;
    for (const Site& site : sites) {
      const Real state = state_of(site, all.subspan(r * plan.columns(), plan.columns()));
      const bool named = site.of_class && static_cast<Index>(state) < words.size();
      fields.push_back(named ? words[static_cast<Index>(state)] : fmt::format("{}", state));
    }
    return fields;
  });
}

}  // namespace

void check_states(const SamplingPlan& plan) {
  const Layout& layout = plan.model().layout();
  const std::filesystem::path output = plan.request().output;
  if (is_table(plan.header()))
    throw ConfigError("--states: the model was trained on a table, and .csv has its levels. Leave --states out.");
  if (output.extension() != ".npy" && output.extension() != ".csv")
    throw ConfigError(
        fmt::format("--states: states are written as .npy or .csv, and --output is {}. Give a name that ends so.",
                    output.string()));
  bool any = false;
  for (const LayerId l : layout.ids(layout.observed())) {
    const UnitType& unit = *layout[l].unit;
    if (unit.width() == 1) continue;
    if (unit.width() != unit.num_states())
      throw ConfigError(
          fmt::format("--states: the columns of a {} unit of layer '{}' are not one for each state. Leave it out.",
                      unit.name(), layout[l].name));
    any |= layout[l].name != label_layer;
  }
  if (!any)
    throw ConfigError(
        "--states: no observed unit has a column for each of several states, as \"categorical\" ones have, so that "
        "columns are what they are. Leave it out.");
}

void write_state_samples(const SamplingPlan& plan, const Sampling& sampling) {
  const SampleRequest& request = plan.request();
  const std::filesystem::path output = request.output;
  const std::vector<Site> sites = sites_of(plan.model().layout());
  if (output.extension() == ".csv") {
    write_csv_states(sites, plan, sampling);
    return;
  }
  if (request.energies) write_npy_vector(energies_path(request), sampling.energies());
  constexpr Index most_bytes = 256;
  const bool bytes =
      std::ranges::all_of(sites, [](const Site& site) { return site.width > 1 && site.width <= most_bytes; });
  const auto write = [&]<class T>(T) {
    const Matrix<T> states = states_of<T>(sites, plan, sampling);
    write_npy(output, as_matrix(states));
  };
  if (bytes) write(std::uint8_t{});
  else write(Real{});
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
