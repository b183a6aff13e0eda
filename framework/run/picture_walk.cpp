#include <harmonium/framework/run/picture_walk.hpp>

#include <algorithm>

#include <harmonium/framework/inference/finite_chains.hpp>
#include <harmonium/framework/inference/posterior.hpp>
#include <harmonium/framework/inference/rungs.hpp>
#include <harmonium/framework/run/start_chains.hpp>
#include <harmonium/framework/training/batches.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

PictureWalk::PictureWalk(const EnergyModel& model, Sampler& sampler, Index count, const Dataset* data,
                         const Execution& execution)
    : model_(model), sampler_(sampler), execution_(execution) {
  const Layout& layout = model.layout();
  const Index rungs = sampler.rungs();
  chains_ = Chains(layout, count * rungs);
  assign_rungs(chains_, rungs);
  const RandomSource random = execution.random.child("start");
  start_from_biases(model, 1.0, random, chains_);
  if (data) start_from_rows(spread_rows(*data, layout, count, 0), random);
}

void PictureWalk::start_from_rows(const Chains& rows, const RandomSource& random) {
  const Layout& layout = model_.layout();
  const Index rungs = sampler_.rungs();
  for (const LayerId l : layout.ids()) {
    if (layout[l].role != Role::observed) continue;
    const ConstMatrixRef from = rows.read(l);
    const MatrixRef to = chains_.write(l);
    for (Index r = 0; r < to.rows; ++r) std::copy_n(from.row(r / rungs), from.cols, to.row(r));
  }
  if (layout.latent().empty() || !posterior_factorizes(model_)) return;
  Posterior posterior;
  posterior.sample(model_, chains_, random.child("latent"), chains_, execution_.executor);
}

void PictureWalk::advance(Index steps) {
  sampler_.advance(Target{model_}, chains_, steps, execution_.part("sampler"));
  check_finite(chains_, model_.layout());
}

void PictureWalk::look(LayerId layer, Shown shown, std::vector<double>& out) {
  const Layout& layout = model_.layout();
  const BlockConditionals* conditionals = model_.block_conditionals();
  Posterior observed(layout.observed());
  ConstMatrixRef values = chains_.read(layer);
  if (shown == Shown::means && !layout.latent().empty() && conditionals &&
      conditionals->independent(layout.observed(), layout.latent()))
    values = observed.moments(model_, chains_, execution_.executor).mean[static_cast<Index>(layer)];
  for (Index r = 0; r < values.rows; ++r)
    if (chains_.rung()[r] == 0) out.insert(out.end(), values.row(r), values.row(r) + values.cols);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
