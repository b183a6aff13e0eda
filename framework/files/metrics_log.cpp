#include <harmonium/framework/files/metrics_log.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/regular_file.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

using Entries = std::vector<std::pair<std::string_view, double>>;

/// {"name":number,…} without spaces, as a run writes it; nothing where the line is no such object.
std::optional<Entries> entries_of(std::string_view line) {
  Entries entries;
  if (line.size() < 2 || line.front() != '{' || line.back() != '}') return {};
  for (line = line.substr(1, line.size() - 2); !line.empty();) {
    const std::size_t end = line.find("\":");
    if (line.front() != '"' || end == std::string_view::npos || end < 2) return {};
    double value = 0.0;
    const auto [rest, error] = std::from_chars(line.data() + end + 2, line.data() + line.size(), value);
    if (error != std::errc{} || !std::isfinite(value)) return {};
    entries.emplace_back(line.substr(1, end - 1), value);
    line.remove_prefix(static_cast<std::size_t>(rest - line.data()));
    if (line.empty()) break;
    if (line.front() != ',' || line.size() < 2) return {};
    line.remove_prefix(1);
  }
  return entries;
}

bool counts(double value) { return value >= 1.0 && value < 9007199254740992.0 && value == std::floor(value); }

bool at_a_point(const Entries& entries) {
  return entries.size() >= 2 && entries[0].first == "epoch" && entries[1].first == "update" &&
         counts(entries[0].second) && counts(entries[1].second);
}

/// Whether epoch and update are those of the line before: of the last line, which judges the run's last model.
bool repeats_point(const Entries& entries, const MetricsLog& log) {
  return entries[0].second == static_cast<double>(log.epochs) && entries[1].second == static_cast<double>(log.updates);
}

/// Whether both are after those of the line before.
bool passes_point(const Entries& entries, const MetricsLog& log) {
  return entries[0].second > static_cast<double>(log.epochs) && entries[1].second > static_cast<double>(log.updates);
}

}  // namespace

const MetricSeries* MetricsLog::find(std::string_view name) const {
  const auto found = std::ranges::find(series, name, &MetricSeries::name);
  return found == series.end() ? nullptr : &*found;
}

MetricsLog read_metrics_log(const std::filesystem::path& path) {
  const RegularFile readable(path);
  std::ifstream file(path);
  MetricsLog log;
  std::unordered_map<std::string, std::size_t> places;
  std::size_t number = 0;
  bool judged = false;
  for (std::string line; std::getline(file, line) && !file.eof();) {  // a line cut short has no end
    ++number;
    const std::optional<Entries> entries = entries_of(line);
    if (!entries || !at_a_point(*entries) || judged || !(passes_point(*entries, log) || repeats_point(*entries, log)))
      throw DataError(
          fmt::format("{}:{}: this is no line that a run writes after the one before it. Put the log back "
                      "as it was, or repeat the run.",
                      path.string(), number));
    judged = repeats_point(*entries, log);
    log.epochs = static_cast<std::uint64_t>((*entries)[0].second);
    log.updates = static_cast<std::uint64_t>((*entries)[1].second);
    for (std::size_t i = 2; i < entries->size(); ++i) {
      const auto& [name, value] = (*entries)[i];
      const auto [place, is_new] = places.try_emplace(std::string(name), log.series.size());
      if (is_new) log.series.push_back({std::string(name), {}, {}});
      MetricSeries& series = log.series[place->second];
      const auto epoch = static_cast<double>(log.epochs);
      if (!series.epochs.empty() && series.epochs.back() == epoch) series.values.back() = value;  // twice: the last
      else series.epochs.push_back(epoch), series.values.push_back(value);
    }
  }
  if (file.bad()) throw FileError(fmt::format("cannot read {}", path.string()));
  return log;
}

}  // namespace v1
}  // namespace harmonium
