#include <harmonium/estimators/log_partition/held_annealings.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include <harmonium/framework/execution/part_of_work.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index min_copies = 20;  // a single row is walked this often, so that its error can be told
constexpr Index min_walks = 2;    // of each copy
constexpr Index pilot_rows = 32, pilot_walks = 8;
constexpr Index chains_at_once = 4096;
constexpr double wanted_variance = 0.1;  // of a log weight: the sides are then 0.1 / walks apart
constexpr double most_apart = 2.0;

double mean_of(std::span<const double> v) { return mean_of_groups(v).mean; }

/// One standard error of the mean of a − b.
double error_of_difference(std::span<const double> a, std::span<const double> b) {
  std::vector<double> differences(a.size());
  std::ranges::transform(a, b, differences.begin(), std::minus());
  return std::sqrt(mean_of_groups(differences).variance_of_mean);
}

}  // namespace

std::vector<Index> HeldAnnealings::repeated(Which which, Index times) {
  std::vector<Index> all;
  for (const Index r : which) all.insert(all.end(), times, r);
  return all;
}

Chains HeldAnnealings::chains_of(Which which) const {
  const Layout& layout = model_.layout();
  Chains chains(layout, which.size());
  for (Index k = 0; k < which.size(); ++k) chains.copy_rows(layout.all(), {rows_, which[k], which[k] + 1}, k);
  return chains;
}

AnnealingPath HeldAnnealings::path_from(const AnnealingBase& base, Which which, const Execution& execution) const {
  const StepsOfPath steps{
      .given = options_.num_temperatures, .variance = wanted_variance, .effort = options_.effort, .min = 20};
  const std::vector<Index> walks = repeated(which, pilot_walks);
  const HeldMask held = held_.of_rows(walks);
  return find_path(base, target(base, held), end_, steps, *options_.sampler, chains_of(walks), pilot_walks, execution);
}

ModelDraws HeldAnnealings::draw(const std::vector<double>& ladder, Which which, Index walks,
                                const Execution& execution) const {
  const AnnealingBase base = AnnealingBase::uniform(model_);
  LadderPlan plan;
  plan.betas = ladder;
  plan.num_ladders = which.size();
  plan.num_steps = static_cast<Index>(std::ceil(options_.effort * 200.0));
  const std::vector<Index> rungs = repeated(which, ladder.size());
  const HeldMask held = held_.of_rows(rungs);
  Chains start = chains_of(rungs);
  base.draw(&held, execution.random.child("start"), start);
  return draw_by_ladders(target(base, held), plan, which.size() * walks, *options_.sampler, std::move(start),
                         execution);
}

HeldAnnealings::Sides HeldAnnealings::measure(const AnnealingBase& base, const std::vector<double>& betas, Which which,
                                              const ModelDraws& draws, const Execution& execution) const {
  const Index walks = draws.group;
  const std::vector<Index> of_walks = repeated(which, walks);
  const HeldMask held = held_.of_rows(of_walks);
  const Execution rising = execution.part("forward"), falling = execution.part("backward");
  Chains up = chains_of(of_walks), down = draws.rows;
  base.draw(&held, rising.random.child("start"), up);
  const std::vector<double> offsets = base.log_partitions(&held, up);
  const std::vector<double> w = anneal(target(base, held), betas, *options_.sampler, up, rising).log_weights;
  const std::vector<double> back(betas.rbegin(), betas.rend());
  const std::vector<double> v = anneal(target(base, held), back, reversal_, down, falling).log_weights;
  Sides sides;
  for (Index first = 0; first < of_walks.size(); first += walks) {
    const auto own = std::span(w).subspan(first, walks), other = std::span(v).subspan(first, walks);
    sides.forward.push_back(offsets[first] + log_mean_weight(own).log_ratio);
    sides.backward.push_back(offsets[first] - log_mean_weight(other).log_ratio);
    sides.both.push_back(offsets[first] + bennett(own, other).log_ratio);
  }
  return sides;
}

void HeldAnnealings::measure_all(const AnnealingBase& base, const AnnealingPath& path,
                                 const std::vector<double>& ladder, Which all) {
  const Index walks = std::max(min_walks, (options_.num_chains + all.size() - 1) / all.size());
  const Index piece = std::max<Index>(1, chains_at_once / std::max(walks, ladder.size()));
  for (Index first = 0; first < all.size(); first += piece) {
    const Index count = std::min(piece, all.size() - first);
    const Which which = all.subspan(first, count);
    const auto share = [&](Index k) { return 0.2 + 0.8 * static_cast<double>(k) / static_cast<double>(all.size()); };
    PartOfWork shown(execution_.display, share(first), share(first + count), "annealing rows");
    PartOfWork drawing(&shown, 0.0, 0.5, ""), walking(&shown, 0.5, 1.0, "");
    Execution own = execution_.part(fmt::format("rows from {}", first));
    own.display = &drawing;
    const ModelDraws draws = draw(ladder, which, walks, own.part("draws"));
    own.display = &walking;
    const Sides sides = measure(base, path.betas, which, draws, own);
    all_.forward.insert(all_.forward.end(), sides.forward.begin(), sides.forward.end());
    all_.backward.insert(all_.backward.end(), sides.backward.begin(), sides.backward.end());
    all_.both.insert(all_.both.end(), sides.both.begin(), sides.both.end());
    round_trips_ += draws.round_trips;
    least_round_trips_ = std::min(least_round_trips_, draws.least_round_trips);
    certified_ = certified_ && draws.certified;
  }
  result_.method = fmt::format(
      "annealing from both sides of {} rows, {} walks of {} temperatures each, ladders of {} temperatures with {} "
      "round "
      "trips",
      all.size(), walks, path.betas.size(), ladder.size(), round_trips_);
}

