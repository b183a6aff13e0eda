#include <harmonium/program/work/conditional_likelihood.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/diagnostics/error_over_rows.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
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
Clamp clamp_of(const std::vector<std::string>& free, const Dataset& data, const Layout& layout) {
  std::vector<std::string> texts{"rows"};
  texts.insert(texts.end(), free.begin(), free.end());
  return Clamp(texts, layout, nullptr, [&](const std::string&) { return data; });
}

/// Calls `work(first, count)` for pieces of so many rows.
template <class Work>
void in_pieces(Index rows, const Work& work) {
  for (Index first = 0; first < rows; first += conditioned_at_once)
    work(first, std::min(conditioned_at_once, rows - first));
}

}  // namespace

ConditionalLikelihood::ConditionalLikelihood(const EvaluateRequest& request, const ModelHeader& header,
                                             const EnergyModel& model)
    : beta_(request.beta), model_(&model), free_(clamp_in_units(request.clamp, header, model.layout())) {
  for (const std::string& text : free_)
    if (!text.ends_with("=free"))
      throw ConfigError(fmt::format(
          "--clamp {}: each row holds what it has. Name what is free, LAYER=free, LAYER[UNIT]=free or COLUMN=free: the "
          "figure is log p of that given the rest of the row.",
          text));
  const Index columns = model.layout().columns(model.layout().observed());
  Table row{.rows = 1, .cols = columns, .values = std::vector<double>(columns, 0.0), .shape = {1, columns}};
  clamp_of(free_, Dataset(std::move(row), "a row"), model.layout());  // finds what is no unit before any work
}

std::optional<std::vector<double>> ConditionalLikelihood::of_rows(const Dataset& data, const Execution& execution,
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
  std::vector<double> figures;
  in_pieces(data.rows(), [&](Index first, Index count) {
    execution.executor.check_stop();
    const Chains x = rows_of(data, layout, first, count, 0);
    const std::vector<double> whole = free_energies_of_seen(*model_, x, seen_of(data, layout, first, count), beta_,
                                                            execution.executor),
                              rest = free_energies_of_seen(*model_, x, held.mask(first, count, 1), beta_,
                                                           execution.executor);
    for (Index r = 0; r < count; ++r) figures.push_back(rest[r] - whole[r]);
  });
  return figures;
}

void ConditionalLikelihood::judge(const Dataset& data, bool probability, const Execution& execution, Evaluation& result,
                                  RowTable& table) const {
  std::string why_not = "the data holds values between the units' states. Set data.binarize to make states of them.";
  const auto figures = probability ? of_rows(data, execution, why_not) : std::nullopt;
  if (!figures) {
    result.reasons.emplace_back("log_conditional", why_not);
    return;
  }
  result.log_conditional = mean_of_rows(*figures, execution.executor);
  result.log_conditional_error = error_over_rows(*figures);
  table.log_conditional = *figures;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
