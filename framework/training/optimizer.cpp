#include <harmonium/framework/training/optimizer.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

Optimizer::~Optimizer() = default;

void Optimizer::step_sizes(std::span<Real> out, const ParameterLayout& layout, const Progress& progress,
                           const Executor&) const {
  const auto eta = static_cast<Real>(rate(progress));
  for (const ParameterBlock& b : layout.blocks())
    std::ranges::fill(out.subspan(b.offset, b.size()), b.learned ? eta : Real{0});
}

void ParameterFactor::bind(OptionBinder& o) {
  o.option("parameter", parameter,
           "name of a tensor (bias.visible) or of a role (bias, coupling, log_precision, crystal_field, other)");
  o.option("factor", factor, "factor on its learning rate; 0 keeps it fixed", at_least(0));
}

void RateOptions::bind(OptionBinder& o, std::string_view help) {
  o.option("learning_rate", learning_rate, help, at_least(0));
  o.component("schedule", schedule, "the learning rate's course", "constant");
  o.list("factors", factors, "factors on the learning rate of single parameters");
}

void RateOptions::check(const ParameterLayout& layout) const {
  for (const ParameterFactor& f : factors) {
    const bool known = std::ranges::any_of(layout.blocks(), [&](const ParameterBlock& b) {
      return b.name == f.parameter || name_of(b.role) == f.parameter;
    });
    if (known) continue;
    std::vector<std::string> names;
    for (const ParameterBlock& b : layout.blocks()) names.push_back(b.name);
    throw ConfigError(fmt::format("factors: the model has no parameter '{}'{}. Its parameters: {}.", f.parameter,
                                  did_you_mean(f.parameter, names), fmt::join(names, ", ")));
  }
}

double RateOptions::rate(const Progress& progress) const {
  return learning_rate * (schedule ? schedule->factor(progress) : 1.0);
}

std::vector<double> RateOptions::of_blocks(const ParameterLayout& layout) const {
  std::vector<double> result;
  for (const ParameterBlock& b : layout.blocks()) {
    double factor = b.learned ? 1.0 : 0.0;
    for (const ParameterFactor& f : factors)
      if (f.parameter == b.name || f.parameter == name_of(b.role)) factor *= f.factor;
    result.push_back(factor);
  }
  return result;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
