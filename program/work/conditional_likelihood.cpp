#include <harmonium/program/work/conditional_likelihood.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/diagnostics/error_over_rows.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/held_state.hpp>
#include <harmonium/framework/inference/rows_with_holes.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/program/work/clamp.hpp>
#include <harmonium/program/work/clamp_words.hpp>
#include <harmonium/program/work/row_kinds.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index conditioned_at_once = 2000;  // rows: what is in memory does not grow with the data

/// What each row holds: what was seen of it, but for what is free.
Clamp clamp_of(const std::vector<ClampEntry>& free, const Dataset& data, const Layout& layout) {
  std::vector<ClampEntry> entries{{"rows", "rows"}};
  entries.insert(entries.end(), free.begin(), free.end());
  return Clamp(entries, layout, nullptr, [&](const std::string&) { return data; });
}

/// Calls `work(first, count)` for pieces of so many rows.
template <class Work>
void in_pieces(Index rows, const Work& work) {
  for (Index first = 0; first < rows; first += conditioned_at_once)
    work(first, std::min(conditioned_at_once, rows - first));
}

/// Adds 1 to each column that was seen of a row and is not held; whether there is one.
bool add_free_columns(const Layout& layout, const HeldMask& seen, const HeldMask& held, Index row,
                      std::vector<double>& columns) {
  bool any = false;
  Index column = 0;
  for (const LayerId l : layout.ids(layout.observed()))
    for (Index u = 0; u < layout[l].size; ++u) {
      const bool free = holds_unit(seen, l, row, u) && !holds_unit(held, l, row, u);
      any |= free;
      for (Index k = 0; k < layout[l].unit->width(); ++k) columns[column++] += free ? 1.0 : 0.0;
    }
  return any;
}

/// Of the columns in these shares of the rows; nothing where one was whitened with the others.
std::optional<double> jacobian_of(const DataUnits& units, const std::vector<double>& shares) {
  for (Index c = 0; c < shares.size(); ++c)
    if (shares[c] > 0.0 && !units.column_alone(c)) return {};
  return units.log_jacobian(shares);
}

}  // namespace

ConditionalLikelihood::ConditionalLikelihood(const EvaluateRequest& request, const ModelHeader& header,
                                             const EnergyModel& model)
    : beta_(request.beta), model_(&model), free_(clamp_in_units(request.clamp, header, model.layout())) {
  for (const auto& [given, text] : free_)
    if (!text.ends_with("=free"))
      throw ConfigError(fmt::format(
          "--clamp {}: each row holds what it has. Name what is free, LAYER=free, LAYER[UNIT]=free or COLUMN=free: the "
          "figure is log p of that given the rest of the row. Log p of what is held is found without rows: name a "
          "model "
          "file, and leave --data out.",
          given));
  const Index columns = model.layout().columns(model.layout().observed());
  Table row{.rows = 1, .cols = columns, .values = std::vector<double>(columns, 0.0), .shape = {1, columns}};
  clamp_of(free_, Dataset(std::move(row), "a row"), model.layout());  // finds what is no unit before any work
}

std::optional<ConditionalLikelihood::Figures> ConditionalLikelihood::figures(const Dataset& data,
                                                                             const Execution& execution,
                                                                             std::string& why_not) const {
  const Layout& layout = model_->layout();
  const Clamp held = clamp_of(free_, data, layout);
  if (!offers_free_energy(*model_)) {
    why_not = "the model has no free energy of a single row.";
    return {};
  }
  double operations = 0.0;
  in_pieces(data.rows(), [&](Index first, Index count) {
    operations += operations_of_seen(*model_, seen_of(data, layout, first, count), count) +
                  operations_of_seen(*model_, held.mask(first, count, 1), count);
  });
  if (!(operations <= most_operations_of_sums)) {
    why_not = "what is free, or was not seen, has too many states to be summed over. Leave fewer units free.";
    return {};
  }
  Figures found{{}, std::vector<double>(data.cols(), 0.0)};
  double rows = 0.0;
  in_pieces(data.rows(), [&](Index first, Index count) {
    execution.executor.check_stop();
    const Chains x = rows_of(data, layout, first, count, 0);
    const HeldMask seen = seen_of(data, layout, first, count), kept = held.mask(first, count, 1);
    const std::vector<double> whole = free_energies_of_seen(*model_, x, seen, beta_, execution.executor),
                              rest = free_energies_of_seen(*model_, x, kept, beta_, execution.executor);
    for (Index r = 0; r < count; ++r) {
      const bool any = add_free_columns(layout, seen, kept, r, found.free_shares);
      found.of_rows.push_back(any ? rest[r] - whole[r] : std::numeric_limits<double>::quiet_NaN());
      if (any) ++rows;
    }
  });
  for (double& share : found.free_shares) share /= std::max(rows, 1.0);
  return found;
}

void ConditionalLikelihood::judge(const Dataset& data, const DataUnits& units, bool probability,
                                  const Execution& execution, Evaluation& result, RowTable& table) const {
  std::string why_not = "the data holds values between the units' states. Set data.binarize to make states of them.";
  const auto found = probability ? figures(data, execution, why_not) : std::nullopt;
  std::vector<double> known;
  if (found) std::ranges::copy_if(found->of_rows, std::back_inserter(known), [](double f) { return !std::isnan(f); });
  if (found && known.empty()) why_not = "nothing of what is free was seen in any row.";
  if (known.empty()) {
    result.reasons.emplace_back("log_conditional", why_not);
    return;
  }
  result.num_conditioned = known.size();
  result.log_conditional = mean_of_rows(known, execution.executor);
  result.log_conditional_error = error_over_rows(known);
  if (result.units != "data") result.log_conditional_jacobian = jacobian_of(units, found->free_shares);
  table.log_conditional = found->of_rows;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
