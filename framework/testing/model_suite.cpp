#include <harmonium/framework/testing/model_suite.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/exact_chain.hpp>
#include <harmonium/framework/testing/comparisons.hpp>
#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/framework/testing/law.hpp>
#include <harmonium/framework/testing/score_check.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

constexpr double epsilon = std::numeric_limits<Real>::epsilon();
/// Of differences: exact in Real beside parameters that are multiples of 1/256.
constexpr double step = sizeof(Real) == 8 ? 0x1p-8 : 0x1p-4;
constexpr Index most_rows = 24, most_units = 24, most_parameters = 60;

/// At most `most` of 0 … n − 1, evenly spread.
std::vector<Index> some_of(Index n, Index most) {
  std::vector<Index> all;
  for (Index i = 0; i < std::min(n, most); ++i) all.push_back(i * n / std::min(n, most));
  return all;
}

class ModelSuite {
 public:
  ModelSuite(EnergyModel& model, CheckReport& report) : model_(model), report_(report), executor_(1) {}

  void run() {
    if (!set_parameters()) return;
    rows_ = random_rows(model_.layout(), most_rows, 5);
    find_scale();
    check_rows_alone();
    check_gradient();
    if (const BlockConditionals* conditionals = model_.block_conditionals()) {
      check_partition(*conditionals);
      check_fields(*conditionals);
      check_independence(*conditionals);
      note_chain();
    } else {
      report_.skip("conditionals against energy ratios", "the model offers no conditionals");
    }
    if (const StateGradient* gradient = model_.state_gradient()) check_state_gradient(*gradient);
    if (model_.score() && model_.score()->offered(model_.layout().observed()))
      check_score(model_, rows_, scale_, compared_parameters(), report_);
    check_threads();
    if (!model_.factorized_expectation() && !model_.free_energy()) return;
    if (model_.layout().log2_states(model_.layout().all()) > most_enumerated) {
      report_.skip("free energy and expectations against sums over states",
                   "there are too many states, or continuous units");
      return;
    }
    if (model_.factorized_expectation()) check_expectation();
    if (model_.free_energy()) check_free_energy();
  }

 private:
  bool set_parameters() {
    std::string why;
    for (const double spread : {1.0, 0.25, 1.0 / 16, 0.0}) {
      try {
        randomize(model_, 11, spread);
        // Differences go to both sides.
        const auto nothing = [] { return std::vector<double>(); };
        for (const std::vector<Index>& entries : compared_parameters())
          derivative(model_, entries, 2.0 * step, nothing);
        return true;
      } catch (const NumericalError& error) {
        why = error.what();
      }
    }
    report_.add(CheckOutcome::failed, "parameters",
                fmt::format("neither small random parameters nor zeros define a density: {}", why));
    return false;
  }

  /// The size of the terms of an energy, which its rounding error goes by.
  void find_scale() {
    double largest = 1.0;
    for (const LayerId l : model_.layout().ids()) {
      const ConstMatrixRef x = rows_.read(l);
      for (Index r = 0; r < x.rows; ++r)
        for (Index c = 0; c < x.cols; ++c) largest = std::max(largest, std::abs(static_cast<double>(x(r, c))));
    }
    double sum = 1.0;
    for (const Real t : model_.parameters()) sum += std::abs(static_cast<double>(t));
    scale_ = sum * largest * largest;
    largest_ = largest;
    for (const double e : energies(rows_)) scale_ = std::max(scale_, std::abs(e));
  }

