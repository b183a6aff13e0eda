#include <harmonium/program/paired_along.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/cli/columns.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/framework/execution/part_of_work.hpp>
#include <harmonium/framework/execution/told_once.hpp>
#include <harmonium/program/evaluation_words.hpp>
#include <harmonium/program/work/betas.hpp>

namespace harmonium {
inline namespace v1 {

PairedAlong evaluate_log_z_along(const EvaluateRequest& request, const std::string& other_model,
                                 const PairedNames& names) {
  std::vector<double> betas = read_betas(request.listed);
  std::ranges::reverse(betas);
  PairedAlong all;
  const auto n = static_cast<double>(betas.size());
  ToldOnce once(request.display);
  for (const double beta : betas) {
    const auto done = static_cast<double>(all.size());
    PartOfWork part(&once, done / n, (done + 1.0) / n, fmt::format("beta = {:g}", beta));
    EvaluateRequest one = request;
    one.listed = {};
    one.beta = beta;
    one.num_betas = betas.size();
    if (request.display) one.display = &part;
    all.emplace_back(beta, evaluate_log_z(one, other_model, names));
  }
  return all;
}

std::string paired_along_text(const PairedAlong& all, const PairedNames& names, bool by_temperature) {
  TableSection section{"", {}};
  std::vector<std::pair<std::string, std::string>> reasons;
  for (const auto& [beta, found] : all) {
    const std::string place =
        fmt::format("{} = {:.6g}", by_temperature ? "T" : "beta", by_temperature ? 1.0 / beta : beta);
    const std::string interval =
        found.exact() ? ", exact" : interval_words(found.interval, found.difference.has_value());
    section.rows.push_back(
        {place, figure_words(found.one), figure_words(found.other), figure_words(found.difference), "nats" + interval});
    if (!found.one) reasons.emplace_back(place, fmt::format("{}: {}", names.one, found.why_not_one));
    if (!found.other) reasons.emplace_back(place, fmt::format("{}: {}", names.other, found.why_not_other));
  }
  return table_text({names.one, names.other, "difference"}, {section}, paired_table_width) + reasons_text(reasons) +
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
