#include <harmonium/framework/inference/machine_path.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/assert.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

MachinePath::MachinePath(const EnergyModel& model, std::vector<KeptMachine> kept)
    : layout_(&model.parameter_layout()),
      kept_(std::move(kept)),
      end_(model.parameters().begin(), model.parameters().end()) {
  for ([[maybe_unused]] const KeptMachine& machine : kept_) HARMONIUM_ASSERT(machine.theta.size() == end_.size());
  set_start();
}

void MachinePath::set_start() {
  start_ = kept_.empty() ? end_ : kept_.front().theta;
  for (const ParameterBlock& block : layout_->blocks())
    if (is_coupling(block)) std::ranges::fill(std::span(start_).subspan(block.offset, block.size()), Real{0});
}

bool MachinePath::follow(const EnergyModel& model) {
  if (std::ranges::equal(end_, model.parameters())) return false;
  std::ranges::copy(model.parameters(), end_.begin());
  if (kept_.empty()) set_start();
  return true;
}

std::span<const Real> MachinePath::node(Index n) const {
  return n == 0 ? start_ : n == num_parts() ? end_ : kept_[n - 1].theta;
}

std::vector<Real> MachinePath::parameters(double place) const {
  const double at = place * static_cast<double>(num_parts());
  const Index before = std::min(static_cast<Index>(at), num_parts() - 1);
  const double part = at - static_cast<double>(before);
  const std::span<const Real> from = node(before), to = node(before + 1);
  std::vector<Real> theta(from.size());
  // What is the same in both stays so to the bit: a mixture would round it.
  std::ranges::transform(from, to, theta.begin(), [part](Real a, Real b) {
    return a == b ? a : static_cast<Real>((1.0 - part) * static_cast<double>(a) + part * static_cast<double>(b));
  });
  return theta;
}

std::string MachinePath::name_of(double place) const {
  if (place >= 1.0) return "the model";
  const double at = place * static_cast<double>(num_parts());
  const Index before = std::min(static_cast<Index>(at), num_parts() - 1);
  const double part = at - static_cast<double>(before);
  const auto update = [&](Index n) { return n == 0 ? 0.0 : static_cast<double>(kept_[n - 1].update); };
  if (before + 1 == num_parts() && part > 0.0)
    return fmt::format("{:.3g} of the way from {:g} to the model", part, update(before));
  return fmt::format("{:g}", part > 0.0 ? (1.0 - part) * update(before) + part * update(before + 1) : update(before));
}

std::string names_of(const MachinePath& path, std::span<const double> places) {
  std::vector<double> ascending(places.begin(), places.end());
  std::ranges::sort(ascending);
  std::string text = "updates ";
  for (Index k = 0; k < ascending.size(); ++k)
    text += (k == 0 ? "" : k + 1 == ascending.size() ? " and " : ", ") + path.name_of(ascending[k]);
  return text;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