  std::vector<double> energies(const Chains& rows) const {
    std::vector<double> e(rows.size());
    model_.energy(rows, e);
    return e;
  }
  /// "'weight.visible.hidden'[2, 1]"
  std::string entry_name(Index entry) const {
    for (const ParameterBlock& block : model_.parameter_layout().blocks()) {
      if (entry < block.offset || entry >= block.offset + block.size()) continue;
      const Index i = (entry - block.offset) / block.cols, j = (entry - block.offset) % block.cols;
      return fmt::format("'{}'[{}{}]", block.name, i, block.cols > 1 ? fmt::format(", {}", j) : std::string());
    }
    return fmt::format("entry {}", entry);
  }
  std::string unit_name(LayerId l, Index unit) const {
    return fmt::format("layer '{}', unit {}", model_.layout()[l].name, unit);
  }

  void check_rows_alone() {
    const std::vector<double> all = energies(rows_);
    Comparisons worst;
    for (Index r = 0; r < rows_.size(); ++r) {
      double alone = 0.0;
      model_.energy({rows_, r, r + 1}, {&alone, 1});
      worst.compare(alone, all[r], epsilon * scale_ * 16.0, [&] { return fmt::format("energy of row {} alone", r); });
    }
    report_.judge("rows of a batch", worst.complaint("its energy among the other rows"), worst.summary());
  }

  /// The free parameters that gradients are compared by: some of each tensor that is learned.
  std::vector<std::vector<Index>> compared_parameters() const {
    const std::vector<std::vector<Index>> all = free_parameters(model_);
    std::vector<std::vector<Index>> chosen;
    for (const ParameterBlock& block : model_.parameter_layout().blocks()) {
      if (!block.learned) continue;
      std::vector<std::vector<Index>> own;
      for (const auto& entries : all)
        if (entries[0] >= block.offset && entries[0] < block.offset + block.size()) own.push_back(entries);
      for (const Index k : some_of(own.size(), most_parameters)) chosen.push_back(own[k]);
    }
    return chosen;
  }

  void check_gradient() {
    const std::vector<double> weights = random_weights(rows_.size(), 3);
    const double sizes =
        std::accumulate(weights.begin(), weights.end(), 1.0, [](double s, double w) { return s + std::abs(w); });
    // It adds to what is there.
    constexpr Real before = 0.5;
    std::vector<Real> gradient(model_.parameters().size(), before);
    model_.add_gradient(rows_, weights, gradient, executor_);
    const auto weighted = [&] {
      const std::vector<double> e = energies(rows_);
      return std::vector<double>{std::inner_product(e.begin(), e.end(), weights.begin(), 0.0)};
    };
    Comparisons worst;
    for (const std::vector<Index>& own : compared_parameters()) {
      const double slope = derivative(model_, own, step, weighted)[0];
      const double coarse = derivative(model_, own, 2.0 * step, weighted)[0];
      const double bound = std::abs(slope - coarse) + epsilon * scale_ * sizes * (4.0 / step + 16.0);
      for (const Index entry : own)
        worst.compare(static_cast<double>(gradient[entry]) - static_cast<double>(before), slope, bound,
                      [&] { return fmt::format("add_gradient, {}", entry_name(entry)); });
    }
    report_.judge("gradient against differences of the energy",
                  worst.complaint("central differences of the energy of random configurations"), worst.summary());
  }

  void check_partition(const BlockConditionals& conditionals) {
    std::string complaint;
    for (const LayerId l : model_.layout().ids()) {
      std::vector<int> met(model_.layout()[l].size, 0);
      for (const Block& block : conditionals.blocks()) {
        if (block.layer != l) continue;
        const Index told = block.whole() ? met.size() : block.units.size();
        if (block.size != told && complaint.empty())
          complaint = fmt::format("a block of layer '{}' says it has {} units, and has {}", model_.layout()[l].name,
                                  block.size, told);
        for (Index k = 0; k < told; ++k) ++met[block.whole() ? k : block.units[k]];
      }
      for (Index u = 0; u < met.size() && complaint.empty(); ++u)
        if (met[u] != 1)
          complaint = fmt::format("{} is in {} of the blocks, and must be in one", unit_name(l, u), met[u]);
    }
    report_.judge("blocks", complaint, "every unit is in one block");
    partition_holds_ = complaint.empty();
  }

