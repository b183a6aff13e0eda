#include <harmonium/framework/testing/term_suite.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/model/model_base.hpp>
#include <harmonium/framework/testing/comparisons.hpp>
#include <harmonium/framework/testing/differences.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

constexpr double rounding_of_real = std::numeric_limits<Real>::epsilon();
constexpr Index num_rows = 12, most_parameters = 40;

ParameterLayout declared(EnergyTerm& term, const Layout& layout) {
  ParameterLayout parameters;
  term.declare(layout, parameters);
  return parameters;
}

/// A model whose energy is one term.
class OneTerm final : public ModelBase {
 public:
  OneTerm(std::unique_ptr<EnergyTerm> term, const Layout& layout)
      : ModelBase(layout, declared(*term, layout)), term_(std::move(term)) {
    refresh();
  }
  void energy(ConstChainView x, std::span<double> out) const override {
    std::ranges::fill(out, 0.0);
    term_->add_energy(1.0, ExactRows(x), theta(), out);
  }
  void add_gradient(ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                    const Executor& executor) const override {
    Moments q;
    for (const LayerId l : layout().ids()) q.mean.push_back(x[l]);
    q.second.resize(layout().size());
    term_->add_gradient(q, weights, theta(), gradient, executor);
    term_->finish_gradient(gradient);
  }
  const EnergyTerm& term() const { return *term_; }
  const Real* theta() const { return parameters().data(); }

 private:
  void refresh() override {
    if (const auto wrong = term_->refresh(theta())) throw NumericalError(*wrong);
  }
  std::unique_ptr<EnergyTerm> term_;
};

class TermSuite {
 public:
  TermSuite(const std::function<std::unique_ptr<EnergyTerm>()>& make, const Layout& layout, CheckReport& report)
      : model_(make(), layout),
        layout_(layout),
        report_(report),
        rows_(random_rows(layout, num_rows, 5)),
        others_(random_rows(layout, num_rows, 6)),
        executor_(1) {
    randomize(model_, 11, 0.5);
    double largest = 1.0, sum = 1.0;
    for (const LayerId l : layout_.ids()) {
      const ConstMatrixRef x = rows_.read(l);
      for (Index i = 0; i < x.rows * x.cols; ++i) largest = std::max(largest, std::abs(static_cast<double>(x.data[i])));
    }
    for (const Real t : model_.parameters()) sum += std::abs(static_cast<double>(t));
    scale_ = sum * largest * largest * largest;
  }

  void run() {
    if (of_single_units()) {
      report_.skip("fields and gradient", "a bias or a precision: the model computes both from its numbers");
      return;
    }
    check_energy();
    check_fields();
    check_own_fields();
    check_layers();
    check_couplings();
    check_neighbors();
    check_gradient();
    check_threads();
  }

 private:
  bool of_single_units() const {
    return std::ranges::any_of(layout_.ids(), [&](LayerId l) {
      return term().bias(l, model_.theta()) || term().log_precision(l, model_.theta());
    });
  }
  const EnergyTerm& term() const { return model_.term(); }
  const std::string& name(LayerId layer) const { return layout_[layer].name; }
  double bound() const { return rounding_of_real * scale_ * 64.0; }

  std::vector<double> energies(const Chains& x) const {
    std::vector<double> e(x.size());
    model_.energy(x, e);
    return e;
  }
  std::vector<double> exact_fields(LayerId layer, const Chains& x) const {
    const Index columns = layout_[layer].columns();
    std::vector<double> f(x.size() * columns, 0.0);
    if (!term().layers().contains(layer)) return f;
    term().add_exact_fields(layer, ExactRows(x), model_.theta(), {f.data(), x.size(), columns, columns});
    return f;
  }

  void check_energy() {
    std::vector<double> scaled(rows_.size(), 1.0);
    term().add_energy(-0.5, ExactRows(rows_), model_.theta(), scaled);
    const std::unique_ptr<EnergyTerm> copy = term().copy();
    std::vector<double> copied(rows_.size(), 0.0);
    copy->add_energy(1.0, ExactRows(rows_), model_.theta(), copied);
    const std::vector<double> e = energies(rows_);
    Comparisons worst;
    for (Index r = 0; r < rows_.size(); ++r) {
      worst.compare(scaled[r], 1.0 - 0.5 * e[r], bound(), [&] { return fmt::format("1 - E/2 of row {}", r); });
      worst.compare(copied[r], e[r], 0.0 + bound(), [&] { return fmt::format("E of row {}, by a copy", r); });
    }
    report_.judge("energy adds with its factor", worst.complaint("from the energy alone"), worst.summary());
  }

