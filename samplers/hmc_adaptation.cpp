#include <harmonium/samplers/hmc_adaptation.hpp>

#include <algorithm>
#include <cmath>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

// Hoffman & Gelman (2014): the weight of the past, the first transitions' damping, and how fast the mean forgets.
constexpr double shrinkage = 0.05, stabilization = 10.0, forgetting = 0.75;

double squared_distance(const Matrix<double>& q, Index row, const std::vector<double>& mean) {
  double sum = 0.0;
  for (Index c = 0; c < q.shape(1); ++c) sum += (q(row, c) - mean[c]) * (q(row, c) - mean[c]);
  return sum;
}

}  // namespace

HmcAdaptation::HmcAdaptation(double step_size, Index path, std::uint64_t transitions, double target_acceptance)
    : transitions_(transitions),
      target_(target_acceptance),
      center_(std::log(10.0 * step_size)),
      step_size_(step_size),
      path_(path),
      scores_(num_paths, 0.0) {}

void HmcAdaptation::learn(double acceptance, const Matrix<double>& before, const Matrix<double>& after) {
  if (over()) return;
  if (age_ < half()) learn_step(acceptance);
  else learn_path(before, after);
  ++age_;
  if (age_ == half()) step_size_ = std::exp(mean_log_step_);
  if (age_ >= half() && of_each_path() > 0) choose_path();
}

void HmcAdaptation::learn_step(double acceptance) {
  const auto t = static_cast<double>(age_ + 1);
  const double weight = 1.0 / (t + stabilization);
  error_sum_ = (1.0 - weight) * error_sum_ + weight * (target_ - acceptance);
  const double log_step = center_ - std::sqrt(t) / shrinkage * error_sum_;
  const double share = std::pow(t, -forgetting);
  mean_log_step_ = share * log_step + (1.0 - share) * mean_log_step_;
  step_size_ = std::exp(log_step);
}

void HmcAdaptation::learn_path(const Matrix<double>& before, const Matrix<double>& after) {
  if (of_each_path() == 0) return;
  const Index number = (age_ - half()) / of_each_path();
  if (number >= num_paths) return;  // the rest, in which the best path is taken
  std::vector<double> mean(before.shape(1), 0.0);
  for (Index r = 0; r < before.shape(0); ++r)
    for (Index c = 0; c < mean.size(); ++c) mean[c] += before(r, c) / static_cast<double>(before.shape(0));
  double sum = 0.0;
  for (Index r = 0; r < before.shape(0); ++r) {
    const double change = squared_distance(after, r, mean) - squared_distance(before, r, mean);
    if (std::isfinite(change)) sum += change * change;
  }
  scores_[number] += sum / static_cast<double>(path_);
}

void HmcAdaptation::choose_path() {
  const Index number = (age_ - half()) / of_each_path();
  if (number < num_paths) path_ = Index{1} << number;
  else path_ = Index{1} << static_cast<Index>(std::ranges::max_element(scores_) - scores_.begin());
}

void HmcAdaptation::state(StateArchive& archive) {
  std::uint64_t path = path_;
  archive.field("age", age_);
  archive.field("step_size", step_size_);
  archive.field("path", path);
  archive.field("error_sum", error_sum_);
  archive.field("mean_log_step", mean_log_step_);
  archive.field("scores", scores_, num_paths);
  if (!archive.loading()) return;
  if (!(step_size_ > 0.0) || !std::isfinite(step_size_)) archive.refuse("step_size", "is no positive number");
  if (path < 1 || path > 1'000'000'000) archive.refuse("path", "is no number of leapfrog steps");
  path_ = path;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
