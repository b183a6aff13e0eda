#include <harmonium/framework/training/overlap_law.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include <harmonium/framework/core/assert.hpp>
#include <harmonium/framework/core/numerics.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

using Few = std::array<double, most_overlaps>;
using Square = std::array<Few, most_overlaps>;

constexpr double no_mass = -std::numeric_limits<double>::infinity();

/// One axis of the grid of λ: s sinh(t) for equidistant t. Near 0 the steps are one deviation of λ where y varies the most; far
/// out, where units are held, they grow as that deviation does.
struct Axis {
  std::vector<double> at, log_step;

  Axis(Index units, double width) {
    constexpr double step = 1.0, farthest = 20.0;  // of 1 / the largest deviation of y; of the scale
    const double scale = std::sqrt(static_cast<double>(units)) / width;
    const double dt = step / (0.5 * width * scale);
    const auto half = static_cast<int>(std::ceil(std::asinh(farthest) / dt));
    for (int k = -half; k <= half; ++k) {
      at.push_back(scale * std::sinh(k * dt));
      log_step.push_back(std::log(scale * std::cosh(k * dt) * dt));
    }
  }
};

/// L of Σ = L Lᵀ, in the lower half; false where Σ is not positive definite: there is no room for y to vary in.
bool factorize(Square& s, Index d) {
  for (Index c = 0; c < d; ++c)
    for (Index r = c; r < d; ++r) {
      double rest = s[r][c];
      for (Index k = 0; k < c; ++k) rest -= s[r][k] * s[c][k];
      if (r == c && !(rest > 1e-280)) return false;
      s[r][c] = r == c ? std::sqrt(rest) : rest / s[c][c];
    }
  return true;
}

/// The units under fields tilted by λ, one number of each as the loops below need them again.
class TiltedUnits {
 public:
  TiltedUnits(const IndependentUnits& units, const Matrix<double>& directions)
      : units_(&units), u_(&directions), d_(directions.shape(1)), high_(units.field.size()) {
    const double width = units.high - units.low;
    for (Index i = 0; i < units.field.size(); ++i) {
      log_norm_.push_back(log1pexp(width * units.field[i]) + units.low * units.field[i]);
      mean_.push_back(units.low + width * logistic(width * units.field[i]));
    }
  }

  /// y of λ, and the log of the density there times the step of λ less its own: log ρ(y(λ)) |dy/dλ|.
  double density(const Few& lambda, std::span<double> y) {
    const double log_ratio = tilt(lambda, y);
    Square factor = covariance();
    if (!factorize(factor, d_)) return no_mass;
    double log_det = 0.0;
    for (Index a = 0; a < d_; ++a) log_det += 2.0 * std::log(factor[a][a]);
    // |dy/dλ| = |Σ|, and the density has |Σ|^(−1/2).
    const double first = log_ratio + 0.5 * log_det - 0.5 * static_cast<double>(d_) * std::log(2.0 * std::numbers::pi);
    constexpr double most = 0.5;  // where units are nearly held the series is none, and there is no mass
    return first + std::clamp(second_order(factor), -most, most);
  }

 private:
  double at(Index i, Index a) const { return (*u_)(i, a); }

  /// K(λ) − λ·y with y = K'(λ), K being the cumulant generating function.
  double tilt(const Few& lambda, std::span<double> y) {
    const double low = units_->low, width = units_->high - low;
    double sum = 0.0;
    std::ranges::fill(y, 0.0);
    for (Index i = 0; i < high_.size(); ++i) {
      double shift = 0.0;
      for (Index a = 0; a < d_; ++a) shift += lambda[a] * at(i, a);
      const double field = units_->field[i] + shift;
      high_[i] = logistic(width * field);
      const double moved = low + width * high_[i] - mean_[i];
      sum += log1pexp(width * field) + low * field - log_norm_[i] - shift * (mean_[i] + moved);
      for (Index a = 0; a < d_; ++a) y[a] += at(i, a) * moved;
    }
    return sum;
  }

  double variance(Index i) const {
    const double width = units_->high - units_->low;
    return width * width * high_[i] * (1.0 - high_[i]);
  }

  Square covariance() const {
    Square s{};
    for (Index i = 0; i < high_.size(); ++i)
      for (Index a = 0; a < d_; ++a)
        for (Index b = 0; b <= a; ++b) s[a][b] += variance(i) * at(i, a) * at(i, b);
    return s;
  }

  /// ρ4/8 − ρ13²/8 − ρ23²/12 of the cumulants of third and fourth order, in the coordinates in which Σ is 1.
  double second_order(const Square& factor) const {
    const double width = units_->high - units_->low;
    std::array<Square, most_overlaps> third{};
    Few traced{};
    double fourth = 0.0;
    for (Index i = 0; i < high_.size(); ++i) {
      Few u{};
      double square = 0.0;
      for (Index a = 0; a < d_; ++a) {
        double rest = at(i, a);
        for (Index b = 0; b < a; ++b) rest -= factor[a][b] * u[b];
        u[a] = rest / factor[a][a];
        square += u[a] * u[a];
      }
      const double v = variance(i), p = high_[i];
      const double k3 = width * v * (1.0 - 2.0 * p);
      fourth += width * width * v * (1.0 - 6.0 * p * (1.0 - p)) * square * square;
      for (Index a = 0; a < d_; ++a) {
        traced[a] += k3 * square * u[a];
        for (Index b = 0; b < d_; ++b)
          for (Index c = 0; c < d_; ++c) third[a][b][c] += k3 * u[a] * u[b] * u[c];
      }
    }
    double rho13 = 0.0, rho23 = 0.0;
    for (Index a = 0; a < d_; ++a) {
      rho13 += traced[a] * traced[a];
      for (Index b = 0; b < d_; ++b)
        for (Index c = 0; c < d_; ++c) rho23 += third[a][b][c] * third[a][b][c];
    }
    return fourth / 8.0 - rho13 / 8.0 - rho23 / 12.0;
  }

  const IndependentUnits* units_;
  const Matrix<double>* u_;
  Index d_;
  std::vector<double> high_;  // probability of the higher value
  std::vector<double> log_norm_, mean_;
};

}  // namespace

double OverlapLaw::log_total() const { return logsumexp(log_mass); }

OverlapLaw overlap_law(const IndependentUnits& units, const Matrix<double>& directions, const Executor& executor) {
  const Index d = directions.shape(1);
  HARMONIUM_ASSERT(d >= 1 && d <= most_overlaps && directions.shape(0) == units.field.size());
  const Axis axis(units.field.size(), units.high - units.low);
  Index number = 1;
  for (Index a = 0; a < d; ++a) number *= axis.at.size();
  OverlapLaw law{zeros<double>(number, d), std::vector<double>(number)};
  executor.for_each_piece(number, 256, [&](Index begin, Index end) {
    TiltedUnits tilted(units, directions);
    for (Index k = begin; k < end; ++k) {
      Few lambda{};
      double log_step = 0.0;
      for (Index a = 0, rest = k; a < d; ++a, rest /= axis.at.size()) {
        lambda[a] = axis.at[rest % axis.at.size()];
        log_step += axis.log_step[rest % axis.at.size()];
      }
      law.log_mass[k] = log_step + tilted.density(lambda, row_of(law.points, k));
    }
  });
  return law;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