  /// Fields against what the energy does when one unit goes to another value: E(x) − E(x') = f · (x' − x).
  void check_fields() {
    Comparisons worst;
    for (const LayerId l : layout_.ids()) {
      if (!term().layers().contains(l)) continue;
      const std::vector<double> fields = exact_fields(l, rows_), before = energies(rows_);
      const Index width = layout_[l].unit->width(), columns = layout_[l].columns();
      for (Index u = 0; u < layout_[l].size; ++u) {
        const Chains moved = with_unit(l, u);
        const std::vector<double> after = energies(moved);
        for (Index r = 0; r < rows_.size(); ++r) {
          double change = 0.0;
          for (Index c = u * width; c < (u + 1) * width; ++c)
            change += fields[r * columns + c] *
                      (static_cast<double>(moved.read(l)(r, c)) - static_cast<double>(rows_.read(l)(r, c)));
          worst.compare(change, before[r] - after[r], bound(),
                        [&] { return fmt::format("layer '{}', unit {}: field times change of the unit", name(l), u); });
        }
      }
    }
    report_.judge("exact fields against energies", worst.complaint("from energies before and after"), worst.summary());
  }

  /// Fields as sampling asks for them: some columns, some rows, added to what is there.
  void check_own_fields() {
    Comparisons worst;
    constexpr Index first = 2;
    for (const LayerId l : layout_.ids()) {
      if (!term().layers().contains(l)) continue;
      const Index all = layout_[l].columns();
      const std::vector<double> exact = exact_fields(l, rows_);
      for (const auto& [begin, end] : {std::pair<Index, Index>{0, all}, {all / 2, all}, {all / 3, all / 3 + 1}}) {
        for (const Real keep : {Real{0}, Real{1}, Real{0.5}}) {
          const Index wide = end - begin, high = rows_.size() - first;
          std::vector<Real> out(high * wide, keep == 0 ? std::numeric_limits<Real>::quiet_NaN() : Real{2});
          term().add_fields(l, begin, end, {rows_, first, rows_.size()}, model_.theta(), keep,
                            {out.data(), high, wide, wide});
          for (Index i = 0; i < out.size(); ++i)
            worst.compare(static_cast<double>(out[i]),
                          static_cast<double>(keep) * 2.0 + exact[(first + i / wide) * all + begin + i % wide], bound(),
                          [&] {
                            return fmt::format("layer '{}', column {} of [{}, {}), keep = {}", name(l),
                                               begin + i % wide, begin, end, keep);
                          });
        }
      }
    }
    report_.judge("fields for any columns", worst.complaint("from the exact fields"), worst.summary());
  }

  void check_layers() {
    std::string complaint;
    const std::vector<double> before = energies(rows_);
    for (const LayerId l : layout_.ids()) {
      if (!complaint.empty() || term().layers().contains(l)) continue;
      if (energies(with_layer(l)) != before)
        complaint = fmt::format("its energy goes by layer '{}', which is not one of its layers", name(l));
    }
    report_.judge("layers", complaint, "the energy goes by its layers alone");
  }

  void check_couplings() {
    std::string complaint;
    for (const LayerId a : layout_.ids()) {
      const std::vector<double> before = exact_fields(a, rows_);
      for (const LayerId b : layout_.ids()) {
        if (!complaint.empty()) break;
        if (term().couples(a, b) != term().couples(b, a))
          complaint = fmt::format("it says differently whether '{}' and '{}' are coupled, by which is named first",
                                  name(a), name(b));
        else if (!term().couples(a, b) && exact_fields(a, with_layer(b)) != before)
          complaint = fmt::format("the fields of '{}' change with the units of '{}', which it says it does not couple",
                                  name(a), name(b));
      }
    }
    report_.judge("which layers it couples", complaint, "fields change with the layers that it says it couples");
  }

