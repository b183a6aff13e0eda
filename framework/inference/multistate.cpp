#include <harmonium/framework/inference/multistate.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <xtensor-blas/xlinalg.hpp>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/core/xtensor.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The convex function whose least value the f_k have (Shirts & Chodera 2008, appendix C), by Newton's method.
class Multistate {
 public:
  explicit Multistate(const PooledDraws& draws)
      : rungs_(draws.betas.size()),
        draws_of_rung_(draws.of_each),
        betas_(draws.betas),
        differences_(draws.differences),
        counts_(draws.counts) {}

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
  double count_of(Index n) const { return counts_.empty() ? 1.0 : counts_[n]; }
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
    for (Index n = 0; n < differences_.size(); ++n) sum += count_of(n) * log_mixture(f, differences_[n], weights);
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
      if (counts_.empty()) {
        gradient += xt::sum(w, {0});
        hessian -= xt::linalg::dot(xt::transpose(w), w);
        continue;
      }
      Matrix<double> counted = w;
      for (Index n = 0; n < count; ++n) xt::view(counted, n) *= counts_[first + n];
      gradient += xt::sum(counted, {0});
      hessian -= xt::linalg::dot(xt::transpose(w), counted);
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
  std::span<const double> betas_, differences_, counts_;
};

}  // namespace

std::vector<double> solve_multistate(const PooledDraws& draws, std::vector<double> start) {
  return Multistate(draws).solve(std::move(start));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