  struct BlockFieldValues {
    std::vector<Real> linear, curvature;
    Fields view;
    BlockFieldValues(Index rows, Index columns, bool curved)
        : linear(rows * columns), curvature(curved ? rows * columns : 0) {
      view.linear = {linear.data(), rows, columns, columns};
      if (curved) view.curvature = {curvature.data(), rows, columns, columns};
    }
  };

  /// Values that a unit may take, one a row: all of a discrete one, three of a continuous one.
  std::vector<std::vector<Real>> values_of(const UnitType& unit) const {
    const Index width = unit.width(), states = unit.num_states();
    if (states > 0) {
      std::vector<Real> flat(states * width);
      unit.states({flat.data(), states, width, width});
      std::vector<std::vector<Real>> all;
      for (Index s = 0; s < states; ++s)
        all.emplace_back(flat.begin() + static_cast<std::ptrdiff_t>(s * width),
                         flat.begin() + static_cast<std::ptrdiff_t>((s + 1) * width));
      return all;
    }
    const double low = std::isfinite(unit.min()) ? unit.min() : std::isfinite(unit.max()) ? unit.max() - 2.0 : -1.0;
    const double high = std::isfinite(unit.max()) ? std::min(unit.max(), low + 2.0) : low + 2.0;
    std::vector<std::vector<Real>> all;
    for (const double t : {0.0, 0.375, 1.0}) all.emplace_back(width, static_cast<Real>(low + t * (high - low)));
    return all;
  }

  void check_fields(const BlockConditionals& conditionals) {
    if (!partition_holds_) return;
    const Index rows = std::min<Index>(rows_.size(), 6);
    Comparisons worst;
    for (const Block& block : conditionals.blocks()) {
      const UnitType& unit = *model_.layout()[block.layer].unit;
      const Index width = unit.width();
      BlockFieldValues fields(rows, block.size * width, unit.has_curvature());
      conditionals.fields(block, 0, block.size, {rows_, 0, rows}, fields.view);
      const std::vector<std::vector<Real>> values = values_of(unit);
      Chains trial(model_.layout(), values.size());
      for (Index r = 0; r < rows; ++r) {
        for (const Index k : some_of(block.size, most_units)) {
          const Index u = block.whole() ? k : block.units[k];
          for (const LayerId l : model_.layout().ids()) {
            const ConstMatrixRef from = rows_.read(l);
            const MatrixRef to = trial.write(l);
            for (Index s = 0; s < values.size(); ++s) std::copy_n(from.row(r), from.cols, to.row(s));
          }
          const MatrixRef x = trial.write(block.layer);
          for (Index s = 0; s < values.size(); ++s) std::copy_n(values[s].data(), width, x.row(s) + u * width);
          const std::vector<double> e = energies(trial);
          const auto score = [&](Index s) {
            double sum = 0.0;
            for (Index c = 0; c < width; ++c) {
              const auto v = static_cast<double>(values[s][c]);
              sum += static_cast<double>(fields.view.linear(r, k * width + c)) * v;
              if (unit.has_curvature())
                sum -= 0.5 * static_cast<double>(fields.view.curvature(r, k * width + c)) * v * v;
            }
            return sum;
          };
          for (Index s = 1; s < values.size(); ++s)
            worst.compare(score(s) - score(0), e[0] - e[s], epsilon * scale_ * 64.0, [&] {
              return fmt::format("{}: the fields give log p({:.3g}) - log p({:.3g})", unit_name(block.layer, u),
                                 static_cast<double>(values[s][width - 1]), static_cast<double>(values[0][width - 1]));
            });
        }
        // The fields of some units, asked for alone.
        for (const Index k : some_of(block.size, 3)) {
          BlockFieldValues one(1, width, unit.has_curvature());
          conditionals.fields(block, k, k + 1, {rows_, r, r + 1}, one.view);
          for (Index c = 0; c < width; ++c)
            worst.compare(static_cast<double>(one.linear[c]), static_cast<double>(fields.view.linear(r, k * width + c)),
                          epsilon * scale_ * 64.0, [&] {
                            return fmt::format("layer '{}', place {} of its block: the field asked for alone",
                                               model_.layout()[block.layer].name, k);
                          });
        }
      }
    }
    report_.judge("conditionals against energy ratios", worst.complaint("from the energies of the unit's states"),
                  worst.summary());
  }

