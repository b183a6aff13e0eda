#include <harmonium/program/log_z_difference.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/program/precision.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

std::string why_no_log_z(const Evaluation& found) {
  const auto reason = std::ranges::find(found.reasons, "log_z", &std::pair<std::string, std::string>::first);
  return reason == found.reasons.end() ? std::string() : reason->second;
}

/// What an energy can be of that both models have; nothing where their states have too little in common.
std::optional<EnergyOf> common_energy(const CertifiedRows& one, const CertifiedRows& other) {
  if (one.sums_latent && other.sums_latent && one.observed() == other.observed()) return EnergyOf::observed;
  if (one.layers == other.layers) return EnergyOf::all;
  return {};
}

/// The energies of the draws of both models under both.
std::pair<DrawnEnergies, DrawnEnergies> energies_of_both(const EvaluateRequest& request, EnergyOf of,
                                                         const FoundOfModel& one, const FoundOfModel& other) {
  const CertifiedRows &a = *one.found.draws, &b = *other.found.draws;
  EnergiesRequest asked;
  static_cast<CommonRequest&>(asked) = static_cast<const CommonRequest&>(request);
  asked.of = of;
  asked.rows = {&a, &b};
  const auto under = [&](const FoundOfModel& law) {
    asked.model = law.model;
    asked.beta = law.beta;
    return program(precision_of_model(law.model)).energies_of_rows(asked);
  };
  auto under_one = under(one), under_other = under(other);
  return {{std::move(under_one[0]), std::move(under_other[0]), a.group, a.starts_apart},
          {std::move(under_other[1]), std::move(under_one[1]), b.group, b.starts_apart}};
}

/// Takes the ratio for the difference where draws overlap, and says which of the two it is.
void take_ratio(const RatioOfDraws& ratio, PairedLogZ& found) {
  found.between = {ratio.counting, ratio.enough(), ratio.draws};
  found.how = words_on_draws({*found.between});
  if (!ratio.overlap()) return;
  found.difference = ratio.log_ratio;
  found.interval = {ratio.low, ratio.high};
}

}  // namespace

PairedLogZ paired_log_z(const Evaluation& one, const Evaluation& other) {
  PairedLogZ found{.one = one.log_z, .other = other.log_z};
  found.advice_one = one.advice;
  found.advice_other = other.advice;
  if (one.log_z) found.one_interval = one.log_z_interval;
  else found.why_not_one = why_no_log_z(one);
  if (other.log_z) found.other_interval = other.log_z_interval;
  else found.why_not_other = why_no_log_z(other);
  if (!one.log_z || !other.log_z) return found;
  const double a = *one.log_z, b = *other.log_z;
  found.difference = a - b;
  // Of independent estimates (Zou & Donner 2008): a − b − √((a − a_low)² + (b_high − b)²) to a − b + √((a_high − a)² + (b − b_low)²).
  if (const auto& i = one.log_z_interval, &k = other.log_z_interval; i && k)
    found.interval = {a - b - std::hypot(a - i->low, k->high - b), a - b + std::hypot(i->high - a, b - k->low)};
  return found;
}

PairedLogZ compared_log_z(const EvaluateRequest& request, const FoundOfModel& one, const FoundOfModel& other) {
  PairedLogZ found = paired_log_z(one.found, other.found);
  if (!found.difference || !one.found.draws || !other.found.draws) return found;
  const std::optional<EnergyOf> of = common_energy(*one.found.draws, *other.found.draws);
  if (!of) {
    found.how =
        "The difference is that of two independent estimates: the layers of the two models are of other units or "
        "sizes, so that draws of the one are none that the other could have.";
    return found;
  }
  try {
    const auto [of_one, of_other] = energies_of_both(request, *of, one, other);
    take_ratio(program(precision_of_model(one.model)).ratio_of_draws(of_one, of_other), found);
  } catch (const NumericalError&) {
    found.how =
        "The difference is that of two independent estimates: a draw of the one model has no finite energy under the "
        "other.";
  }
  return found;
}

std::optional<double> half_width(const std::optional<double>& figure, const std::optional<Interval>& i) {
  if (!figure || !i || i->low == i->high || !std::isfinite(i->low) || !std::isfinite(i->high)) return {};
  return std::max(*figure - i->low, i->high - *figure);
}

}  // namespace v1
}  // namespace harmonium
