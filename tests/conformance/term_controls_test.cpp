// A term with one fault, which the check of terms must tell, each by its name.
#include <doctest/doctest.h>

#include <harmonium/framework/testing/term_suite.hpp>
#include <harmonium/models/units/binary.hpp>
#include <harmonium/tests/conformance/controls.hpp>

namespace term_controls_test {

using namespace harmonium;
using namespace harmonium::conformance;
using harmonium::testing::fails;

namespace {

enum class Fault {
  none,
  factor,    // add_energy takes no notice of its factor
  field,     // one field of eight is 5 % too large
  exact,     // the same, in double
  keep,      // what was there is kept whole, whatever `keep`
  columns,   // the columns asked for are those from 0 on
  rows,      // the rows asked for are those from 0 on
  gradient,  // one entry is 5 % too large
  squares,   // the gradient takes x_i x_j as of states, 1 where both means are above a half
  coupled,   // it says that nothing is coupled
  neighbor,  // one neighbor is not named
  layers,    // it names no layer but its own, and reads another
  copied     // a copy forgets its layer's order
};

/// E = −Σ_i w_i x_i x_{i+1} along a chain of units.
class ChainTerm final : public EnergyTerm {
 public:
  explicit ChainTerm(Fault fault) : fault_(fault) {}
  std::unique_ptr<EnergyTerm> copy() const override {
    auto copy = std::make_unique<ChainTerm>(*this);
    copy->reversed_ = fault_ == Fault::copied;
    return copy;
  }
  void declare(const Layout& layout, ParameterLayout& parameters) override {
    units_ = layout[own].size;
    tensor_ = add_tensor(parameters, {.name = "chain", .rows = units_ - 1, .layers = {own}});
  }
  Value configuration() const override { return make_table({{"type", make_value("chain")}}); }
  std::string formula() const override { return "- sum_i w_i x_i x_{i+1}"; }
  LayerSet layers() const override { return LayerSet().add(own); }
  bool couples(LayerId a, LayerId b) const override { return fault_ != Fault::coupled && a == own && b == own; }
  bool add_neighbors(LayerId layer, std::vector<std::vector<std::uint32_t>>& neighbors) const override {
    for (std::uint32_t i = 0; layer == own && i + 1 < units_; ++i) {
      neighbors[i].push_back(i + 1);
      if (fault_ != Fault::neighbor || i != 2) neighbors[i + 1].push_back(i);
    }
    return true;
  }
  void add_fields(LayerId layer, Index begin, Index end, ConstChainView x, const Real* theta, Real keep,
                  MatrixRef out) const override {
    const ConstMatrixRef s = fault_ == Fault::rows ? x.chains->read(layer) : x[layer];
    const Index from = fault_ == Fault::columns ? 0 : begin;
    for (Index r = 0; r < out.rows; ++r)
      for (Index c = 0; c < end - begin; ++c) {
        const Real before = keep == 0 ? Real{0} : fault_ == Fault::keep ? out(r, c) : keep * out(r, c);
        out(r, c) = before + static_cast<Real>(field(s, r, from + c, theta, fault_ == Fault::field));
      }
  }
  void add_exact_fields(LayerId layer, const ExactRows& x, const Real* theta, MatrixView<double> out) const override {
    for (Index r = 0; r < out.rows; ++r)
      for (Index c = 0; c < out.cols; ++c) out(r, c) += field(x[layer], r, c, theta, fault_ == Fault::exact);
  }
  void add_energy(double factor, const ExactRows& x, const Real* theta, std::span<double> out) const override {
    const MatrixView<const double> s = x[own];
    for (Index r = 0; r < s.rows; ++r) {
      for (Index i = 0; i + 1 < units_; ++i)
        out[r] -= (fault_ == Fault::factor ? 1.0 : factor) * w(theta, i) * s(r, i) * s(r, i + 1);
      if (fault_ == Fault::layers) out[r] += factor * x[LayerId{1}](r, 0);
    }
  }
  void add_gradient(const Moments& q, std::span<const double> weights, const Real*, std::span<Real> gradient,
                    const Executor&) const override {
    const ConstMatrixRef m = q.mean[static_cast<Index>(own)];
    for (Index i = 0; i + 1 < units_; ++i) {
      double sum = 0.0;
      for (Index r = 0; r < m.rows; ++r) {
        const auto product = static_cast<double>(m(r, i)) * static_cast<double>(m(r, i + 1));
        sum += weights[r] * (fault_ == Fault::squares ? (product > 0.25 ? 1.0 : 0.0) : product);
      }
      gradient[tensor_.offset + i] -= static_cast<Real>(sum * (fault_ == Fault::gradient && i == 1 ? 1.05 : 1.0));
    }
  }
  double operations() const override { return static_cast<double>(units_); }

 private:
  static constexpr LayerId own{0};
  double w(const Real* theta, Index i) const {
    return static_cast<double>(theta[tensor_.offset + (reversed_ ? units_ - 2 - i : i)]);
  }
  template <class T>
  double field(MatrixView<const T> s, Index r, Index i, const Real* theta, bool wrong) const {
    double sum = 0.0;
    if (i > 0) sum += w(theta, i - 1) * static_cast<double>(s(r, i - 1));
    if (i + 1 < units_) sum += w(theta, i) * static_cast<double>(s(r, i + 1));
    return wrong && i == 3 ? 1.05 * sum : sum;
  }

  Fault fault_;
  Index units_ = 0;
  bool reversed_ = false;
  Tensor tensor_;
};

CheckReport report_of(Fault fault) {
  const auto unit = std::make_shared<BinaryUnit>();
  const Layout layout({{"own", 8, unit, Role::observed}, {"other", 2, unit, Role::latent}});
  CheckReport report;
  check_term([&] { return std::make_unique<ChainTerm>(fault); }, layout, report);
  return report;
}

}  // namespace

TEST_CASE("a faultless term passes, and each fault of a term is told") {
  CHECK_FALSE(report_of(Fault::none).failed());
  CHECK(fails(report_of(Fault::factor), "energy adds with its factor"));
  CHECK(fails(report_of(Fault::copied), "energy adds with its factor"));
  CHECK(fails(report_of(Fault::exact), "exact fields against energies"));
  for (const Fault fault : {Fault::field, Fault::keep, Fault::columns, Fault::rows}) {
    CAPTURE(static_cast<int>(fault));
    CHECK(fails(report_of(fault), "fields for any columns"));
  }
  CHECK(fails(report_of(Fault::gradient), "gradient against differences"));
  CHECK(fails(report_of(Fault::squares), "gradient against differences"));
  CHECK(fails(report_of(Fault::coupled), "which layers it couples"));
  CHECK(fails(report_of(Fault::neighbor), "neighbors"));
  CHECK(fails(report_of(Fault::layers), "layers"));
}

}  // namespace term_controls_test
