#include <harmonium/framework/testing/term_suite.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <harmonium/framework/testing/comparisons.hpp>
#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/framework/testing/term_subject.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

bool of_single_units(const TermSubject& s) {
  return std::ranges::any_of(s.layout.ids(), [&](LayerId l) {
    return s.term().bias(l, s.model.theta()) || s.term().log_precision(l, s.model.theta()) ||
           s.term().crystal_field(l, s.model.theta());
  });
}

void check_term_energy(const TermSubject& s) {
  std::vector<double> scaled(s.rows.size(), 1.0);
  s.term().add_energy(-0.5, ExactRows(s.rows), s.model.theta(), scaled);
  const std::unique_ptr<EnergyTerm> copy = s.term().copy();
  std::vector<double> copied(s.rows.size(), 0.0);
  copy->add_energy(1.0, ExactRows(s.rows), s.model.theta(), copied);
  const std::vector<double> e = s.energies(s.rows);
  Comparisons worst;
  for (Index r = 0; r < s.rows.size(); ++r) {
    worst.compare(scaled[r], 1.0 - 0.5 * e[r], s.bound(), [&] { return fmt::format("1 - E/2 of row {}", r); });
    worst.compare(copied[r], e[r], s.bound(), [&] { return fmt::format("E of row {}, by a copy", r); });
  }
  s.report.judge("energy adds with its factor", worst.complaint("from the energy alone"), worst.summary());
}

/// At states, and at the means of laws between two states: the expectation of a term that is linear in each unit.
void check_term_gradient(TermSubject& s) {
  constexpr Index most_parameters = 40;
  Chains means(s.layout, s.rows.size());
  for (const LayerId l : s.layout.ids()) {
    const ConstMatrixRef a = s.rows.read(l), b = s.others.read(l);
    const MatrixRef out = means.write(l);
    for (Index i = 0; i < a.rows * a.cols; ++i) out.data[i] = Real{0.25} * a.data[i] + Real{0.75} * b.data[i];
  }
  const std::vector<double> weights = random_weights(s.rows.size(), 3);
  std::vector<std::vector<Index>> entries = free_parameters(s.model);
  if (entries.size() > most_parameters) {
    for (Index k = 0; k < most_parameters; ++k) entries[k] = entries[k * entries.size() / most_parameters];
    entries.resize(most_parameters);
  }
  Comparisons worst;
  const Chains* const points[] = {&s.rows, &means};
  for (const Chains* x : points) {
    std::vector<Real> gradient(s.model.parameters().size(), Real{0});
    s.model.add_gradient(*x, weights, gradient, s.executor);
    const auto weighted = [&] {
      const std::vector<double> e = s.energies(*x);
      return std::vector<double>{std::inner_product(e.begin(), e.end(), weights.begin(), 0.0)};
    };
    for (const std::vector<Index>& own : entries) {
      constexpr double step = sizeof(Real) == 8 ? 0x1p-8 : 0x1p-4;
      const double slope = derivative(s.model, own, step, weighted)[0];
      const double coarse = derivative(s.model, own, 2.0 * step, weighted)[0];
      const double limit = std::abs(slope - coarse) + s.bound() * TermSubject::num_rows * (1.0 + 1.0 / (16.0 * step));
      for (const Index entry : own)
        worst.compare(static_cast<double>(gradient[entry]), slope, limit,
                      [&] { return fmt::format("entry {} of its gradient", entry); });
    }
  }
  s.report.judge("gradient against differences of the energy", worst.complaint("central differences by its parameters"),
                 worst.summary());
}

void check_term_threads(const TermSubject& s) {
  const std::vector<double> weights = random_weights(s.rows.size(), 4);
  std::vector<Real> one(s.model.parameters().size(), Real{0}), three = one;
  s.model.add_gradient(s.rows, weights, one, s.executor);
  s.model.add_gradient(s.rows, weights, three, Executor(3));
  s.report.judge("any number of threads", one == three ? "" : "its gradient on 3 threads is not that on 1",
                 "the same gradient on 1 thread and on 3");
}

}  // namespace

void check_term(const std::function<std::unique_ptr<EnergyTerm>()>& make, const Layout& layout, CheckReport& report) {
  TermSubject s(make, layout, report);
  if (of_single_units(s)) {
    report.skip("fields and gradient", "a bias or a precision: the model computes both from its numbers");
    return;
  }
  check_term_energy(s);
  check_term_fields(s);
  check_term_gradient(s);
  check_term_threads(s);
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
