#include <harmonium/framework/inference/ladder_record.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <thread>

#include <xtensor-blas/xlinalg.hpp>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/core/xtensor.hpp>
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

/// The convex function whose least value the f_k have (Shirts & Chodera 2008, appendix C), by Newton's method. All rungs have
/// as many draws.
class Multistate {
 public:
  explicit Multistate(const LadderRecord& record)
      : rungs_(record.betas.size()),
        draws_of_rung_(static_cast<double>(record.num_ladders * record.num_times)),
        betas_(record.betas),
        differences_(record.differences) {}

  std::vector<double> solve(std::vector<double> f) const {
    double value = objective(f);
    for (int step = 0; step < 100; ++step) {
      const Vector<double> move = newton_step(f);
      const double longest = xt::amax(xt::abs(move))();
      for (double part = 1.0;; part *= 0.5) {
        std::vector<double> trial = f;
        for (Index k = 1; k < rungs_; ++k) trial[k] -= part * move(k - 1);
        const double there = objective(trial);
        if (there <= value + 1e-12 * std::abs(value) || part < 1e-6) {
          f = trial;
          value = there;
          break;
        }
      }
      // Newton's method squares its error: the step after one so short is below rounding.
      if (longest < 1e-7) return f;
    }
    throw not_solved();
  }

 private:
  static NumericalError not_solved() {
    return NumericalError(
        "the equations of multistate reweighting were not solved: the ladder's rungs do not overlap.");
  }
  /// log Σ_l exp(f_l − β_l D) of one draw, and in `weights` the share of each rung.
  double log_mixture(const std::vector<double>& f, double d, std::vector<double>& weights) const {
    for (Index k = 0; k < rungs_; ++k) weights[k] = f[k] - betas_[k] * d;
    const double sum = logsumexp(weights);
    for (double& w : weights) w = std::exp(w - sum);
    return sum;
  }
  double objective(const std::vector<double>& f) const {
    std::vector<double> weights(rungs_);
    double sum = 0.0;
    for (const double d : differences_) sum += log_mixture(f, d, weights);
    for (const double own : f) sum -= draws_of_rung_ * own;
    return sum;
  }
  /// Of f_1, f_2, …: f_0 is kept.
  Vector<double> newton_step(const std::vector<double>& f) const {
    const Index free = rungs_ - 1;
    Vector<double> gradient = xt::zeros<double>({free});
    const BlasCall room;
    Matrix<double> hessian = zeros<double>(free, free);
    std::vector<double> weights(rungs_);
    constexpr Index block = 512;
    for (Index first = 0; first < differences_.size(); first += block) {
      const Index count = std::min(block, differences_.size() - first);
      Matrix<double> w = zeros<double>(count, free);
      for (Index n = 0; n < count; ++n) {
        log_mixture(f, differences_[first + n], weights);
        for (Index k = 1; k < rungs_; ++k) w(n, k - 1) = weights[k];
      }
      gradient += xt::sum(w, {0});
      hessian -= xt::linalg::dot(xt::transpose(w), w);
    }
    for (Index k = 0; k < free; ++k) hessian(k, k) += gradient(k) * (1.0 + 1e-12);
    try {
      return xt::linalg::solve(hessian, Vector<double>(gradient - draws_of_rung_));
    } catch (const std::runtime_error&) {  // singular: a rung at which no draw counts
      throw not_solved();
    }
  }

  Index rungs_;
  double draws_of_rung_;
  const std::vector<double>& betas_;
  const std::vector<double>& differences_;
};

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
  f = Multistate(record).solve(std::move(f));
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
