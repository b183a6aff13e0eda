#include <harmonium/program/paired_along.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/cli/columns.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/framework/execution/told_once.hpp>
#include <harmonium/program/evaluation_words.hpp>
#include <harmonium/program/work/betas.hpp>
#include <harmonium/program/work/each_temperature.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// "204.642723 ± 0.031"
std::string cell_of_estimate(const std::optional<double>& figure, const std::optional<Interval>& interval) {
  const auto half = half_width(figure, interval);
  return figure_words(figure) + (half ? fmt::format(" ± {:.2g}", *half) : "");
}

/// Differences that were found alike, and where.
struct FoundAlike {
  std::string words;                ///< empty where `draws` say it
  std::vector<DrawsBetween> draws;  ///< all enough, or none
  std::vector<std::string> where;
};

/// How the differences were found, a sentence for those that were found alike, with their temperatures where these are not all.
std::vector<std::string> ways_of_differences(const PairedAlong& all, ShownTemperature shown) {
  std::vector<FoundAlike> groups;
  for (const auto& [beta, found] : all) {
    if (found.how.empty()) continue;
    const auto alike = [&found = found](const FoundAlike& group) {
      return found.between ? !group.draws.empty() && group.draws.front().enough() == found.between->enough()
                           : group.words == found.how;
    };
    auto group = std::ranges::find_if(groups, alike);
    if (group == groups.end()) group = groups.insert(group, {found.between ? "" : found.how, {}, {}});
    if (found.between) group->draws.push_back(*found.between);
    group->where.push_back(fmt::format("{:.6g}", shown.value(beta)));
  }
  std::vector<std::string> lines;
  for (const FoundAlike& group : groups) {
    const std::string at =
        group.where.size() == all.size() ? "" : fmt::format("At {} = {}: ", shown.name(), fmt::join(group.where, ", "));
    lines.push_back(at + (group.draws.empty() ? group.words : words_on_draws(group.draws)));
  }
  return lines;
}

}  // namespace

PairedAlong evaluate_log_z_along(const EvaluateRequest& request, const std::string& other_model,
                                 const PairedNames& names) {
  PairedAlong all;
  ToldOnce once(request.display);
  at_each_temperature(request, read_betas(request.listed), once, [&](const EvaluateRequest& one) {
    all.emplace_back(one.beta, evaluate_log_z(one, other_model, {names.one, names.other, one.beta, one.beta}));
  });
  return all;
}

std::string paired_along_text(const PairedAlong& all, const PairedNames& names, ShownTemperature shown) {
  TableSection section{"", {}};
  std::vector<std::pair<std::string, std::string>> reasons;
  bool estimated = false;
  std::vector<std::string> advice;  // of the first temperature that has some
  for (const auto& [beta, found] : all) {
    const std::string place = fmt::format("{} = {:.6g}", shown.name(), shown.value(beta));
    const std::string interval =
        found.exact() ? ", exact" : interval_words(found.interval, found.difference.has_value());
    section.rows.push_back({place, cell_of_estimate(found.one, found.one_interval),
                            cell_of_estimate(found.other, found.other_interval), figure_words(found.difference),
                            "nats" + interval});
    estimated |= half_width(found.one, found.one_interval) || half_width(found.other, found.other_interval);
    if (advice.empty()) advice = advice_of(found, names);
    if (!found.one) reasons.emplace_back(place, fmt::format("{}: {}", names.one, found.why_not_one));
    if (!found.other) reasons.emplace_back(place, fmt::format("{}: {}", names.other, found.why_not_other));
  }
  return table_text({names.one, names.other, "difference"}, {section}, paired_table_width) + reasons_text(reasons) +
         remarks_text(ways_of_differences(all, shown)) + remarks_text(advice) + "\nEach is log Z" +
         (estimated ? ", ± reaching to the farther end of its 95 % interval" : "") +
         "; a difference of likelihoods is that of --data FILE, at one temperature.\n";
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