  /// Units of one block must not see each other.
  void check_independence(const BlockConditionals& conditionals) {
    if (!partition_holds_) return;
    const Index rows = std::min<Index>(rows_.size(), 6);
    Chains other = random_rows(model_.layout(), rows, 77);
    Comparisons worst;
    for (const Block& block : conditionals.blocks()) {
      if (block.size < 2) continue;
      const UnitType& unit = *model_.layout()[block.layer].unit;
      const Index width = unit.width();
      BlockFieldValues before(rows, block.size * width, unit.has_curvature()),
          after(rows, block.size * width, unit.has_curvature());
      conditionals.fields(block, 0, block.size, {rows_, 0, rows}, before.view);
      Chains changed(model_.layout(), rows);
      for (const LayerId l : model_.layout().ids())
        for (Index r = 0; r < rows; ++r) std::copy_n(rows_.read(l).row(r), rows_.read(l).cols, changed.write(l).row(r));
      for (Index r = 0; r < rows; ++r)
        for (Index k = 0; k < block.size; ++k) {
          const Index first = (block.whole() ? k : block.units[k]) * width;
          std::copy_n(other.read(block.layer).row(r) + first, width, changed.write(block.layer).row(r) + first);
        }
      conditionals.fields(block, 0, block.size, changed, after.view);
      for (Index i = 0; i < before.linear.size(); ++i)
        worst.compare(static_cast<double>(after.linear[i]), static_cast<double>(before.linear[i]),
                      epsilon * scale_ * 64.0, [&] {
                        const Index k = i % (block.size * width) / width;
                        return fmt::format("{}: its field once other units of its block have changed",
                                           unit_name(block.layer, block.whole() ? k : block.units[k]));
                      });
    }
    if (worst.count() > 0)
      report_.judge("units of a block do not depend on each other", worst.complaint("before"), worst.summary());
  }

  /// How well Gibbs sampling mixes with these parameters.
  void note_chain() {
    if (!partition_holds_ || ExactChain::log2_entries(model_) > 18.0) return;
    const ExactChain chain(model_);
    if (chain.num_states() > 512) return;  // an eigenvalue takes its cube
    report_.add(
        CheckOutcome::noted, "Gibbs sampling, exactly",
        fmt::format("the second eigenvalue of a transition on {} states is {:.3f}: the chain's law comes nearer to "
                    "the model's by this factor a transition",
                    chain.num_states(), chain.second_eigenvalue()));
  }

  void check_state_gradient(const StateGradient& gradient) {
    const Layout& layout = model_.layout();
    std::vector<std::vector<Real>> values(layout.size());
    std::vector<MatrixRef> out(layout.size());
    for (const LayerId l : layout.ids()) {
      if (layout[l].unit->num_states() > 0) continue;
      const auto i = static_cast<Index>(l);
      values[i].resize(rows_.size() * layout[l].columns());
      out[i] = {values[i].data(), rows_.size(), layout[l].columns(), layout[l].columns()};
    }
    gradient.evaluate(rows_, out);
    Comparisons worst;
    for (const LayerId l : layout.ids()) {
      const MatrixRef told = out[static_cast<Index>(l)];
      if (told.empty()) continue;
      for (const Index c : some_of(told.cols, most_units)) {
        const auto at = [&](double by) {
          Chains moved = rows_;
          const MatrixRef x = moved.write(l);
          for (Index r = 0; r < x.rows; ++r) x(r, c) += static_cast<Real>(by);
          return energies(moved);
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
                        std::abs(fine[r] - coarse[r]) + epsilon * scale_ * (8.0 / step + 16.0) * (1.0 + largest_),
                        [&] { return fmt::format("layer '{}', column {}: dE/dx", layout[l].name, c); });
      }
    }
    report_.judge("gradient by the state against differences of the energy",
                  worst.complaint("central differences of the energy"), worst.summary());
  }

