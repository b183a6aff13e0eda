#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <harmonium/framework/testing/comparisons.hpp>
#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/framework/testing/model_checks.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

void check_rows_alone(const ModelSubject& m) {
  const std::vector<double> all = m.energies(m.rows);
  Comparisons worst;
  for (Index r = 0; r < m.rows.size(); ++r) {
    double alone = 0.0;
    m.model.energy({m.rows, r, r + 1}, {&alone, 1});
    worst.compare(alone, all[r], m.rounding(16.0), [&] { return fmt::format("energy of row {} alone", r); });
  }
  m.report.judge("rows of a batch", worst.complaint("its energy among the other rows"), worst.summary());
}

void check_gradient(const ModelSubject& m) {
  constexpr double step = ModelSubject::step;
  const std::vector<double> weights = random_weights(m.rows.size(), 3);
  const double sizes =
      std::accumulate(weights.begin(), weights.end(), 1.0, [](double s, double w) { return s + std::abs(w); });
  // It adds to what is there.
  constexpr Real before = 0.5;
  std::vector<Real> gradient(m.model.parameters().size(), before);
  m.model.add_gradient(m.rows, weights, gradient, m.executor);
  const auto weighted = [&] {
    const std::vector<double> e = m.energies(m.rows);
    return std::vector<double>{std::inner_product(e.begin(), e.end(), weights.begin(), 0.0)};
  };
  Comparisons worst;
  for (const std::vector<Index>& own : compared_parameters(m.model)) {
    const double slope = derivative(m.model, own, step, weighted)[0];
    const double coarse = derivative(m.model, own, 2.0 * step, weighted)[0];
    const double bound = std::abs(slope - coarse) + m.rounding(sizes) * (4.0 / step + 16.0);
    for (const Index entry : own)
      worst.compare(static_cast<double>(gradient[entry]) - static_cast<double>(before), slope, bound,
                    [&] { return fmt::format("add_gradient, {}", m.entry_name(entry)); });
  }
  m.report.judge("gradient against differences of the energy",
                 worst.complaint("central differences of the energy of random configurations"), worst.summary());
}

void check_state_gradient(const ModelSubject& m, const StateGradient& gradient) {
  constexpr double step = ModelSubject::step;
  const Layout& layout = m.model.layout();
  std::vector<std::vector<Real>> values(layout.size());
  std::vector<MatrixRef> out(layout.size());
  for (const LayerId l : layout.ids()) {
    if (layout[l].unit->num_states() > 0) continue;
    const auto i = static_cast<Index>(l);
    values[i].resize(m.rows.size() * layout[l].columns());
    out[i] = {values[i].data(), m.rows.size(), layout[l].columns(), layout[l].columns()};
  }
  gradient.evaluate(m.rows, out);
  Comparisons worst;
  for (const LayerId l : layout.ids()) {
    const MatrixRef told = out[static_cast<Index>(l)];
    if (told.empty()) continue;
    for (const Index c : some_of(told.cols, ModelSubject::most_units)) {
      const auto at = [&](double by) {
        Chains moved = m.rows;
        const MatrixRef x = moved.write(l);
        for (Index r = 0; r < x.rows; ++r) x(r, c) += static_cast<Real>(by);
        return m.energies(moved);
      };
      const auto slopes = [&](double h) {
        const std::vector<double> p1 = at(h), m1 = at(-h), p2 = at(2 * h), m2 = at(-2 * h);
        std::vector<double> d(p1.size());
        for (Index r = 0; r < d.size(); ++r) d[r] = (8.0 * (p1[r] - m1[r]) - (p2[r] - m2[r])) / (12.0 * h);
        return d;
      };
      const std::vector<double> fine = slopes(step), coarse = slopes(2.0 * step);
      for (Index r = 0; r < fine.size(); ++r)
        // x + h is rounded to Real: the step is off by ε |x| of it.
        worst.compare(static_cast<double>(told(r, c)), fine[r],
                      std::abs(fine[r] - coarse[r]) + m.rounding(8.0 / step + 16.0) * (1.0 + m.largest),
                      [&] { return fmt::format("layer '{}', column {}: dE/dx", layout[l].name, c); });
    }
  }
  m.report.judge("gradient by the state against differences of the energy",
                 worst.complaint("central differences of the energy"), worst.summary());
}

void check_gradient_threads(const ModelSubject& m) {
  const Chains many = random_rows(m.model.layout(), 700, 9);
  const std::vector<double> weights = random_weights(many.size(), 4);
  std::vector<std::vector<Real>> gradients;
  for (const int threads : {1, 3}) {
    const Executor executor(threads);
    m.model.add_gradient(many, weights, gradients.emplace_back(m.model.parameters().size(), Real{0}), executor);
  }
  m.report.judge("any number of threads",
                 gradients[0] == gradients[1] ? "" : "add_gradient gives other bits on 3 threads than on 1",
                 "add_gradient gives the same bits on 1 thread and on 3");
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
