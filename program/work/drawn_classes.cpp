#include <harmonium/program/work/drawn_classes.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/inference/classification.hpp>
#include <harmonium/framework/training/fitted_data.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

enum class HeldOf : std::uint8_t { all, none, some };

/// Of how many units of a layer and `rows` rows.
HeldOf held_of(const HeldMask& held, LayerId layer, Index rows) {
  if (held.holds(layer)) return HeldOf::all;
  const MatrixView<const std::uint8_t> units = held.units(layer, 0, rows);
  Index count = 0;
  for (Index r = 0; r < units.rows; ++r)
    count += static_cast<Index>(std::count_if(units.row(r), units.row(r) + units.cols, [](auto u) { return u != 0; }));
  if (count == 0) return HeldOf::none;
  return count == units.rows * units.cols ? HeldOf::all : HeldOf::some;
}

bool holds_class_alone(const Layout& layout, const HeldMask& held, Index rows) {
  for (const LayerId layer : layout.ids()) {
    if (layout[layer].role != Role::observed) continue;
    const bool is_class = layout[layer].name == label_layer;
    if (held_of(held, layer, rows) != (is_class ? HeldOf::all : HeldOf::none)) return false;
  }
  return true;
}

}  // namespace

void DrawnClasses::add(Target target, const Chains& rows, Index rungs, const Executor& executor) {
  const EnergyModel& model = target.model;
  const Layout& layout = model.layout();
  if (!target.held || !offers_classification(model, label_layer)) return;
  if (!holds_class_alone(layout, *target.held, rows.size() * rungs)) return;
  const ToldClasses told = tell_classes(model, label_layer, rows, HeldMask(layout.observed()), target.beta, executor);
  rows_ += rows.size();
  classes_ = label_columns(layout);
  for (Index r = 0; r < rows.size(); ++r) {
    right_ += told.right[r];
    probability_ += std::exp(told.log_likelihood[r]);
  }
}

std::string DrawnClasses::words() const {
  if (rows_ == 0) return "";
  return fmt::format(
      "{}: the model itself gives {:.0f} of {} rows to the class that they were drawn given; mean p({} | the rest) of "
      "that class {:.2g}",
      label_layer, right_, rows_, label_layer, probability_ / static_cast<double>(rows_));
}

std::string DrawnClasses::doubt() const {
  const auto rows = static_cast<double>(rows_);
  if (probability_ * static_cast<double>(classes_) >= rows) return "";
  return fmt::format(
      "mean p({} | the rest) of the class that rows were drawn given is {:.2g}, less than of one of {} classes at "
      "random. Under the model's law it is at least the probability of the class: where this is more, the chains sit "
      "in modes of other classes. Take more --steps, --sampler parallel_tempering, or --start FILE of rows of the "
      "class.",
      label_layer, probability_ / rows, classes_);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