  void check_threads() {
    const Chains many = random_rows(model_.layout(), 700, 9);
    const std::vector<double> weights = random_weights(many.size(), 4);
    std::vector<std::vector<Real>> gradients;
    for (const int threads : {1, 3}) {
      const Executor executor(threads);
      model_.add_gradient(many, weights, gradients.emplace_back(model_.parameters().size(), Real{0}), executor);
    }
    report_.judge("any number of threads",
                  gradients[0] == gradients[1] ? "" : "add_gradient gives other bits on 3 threads than on 1",
                  "add_gradient gives the same bits on 1 thread and on 3");
  }

  /// Moments of random factorized laws, one a row, and the log probability of each unit's states.
  void check_expectation() {
    const Layout& layout = model_.layout();
    const StateSpace space(layout);
    std::vector<double> law(space.size(), 1.0);
    std::vector<std::vector<Real>> means, seconds;
    Moments q;
    std::mt19937_64 words(23);
    std::size_t u = 0;
    for (const LayerId l : layout.ids()) {
      const UnitType& unit = *layout[l].unit;
      const std::vector<std::vector<Real>> values = values_of(unit);
      const Index width = unit.width(), columns = layout[l].columns();
      std::vector<double> mean(columns, 0.0), second(columns, 0.0);
      for (Index i = 0; i < layout[l].size; ++i, ++u) {
        std::vector<double> p(values.size());
        double total = 0.0;
        for (double& v : p) total += v = 0.1 + static_cast<double>(words() >> 11) * 0x1p-53;
        for (std::size_t s = 0; s < space.size(); ++s) law[s] *= p[space.digit(s, u)] / total;
        for (Index s = 0; s < values.size(); ++s)
          for (Index c = 0; c < width; ++c) {
            const auto v = static_cast<double>(values[s][c]);
            mean[i * width + c] += p[s] / total * v;
            second[i * width + c] += p[s] / total * v * v;
          }
      }
      means.emplace_back(mean.begin(), mean.end());
      seconds.emplace_back(second.begin(), second.end());
    }
    for (Index l = 0; l < layout.size(); ++l) {
      const Index columns = layout.layers()[l].columns();
      q.mean.push_back({means[l].data(), 1, columns, columns});
      q.second.push_back({seconds[l].data(), 1, columns, columns});
    }
    const double one = 1.0;
    std::vector<Real> told(model_.parameters().size(), Real{0});
    model_.factorized_expectation()->add_gradient(q, {&one, 1}, told, executor_);
    compare_gradients("expectation under a factorized law against the sum over states", told, gradient_of(space, law),
                      "the sum over all states");
  }

  /// Σ_s law[s] ∂E(s)/∂θ.
  std::vector<Real> gradient_of(const StateSpace& space, const std::vector<double>& law) const {
    Chains states(model_.layout(), space.size());
    std::vector<std::size_t> numbers(space.size());
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    space.put(numbers, states);
    std::vector<Real> gradient(model_.parameters().size(), Real{0});
    model_.add_gradient(states, law, gradient, executor_);
    return gradient;
  }

