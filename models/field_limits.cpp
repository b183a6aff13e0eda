// Whether units have a law whatever their neighbors are, where that takes a field below a limit.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <harmonium/framework/model/unit_buffer.hpp>
#include <harmonium/models/continuous_law.hpp>
#include <harmonium/models/layered.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The largest Σ_c w_c x_c over the values of a unit, `w` being its couplings with one other unit.
class LargestField {
 public:
  explicit LargestField(const UnitType& unit) : unit_(unit), states_(unit) {}
  double operator()(std::span<const double> w) const {
    if (states_.size() == 0) return w[0] == 0.0 ? 0.0 : w[0] * (w[0] > 0.0 ? unit_.max() : unit_.min());
    double most = -infinity;
    for (Index s = 0; s < states_.size(); ++s) {
      double field = 0.0;
      for (Index c = 0; c < w.size(); ++c) field += w[c] * static_cast<double>(states_[s][c]);
      most = std::max(most, field);
    }
    return most;
  }

 private:
  const UnitType& unit_;
  UnitStates states_;
};

/// Adds to `most` what the layer `from` may add to the fields of the coupling's other one.
void add_largest(ConstMatrixRef w, bool from_rows, bool lateral, const UnitType& from, std::vector<double>& most) {
  const LargestField largest(from);
  const Index width = from.width(), columns = from_rows ? w.rows : w.cols;
  std::vector<double> own(width);
  for (Index j = 0; j < most.size(); ++j)
    for (Index i = 0; i < columns; i += width) {
      if (lateral && i == j) continue;
      for (Index c = 0; c < width; ++c) own[c] = static_cast<double>(from_rows ? w(i + c, j) : w(j, i + c));
      most[j] += largest(own);
    }
}

}  // namespace

bool wants_field_below_limit(const Layer& layer) {
  const UnitType& unit = *layer.unit;
  return unit.num_states() == 0 && !unit.has_curvature() && unit.max() == infinity;
}

std::optional<std::string> ContinuousLaw::field_limits(const LayeredModel& model) {
  const Layout& layout = model.layout();
  for (const LayerId l : layout.ids()) {
    if (!wants_field_below_limit(layout[l])) continue;
    const UnitType& unit = *layout[l].unit;
    const Real* const bias = model.bias(l);
    std::vector<double> most(bias, bias + layout[l].columns());
    for (const EnergyTerm::Bilinear& c : model.couplings_) {
      if (c.a == l) add_largest(model.values(c), false, c.lateral(), *layout[c.b].unit, most);
      else if (c.b == l) add_largest(model.values(c), true, false, *layout[c.a].unit, most);
    }
    const auto highest = std::ranges::max_element(most);
    if (*highest < unit.linear_limit()) continue;
    return fmt::format(
        "the field of unit {} of layer '{}' may be {:.4g}, and {} units have a law below {} only: no density "
        "exists",
        highest - most.begin(), layout[l].name, *highest, unit.name(),
        unit.linear_limit() == infinity ? "a finite one" : fmt::format("{:g}", unit.linear_limit()));
  }
  return {};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
