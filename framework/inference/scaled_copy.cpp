#include <harmonium/framework/inference/scaled_copy.hpp>

#include <cmath>
#include <limits>

#include <harmonium/framework/execution/stream.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::unique_ptr<EnergyModel> scaled_copy(const EnergyModel& model, double factor) {
  std::unique_ptr<EnergyModel> copy = model.copy();
  if (!copy) return nullptr;
  copy->update_parameters([&](std::span<Real> theta) {
    for (const ParameterBlock& b : model.parameter_layout().blocks())
      for (Real& t : theta.subspan(b.offset, b.size()))
        t = static_cast<Real>(b.role == ParameterRole::log_precision ? static_cast<double>(t) + std::log(factor)
                                                                     : static_cast<double>(t) * factor);
  });
  constexpr Index rows = 4;
  const Layout& layout = model.layout();
  Chains x(layout, rows);
  for (const LayerId l : layout.ids())
    layout[l].unit->sample_uniform(DrawBlock::of(RandomSource{17, 0}, 0, 0, l), x.write(l));
  std::vector<double> own(rows), scaled(rows);
  model.energy(x.real(), own);
  copy->energy(x.real(), scaled);
  constexpr double rounding = 64.0 * std::numeric_limits<Real>::epsilon();
  const auto terms = static_cast<double>(model.parameter_layout().size());
  for (Index r = 0; r < rows; ++r)
    if (!(std::abs(scaled[r] - factor * own[r]) <= rounding * (1.0 + std::abs(factor * own[r])) * std::sqrt(terms)))
      return nullptr;
  return copy;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
