#include <harmonium/framework/inference/normal_units.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <harmonium/framework/model/domain.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The place of the first unit of each normal layer; nothing of others.
PerLayer<std::optional<Index>> places_of_normal(const Layout& layout, Index& count) {
  PerLayer<std::optional<Index>> places;
  for (const Layer& layer : layout.layers()) {
    const bool normal = is_normal(*layer.unit);
    places.push_back(normal ? std::optional(count) : std::nullopt);
    if (normal) count += layer.columns();
  }
  return places;
}

}  // namespace

std::optional<NormalUnits> NormalUnits::of(const EnergyModel& model) {
  const Layout& layout = model.layout();
  NormalUnits found;
  Index count = 0;
  const PerLayer<std::optional<Index>> place = places_of_normal(layout, count);
  if (count == 0) return found;
  for (const LayerId l : layout.ids())
    for (Index c = 0; place[l] && c < layout[l].columns(); ++c) found.units_.push_back({l, c});
  for (const ParameterBlock& b : model.parameter_layout().blocks()) {
    if (b.role == ParameterRole::other) return {};
    const LayerId rows = b.layers.front(), cols = b.layers.back();
    if (!place[rows] && !place[cols]) continue;
    const Real* const values = model.parameters().data() + b.offset;
    if (b.role == ParameterRole::bias || is_curvature(b)) {
      for (Index c = 0; c < b.size(); ++c) {
        const auto value = static_cast<double>(values[c]);
        Unit& unit = found.units_[*place[rows] + c];
        if (b.role == ParameterRole::bias) unit.bias += value;
        else unit.precision += curvature_of(b.role, value);
      }
      continue;
    }
    if (b.role != ParameterRole::coupling || (place[rows] && place[cols])) return {};
    for (Index r = 0; r < b.rows; ++r)
      for (Index c = 0; c < b.cols; ++c) {
        const auto weight = static_cast<double>(values[r * b.cols + c]);
        if (weight == 0.0) continue;
        if (place[rows]) found.units_[*place[rows] + r].partners.push_back({cols, c, weight});
        else found.units_[*place[cols] + c].partners.push_back({rows, r, weight});
      }
  }
  if (std::ranges::any_of(found.units_, [](const Unit& u) { return !(u.precision > 0.0); })) return {};
  return found;
}

double NormalUnits::log_volume(double beta) const {
  double sum = 0.0;
  for (const Unit& unit : units_) sum += 0.5 * std::log(2.0 * std::numbers::pi / (beta * unit.precision));
  return sum;
}

void NormalUnits::put_means(Chains& rows) const {
  for (Index r = 0; r < rows.size(); ++r)
    for (const Unit& unit : units_) {
      double field = unit.bias;
      for (const Partner& p : unit.partners) field += p.weight * static_cast<double>(rows.read(p.layer)(r, p.column));
      rows.write(unit.layer)(r, unit.column) = static_cast<Real>(field / unit.precision);
    }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
