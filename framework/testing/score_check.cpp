#include <harmonium/framework/testing/score_check.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include <harmonium/framework/testing/differences.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

/// ψ of the kept layers, one matrix each, and its divergence.
struct KeptScores {
  KeptScores(const Layout& layout, LayerSet kept, Index rows)
      : values(layout.size()), views(layout.size()), divergence(rows) {
    for (const LayerId l : layout.ids()) {
      if (!kept.contains(l)) continue;
      const auto i = static_cast<Index>(l);
      const Index columns = layout[l].columns();
      values[i].resize(rows * columns);
      views[i] = {values[i].data(), rows, columns, columns};
    }
  }
  std::vector<std::vector<Real>> values;
  std::vector<MatrixRef> views;
  std::vector<double> divergence;
};

class ScoreCheck {
 public:
  ScoreCheck(EnergyModel& model, const Chains& rows, double scale)
      : model_(model), layout_(model.layout()), kept_(layout_.observed()), rows_(rows) {
    double largest = 0.0;
    for (const LayerId l : layout_.ids()) {
      const ConstMatrixRef x = rows.read(l);
      for (Index r = 0; r < x.rows; ++r)
        for (Index c = 0; c < x.cols; ++c) largest = std::max(largest, std::abs(static_cast<double>(x(r, c))));
    }
    // x + h is rounded to Real: the step is off by ε |x| of it.
    rounding_ =
        static_cast<double>(std::numeric_limits<Real>::epsilon()) * scale * (8.0 / step + 16.0) * (1.0 + largest);
  }

  bool knows_free_energy() const {
    return (model_.free_energy() && model_.free_energy()->closed(kept_)) || layout_.latent().empty();
  }
  std::string by_state() {
    const KeptScores here = at(rows_);
    std::vector<double> divergence(rows_.size(), 0.0), allowed(rows_.size(), 0.0);
    for (const LayerId l : layout_.ids()) {
      const auto i = static_cast<Index>(l);
      for (Index c = 0; kept_.contains(l) && c < layout_[l].columns(); ++c) {
        const auto moved = [&](double by) {
          Chains x = rows_;
          const MatrixRef to = x.write(l);
          for (Index r = 0; r < to.rows; ++r) to(r, c) += static_cast<Real>(by);
          return x;
        };
        const auto own = [&](double by) {
          const KeptScores s = at(moved(by));
          std::vector<double> psi(rows_.size());
          for (Index r = 0; r < psi.size(); ++r) psi[r] = static_cast<double>(s.views[i](r, c));
          return psi;
        };
        const Slopes slope = slopes(own);
        for (Index r = 0; r < rows_.size(); ++r) {
          divergence[r] += slope.fine[r];
          allowed[r] += std::abs(slope.fine[r] - slope.coarse[r]) + rounding_;
        }
        if (!knows_free_energy()) continue;
        const Slopes energy = slopes([&](double by) { return free_energies(moved(by)); });
        for (Index r = 0; r < rows_.size(); ++r)
          if (const auto told = static_cast<double>(here.views[i](r, c));
              wrong(told, -energy.fine[r], std::abs(energy.fine[r] - energy.coarse[r]) + rounding_))
            return fmt::format(
                "layer '{}', column {}, row {}: the score is {:.6g}, and minus the free energy grows by "
                "{:.6g}",
                layout_[l].name, c, r, told, -energy.fine[r]);
      }
    }
    for (Index r = 0; r < rows_.size(); ++r)
      if (wrong(here.divergence[r], divergence[r], allowed[r]))
        return fmt::format("row {}: the divergence of the score is {:.6g}, and differences add up to {:.6g}", r,
                           here.divergence[r], divergence[r]);
    return "";
  }
  std::string by_parameters(const std::vector<std::vector<Index>>& all) {
    constexpr double divergence_weight = 0.75;
    const std::vector<double> weights = random_weights(rows_.size(), 8);
    KeptScores directions(layout_, kept_, rows_.size());
    Index number = 9;
    for (std::vector<Real>& v : directions.values) {
      const std::vector<double> numbers = random_weights(v.size(), number++);
      v.assign(numbers.begin(), numbers.end());
    }
    for (Index i = 0; i < directions.views.size(); ++i)
      if (!directions.views[i].empty()) directions.views[i].data = directions.values[i].data();
    const auto weighted = [&] {
      const KeptScores s = at(rows_);
      double sum = 0.0;
      for (Index r = 0; r < rows_.size(); ++r) {
        double own = divergence_weight * s.divergence[r];
        for (Index i = 0; i < s.views.size(); ++i)
          for (Index c = 0; c < s.views[i].cols; ++c)
            own += static_cast<double>(s.views[i](r, c)) * static_cast<double>(directions.views[i](r, c));
        sum += weights[r] * own;
      }
      return std::vector<double>{sum};
    };
    std::vector<Real> gradient(model_.parameters().size(), Real{0});
    const std::vector<ConstMatrixRef> along(directions.views.begin(), directions.views.end());
    model_.score()->add_gradient(kept_, rows_, along, weights, divergence_weight, gradient, Executor(1));
    double sizes = 1.0;
    for (const double w : weights) sizes += std::abs(w);
    for (const std::vector<Index>& entries : all) {
      const double fine = derivative(model_, entries, step, weighted)[0],
                   coarse = derivative(model_, entries, 2.0 * step, weighted)[0];
      if (const auto told = static_cast<double>(gradient[entries[0]]);
          wrong(told, fine, std::abs(fine - coarse) + rounding_ * sizes))
        return fmt::format("add_gradient of the score, entry {} of the parameters: {:.6g}, and differences say {:.6g}",
                           entries[0], told, fine);
    }
    return "";
  }

