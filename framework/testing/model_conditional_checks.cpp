#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/inference/exact_chain.hpp>
#include <harmonium/framework/testing/comparisons.hpp>
#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/framework/testing/model_checks.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

/// Whether every unit is in one block.
bool check_partition(const ModelSubject& m, const BlockConditionals& conditionals) {
  std::string complaint;
  for (const LayerId l : m.model.layout().ids()) {
    std::vector<int> met(m.model.layout()[l].size, 0);
    for (const Block& block : conditionals.blocks()) {
      if (block.layer != l) continue;
      const Index told = block.whole() ? met.size() : block.units.size();
      if (block.size != told && complaint.empty())
        complaint = fmt::format("a block of layer '{}' says it has {} units, and has {}", m.model.layout()[l].name,
                                block.size, told);
      for (Index k = 0; k < told; ++k) ++met[block.whole() ? k : block.units[k]];
    }
    for (Index u = 0; u < met.size() && complaint.empty(); ++u)
      if (met[u] != 1)
        complaint = fmt::format("{} is in {} of the blocks, and must be in one", m.unit_name(l, u), met[u]);
  }
  m.report.judge("blocks", complaint, "every unit is in one block");
  return complaint.empty();
}

/// Fields of the units of a block, for some rows.
struct BlockFieldValues {
  std::vector<Real> linear, curvature;
  Fields view;
  BlockFieldValues(Index rows, Index columns, bool curved)
      : linear(rows * columns), curvature(curved ? rows * columns : 0) {
    view.linear = {linear.data(), rows, columns, columns};
    if (curved) view.curvature = {curvature.data(), rows, columns, columns};
  }
};

/// log p of a value of the unit at place k of its block, up to a constant, as the fields of row r give it.
double field_score(const UnitType& unit, const Fields& fields, Index r, Index k, const std::vector<Real>& value) {
  double sum = 0.0;
  for (Index c = 0; c < value.size(); ++c) {
    const auto v = static_cast<double>(value[c]);
    sum += static_cast<double>(fields.linear(r, k * value.size() + c)) * v;
    if (unit.has_curvature()) sum -= 0.5 * static_cast<double>(fields.curvature(r, k * value.size() + c)) * v * v;
  }
  return sum;
}

/// Energies of a row with one unit at each of some values.
std::vector<double> energies_at(const ModelSubject& m, Index row, LayerId layer, Index unit,
                                const std::vector<std::vector<Real>>& values) {
  Chains trial(m.model.layout(), values.size());
  for (const LayerId l : m.model.layout().ids()) {
    const ConstMatrixRef from = m.rows.read(l);
    const MatrixRef to = trial.write(l);
    for (Index s = 0; s < values.size(); ++s) std::copy_n(from.row(row), from.cols, to.row(s));
  }
  const MatrixRef x = trial.write(layer);
  for (Index s = 0; s < values.size(); ++s) std::ranges::copy(values[s], x.row(s) + unit * values[s].size());
  return m.energies(trial);
}

/// The fields of some units of a row, together and each asked for alone.
void compare_fields(const ModelSubject& m, const BlockConditionals& conditionals, const Block& block, Index r,
                    const Fields& fields, Comparisons& worst) {
  const UnitType& unit = *m.model.layout()[block.layer].unit;
  const Index width = unit.width();
  const std::vector<std::vector<Real>> values = values_of(unit);
  for (const Index k : some_of(block.size, ModelSubject::most_units)) {
    const Index u = block.whole() ? k : block.units[k];
    const std::vector<double> e = energies_at(m, r, block.layer, u, values);
    const double first = field_score(unit, fields, r, k, values[0]);
    for (Index s = 1; s < values.size(); ++s)
      worst.compare(field_score(unit, fields, r, k, values[s]) - first, e[0] - e[s], m.rounding(64.0), [&] {
        return fmt::format("{}: the fields give log p({:.3g}) - log p({:.3g})", m.unit_name(block.layer, u),
                           static_cast<double>(values[s][width - 1]), static_cast<double>(values[0][width - 1]));
      });
  }
  for (const Index k : some_of(block.size, 3)) {
    BlockFieldValues one(1, width, unit.has_curvature());
    conditionals.fields(block, k, k + 1, {m.rows, r, r + 1}, one.view);
    for (Index c = 0; c < width; ++c)
      worst.compare(static_cast<double>(one.linear[c]), static_cast<double>(fields.linear(r, k * width + c)),
                    m.rounding(64.0), [&] {
                      return fmt::format("layer '{}', place {} of its block: the field asked for alone",
                                         m.model.layout()[block.layer].name, k);
                    });
  }
}