void HeldAnnealings::compare(const Sides& uniform, const Sides& marginals) {
  const double one = mean_of(marginals.both), other = mean_of(uniform.both);
  const double noise = 4.0 * error_of_difference(marginals.both, uniform.both);
  if (std::abs(one - other) > noise + 1e-5 * (1.0 + std::abs(one)))
    result_.object(
        fmt::format("the bases do not agree on {} rows: {:.3f} from marginals and {:.3f} from the uniform law",
                    marginals.both.size(), one, other),
        Doubt::contradicted);
}

void HeldAnnealings::judge() {
  const double low = mean_of(all_.forward), high = mean_of(all_.backward);
  const auto n = static_cast<double>(all_.both.size());
  result_.log_z = mean_of(all_.both);
  // Of a row's difference both errors are part, so that this is no less than that of either mean.
  result_.error = error_of_difference(all_.backward, all_.forward);
  const double rounding = 64.0 * std::numeric_limits<Real>::epsilon() * (1.0 + std::abs(result_.log_z));
  const double half = half_interval(n) * result_.error + rounding;
  result_.low = std::min(low, result_.log_z) - half;
  result_.high = std::max(high, result_.log_z) + half;
  if (options_.sides != AnnealingSides::both) {
    const bool forward = options_.sides == AnnealingSides::forward;
    constexpr double open = std::numeric_limits<double>::infinity();
    if (forward || !certified_) result_.high = open;  // of draws of the model alone is the backward side a bound
    if (!forward) result_.low = -open;
    result_.object("one side of the rows says no more than a bound. Take 'ais' with sides = \"both\"");
    return;
  }
  if (!certified_)
    result_.object(
        fmt::format(
            "the draws that backward walks of the rows start from are not certified: {} ladders, one a row, made "
            "{} round trips, one of them {}, and {} of each are needed",
            all_.both.size(), round_trips_, least_round_trips_, LadderPlan::enough_round_trips),
        Doubt::stuck);
  if (high - low > most_apart)
    result_.object(fmt::format("the two sides of the rows are {:.3f} nats apart in the mean", high - low),
                   Doubt::too_few);
  if (low - high > 4.0 * result_.error + rounding)
    result_.object(
        fmt::format("the two sides of the rows contradict each other: at least {:.3f} and at most {:.3f}", low, high),
        Doubt::contradicted);
}

LogPartitionEstimate HeldAnnealings::mean() {
  std::vector<Index> rows(rows_.size());
  std::iota(rows.begin(), rows.end(), Index{0});
  const std::vector<Index> all = repeated(rows, (min_copies + rows.size() - 1) / rows.size());
  std::vector<Index> some(std::min(all.size(), pilot_rows));
  for (Index k = 0; k < some.size(); ++k) some[k] = all[k * all.size() / some.size()];
  PartOfWork shown(execution_.display, 0.0, 0.2, "finding steps of rows");
  Execution pilot = execution_.part("pilot");
  pilot.display = nullptr;
  const AnnealingBase uniform = AnnealingBase::uniform(model_);
  const AnnealingPath from_uniform = path_from(uniform, some, pilot.part("uniform path"));
  const std::vector<double> ladder = from_uniform.ladder();
  shown.progress(0.25, "");
  if (end_ != 1.0) {
    measure_all(uniform, from_uniform, ladder, all);
    judge();
    return result_;
  }
  const ModelDraws draws = draw(ladder, some, pilot_walks, pilot.part("draws"));
  shown.progress(0.6, "");
  const AnnealingBase marginals = AnnealingBase::marginals(model_, draws.others);
  const AnnealingPath from_marginals = path_from(marginals, some, pilot.part("marginals path"));
  compare(measure(uniform, from_uniform.betas, some, draws, pilot.part("uniform")),
          measure(marginals, from_marginals.betas, some, draws, pilot.part("marginals")));
  shown.progress(1.0, "");
  measure_all(marginals, from_marginals, ladder, all);
  judge();
  return result_;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