  void compare_gradients(const char* check, const std::vector<Real>& told, const std::vector<Real>& expected,
                         const char* source) {
    Comparisons worst;
    compare_gradients(worst, told, expected, "");
    report_.judge(check, worst.complaint(source), worst.summary());
  }
  void compare_gradients(Comparisons& worst, const std::vector<Real>& told, const std::vector<Real>& expected,
                         const std::string& where) const {
    for (const ParameterBlock& block : model_.parameter_layout().blocks())
      for (Index i = 0; i < block.size(); ++i)
        worst.compare(static_cast<double>(told[block.offset + i]), static_cast<double>(expected[block.offset + i]),
                      epsilon * (256.0 + scale_),
                      [&] { return fmt::format("{}'{}', entry {}", where, block.name, i); });
  }

  void check_free_energy() {
    const FreeEnergy& free = *model_.free_energy();
    const Layout& layout = model_.layout();
    const StateSpace space(layout);
    const std::vector<double> energy = model_energies(model_, space);
    Chains states(layout, space.size());
    std::vector<std::size_t> numbers(space.size());
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    space.put(numbers, states);
    Comparisons values, gradients, conditionals, neighbors;
    for (unsigned bits = 0; bits < 1u << std::min<Index>(layout.size(), 5); ++bits) {
      LayerSet kept;
      std::string names;
      for (const LayerId l : layout.ids())
        if ((bits >> static_cast<unsigned>(l)) & 1u) {
          kept.add(l);
          names += (names.empty() ? "" : ", ") + layout[l].name;
        }
      if (!free.closed(kept)) continue;
      const auto part = [&](std::size_t s) {
        std::size_t p = 0;
        for (std::size_t u = 0; u < space.num_units(); ++u)
          if (kept.contains(space.layer_of(u))) p += space.digit(s, u) * space.stride(u);
        return p;
      };
      for (const double beta : {1.0, 0.5}) {
        std::vector<double> sums(space.size(), 0.0), told(space.size());
        const double min = *std::min_element(energy.begin(), energy.end());
        for (std::size_t s = 0; s < space.size(); ++s) sums[part(s)] += std::exp(beta * (min - energy[s]));
        free.evaluate(kept, beta, states, told);
        for (std::size_t s = 0; s < space.size(); ++s)
          values.compare(told[s], beta * min - std::log(sums[part(s)]),
                         1e-15 * scale_ * 64.0 + (sizeof(Real) == 4 ? epsilon * scale_ : 0.0), [&] {
                           return fmt::format("free energy with layers [{}] kept, beta {}, state {}", names, beta, s);
                         });
        if (beta == 1.0) check_log_conditionals(free, kept, names, space, states, sums, part, conditionals);
        check_neighbors(free, kept, beta, states, neighbors);
      }
      // Its gradient, at a state in the middle.
      const std::size_t state = space.size() / 3;
      std::vector<double> law(space.size(), 0.0);
      double total = 0.0;
      for (std::size_t s = 0; s < space.size(); ++s)
        if (part(s) == part(state)) total += law[s] = std::exp(energy[state] - energy[s]);
      for (double& p : law) p /= total;
      const double one = 1.0;
      std::vector<Real> told(model_.parameters().size(), Real{0});
      free.add_gradient(kept, {states, state, state + 1}, {&one, 1}, told, executor_);
      compare_gradients(gradients, told, gradient_of(space, law), fmt::format("layers [{}] kept, ", names));
    }
    report_.judge("free energy against sums over states", values.complaint("minus the log of the sum over states"),
                  values.summary());
    report_.judge("gradient of the free energy", gradients.complaint("the mean of the energy's gradient over states"),
                  gradients.summary());
    if (neighbors.count() > 0)
      report_.judge("neighbors of a row against the free energy itself",
                    neighbors.complaint("every neighbor evaluated as a row"), neighbors.summary());
    if (conditionals.count() > 0)
      report_.judge("conditionals of single units", conditionals.complaint("from the sums over states"),
                    conditionals.summary());
  }

