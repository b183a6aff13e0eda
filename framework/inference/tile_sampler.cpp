#include <harmonium/framework/inference/tile_sampler.hpp>

#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/finite_chains.hpp>
#include <harmonium/framework/inference/rungs.hpp>
#include <harmonium/framework/kernels/normal.hpp>
#include <harmonium/framework/model/tiling.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr std::uint32_t uniform_draw = 2;  // of the first moving layer's site 0, whose normal number takes 0 and 1

bool is_continuous(const Layer& layer) { return goes_by_energy(*layer.unit); }

}  // namespace

ChainTile::ChainTile(const Target& target, Chains& chains, const RandomSource& random, Index begin, Index end)
    : target_(target), x_(chains, begin, end), random_(random) {
  const Layout& layout = target.model.layout();
  for (const LayerId l : layout.ids()) {
    if (!is_continuous(layout[l]) || target.held_layers().contains(l)) continue;
    moving_.push_back(l);
    coordinates_ += layout[l].columns();
  }
  for (Index r = begin; r < end; ++r) betas_.push_back(target.beta_of(chains.rung()[r]));
}

bool ChainTile::free(LayerId layer, Index row, Index column) const {
  if (!target_.held) return true;
  const auto held = target_.held->units(layer, x_.begin, x_.end);
  return held.empty() || held(row, column / target_.model.layout()[layer].unit->width()) == 0;
}

Matrix<double> ChainTile::positions() const {
  Matrix<double> q = zeros<double>(rows(), coordinates_);
  for_each_moving([&](LayerId l, Index first) {
    const ConstMatrixRef x = ConstChainView(x_)[l];
    for (Index r = 0; r < x.rows; ++r)
      for (Index c = 0; c < x.cols; ++c) q(r, first + c) = static_cast<double>(x(r, c));
  });
  return q;
}

void ChainTile::set_positions(const Matrix<double>& q) {
  for (Index r = 0; r < rows(); ++r) set_positions(r, q);
}

void ChainTile::set_positions(Index row, const Matrix<double>& q) {
  for_each_moving([&](LayerId l, Index first) {
    const MatrixRef x = x_[l];
    for (Index c = 0; c < x.cols; ++c)
      if (free(l, row, c)) x(row, c) = static_cast<Real>(q(row, first + c));
  });
}

Vector<double> ChainTile::energy() const {
  Vector<double> u = zeros<double>(rows());
  target_energy(target_, betas_, x_, u);
  return u;
}

Matrix<double> ChainTile::gradient() const {
  Matrix<double> g = zeros<double>(rows(), coordinates_);
  add_gradient(*target_.model.state_gradient(), false, g);
  if (target_.base && !target_.untempered()) add_gradient(*target_.base->state_gradient(), true, g);
  return g;
}

void ChainTile::add_gradient(const StateGradient& of, bool base, Matrix<double>& out) const {
  Matrix<Real> g = zeros<Real>(rows(), coordinates_);
  PerLayer<MatrixRef> parts(target_.model.layout().size());
  for_each_moving([&](LayerId l, Index first) {
    parts[l] = as_matrix(g).columns(first, first + target_.model.layout()[l].columns());
  });
  of.evaluate(x_, parts);
  for_each_moving([&](LayerId l, Index first) {
    for (Index r = 0; r < rows(); ++r)
      for (Index c = 0; c < parts[l].cols; ++c)
        if (free(l, r, c))
          out(r, first + c) += (base ? 1.0 - betas_[r] : betas_[r]) * static_cast<double>(g(r, first + c));
  });
}

DrawBlock ChainTile::words(LayerId layer) const {
  const auto chain = x_.chains->first_chain() + static_cast<std::uint32_t>(x_.begin);
  return DrawBlock::of(random_, chain, step_, layer);
}

