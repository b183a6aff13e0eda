#include <harmonium/program/work/watched_figures.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace harmonium {
inline namespace HARMONIUM_ABI {

WatchedFigures::WatchedFigures(const TrainingOptions& options) {
  for (const FollowOptions* follow : {&options.stop_early.follow, &options.keep_best.follow})
    if (follow->metric) followed_.push_back(*follow->metric);
  ranked_ = followed_;
  for (const char* rows : {"validation_", ""})
    for (const char* figure : {"log_likelihood", "pseudo_log_likelihood", "loss", "accuracy", "reconstruction_error"})
      ranked_.push_back(rows + std::string(figure));
}

void WatchedFigures::take(const MetricRecord& record) {
  for (const std::string& name : followed_)
    if (const auto value = value_of(record, name)) {
      std::erase_if(last_, [&](const auto& entry) { return entry.first == name; });
      last_.emplace_back(name, *value);
    }
  MetricRecord found;
  for (const std::string& name : ranked_) {
    const auto now = value_of(record, name), value = now ? now : value_of(last_, name);
    if (value && !value_of(found, name)) found.emplace_back(name, *value);
  }
  // Where no rows can be measured, what training itself does.
  const bool nothing_yet = words_.empty() || words_[0].starts_with("gradient_norm");
  if (const auto norm = value_of(record, "gradient_norm"); norm && found.empty() && nothing_yet)
    found.emplace_back("gradient_norm", *norm);
  if (found.empty()) return;
  // Beside a figure of validation rows the same of training rows says whether these are learned by heart.
  const std::string first = found[0].first, same = first.substr(first.starts_with("validation_") ? 11 : 0);
  const auto beside = std::find_if(found.begin() + 1, found.end(), [&](const auto& f) { return f.first == same; });
  if (beside != found.end()) std::rotate(found.begin() + 1, beside, beside + 1);
  found.resize(std::min<std::size_t>(found.size(), 2));
  words_.clear();
  for (const auto& [name, value] : found) words_.push_back(fmt::format("{} {:.5g}", name, value));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
