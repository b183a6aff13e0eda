#pragma once

#include <algorithm>
#include <string>

#include <harmonium/framework/inference/flip_symmetry.hpp>
#include <harmonium/framework/inference/slowest_time.hpp>
#include <harmonium/framework/inference/thermal_averages.hpp>
#include <harmonium/plugins/builtin/components.hpp>
#include <harmonium/tests/support/machines.hpp>

/// What of the averages of a model may be believed that is as likely after a flip, and a plugin's model that looks so.
namespace harmonium::testing::flipped_averages {

/// The energy of a model plus that of a field on one column, which no parameter shows.
class WithHiddenField final : public Forwarding {
 public:
  using Forwarding::Forwarding;
  void energy(ConstChainView x, std::span<double> out) const override {
    inner_.energy(x, out);
    for (Index r = 0; r < out.size(); ++r) out[r] += 0.1 * static_cast<double>(x[LayerId{0}][r][0]);
  }
};

inline ThermalAverages averages_by_gibbs(const EnergyModel& model, const ThermalPlan& plan, std::uint64_t seed) {
  const Executor executor(2);
  const LayerObservables what(model, LayerId{0});
  const ThermalRecord record =
      record_alone(model, [] { return make<Sampler>("type = 'gibbs'"); }, what, plan, {executor, {seed, 0}});
  ThermalAverages found =
      averages_of(record.temperatures[0], what, num_all_units(model.layout()), flip_symmetry_of(model));
  doubt_by_slowest(record.temperatures[0], nullptr, found);
  return found;
}

inline const ThermalAverage& named(const ThermalAverages& found, const std::string& name) {
  return *std::ranges::find(found.averages, name, &ThermalAverage::name);
}

}  // namespace harmonium::testing::flipped_averages
