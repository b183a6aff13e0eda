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

bool posterior_factorizes(const EnergyModel& model) {
  const BlockConditionals* conditionals = model.block_conditionals();
  const LayerSet latent = model.layout().latent();
  return latent.empty() || (conditionals && conditionals->independent(latent, model.layout().observed()));
}

void Posterior::find_fields(const EnergyModel& model, const Chains& rows, const Executor& executor) {
  if (fields_known_) return;
  const Layout& layout = model.layout();
  const ConstChainView given = rows.real();
  fields_.resize(layout.size());
  for (const LayerId l : layout.ids(free(layout))) {
    const Layer& layer = layout[l];
    const Index width = layer.unit->width();
    fields_[l].resize(*layer.unit, rows.size(), layer.columns());
    const Fields fields = fields_[l].fields();
    const Block& block = block_of(*model.block_conditionals(), l);
    for_each_piece(executor, Tiling::of(rows.size()), rows.size(), layer.size,
                   [&](Index r0, Index r1, Index u0, Index u1) {
                     model.block_conditionals()->fields(block, u0, u1, given.slice(r0, r1),
                                                        fields.slice(r0, r1).columns(u0 * width, u1 * width));
                   });
  }
  fields_known_ = true;
}

ConstFields Posterior::fields(const EnergyModel& model, const Chains& rows, LayerId layer, const Executor& executor) {
  find_fields(model, rows, executor);
  return std::as_const(fields_[layer]).fields();
}

const Moments& Posterior::moments(const EnergyModel& model, const Chains& rows, const Executor& executor) {
  if (moments_known_) return moments_;
  find_fields(model, rows, executor);
  const Layout& layout = model.layout();
  found_.resize(layout.size());
  squares_.resize(layout.size());
  moments_.mean.assign(layout.size(), {});
  moments_.second.assign(layout.size(), {});
  for (const LayerId l : layout.ids()) {
    const Layer& layer = layout[l];
    if (!free(layout).contains(l)) {
      const ConstMatrixRef x = moments_.mean[l] = rows.read(l);
      if (!layer.unit->has_curvature()) continue;
      squares_[l].resize(x.all().size());
      in_place(std::span(squares_[l])) = xt::square(as_xtensor(x.all()));
      moments_.second[l] = {squares_[l].data(), x.rows, x.cols, x.cols};
      continue;
    }
    found_[l].resize(*layer.unit, rows.size(), layer.columns());
    const ConstFields fields = std::as_const(fields_[l]).fields();
    const MatrixRef mean = found_[l].first(), second = found_[l].second();
    executor.for_each_piece(rows.size(), 64, [&](Index begin, Index end) {
      layer.unit->moments(fields.slice(begin, end), mean.slice(begin, end),
                          second.empty() ? second : second.slice(begin, end));
    });
    moments_.mean[l] = mean;
    moments_.second[l] = second;
  }
  moments_known_ = true;
  return moments_;
}

void Posterior::sample(const EnergyModel& model, const Chains& rows, const RandomSource& random, Chains& chains,
                       const Executor& executor) {
  find_fields(model, rows, executor);
  const Layout& layout = model.layout();
  for (const LayerId l : layout.ids(free(layout))) {
    const ConstFields fields = std::as_const(fields_[l]).fields();
    const MatrixRef out = chains.write(l);
    executor.for_each_piece(rows.size(), 64, [&](Index begin, Index end) {
      const auto first = static_cast<std::uint32_t>(chains.first_chain() + begin);
      layout[l].unit->sample(fields.slice(begin, end), DrawBlock::of(random, first, chains.step(), l),
                             out.slice(begin, end), {});
    });
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