Matrix<double> ChainTile::normals() const {
  Matrix<double> z = zeros<double>(rows(), coordinates_);
  for_each_moving([&](LayerId l, Index first) {
    const Index columns = target_.model.layout()[l].columns();
    NormalDraws normal(words(l), columns);
    for (Index r = 0; r < rows(); ++r) {
      const std::span<const double> own = normal.row(r);
      for (Index c = 0; c < columns; ++c)
        if (free(l, r, c)) z(r, first + c) = own[c];
    }
  });
  return z;
}

double ChainTile::uniform(Index row, std::uint32_t draw) const {
  return uniform_f64(words(moving_.front()).word(row, 0, uniform_draw + draw));
}

void check_state_gradients(const Target& target, std::string_view sampler) {
  if (!target.model.state_gradient())
    throw CapabilityError(
        fmt::format("sampler '{}': the model offers no gradient of its energy by the state. Try 'gibbs' or "
                    "'metropolis'.",
                    sampler));
  if (target.base && !target.base->state_gradient())
    throw CapabilityError(
        fmt::format("sampler '{}': the base distribution offers no gradient of its energy by the state.", sampler));
}

LayerSet layers_with_slope(const Layout& layout) {
  LayerSet set;
  for (const LayerId l : layout.ids())
    if (goes_by_energy(*layout[l].unit)) set.add(l);
  return set;
}

void refuse_without_slope(const Layout& layout, std::string_view sampler) {
  for (const Layer& layer : layout.layers())
    if (layer.unit->has_base())
      throw CapabilityError(
          fmt::format("sampler '{}': the {} units of layer '{}' have a base measure, of which the energy's slope knows "
                      "nothing, and no other layer is continuous. Try 'gibbs'.",
                      sampler, layer.unit->name(), layer.name));
  throw CapabilityError(
      fmt::format("sampler '{}': no layer of the model is continuous, so that its energy has no slope. Try 'gibbs', "
                  "'flip_the_state' or 'metropolis'.",
                  sampler));
}

void TileSampler::check(const Target& target) const {
  check_state_gradients(target, name_);
  for (const Layer& layer : target.model.layout().layers()) {
    if (layer.unit->has_base())
      throw CapabilityError(
          fmt::format("sampler '{}': the {} units of layer '{}' have a base measure, of which the energy's slope knows "
                      "nothing. Try "
                      "'langevin', which draws them by Gibbs sampling.",
                      name_, layer.unit->name(), layer.name));
    if (!is_continuous(layer))
      throw CapabilityError(
          fmt::format("sampler '{}': the units of layer '{}' are {}, and it moves continuous ones alone. "
                      "Try 'langevin', which draws the others by Gibbs sampling.",
                      name_, layer.name, layer.unit->name()));
    if (std::isfinite(layer.unit->min()) || std::isfinite(layer.unit->max()))
      throw CapabilityError(fmt::format("sampler '{}': the units of layer '{}' have a bounded domain. Try 'langevin'.",
                                        name_, layer.name));
  }
}

SamplerReport TileSampler::advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                                   LastMeans*) {
  for (const LayerId l : target.model.layout().ids()) chains.write(l);  // each as Real, before threads ask for it
  std::atomic<std::uint64_t> accepted = 0, proposed = 0;
  execution.executor.for_each_piece(chains.size(), Tiling::of(chains.size()).rows, [&](Index begin, Index end) {
    ChainTile tile(target, chains, execution.random, begin, end);
    if (tile.coordinates() == 0) return;
    check_energies(tile.energy(), tile.states());
    for (Index s = 0; s < steps; ++s) {
      tile.set_step(chains.step() + s);
      accepted += move(tile);
      proposed += tile.rows();
    }
  });
  chains.set_step(chains.step() + steps);
  SamplerReport report;
  report.proposed = proposed.load();
  if (report.proposed > 0)
    report.acceptance = static_cast<double>(accepted.load()) / static_cast<double>(report.proposed);
  report.min_acceptance = SamplerReport::usual_min_acceptance;
  return report;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
