#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A machine that a training run kept.
struct KeptMachine {
  std::uint64_t update = 0;  ///< of the run, counted from 1
  std::vector<Real> theta;
};

/// The way that training took to a model: the first kept machine without its couplings, the kept machines in their order, and
/// the model itself. With none kept it goes straight from the model without its couplings. Between neighbors θ is linear.
///
/// A place is a number from 0 (the first) to 1 (the model), neighbors being equally far apart.
class MachinePath {
 public:
  /// `kept`: ascending updates, parameters of the model's size. The model's layout of parameters must outlive it.
  MachinePath(const EnergyModel& model, std::vector<KeptMachine> kept);

  /// The model has other parameters now. Whether it has.
  bool follow(const EnergyModel& model);
  std::vector<Real> parameters(double place) const;
  /// Neighbors: the kept machines, and one.
  Index num_parts() const { return kept_.size() + 1; }
  double place_of(Index node) const { return static_cast<double>(node) / static_cast<double>(num_parts()); }
  /// "0" without couplings, "240" kept after that update, "35.5" between two of them, "the model", "0.75 of the way from
  /// 240 to the model".
  std::string name_of(double place) const;

 private:
  std::span<const Real> node(Index n) const;
  void set_start();

  const ParameterLayout* layout_;
  std::vector<KeptMachine> kept_;
  std::vector<Real> start_, end_;
};

/// Places on a path, as a person is told of them: "updates 0, 20, 61.5 and the model".
std::string names_of(const MachinePath& path, std::span<const double> places);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
