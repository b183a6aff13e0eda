#include <harmonium/estimators/log_partition/machine_ladder_choice.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

void set_parameters(EnergyModel& model, const std::vector<Real>& theta) {
  model.update_parameters([&](std::span<Real> out) { std::ranges::copy(theta, out.begin()); });
}

}  // namespace

double predicted_acceptance(std::span<const double> log_weights) {
  std::vector<double> sorted(log_weights.begin(), log_weights.end());
  std::ranges::sort(sorted);
  const double norm = logsumexp(sorted);
  // Of b at j: Σ_a min(1, w_a / w_b) = (those from j on) + (the weights below) / w_b.
  double sum = 0.0, below = 0.0;
  for (Index j = 0; j < sorted.size(); ++j) {
    const double weight = std::exp(sorted[j] - norm);
    sum += weight * static_cast<double>(sorted.size() - j) + below;
    below += weight;
  }
  return sum / static_cast<double>(sorted.size());
}

MachineLadderChoice::MachineLadderChoice(const EnergyModel& model, const MachinePath& path, double acceptance,
                                         Index steps, Sampler& sampler, Chains start, const Execution& execution)
    : model_(model),
      path_(path),
      acceptance_(acceptance),
      steps_(steps),
      sampler_(sampler),
      execution_(execution),
      top_(model.copy()),
      trial_(model.copy()) {
  rows_.push_back(std::move(start));
  while (places_.front() < 1.0) {
    if (places_.size() > most_machines)
      throw NumericalError(
          fmt::format("the path to the model takes more than {} machines. Ask for a lower acceptance, or name a run "
                      "that kept more.",
                      most_machines));
    walk();
    places_.insert(places_.begin(), next_place());
    rows_.insert(rows_.begin(), rows_.front());
    if (execution_.display) execution_.display->progress(places_.front(), "");
  }
}

void MachineLadderChoice::walk() {
  constexpr Index spacing = 5;
  const MachineRungs below(model_, path_, places_);
  set_parameters(*top_, path_.parameters(places_.front()));
  ladder_.emplace(below.with(*top_), nullptr, std::move(rows_));
  const Index ladders = ladder_->num_ladders(), times = std::max<Index>(1, steps_ / 2 / spacing);
  gathered_ = Chains(model_.layout(), ladders * times);
  ExchangeTally tally(places_.size());
  tally.last_end.assign(ladders * places_.size(), ExchangeTally::neither);
  LadderReport report = empty_report(std::vector<double>(places_.size(), 1.0));
  const Execution execution = execution_.part("machines" + std::to_string(places_.size()));
  for (Index left = steps_; left-- > 0;) {
    if (places_.size() > 1) ladder_->exchange(left, execution, tally, report);
    ladder_->move(1, sampler_, execution);
    execution_.executor.check_stop();
    if (left % spacing == 0 && left / spacing < times)
      gathered_.copy_rows(model_.layout().all(), ladder_->rows(0), left / spacing * ladders);
  }
  top_energies_ = ladder_->energies(*top_, gathered_, execution_.executor);
  rows_ = ladder_->take_rows();
}

bool MachineLadderChoice::serves(double place) {
  try {
    set_parameters(*trial_, path_.parameters(place));
  } catch (const NumericalError&) {
    return false;  // no density
  }
  std::vector<double> log_weights = top_energies_;
  const std::vector<double> there = ladder_->energies(*trial_, gathered_, execution_.executor);
  std::ranges::transform(log_weights, there, log_weights.begin(), std::minus());
  return predicted_acceptance(log_weights) >= acceptance_;
}

double MachineLadderChoice::next_place() {
  const double top = places_.front();
  Index node = static_cast<Index>(top * static_cast<double>(path_.num_parts()));
  while (!(path_.place_of(node) > top)) ++node;
  double found = top;
  for (Index n = node; n <= path_.num_parts() && serves(path_.place_of(n)); ++n) found = path_.place_of(n);
  if (found > top) return found;
  double high = path_.place_of(node);
  for (int halving = 0; halving < 10; ++halving) {
    const double middle = 0.5 * (found + high);
    (serves(middle) ? found : high) = middle;
  }
  return found > top ? found : high;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
