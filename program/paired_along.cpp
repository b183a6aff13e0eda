#include <harmonium/program/paired_along.hpp>

#include <fmt/format.h>

#include <harmonium/cli/columns.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/framework/execution/told_once.hpp>
#include <harmonium/program/evaluation_words.hpp>
#include <harmonium/program/work/betas.hpp>
#include <harmonium/program/work/each_temperature.hpp>

namespace harmonium {
inline namespace v1 {

PairedAlong evaluate_log_z_along(const EvaluateRequest& request, const std::string& other_model,
                                 const PairedNames& names) {
  PairedAlong all;
  ToldOnce once(request.display);
  at_each_temperature(request, read_betas(request.listed), once, [&](const EvaluateRequest& one) {
    all.emplace_back(one.beta, evaluate_log_z(one, other_model, names));
  });
  return all;
}

std::string paired_along_text(const PairedAlong& all, const PairedNames& names, ShownTemperature shown) {
  TableSection section{"", {}};
  std::vector<std::pair<std::string, std::string>> reasons;
  std::vector<std::string> advice;  // of the first temperature that has some
  for (const auto& [beta, found] : all) {
    const std::string place = fmt::format("{} = {:.6g}", shown.name(), shown.value(beta));
    const std::string interval =
        found.exact() ? ", exact" : interval_words(found.interval, found.difference.has_value());
    section.rows.push_back(
        {place, figure_words(found.one), figure_words(found.other), figure_words(found.difference), "nats" + interval});
    if (advice.empty()) advice = advice_of(found, names);
    if (!found.one) reasons.emplace_back(place, fmt::format("{}: {}", names.one, found.why_not_one));
    if (!found.other) reasons.emplace_back(place, fmt::format("{}: {}", names.other, found.why_not_other));
  }
  return table_text({names.one, names.other, "difference"}, {section}, paired_table_width) + reasons_text(reasons) +
         remarks_text(advice) +
         "\nEach is log Z; a difference of likelihoods is that of --data FILE, at one temperature.\n";
}

std::string paired_along_json(const PairedAlong& all, const PairedNames& names) {
  std::string text;
  for (const auto& [beta, found] : all)
    text += fmt::format("{}{{\"beta\": {}, \"log_z\": {}}}", text.empty() ? "" : ",\n", json_number(beta),
                        log_z_object(found));
  return fmt::format("{{\"model\": {}, \"against\": {}, \"temperatures\": [{}]}}\n", json_string(names.one),
                     json_string(names.other), text);
}

}  // namespace v1
}  // namespace harmonium