  /// A unit's field must go by its neighbors only, and never by itself.
  void check_neighbors() {
    std::string complaint;
    for (const LayerId l : layout_.ids()) {
      std::vector<std::vector<std::uint32_t>> neighbors(layout_[l].size);
      const bool known = term().add_neighbors(l, neighbors);
      const Index width = layout_[l].unit->width(), columns = layout_[l].columns();
      const std::vector<double> before = exact_fields(l, rows_);
      for (Index v = 0; v < layout_[l].size && complaint.empty(); ++v) {
        const std::vector<double> after = exact_fields(l, with_unit(l, v));
        for (Index i = 0; i < before.size() && complaint.empty(); ++i) {
          const Index u = i % columns / width;
          const bool may = u != v && (!known || std::ranges::find(neighbors[u], v) != neighbors[u].end());
          if (before[i] != after[i] && !may)
            complaint = u == v ? fmt::format("the field of unit {} of '{}' goes by the unit itself", u, name(l))
                               : fmt::format("the field of unit {} of '{}' goes by unit {}, not named as its neighbor",
                                             u, name(l), v);
        }
      }
    }
    report_.judge("neighbors", complaint, "the field of a unit goes by its neighbors alone, and not by itself");
  }

  /// At states, and at the means of laws between two states: the expectation of a term that is linear in each unit.
  void check_gradient() {
    Chains means(layout_, rows_.size());
    for (const LayerId l : layout_.ids()) {
      const ConstMatrixRef a = rows_.read(l), b = others_.read(l);
      const MatrixRef out = means.write(l);
      for (Index i = 0; i < a.rows * a.cols; ++i) out.data[i] = Real{0.25} * a.data[i] + Real{0.75} * b.data[i];
    }
    const std::vector<double> weights = random_weights(rows_.size(), 3);
    std::vector<std::vector<Index>> entries = free_parameters(model_);
    if (entries.size() > most_parameters) {
      for (Index k = 0; k < most_parameters; ++k) entries[k] = entries[k * entries.size() / most_parameters];
      entries.resize(most_parameters);
    }
    Comparisons worst;
    const Chains* const points[] = {&rows_, &means};
    for (const Chains* x : points) {
      std::vector<Real> gradient(model_.parameters().size(), Real{0});
      model_.add_gradient(*x, weights, gradient, executor_);
      const auto weighted = [&] {
        const std::vector<double> e = energies(*x);
        return std::vector<double>{std::inner_product(e.begin(), e.end(), weights.begin(), 0.0)};
      };
      for (const std::vector<Index>& own : entries) {
        constexpr double step = sizeof(Real) == 8 ? 0x1p-8 : 0x1p-4;
        const double slope = derivative(model_, own, step, weighted)[0];
        const double coarse = derivative(model_, own, 2.0 * step, weighted)[0];
        const double limit = std::abs(slope - coarse) + bound() * num_rows * (1.0 + 1.0 / (16.0 * step));
        for (const Index entry : own)
          worst.compare(static_cast<double>(gradient[entry]), slope, limit,
                        [&] { return fmt::format("entry {} of its gradient", entry); });
      }
    }
    report_.judge("gradient against differences of the energy",
                  worst.complaint("central differences by its parameters"), worst.summary());
  }

  void check_threads() {
    const std::vector<double> weights = random_weights(rows_.size(), 4);
    std::vector<Real> one(model_.parameters().size(), Real{0}), three = one;
    model_.add_gradient(rows_, weights, one, executor_);
    model_.add_gradient(rows_, weights, three, Executor(3));
    report_.judge("any number of threads", one == three ? "" : "its gradient on 3 threads is not that on 1",
                  "the same gradient on 1 thread and on 3");
  }

  /// The rows with one unit, or one layer, as in other rows.
  Chains with_unit(LayerId layer, Index unit) const {
    Chains x = rows_;
    const Index width = layout_[layer].unit->width();
    for (Index r = 0; r < x.size(); ++r)
      std::copy_n(others_.read(layer).row(r) + unit * width, width, x.write(layer).row(r) + unit * width);
    return x;
  }
  Chains with_layer(LayerId layer) const {
    Chains x = rows_;
    x.copy_rows(LayerSet().add(layer), others_);
    return x;
  }

  OneTerm model_;
  const Layout& layout_;
  CheckReport& report_;
  Chains rows_, others_;
  Executor executor_;
  double scale_ = 1.0;
};

}  // namespace

void check_term(const std::function<std::unique_ptr<EnergyTerm>()>& make, const Layout& layout, CheckReport& report) {
  TermSuite(make, layout, report).run();
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
