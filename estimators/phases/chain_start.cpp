#include <harmonium/estimators/phases/chain_start.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void draw_uniform(const Layout& layout, const RandomSource& random, Chains& chains) {
  for (const LayerId l : layout.ids())
    layout[l].unit->sample_uniform(DrawBlock::of(random, chains.first_chain(), chains.step(), l), chains.write(l));
}

void draw_marginals(const Layout& layout, std::span<const double> marginals, const RandomSource& random,
                    Chains& chains) {
  Index column = 0;
  for (const LayerId l : layout.ids()) {
    const Layer& layer = layout[l];
    const DrawBlock addresses = DrawBlock::of(random, chains.first_chain(), chains.step(), l);
    const MatrixRef state = chains.write(l);
    if (layer.role == Role::latent || marginals.empty()) {
      layer.unit->sample_uniform(addresses, state);
      continue;
    }
    const Index width = layer.unit->width();
    std::vector<double> linear(layer.columns());
    for (Index u = 0; u < layer.size; ++u)
      layer.unit->linear_of_mean(marginals.subspan(column + u * width, width), 1.0, 1e6,
                                 std::span(linear).subspan(u * width, width));
    column += layer.columns();
    std::vector<Real> row(linear.begin(), linear.end()), ones(row.size(), Real{1});
    ConstFields fields{{row.data(), state.rows, state.cols, 0}};
    if (layer.unit->has_curvature()) fields.curvature = {ones.data(), state.rows, state.cols, 0};
    layer.unit->sample(fields, addresses, state, {});
  }
}

void copy_seen(const Layout& layout, const DataBatch& data, Index copies, Chains& chains) {
  for (const LayerId l : layout.ids(layout.observed())) {
    const ConstMatrixRef from = data.rows.read(l);
    const MatrixRef to = chains.write(l);
    const bool whole = !data.observed || data.observed->holds(l);
    const MatrixView<const std::uint8_t> units =
        whole ? MatrixView<const std::uint8_t>{} : data.observed->units(l, 0, from.rows);
    const Index width = layout[l].unit->width();
    for (Index r = 0; r < to.rows; ++r) {
      const Index source = r / copies % from.rows;
      const std::span<const Real> row = from[source];
      if (whole) std::ranges::copy(row, to.row(r));
      else if (!units.empty())
        for (Index c = 0; c < from.cols; ++c)
          if (units(source, c / width)) to(r, c) = row[c];
    }
  }
}

void check_partly_held(const EnergyModel& model, const Sampler& sampler) {
  HeldMask seen;
  for (const LayerId l : model.layout().ids(model.layout().observed())) {
    std::vector<std::uint8_t> units(model.layout()[l].size, 0);
    units[0] = 1;
    seen.hold_units(l, model.layout()[l].size, std::move(units));
  }
  try {
    sampler.check(Target{.model = model, .held = &seen});
  } catch (const CapabilityError& error) {
    throw CapabilityError(fmt::format("phase 'chains', of rows with missing entries: {}", error.what()));
  }
}

bool holds_parts(const EnergyModel& model, const Sampler& sampler) {
  try {
    check_partly_held(model, sampler);
  } catch (const CapabilityError&) {
    return false;
  }
  return true;
}

bool holds_observed(const EnergyModel& model, const Sampler& sampler) {
  if (sampler.rungs() != 1) return false;
  const HeldMask observed(model.layout().observed());
  try {
    sampler.check(Target{.model = model, .held = &observed});
  } catch (const CapabilityError&) {
    return false;
  }
  return true;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
