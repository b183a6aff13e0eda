#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <harmonium/framework/kernels/kernels.hpp>
#include <harmonium/samplers/blocks.hpp>

/// Moves of the units of a block that depend on their present states. Internal to this folder.
namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Draws 0 … `draws` − 1 of neighboring sites as numbers between 0 and 1, a row at a time. Rows in order cost least:
/// four share a call of the generator.
class SiteUniforms {
 public:
  SiteUniforms(const DrawBlock& block, Index sites, std::uint32_t draws)
      : block_(block), sites_(sites), draws_(draws), words_(4 * draws * sites) {}

  void go_to(Index row) {
    const std::uint32_t chain = block_.first_chain + static_cast<std::uint32_t>(row);
    lane_ = chain % 4;
    if (quad_ == static_cast<std::int64_t>(chain / 4)) return;
    quad_ = static_cast<std::int64_t>(chain / 4);
    for (std::uint32_t draw = 0; draw < draws_; ++draw)
      kernels().words(block_, chain / 4, block_.first_site, draw, sites_, &words_[4 * draw * sites_]);
  }
  double operator()(Index site, std::uint32_t draw) const {
    return uniform_f64(words_[(4 * draw + lane_) * sites_ + site]);
  }

 private:
  DrawBlock block_;
  Index sites_;
  std::uint32_t draws_, lane_ = 0;
  std::int64_t quad_ = -1;
  std::vector<std::uint32_t> words_;
};

/// One unit of one chain, as a rule for its next state sees it.
struct UnitMove {
  static constexpr std::uint32_t state_draw = 0, acceptance_draw = 1;  ///< of a site, for whatever proposes a state

  std::span<const double> log_weights;  ///< of its states given the rest, at the chain's temperature; up to a constant
  Index state;                          ///< the present one
  std::span<double> work;               ///< as many numbers, to be used freely
  const SiteUniforms& uniforms;
  Index site;
  std::uint64_t &proposed, &accepted;

  double uniform(std::uint32_t draw) const { return uniforms(site, draw); }
};

/// The state that `uniform` picks among weights that add up to `total`, the state `without` left out.
inline Index pick_state(std::span<const double> weights, double total, double uniform, Index without) {
  double rest = uniform * total;
  Index last = without;
  for (Index s = 0; s < weights.size(); ++s) {
    if (s == without || weights[s] == 0.0) continue;
    last = s;
    if (rest < weights[s]) break;
    rest -= weights[s];
  }
  return last;
}

/// work = the weights of the states, the largest being 1; returns their sum.
inline double weights_of(const UnitMove& unit) {
  const double top = *std::max_element(unit.log_weights.begin(), unit.log_weights.end());
  double sum = 0.0;
  for (Index s = 0; s < unit.work.size(); ++s) sum += unit.work[s] = std::exp(unit.log_weights[s] - top);
  return sum;
}

/// The units [begin, end) of a block of discrete units: `rule(UnitMove) -> Index` says each one's next state. A unit
/// whose value is none of its states (a gray value of the data) is drawn from its conditional.
template <class Rule>
void move_units(const BlockMoves& moves, const Block& block, ChainView x, Index begin, Index end, std::uint64_t step,
                std::uint32_t draws, AcceptanceCount& count, const Rule& rule) {
  const UnitType& type = *moves.layout()[block.layer].unit;
  const UnitStates states(type);
  const Index width = type.width(), num_states = states.size(), rows = x.rows();
  const BlockFields block_fields(moves, block, begin, end, x);
  const Fields& fields = *block_fields;
  const MatrixRef state = x[block.layer];
  const auto held =
      moves.target.held ? moves.target.held->units(block.layer, x.begin, x.end) : MatrixView<const std::uint8_t>{};
  std::vector<double> log_weights(num_states), work(num_states);
  std::uint64_t proposed = 0, accepted = 0;

  DrawBlock addresses = moves.addresses(moves.random, block, x, step);
  // The sites of a scattered block are not neighbors: each of its units is moved at its own address.
  const Index together = block.whole() ? end - begin : 1;
  for (Index first = begin; first < end; first += together) {
    const Index first_unit = block.whole() ? first : block.units[first];
    addresses.first_site = static_cast<std::uint32_t>(first_unit);
    SiteUniforms uniforms(addresses, together, draws);
    for (Index r = 0; r < rows; ++r) {
      uniforms.go_to(r);
      const double beta = fields.scale ? static_cast<double>(fields.scale[r]) : 1.0;
      for (Index k = 0; k < together; ++k) {
        const Index unit = first_unit + k, at = (first - begin + k) * width;
        if (!held.empty() && held(r, unit)) continue;
        const std::span<Real> own = state[r].subspan(unit * width, width);
        const Index present = states.find(own);
        for (Index s = 0; s < num_states; ++s) log_weights[s] = beta * log_weight(fields, r, at, states[s]);
        const UnitMove move{log_weights, present, work, uniforms, k, proposed, accepted};
        const Index next =
            present < num_states ? rule(move) : pick_state(work, weights_of(move), move.uniform(0), num_states);
        if (next != present) std::ranges::copy(states[next], own.begin());
      }
    }
  }
  count.add(proposed, accepted);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
