#include <harmonium/framework/testing/model_subject.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/testing/differences.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

ModelSubject::ModelSubject(EnergyModel& checked, CheckReport& to)
    : model(checked),
      report(to),
      rows(random_rows(checked.layout(), 24, 5)),
      largest(largest_value(checked.layout(), rows)) {
  scale = size_of_parameters(model) * largest * largest;
  for (const double e : energies(rows)) scale = std::max(scale, std::abs(e));
}

std::vector<double> ModelSubject::energies(const Chains& of_rows) const {
  std::vector<double> e(of_rows.size());
  model.energy(of_rows, e);
  return e;
}

std::string ModelSubject::entry_name(Index entry) const {
  for (const ParameterBlock& block : model.parameter_layout().blocks()) {
    if (entry < block.offset || entry >= block.offset + block.size()) continue;
    const Index i = (entry - block.offset) / block.cols, j = (entry - block.offset) % block.cols;
    return fmt::format("'{}'[{}{}]", block.name, i, block.cols > 1 ? fmt::format(", {}", j) : std::string());
  }
  return fmt::format("entry {}", entry);
}

std::string ModelSubject::unit_name(LayerId layer, Index unit) const {
  return fmt::format("layer '{}', unit {}", model.layout()[layer].name, unit);
}

std::vector<Index> some_of(Index n, Index most) {
  std::vector<Index> all;
  for (Index i = 0; i < std::min(n, most); ++i) all.push_back(i * n / std::min(n, most));
  return all;
}

std::vector<std::vector<Index>> compared_parameters(const EnergyModel& model) {
  constexpr Index most_of_tensor = 60;
  const std::vector<std::vector<Index>> all = free_parameters(model);
  std::vector<std::vector<Index>> chosen;
  for (const ParameterBlock& block : model.parameter_layout().blocks()) {
    if (!block.learned) continue;
    std::vector<std::vector<Index>> own;
    for (const auto& entries : all)
      if (entries[0] >= block.offset && entries[0] < block.offset + block.size()) own.push_back(entries);
    for (const Index k : some_of(own.size(), most_of_tensor)) chosen.push_back(own[k]);
  }
  return chosen;
}

std::vector<std::vector<Real>> values_of(const UnitType& unit) {
  const Index width = unit.width(), states = unit.num_states();
  if (states > 0) {
    std::vector<Real> flat(states * width);
    unit.states({flat.data(), states, width, width});
    std::vector<std::vector<Real>> all;
    for (Index s = 0; s < states; ++s)
      all.emplace_back(flat.begin() + static_cast<std::ptrdiff_t>(s * width),
                       flat.begin() + static_cast<std::ptrdiff_t>((s + 1) * width));
    return all;
  }
  const double low = std::isfinite(unit.min()) ? unit.min() : std::isfinite(unit.max()) ? unit.max() - 2.0 : -1.0;
  const double high = std::isfinite(unit.max()) ? std::min(unit.max(), low + 2.0) : low + 2.0;
  std::vector<std::vector<Real>> all;
  for (const double t : {0.0, 0.375, 1.0}) all.emplace_back(width, static_cast<Real>(low + t * (high - low)));
  return all;
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
