#include <harmonium/framework/inference/ladder_record.hpp>

#include <algorithm>
#include <cmath>
#include <thread>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/inference/multistate.hpp>
#include <harmonium/framework/inference/works.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Log weights of steps from rung `from` to rung `to`.
std::vector<double> steps(const LadderRecord& record, Index from, Index to) {
  const auto d = record.at(from);
  std::vector<double> log_weights(d.begin(), d.end());
  in_place(std::span(log_weights)) *= record.betas[from] - record.betas[to];
  return log_weights;
}

/// log(Z at rung k / Z at rung k + 1).
OneSided neighbors(const LadderRecord& record, Index k) {
  return bennett(steps(record, k + 1, k), steps(record, k, k + 1));
}

}  // namespace

void LadderRecord::add(const Chains& chains, Index nth, std::span<const double> of_rows) {
  for (Index r = 0; r < chains.size(); ++r) at(chains.rung()[r], r / betas.size())[nth] = of_rows[r];
}

LadderRecord LadderRecord::without(Index ladder) const {
  LadderRecord rest(betas, num_ladders - 1, num_times);
  auto to = rest.differences.begin();
  for (Index rung = 0; rung < betas.size(); ++rung)
    for (Index l = 0; l < num_ladders; ++l)
      if (l != ladder) to = std::ranges::copy(at(rung).subspan(l * num_times, num_times), to).out;
  return rest;
}

LadderRecord LadderRecord::every_other_ladder(Index first) const {
  LadderRecord kind(betas, (num_ladders + 1 - first) / 2, num_times);
  auto to = kind.differences.begin();
  for (Index rung = 0; rung < betas.size(); ++rung)
    for (Index l = first; l < num_ladders; l += 2)
      to = std::ranges::copy(at(rung).subspan(l * num_times, num_times), to).out;
  return kind;
}

LadderRecord LadderRecord::every_other_rung() const {
  LadderRecord half({}, num_ladders, num_times);
  for (Index rung = 0; rung < betas.size(); rung += 2) {
    half.betas.push_back(betas[rung]);
    half.differences.insert(half.differences.end(), at(rung).begin(), at(rung).end());
  }
  return half;
}

namespace {

constexpr Index usual_values = 40000, fewest_times = 20;

}  // namespace

double most_recorded(double rows, double longer) {
  return std::max(1.0, longer) * std::max(static_cast<double>(usual_values), static_cast<double>(fewest_times) * rows);
}

Index recorded_times(Index rows, Index steps, double longer) {
  const auto usual = static_cast<double>(std::clamp<Index>(usual_values / rows, fewest_times, 200));
  return static_cast<Index>(std::min(static_cast<double>(steps), std::max(1.0, longer) * usual));
}

double record_bytes(double values, Index num_ladders) {
  const Index threads = std::max<Index>(1, std::thread::hardware_concurrency());
  return (1.0 + static_cast<double>(std::min(num_ladders, threads))) * values * sizeof(double);
}

double bennett_of(const LadderRecord& record) {
  double sum = 0.0;
  for (Index k = 0; k + 1 < record.betas.size(); ++k) sum += neighbors(record, k).log_ratio;
  return sum;
}

double multistate_of(const LadderRecord& record) {
  std::vector<double> f(record.betas.size());  // from Bennett's ratios, which are near
  for (Index k = 0; k + 1 < f.size(); ++k) f[k + 1] = f[k] + neighbors(record, k).log_ratio;
  const auto draws = static_cast<double>(record.num_ladders * record.num_times);
  f = solve_multistate({record.betas, draws, record.differences, {}}, std::move(f));
  return f.back() - f.front();
}

double integral_of(const LadderRecord& record) {
  double integral = 0.0, mean_before = 0.0, variance_before = 0.0;
  for (Index k = 0; k < record.betas.size(); ++k) {
    const auto d = as_xtensor(record.at(k));
    const double mean = xt::mean(d)(), variance = xt::mean(xt::square(d - mean))();
    if (k > 0) {
      // From the hotter rung to the colder one: h (a + b) / 2 + h² (a' − b') / 12.
      const double h = record.betas[k - 1] - record.betas[k];
      integral += 0.5 * h * (mean_before + mean) + h * h / 12.0 * (variance_before - variance);
    }
    mean_before = mean;
    variance_before = variance;
  }
  return -integral;
}

double least_overlap(const LadderRecord& record) {
  auto least = static_cast<double>(record.differences.size());
  for (Index k = 0; k + 1 < record.betas.size(); ++k)
    least = std::min(least, neighbors(record, k).effective_sample_size);
  return least;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
