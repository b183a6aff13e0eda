#include <harmonium/framework/inference/enumeration.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/core/xtensor.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The cheapest set of free layers whose complement among the free ones can be summed out given it and the held ones.
std::optional<LayerSet> cheapest(const EnergyModel& model, LayerSet held) {
  const Layout& layout = model.layout();
  if (!model.free_energy()) return {};
  return set_of_fewest_states(layout, layout.all() - held,
                              [&](LayerSet set) { return model.free_energy()->closed(set | held); });
}

}  // namespace

double Enumeration::log2_states(const EnergyModel& model, LayerSet held) {
  const auto set = cheapest(model, held);
  return set ? model.layout().log2_states(*set) : std::numeric_limits<double>::infinity();
}

Enumeration::Enumeration(const EnergyModel& model, LayerSet held, double most_bits) : model_(&model), held_(held) {
  const Layout& layout = model.layout();
  const auto set = cheapest(model, held);
  if (!set)
    throw CapabilityError(
        "the model cannot be enumerated (no set of discrete layers leaves the others independent, or it offers no free "
        "energy)");
  const double bits = layout.log2_states(*set);
  if (bits > most_bits)
    throw CapabilityError(fmt::format(
        "enumeration would take 2^{:.4g} states, more than the limit of 2^{:.4g} (option max_bits). {}ake a smaller "
        "model.",
        bits, most_bits, bits <= most_bits_at_all ? "Raise it where time allows, or t" : "T"));
  space_ = JointStates(layout, *set);
  summed_ = layout.all() - held - *set;
}

void Enumeration::log_weights(double beta, const Chains& rows, Index num_rows, std::span<double> weights) const {
  model_->free_energy()->evaluate(space_.layers() | held_, beta, {rows, 0, num_rows}, weights.first(num_rows));
  std::ranges::transform(weights.first(num_rows), weights.begin(), std::negate());
}

Chains Enumeration::workspace(const Chains* given) const {
  Chains rows(model_->layout(), static_cast<Index>(std::min(piece, space_.size())));
  if (given) rows.copy_to_all(held_, *given, 0);
  return rows;
}

template <class Body>
void Enumeration::for_each_piece_of_states(double beta, const Chains* given, const Executor& executor,
                                           const Body& body) const {
  const std::uint64_t pieces = (space_.size() + piece - 1) / piece;
  // A task takes several pieces, so that it needs one workspace for all of them.
  executor.for_each_piece(pieces, 16, [&](Index first, Index last) {
    Chains rows = workspace(given);
    std::vector<double> weights(rows.size());
    for (Index p = first; p < last; ++p) {
      executor.check_stop();
      const std::uint64_t begin = p * piece, end = std::min(space_.size(), begin + piece);
      states(begin, end, rows);
      log_weights(beta, rows, end - begin, weights);
      body(begin, std::span<const double>(weights).first(end - begin));
    }
  });
}

double Enumeration::log_sum(double beta, const Chains* given, const Executor& executor, Display* display) const {
  // Up to 2^30 sums: memory for them comes as they are written, so that a signal is heard at once.
  Vector<double> partial = zeros<double>((space_.size() + piece - 1) / piece);
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<std::uint64_t> done{0};
  for_each_piece_of_states(beta, given, executor, [&](std::uint64_t begin, std::span<const double> weights) {
    partial(begin / piece) = logsumexp(weights);
    if (!display) return;
    const std::uint64_t pieces = done.fetch_add(1, std::memory_order_relaxed) + 1;
    if (std::this_thread::get_id() == caller)
      display->progress(static_cast<double>(pieces) / static_cast<double>(partial.size()), "summing over states");
  });
  return logsumexp(partial);
}

std::vector<double> Enumeration::log_probabilities(double beta, const Chains* given, const Executor& executor) const {
  std::vector<double> all(space_.size());
  for_each_piece_of_states(beta, given, executor, [&](std::uint64_t begin, std::span<const double> weights) {
    std::copy(weights.begin(), weights.end(), all.begin() + static_cast<std::ptrdiff_t>(begin));
  });
  in_place(std::span(all)) -= logsumexp(all);
  return all;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