  /// What the model knows of a row's neighbors by differences, against the defaults, which evaluate each as a row.
  void check_neighbors(const FreeEnergy& free, LayerSet kept, double beta, const Chains& states,
                       Comparisons& worst) const {
    const Layout& layout = model_.layout();
    const Index first = states.size() / 3, rows = std::min<Index>(states.size() - first, 5);
    const ConstChainView x(states, first, first + rows);
    for (const LayerId l : layout.ids()) {
      const Index states_of_unit = layout[l].unit->num_states(), columns = layout[l].size * states_of_unit;
      if (!kept.contains(l) || states_of_unit == 0) continue;
      std::vector<Index> units(layout[l].size);
      std::iota(units.begin(), units.end(), Index{0});
      std::vector<double> told(rows * columns), plain(rows * columns);
      free.log_ratios(layout, kept, beta, x, l, units, {told.data(), rows, columns, columns});
      free.FreeEnergy::log_ratios(layout, kept, beta, x, l, units, {plain.data(), rows, columns, columns});
      for (Index i = 0; i < told.size(); ++i)
        worst.compare(told[i], plain[i], epsilon * scale_ * 64.0, [&] {
          return fmt::format("log ratio of row {}, {}, state {}", first + i / columns,
                             unit_name(l, i % columns / states_of_unit), i % states_of_unit);
        });
      if (beta != 1.0) continue;
      std::vector<double> weights = random_weights(rows * columns, 17);
      const MatrixView<const double> of_neighbors{weights.data(), rows, columns, columns};
      std::vector<Real> sum(model_.parameters().size(), Real{0}), plain_sum = sum;
      free.add_neighbor_gradient(layout, kept, x, l, of_neighbors, sum, executor_);
      free.FreeEnergy::add_neighbor_gradient(layout, kept, x, l, of_neighbors, plain_sum, executor_);
      for (Index k = 0; k < sum.size(); ++k)
        worst.compare(static_cast<double>(sum[k]), static_cast<double>(plain_sum[k]),
                      epsilon * (256.0 + scale_) * static_cast<double>(rows * columns), [&] {
                        return fmt::format("gradient over the neighbors in layer '{}', {}", layout[l].name,
                                           entry_name(k));
                      });
    }
  }

  template <class Part>
  void check_log_conditionals(const FreeEnergy& free, LayerSet kept, const std::string& names, const StateSpace& space,
                              const Chains& states, const std::vector<double>& sums, const Part& part,
                              Comparisons& worst) const {
    const Layout& layout = model_.layout();
    const Index rows = std::min<Index>(space.size(), 64);
    for (const LayerId l : layout.ids()) {
      if (!kept.contains(l)) continue;
      std::vector<Index> units(layout[l].size);
      std::iota(units.begin(), units.end(), Index{0});
      std::vector<double> told(rows * units.size());
      free.log_conditionals(layout, kept, 1.0, {states, 0, rows}, l, units,
                            {told.data(), rows, units.size(), units.size()});
      for (std::size_t u = 0; u < space.num_units(); ++u) {
        if (space.layer_of(u) != l) continue;
        for (Index r = 0; r < rows; ++r) {
          double total = 0.0;
          for (std::size_t k = 0; k < space.states_of(u); ++k)
            total += sums[part(r - space.digit(r, u) * space.stride(u) + k * space.stride(u))];
          worst.compare(told[r * units.size() + space.place_of(u)], std::log(sums[part(r)] / total),
                        epsilon * scale_ * 64.0, [&] {
                          return fmt::format("log p of {} given the other units of [{}], state {}",
                                             unit_name(l, space.place_of(u)), names, r);
                        });
        }
      }
    }
  }

  EnergyModel& model_;
  CheckReport& report_;
  Executor executor_;
  Chains rows_;
  double scale_ = 1.0, largest_ = 1.0;
  bool partition_holds_ = false;
};

}  // namespace

void check_model(EnergyModel& model, CheckReport& report) { ModelSuite(model, report).run(); }

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
