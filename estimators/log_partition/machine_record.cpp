#include <harmonium/estimators/log_partition/machine_record.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/estimators/log_partition/annealing_path.hpp>
#include <harmonium/framework/inference/ladder_checks.hpp>
#include <harmonium/framework/inference/works.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

OneSided neighbor_ratio(const MachineRecord& record, Index pair) {
  return bennett(record.of_pair(record.towards, pair), record.of_pair(record.away, pair));
}

}  // namespace

void MachineRecord::add(const MachineLadder& ladder, Index nth, const Executor& executor) {
  for (Index k = 0; k < ladder.rungs(); ++k) {
    const std::vector<double> own = ladder.energies(ladder.machine(k), ladder.rows(k), executor);
    for (Index l = 0; k == 0 && l < num_ladders; ++l) target_energies[l * num_times + nth] = own[l];
    const auto weights = [&](Index other, Index pair, std::vector<double>& out) {
      const std::vector<double> moved = ladder.energies(ladder.machine(other), ladder.rows(k), executor);
      for (Index l = 0; l < num_ladders; ++l) out[(pair * num_ladders + l) * num_times + nth] = own[l] - moved[l];
    };
    if (k > 0) weights(k - 1, k - 1, towards);
    if (k < num_pairs) weights(k + 1, k, away);
  }
}

MachineRecord MachineRecord::without(Index ladder) const {
  MachineRecord rest(num_pairs, num_ladders - 1, num_times);
  const auto thin = [&](const std::vector<double>& from, std::vector<double>& to) {
    auto out = to.begin();
    for (Index first = 0; first < from.size(); first += num_times)
      if (first / num_times % num_ladders != ladder)
        out = std::ranges::copy(std::span(from).subspan(first, num_times), out).out;
  };
  thin(towards, rest.towards);
  thin(away, rest.away);
  thin(target_energies, rest.target_energies);
  return rest;
}

LadderRecord MachineRecord::at_target() const {
  LadderRecord target({1.0}, num_ladders, num_times);
  target.differences = target_energies;
  return target;
}

double bennett_of(const MachineRecord& record) {
  double sum = 0.0;
  for (Index pair = 0; pair < record.num_pairs; ++pair) sum += neighbor_ratio(record, pair).log_ratio;
  return sum;
}

LogPartitionEstimate judged(const MachineRecord& record, const Executor& executor) {
  std::vector<double> rest(record.num_ladders);
  executor.for_each_piece(rest.size(), 1, [&](Index l, Index) { rest[l] = bennett_of(record.without(l)); });
  const auto n = static_cast<double>(rest.size());
  LogPartitionEstimate result;
  result.log_z = bennett_of(record);
  result.error = (n - 1.0) * std::sqrt(mean_of_groups(rest).variance_of_mean);
  const double half = half_interval(n) * result.error + 1e-12 * (1.0 + std::abs(result.log_z));
  result.low = result.log_z - half;
  result.high = result.log_z + half;
  double overlap = static_cast<double>(record.target_energies.size());
  for (Index pair = 0; pair < record.num_pairs; ++pair)
    overlap = std::min(overlap, neighbor_ratio(record, pair).effective_sample_size);
  if (overlap < enough_samples)
    result.object(fmt::format("neighbors of the ladder hardly overlap: {:.2g} draws of the worst pair count", overlap),
                  Doubt::too_few);
  object_to_drift(record.at_target(), result);
  return result;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
