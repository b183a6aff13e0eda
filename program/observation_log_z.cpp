#include <harmonium/program/observation_log_z.hpp>

#include <algorithm>
#include <optional>
#include <vector>

#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

#include <harmonium/cli/text.hpp>
#include <harmonium/framework/diagnostics/number_with_error.hpp>
#include <harmonium/program/observation_table.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

std::string cell(const Observation& found, const std::optional<ObservedLogZ>& ratio) {
  if (!ratio) return "- ";
  if (found.num_states) return fmt::format("{:.8g} ", ratio->value + 0.0);
  return NumberWithError{ratio->value, ratio->error}.text() + (ratio->long_enough ? " " : "?");
}

std::string member(const std::optional<ObservedLogZ>& ratio) {
  if (!ratio) return "null";
  return fmt::format("{{\"value\": {}, \"error\": {}, \"low\": {}, \"high\": {}, \"long_enough\": {}}}",
                     json_number(ratio->value), json_number(ratio->error), json_number(ratio->low),
                     json_number(ratio->high), ratio->long_enough);
}

}  // namespace

std::string log_z_text(const Observation& found) {
  const auto& all = found.temperatures;
  if (all.size() < 2) return "";
  if (std::ranges::none_of(all, [](const ObservedTemperature& t) { return t.log_z_from_hotter.has_value(); }))
    return found.num_states ? "" : "no differences of log Z: the energies of neighboring temperatures do not overlap\n";
  std::vector<std::vector<std::string>> rows{
      {found.shown.name(), fmt::format("from {} = {:.6g} ", found.shown.name(), found.shown.value(all.front().beta)),
       "from the line before "}};
  for (const ObservedTemperature& t : all)
    if (&t != &all.front())
      rows.push_back({fmt::format("{:.6g}", found.shown.value(t.beta)), cell(found, t.log_z_from_hottest),
                      cell(found, t.log_z_from_hotter)});
  std::string errors;
  if (!found.num_states) {
    constexpr double level = 0.975;  // 95 % between both sides
    const boost::math::students_t law(static_cast<double>(std::max<std::uint64_t>(found.num_chains, 2) - 1));
    errors =
        fmt::format("errors from the scatter of {} chains: 95 % is {:.2f} of them (low, high of observables.csv)\n\n",
                    found.num_chains, boost::math::quantile(law, level));
  }
  return fmt::format("\nlog Z in nats beyond that at a hotter temperature{}:\n",
                     found.num_states ? "" : ", by the energies at all of them") +
         aligned(rows) + errors;
}

std::string log_z_json(const ObservedTemperature& t) {
  return fmt::format("\"log_z_from_hottest\": {}, \"log_z_from_hotter\": {}", member(t.log_z_from_hottest),
                     member(t.log_z_from_hotter));
}

}  // namespace v1
}  // namespace harmonium
