#include <harmonium/framework/inference/posterior.hpp>

#include <xtensor/xmath.hpp>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/model/tiling.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The one block of an unconnected layer.
const Block& block_of(const BlockConditionals& conditionals, LayerId layer) {
  for (const Block& block : conditionals.blocks())
    if (block.layer == layer && block.whole()) return block;
  throw CapabilityError("the conditional law of a layer was asked for whose units are coupled");
}

}  // namespace

bool posterior_factorises(const EnergyModel& model) {
  const BlockConditionals* conditionals = model.block_conditionals();
  const LayerSet latent = model.layout().latent();
  return latent.empty() || (conditionals && conditionals->independent(latent, model.layout().observed()));
}

ConstFields Posterior::fields_of(const Layout& layout, LayerId layer) const {
  const LayerFields& f = layers_[static_cast<Index>(layer)];
  const Index columns = layout[layer].columns();
  ConstFields fields{{f.linear.data(), rows_, columns, columns}};
  if (!f.curvature.empty()) fields.curvature = {f.curvature.data(), rows_, columns, columns};
  return fields;
}

void Posterior::find_fields(const EnergyModel& model, const Chains& rows, const Executor& executor) {
  if (fields_known_) return;
  const Layout& layout = model.layout();
  rows_ = rows.size();
  layers_.resize(layout.size());
  for (const LayerId l : layout.ids()) {
    const Layer& layer = layout[l];
    if (!free(layout).contains(l)) {
      rows.read(l);  // Current as Real before threads ask.
      continue;
    }
    LayerFields& f = layers_[static_cast<Index>(l)];
    const Index width = layer.unit->width(), columns = layer.columns();
    f.linear.resize(rows_ * columns);
    if (layer.unit->has_curvature()) f.curvature.resize(rows_ * columns);
    const Block& block = block_of(*model.block_conditionals(), l);
    for_each_piece(executor, Tiling::of(rows_), rows_, layer.size, [&](Index r0, Index r1, Index u0, Index u1) {
      const Index at = r0 * columns + u0 * width, count = (u1 - u0) * width;
      Fields out{{f.linear.data() + at, r1 - r0, count, columns}};
      if (!f.curvature.empty()) out.curvature = {f.curvature.data() + at, r1 - r0, count, columns};
      model.block_conditionals()->fields(block, u0, u1, {rows, r0, r1}, out);
    });
  }
  fields_known_ = true;
}

const Moments& Posterior::moments(const EnergyModel& model, const Chains& rows, const Executor& executor) {
  if (moments_known_) return moments_;
  find_fields(model, rows, executor);
  const Layout& layout = model.layout();
  moments_.mean.assign(layout.size(), {});
  moments_.second.assign(layout.size(), {});
  for (const LayerId l : layout.ids()) {
    const auto i = static_cast<Index>(l);
    const Layer& layer = layout[l];
    LayerFields& f = layers_[i];
    const Index columns = layer.columns();
    if (!free(layout).contains(l)) {
      moments_.mean[i] = rows.read(l);
      if (layer.unit->has_curvature()) {
        const ConstMatrixRef x = moments_.mean[i];
        f.second.resize(rows_ * columns);
        const MatrixRef square{f.second.data(), rows_, columns, columns};
        as_xtensor(square) = xt::square(as_xtensor(x));
        moments_.second[i] = square;
      }
      continue;
    }
    f.mean.resize(rows_ * columns);
    if (layer.unit->has_curvature()) f.second.resize(rows_ * columns);
    const ConstFields fields = fields_of(layout, l);
    executor.for_each_piece(rows_, 64, [&](Index begin, Index end) {
      ConstFields piece = fields;
      piece.linear = fields.linear.slice(begin, end);
      if (!fields.curvature.empty()) piece.curvature = fields.curvature.slice(begin, end);
      const MatrixRef mean{f.mean.data() + begin * columns, end - begin, columns, columns};
      MatrixRef second;
      if (!f.second.empty()) second = {f.second.data() + begin * columns, end - begin, columns, columns};
      layer.unit->moments(piece, mean, second);
    });
    moments_.mean[i] = {f.mean.data(), rows_, columns, columns};
    if (!f.second.empty()) moments_.second[i] = {f.second.data(), rows_, columns, columns};
  }
  moments_known_ = true;
  return moments_;
}

void Posterior::sample(const EnergyModel& model, const Chains& rows, const RandomSource& random, Chains& chains,
                       const Executor& executor) {
  find_fields(model, rows, executor);
  const Layout& layout = model.layout();
  for (const LayerId l : layout.ids()) {
    const Layer& layer = layout[l];
    if (!free(layout).contains(l)) continue;
    const ConstFields fields = fields_of(layout, l);
    const MatrixRef out = chains.write(l);
    executor.for_each_piece(rows_, 64, [&](Index begin, Index end) {
      ConstFields piece = fields;
      piece.linear = fields.linear.slice(begin, end);
      if (!fields.curvature.empty()) piece.curvature = fields.curvature.slice(begin, end);
      const auto first = static_cast<std::uint32_t>(chains.first_chain() + begin);
      layer.unit->sample(piece, DrawBlock::of(random, first, chains.step(), l), out.slice(begin, end), {});
    });
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