void check_fields(const ModelSubject& m, const BlockConditionals& conditionals) {
  const Index rows = std::min<Index>(m.rows.size(), 6);
  Comparisons worst;
  for (const Block& block : conditionals.blocks()) {
    const UnitType& unit = *m.model.layout()[block.layer].unit;
    BlockFieldValues fields(rows, block.size * unit.width(), unit.has_curvature());
    conditionals.fields(block, 0, block.size, {m.rows, 0, rows}, fields.view);
    for (Index r = 0; r < rows; ++r) compare_fields(m, conditionals, block, r, fields.view, worst);
  }
  m.report.judge("conditionals against energy ratios", worst.complaint("from the energies of the unit's states"),
                 worst.summary());
}

/// Units of one block must not see each other.
void check_independence(const ModelSubject& m, const BlockConditionals& conditionals) {
  const Index rows = std::min<Index>(m.rows.size(), 6);
  Chains other = random_rows(m.model.layout(), rows, 77);
  Comparisons worst;
  for (const Block& block : conditionals.blocks()) {
    if (block.size < 2) continue;
    const UnitType& unit = *m.model.layout()[block.layer].unit;
    const Index width = unit.width();
    BlockFieldValues before(rows, block.size * width, unit.has_curvature()),
        after(rows, block.size * width, unit.has_curvature());
    conditionals.fields(block, 0, block.size, {m.rows, 0, rows}, before.view);
    Chains changed(m.model.layout(), rows);
    for (const LayerId l : m.model.layout().ids())
      for (Index r = 0; r < rows; ++r) std::copy_n(m.rows.read(l).row(r), m.rows.read(l).cols, changed.write(l).row(r));
    for (Index r = 0; r < rows; ++r)
      for (Index k = 0; k < block.size; ++k) {
        const Index first = (block.whole() ? k : block.units[k]) * width;
        std::copy_n(other.read(block.layer).row(r) + first, width, changed.write(block.layer).row(r) + first);
      }
    conditionals.fields(block, 0, block.size, changed, after.view);
    for (Index i = 0; i < before.linear.size(); ++i)
      worst.compare(static_cast<double>(after.linear[i]), static_cast<double>(before.linear[i]), m.rounding(64.0), [&] {
        const Index k = i % (block.size * width) / width;
        return fmt::format("{}: its field once other units of its block have changed",
                           m.unit_name(block.layer, block.whole() ? k : block.units[k]));
      });
  }
  if (worst.count() > 0)
    m.report.judge("units of a block do not depend on each other", worst.complaint("before"), worst.summary());
}

/// How well Gibbs sampling mixes with these parameters.
void note_chain(const ModelSubject& m) {
  if (ExactChain::log2_entries(m.model) > 18.0) return;
  const ExactChain chain(m.model);
  if (chain.num_states() > 512) return;  // an eigenvalue takes its cube
  m.report.add(
      CheckOutcome::noted, "Gibbs sampling, exactly",
      fmt::format("the second eigenvalue of a transition on {} states is {:.3f}: the chain's law comes nearer to "
                  "the model's by this factor a transition",
                  chain.num_states(), chain.second_eigenvalue()));
}

}  // namespace

void check_conditionals(const ModelSubject& m, const BlockConditionals& conditionals) {
  if (!check_partition(m, conditionals)) return;
  check_fields(m, conditionals);
  check_independence(m, conditionals);
  note_chain(m);
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