 private:
  static constexpr double step = sizeof(Real) == 8 ? 0x1p-8 : 0x1p-4;
  struct Slopes {
    std::vector<double> fine, coarse;
  };
  static bool wrong(double told, double expected, double bound) { return !(std::abs(told - expected) <= bound); }

  KeptScores at(const Chains& x) const {
    KeptScores s(layout_, kept_, x.size());
    model_.score()->evaluate(kept_, x, s.views, s.divergence);
    return s;
  }
  std::vector<double> free_energies(const Chains& x) const {
    std::vector<double> f(x.size());
    if (layout_.latent().empty()) model_.energy(x, f);
    else model_.free_energy()->evaluate(kept_, 1.0, x, f);
    return f;
  }
  /// Central differences of fourth order, of steps h and 2h.
  template <class F>
  Slopes slopes(const F& f) const {
    const auto odd = [&](double by) {
      std::vector<double> up = f(by);
      const std::vector<double> down = f(-by);
      for (Index r = 0; r < up.size(); ++r) up[r] -= down[r];
      return up;
    };
    const std::vector<double> one = odd(step), two = odd(2 * step), four = odd(4 * step);
    Slopes s{one, two};
    for (Index r = 0; r < one.size(); ++r) {
      s.fine[r] = (8.0 * one[r] - two[r]) / (12.0 * step);
      s.coarse[r] = (8.0 * two[r] - four[r]) / (24.0 * step);
    }
    return s;
  }

  EnergyModel& model_;
  const Layout& layout_;
  LayerSet kept_;
  const Chains& rows_;
  double rounding_;
};

}  // namespace

void check_score(EnergyModel& model, const Chains& rows, double scale, const std::vector<std::vector<Index>>& entries,
                 CheckReport& report) {
  ScoreCheck check(model, rows, scale);
  report.judge("score against differences of the free energy", check.by_state(),
               check.knows_free_energy() ? "and its divergence against differences of the score"
                                         : "its divergence alone, for no free energy is offered");
  report.judge("gradient of the score against its differences", check.by_parameters(entries),
               fmt::format("{} free parameters", entries.size()));
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
