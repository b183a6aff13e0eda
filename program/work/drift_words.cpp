#include <harmonium/program/work/drift_words.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// "-43.6" and "-7.6 ± 0.3": digits as of a standard error of two digits; without one, six of the number.
int decimals(double error) { return std::clamp(1 - static_cast<int>(std::floor(std::log10(error))), 0, 12); }

std::string number(double value, double error) {
  return error > 0.0 ? fmt::format("{:.{}f}", value, decimals(error)) : fmt::format("{:.6g}", value);
}

std::string words_of_energy(const EnergyDrift& drift, const SampleRequest& request) {
  const EnergyDrift::Look change = drift.change();
  return fmt::format(
      "The energy of the rows still moves: mean {} after {} steps, {} after {}, a change of {} ± {} of the same "
      "chains.",
      number(drift.before().mean, change.error), request.steps / 2, number(drift.after().mean, change.error),
      request.steps, number(change.mean, change.error), number(change.error, change.error));
}

/// Of all columns at once, whose units are not those of the couplings.
std::string words_of_column(const ColumnDrift::Move& move, const std::string& name, const SampleRequest& request) {
  return fmt::format(
      "The mean of column '{}' still {}: by {:.2g} standard errors of the change of the same chains, between {} and {} "
      "steps.",
      name, move.ratio > 0.0 ? "rises" : "falls", std::abs(move.ratio), request.steps / 2, request.steps);
}

std::string advice(const SampleRequest& request) {
  std::vector<std::string> others;
  for (const char* other : {"parallel_tempering", "gibbs"})
    if (request.sampler != other) others.emplace_back(other);
  const bool tempers = request.sampler.find("temper") != std::string::npos;  // nothing else goes faster, as a rule
  const std::string or_other = tempers ? "" : fmt::format(" or another --sampler ({})", fmt::join(others, ", "));
  // What diagnose looks at has nothing held.
  const std::string how_many =
      request.clamp.empty()
          ? fmt::format(" 'harmonium diagnose {} --sampler {}{}' tells how many.", request.model, request.sampler,
                        request.beta == 1.0 ? "" : fmt::format(" --beta {:g}", request.beta))
          : "";
  return fmt::format(" They do not follow the model's law yet: give more --steps{}.{}", or_other, how_many);
}

}  // namespace

std::optional<std::string> drift_words(const EnergyDrift& drift, const ColumnDrift& columns,
                                       const SampleRequest& request, FunctionRef<std::string(Index column)> name_of) {
  if (drift.moves()) return words_of_energy(drift, request) + advice(request);
  if (const auto move = columns.move()) return words_of_column(*move, name_of(move->column), request) + advice(request);
  return {};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
