#include <harmonium/samplers/held_states.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/inference/joint_states.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr std::uint64_t states_of_piece = 1024;

bool any_unit_held(const HeldMask& held, LayerId layer, Index num_rows) {
  const MatrixView<const std::uint8_t> units = held.units(layer, 0, num_rows);
  for (Index r = 0; r < units.rows; ++r)
    if (std::ranges::any_of(units[r], [](std::uint8_t u) { return u != 0; })) return true;
  return false;
}

}  // namespace

HeldStates::HeldStates(const EnergyModel& model, const HeldMask& held, Index num_rows, double most_bits)
    : model_(model), held_(held) {
  const Layout& layout = model.layout();
  const LayerSet free = layout.all() - held.layers();
  LayerSet parted;
  for (const LayerId l : layout.ids(free))
    if (any_unit_held(held, l, num_rows)) parted.add(l);
  const auto others = model.free_energy()
                          ? set_of_fewest_states(
                                layout, free - parted,
                                [&](LayerSet set) { return model.free_energy()->closed(set | parted | held.layers()); })
                          : std::nullopt;
  if (!others)
    throw CapabilityError(
        "the model cannot be enumerated (no set of discrete layers leaves the others independent, or it offers no free "
        "energy)");
  enumerated_ = parted | *others;
  summed_ = free - enumerated_;
  for (const Layer& layer : layout.layers()) states_.emplace_back(*layer.unit);
  double bits = 0.0;
  for (Index r = 0; r < num_rows; ++r) bits = std::max(bits, log2_states(r));
  if (std::isinf(bits))
    throw CapabilityError("units of a continuous layer are held, and the others of it have no states to enumerate.");
  if (bits > most_bits)
    throw CapabilityError(fmt::format(
        "enumeration of the units that are free would take 2^{:.4g} states, more than the limit of 2^{:.4g} "
        "(option max_bits). Raise it where time allows, or hold more of them.",
        bits, most_bits));
}

bool HeldStates::holds(LayerId layer, Index unit, Index row) const {
  if (held_.holds(layer)) return true;
  const MatrixView<const std::uint8_t> units = held_.units(layer, row, row + 1);
  return !units.empty() && units(0, unit) != 0;
}

std::vector<HeldStates::FreeUnit> HeldStates::free_units(Index row) const {
  std::vector<FreeUnit> free;
  for (const LayerId l : model_.layout().ids(enumerated_))
    for (Index u = 0; u < model_.layout()[l].size; ++u)
      if (!holds(l, u, row)) free.push_back({l, u});
  return free;
}

/// Infinity where one of them is continuous.
double HeldStates::log2_states(Index row) const {
  double bits = 0.0;
  for (const FreeUnit& f : free_units(row)) {
    const Index states = states_[f.layer].size();
    bits += states == 0 ? INFINITY : std::log2(static_cast<double>(states));
  }
  return bits;
}

bool HeldStates::alike(const Chains& chains, Index one, Index other) const {
  const Layout& layout = model_.layout();
  return std::ranges::all_of(layout.ids(), [&](LayerId l) {
    const ConstMatrixRef x = chains.read(l);
    const Index width = layout[l].unit->width();
    for (Index u = 0; u < layout[l].size; ++u) {
      const bool is_held = holds(l, u, one);
      if (is_held != holds(l, u, other)) return false;
      if (is_held && !std::ranges::equal(x[one].subspan(u * width, width), x[other].subspan(u * width, width)))
        return false;
    }
    return true;
  });
}

void HeldStates::write(std::uint64_t begin, Index count, const std::vector<FreeUnit>& free, Index at,
                       Chains& out) const {
  std::uint64_t stride = 1;
  for (const FreeUnit& f : free) {
    const UnitStates& states = states_[f.layer];
    const Index width = model_.layout()[f.layer].unit->width();
    const MatrixRef x = out.write(f.layer);
    for (Index r = 0; r < count; ++r)
      std::ranges::copy(states[(begin + r) / stride % states.size()], x.row(at + r) + f.unit * width);
    stride *= states.size();
  }
}

void HeldStates::write(std::uint64_t state, Index row, Chains& chains) const {
  write(state, 1, free_units(row), row, chains);
}

std::vector<double> HeldStates::log_probabilities(const Chains& chains, Index row, double beta,
                                                  const Executor& executor) const {
  const Layout& layout = model_.layout();
  const std::vector<FreeUnit> free = free_units(row);
  std::uint64_t size = 1;
  for (const FreeUnit& f : free) size *= states_[f.layer].size();
  Chains given(layout, 1);
  given.copy_rows(layout.all(), {chains, row, row + 1});
  std::vector<double> all(size);
  const std::uint64_t pieces = (size + states_of_piece - 1) / states_of_piece;
  executor.for_each_piece(pieces, 16, [&](Index first, Index last) {
    Chains rows(layout, static_cast<Index>(std::min(states_of_piece, size)));
    rows.copy_to_all(layout.all(), given, 0);
    for (Index p = first; p < last; ++p) {
      executor.check_stop();
      const std::uint64_t begin = p * states_of_piece, end = std::min(size, begin + states_of_piece);
      write(begin, end - begin, free, 0, rows);
      model_.free_energy()->evaluate(enumerated_ | held_.layers(), beta, {rows, 0, end - begin},
                                     std::span(all).subspan(begin, end - begin));
    }
  });
  for (double& f : all) f = -f;
  in_place(std::span(all)) -= logsumexp(all);
  return all;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
