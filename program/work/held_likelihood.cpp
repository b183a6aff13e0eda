#include <harmonium/program/work/held_likelihood.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/elimination.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/rows_with_holes.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>
#include <harmonium/program/work/clamp.hpp>
#include <harmonium/program/work/clamp_words.hpp>
#include <harmonium/program/work/composed_figures.hpp>
#include <harmonium/program/work/evaluation_reasons.hpp>
#include <harmonium/program/work/row_kinds.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr double most_bits_of_tables = 24.0, most_bits_of_work = 30.0;  // of an elimination: a minute

[[noreturn]] void refuse_clamp(const std::string& text, const char* why) {
  throw ConfigError(fmt::format("--clamp {}: {}", text, why));
}

/// What is held of the one state, in the model's units.
HeldState one_state(const EvaluateRequest& request, const ModelHeader& header, const Layout& layout,
                    const DataUnits& units) {
  const std::vector<ClampEntry> entries = clamp_in_units(request.clamp, header, layout);
  for (const auto& [given, text] : entries) {
    if (!file_of_clamp(text).empty())
      refuse_clamp(text,
                   "without --data it holds units, and names no rows. Of rows of a file whose entries are nan where "
                   "they are free, log_likelihood is log p of the others: --data FILE:missing=nan.");
    if (text.ends_with("=free")) throw ConfigError("--clamp: it is about rows, and none are named. Add --data FILE.");
    if (text.ends_with("=each"))
      refuse_clamp(text, "log p is of units that are held in one state. Write LAYER=VALUE or LAYER[UNIT]=VALUE.");
  }
  const Clamp clamp(entries, layout, &units, {});
  HeldState held{Chains(layout, 1), clamp.mask(0, 1, 1)};
  clamp.write(held.state, 0, 1);
  return held;
}

/// 1 of each column of observed units that is held, else 0. Throws ConfigError where another unit is.
std::vector<double> held_columns_of(const HeldState& held, const Layout& layout) {
  std::vector<double> columns;
  for (const LayerId l : layout.ids()) {
    if (layout[l].role == Role::latent) {
      if (held.units.holds(l) || !held.units.units(l, 0, 1).empty())
        throw ConfigError(
            fmt::format("--clamp {}: latent units are summed over, and log p is of observed ones. Hold these, or see "
                        "'harmonium observe --clamp'.",
                        layout[l].name));
      continue;
    }
    for (Index u = 0; u < layout[l].size; ++u)
      columns.insert(columns.end(), layout[l].unit->width(), held.holds(l, u) ? 1.0 : 0.0);
  }
  return columns;
}

}  // namespace

HeldLikelihood::HeldLikelihood(const EvaluateRequest& request, const ModelHeader& header, const EnergyModel& model)
    : beta_(request.beta),
      log_z_(request.log_z),
      model_(&model),
      units_(data_units_of(request.model, header, model.layout())) {
  held_ = one_state(request, header, model.layout(), units_);
  columns_ = held_columns_of(held_, model.layout());
}

std::optional<LogPartitionEstimate> HeldLikelihood::by_elimination(const Execution& execution) const {
  if (stacked_machines(*model_)) return {};  // whose law is none of one energy
  try {
    const Elimination elimination(*model_, most_bits_of_tables, &held_);
    if (elimination.order().log2_work > most_bits_of_work) return {};
    return LogPartitionEstimate::of_exact(elimination.log_sum(beta_, execution.executor, execution.display),
                                          "exact, by elimination");
  } catch (const CapabilityError&) {
    return {};
  }
}

std::optional<LogPartitionEstimate> HeldLikelihood::estimate(const LogZWay& way, const Execution& execution,
                                                             std::string& why_not) const {
  if (offers_free_energy(*model_) && operations_of_seen(*model_, held_.units, 1) <= most_operations_of_sums) {
    const double energy = free_energies_of_seen(*model_, held_.state, held_.units, beta_, execution.executor)[0];
    return LogPartitionEstimate::of_exact(-energy, "exact");
  }
  const char* const exact_ways[] = {"", "auto", "none", "exact", "variable_elimination"};
  if (std::ranges::find(exact_ways, log_z_) != std::end(exact_ways))
    if (auto found = by_elimination(execution)) return found;
  auto found = way.estimate_mean(*model_, beta_, held_.state, held_.units, execution.part("rows"), why_not);
  if (found) found->shift(log_base(model_->layout(), held_.state, &held_.units)[0]);
  return found;
}

void HeldLikelihood::judge(const LogZWay& way, const Execution& execution, Evaluation& result) const {
  HeldFigures& figures = result.held.emplace();
  std::string why_not;
  const TakenTime time;
  const auto found = estimate(way, execution, why_not);
  if (found) {
    add_advice(way.advice_on_rows(*found, time.of(execution.random.seed)), result);
    figures.log_z_interval = {found->low, found->high};
    if (found->agree && std::isfinite(found->log_z)) figures.log_z = found->log_z;
    else why_not = found->agree ? "it is no finite number." : disagreement(*found, 1.0);
    if (result.agree) result.agree = *result.agree && found->agree;
    if (!found->agree) result.why += (result.why.empty() ? "" : "; ") + found->why;
  }
  if (figures.log_z && result.log_z) figures.log_p = *figures.log_z - *result.log_z;
  if (found && result.log_z_interval)
    figures.log_p_interval = {found->low - result.log_z_interval->high, found->high - result.log_z_interval->low};
  if (!figures.log_z) result.reasons.emplace_back("log_z_held", why_not);
  if (!figures.log_p)
    result.reasons.emplace_back(
        "log_p_held", fmt::format("it takes {}, which is absent too.", figures.log_z ? "log_z" : "log_z_held"));
  if (result.units != "data") result.log_jacobian = units_.log_jacobian(columns_);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
