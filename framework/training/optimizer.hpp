#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <harmonium/framework/core/memory_need.hpp>
#include <harmonium/framework/core/state_archive.hpp>
#include <harmonium/framework/execution/executor.hpp>
#include <harmonium/framework/model/parameters.hpp>
#include <harmonium/framework/training/schedule.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Moves parameters against a gradient, in place: θ, and behind it what the estimator learns of its own. What it remembers
/// has their length (StateSizes::moved) and goes through `state`.
class Optimizer {
 public:
  static constexpr const char* kind = "optimizer";
  virtual ~Optimizer();
  /// Throws ConfigError, without a place, for settings that name parameters which the model does not have.
  virtual void check(const ParameterLayout& layout) const = 0;
  /// θ ← θ − (something of the gradient of the loss). Blocks that are not learned stay.
  virtual void step(std::span<Real> theta, std::span<const Real> gradient, const ParameterLayout& layout,
                    const Progress& progress, const Executor& executor) = 0;
  /// The learning rate of an update, before the factors of single parameters.
  virtual double rate(const Progress& progress) const = 0;
  /// How far the step of `progress`, which was made last, would have moved each parameter by a slope of 1 that is added to its
  /// gradient in all updates: what a penalty takes that is paid by a proximal step (Regularizer::shrink). By default
  /// rate(progress); 0 of blocks that are not learned.
  virtual void step_sizes(std::span<Real> out, const ParameterLayout& layout, const Progress& progress,
                          const Executor& executor) const;
  /// How many vectors of the length of θ it remembers.
  virtual Index vectors() const { return 0; }
  virtual void state(StateArchive&) {}
};

/// A factor on the learning rate of the parameters of one name or one role.
struct ParameterFactor {
  std::string parameter;
  double factor = 1.0;
  void bind(OptionBinder& o);
};

/// What all our optimizers take.
struct RateOptions {
  double learning_rate = 0.01;
  std::unique_ptr<Schedule> schedule = {};  ///< null: constant
  std::vector<ParameterFactor> factors = {};

  void bind(OptionBinder& o, std::string_view help);
  void check(const ParameterLayout& layout) const;
  double rate(const Progress& progress) const;
  /// The factor of each block: 0 where it is not learned.
  std::vector<double> of_blocks(const ParameterLayout& layout) const;
};

/// body(begin, end, factor) over pieces of θ, each within one block.
template <class Body>
void for_each_learned(const ParameterLayout& layout, const std::vector<double>& factors, const Executor& executor,
                      const Body& body) {
  constexpr Index piece = 1 << 16;
  for (Index k = 0; k < layout.blocks().size(); ++k) {
    if (factors[k] == 0.0) continue;
    const ParameterBlock& block = layout[k];
    executor.for_each_piece(block.size(), piece, [&](Index begin, Index end) {
      body(block.offset + begin, block.offset + end, factors[k]);
    });
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
