#include <harmonium/samplers/langevin_tile.hpp>

#include <algorithm>
#include <cmath>

#include <harmonium/framework/inference/acceptance.hpp>
#include <harmonium/framework/inference/finite_chains.hpp>
#include <harmonium/framework/inference/rungs.hpp>
#include <harmonium/framework/kernels/normal.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr std::uint32_t acceptance_draw = 2;  // of the first moving layer's site 0, whose normal number takes 0 and 1

}  // namespace

LangevinPotential::LangevinPotential(const LangevinMoves& moves, Index first_row, Index rows)
    : moves_(moves),
      first_row_(first_row),
      first_(moves.layout().first_columns(moves.moving)),
      buffer_(zeros<Real>(rows, moves.layout().columns(moves.moving))) {}

void LangevinPotential::energy(ConstChainView x, std::span<double> out) {
  target_energy(moves_.target(), std::span(moves_.betas).subspan(first_row_, out.size()), x, out);
}

void LangevinPotential::gradient(ConstChainView x, Matrix<double>& out) {
  const Target& target = moves_.target();
  evaluate(*target.model.state_gradient(), x);
  for (Index r = 0; r < out.shape(0); ++r)
    in_place(row_of(out, r)) = beta(r) * xt::cast<double>(as_xtensor(row_of(buffer_, r)));
  if (!moves_.blocks.mixed()) return;
  evaluate(*target.base->state_gradient(), x);
  for (Index r = 0; r < out.shape(0); ++r)
    in_place(row_of(out, r)) += (1.0 - beta(r)) * xt::cast<double>(as_xtensor(row_of(buffer_, r)));
}

void LangevinPotential::evaluate(const StateGradient& gradient, ConstChainView x) {
  const Layout& layout = moves_.layout();
  PerLayer<MatrixRef> out(layout.size());
  for (const LayerId l : layout.ids(moves_.moving))
    out[l] = as_matrix(buffer_).columns(first_[l], first_[l] + layout[l].columns());
  gradient.evaluate(x, out);
}

LangevinTile::LangevinTile(const LangevinMoves& moves, ChainView x)
    : moves_(moves),
      x_(x),
      first_(moves.layout().first_columns(moves.moving)),
      potential_(moves, x.begin, x.rows()),
      drift_(zeros<double>(x.rows(), potential_.columns())) {
  if (!moves.options.adjusted) return;
  proposal_ = Chains(moves.layout(), x.rows());
  proposal_drift_ = zeros<double>(x.rows(), potential_.columns());
  energy_ = proposal_energy_ = zeros<double>(x.rows());
}

std::uint64_t LangevinTile::advance(std::uint64_t step) {
  const LangevinOptions& options = moves_.options;
  std::uint64_t accepted = 0;
  if (options.adjusted) proposal_.copy_rows(moves_.layout().all(), x_);
  for (Index inner = 0; inner < options.inner_steps; ++inner) {
    const RandomSource source = moves_.of_inner[inner];
    if (!options.adjusted) {
      potential_.gradient(x_, drift_);
      propose(source, step, x_);
      continue;
    }
    if (inner == 0) {
      potential_.energy(x_, energy_);
      check_energies(energy_, x_);
      potential_.gradient(x_, drift_);
    }
    const ChainView proposal(proposal_, 0, x_.rows());
    propose(source, step, proposal);
    potential_.energy(proposal, proposal_energy_);
    potential_.gradient(proposal, proposal_drift_);
    accepted += accept(source, step);
  }
  return accepted;
}

MatrixView<const std::uint8_t> LangevinTile::held(LayerId layer) const {
  const HeldMask* mask = moves_.target().held;
  return mask ? mask->units(layer, x_.begin, x_.end) : MatrixView<const std::uint8_t>{};
}

void LangevinTile::propose(RandomSource source, std::uint64_t step, ChainView to) {
  const double epsilon = moves_.options.step_size, noise = std::sqrt(2.0 * epsilon);
  for (const LayerId l : moves_.layout().ids(moves_.moving)) {
    const Layer& layer = moves_.layout()[l];
    const Index columns = layer.columns(), width = layer.unit->width();
    const ConstMatrixRef from = ConstChainView(x_)[l];
    const MatrixRef out = to[l];
    const auto fixed = held(l);
    NormalDraws normal(DrawBlock::of(source, moves_.chain(x_.begin), step, l), columns);
    for (Index r = 0; r < x_.rows(); ++r) {
      const std::span<const double> z = normal.row(r), drift = row_of(drift_, r).subspan(first_[l], columns);
      for (Index c = 0; c < columns; ++c) {
        const bool stays = !fixed.empty() && fixed(r, c / width);
        out(r, c) =
            stays ? from(r, c) : static_cast<Real>(static_cast<double>(from(r, c)) - epsilon * drift[c] + noise * z[c]);
      }
    }
  }
}

void LangevinTile::add_proposal_ratio(LayerId l) {
  const Layer& layer = moves_.layout()[l];
  const double epsilon = moves_.options.step_size;
  const double min = layer.unit->min(), max = layer.unit->max();
  const ConstMatrixRef from = ConstChainView(x_)[l], to = proposal_.read(l);
  const auto fixed = held(l);
  for (Index r = 0; r < x_.rows(); ++r) {
    double sum = 0.0;
    bool inside = true;
    for (Index c = 0; c < from.cols; ++c) {
      if (!fixed.empty() && fixed(r, c / layer.unit->width())) continue;
      const auto y = static_cast<double>(to(r, c));
      const double move = y - static_cast<double>(from(r, c));
      const double there = move + epsilon * drift_(r, first_[l] + c),
                   back = epsilon * proposal_drift_(r, first_[l] + c) - move;
      sum += there * there - back * back;
      inside = inside && y >= min && y <= max;
    }
    log_ratio_(r) += sum / (4.0 * epsilon);
    if (!inside) inside_[r] = 0;
  }
}

std::uint64_t LangevinTile::accept(RandomSource source, std::uint64_t step) {
  const std::vector<LayerId> moving = moves_.layout().ids(moves_.moving);
  log_ratio_ = energy_ - proposal_energy_;
  inside_.assign(x_.rows(), 1);
  for (const LayerId l : moving) add_proposal_ratio(l);
  const DrawBlock words = DrawBlock::of(source, moves_.chain(x_.begin), step, moving.front());
  std::uint64_t accepted = 0;
  for (Index r = 0; r < x_.rows(); ++r) {
    if (!inside_[r] || !accepts(log_ratio_(r), uniform_f64(words.word(r, 0, acceptance_draw)))) continue;
    ++accepted;
    x_.chains->copy_rows(moves_.moving, {proposal_, r, r + 1}, x_.begin + r);
    energy_(r) = proposal_energy_(r);
    std::ranges::copy(row_of(proposal_drift_, r), row_of(drift_, r).begin());
  }
  return accepted;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
