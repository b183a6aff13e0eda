#include <harmonium/program/work/watched_figures.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include <harmonium/framework/core/function_ref.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

using WatchedNames = std::vector<std::string>;

constexpr const char* training_itself = "gradient_norm";  // what can be measured where no rows can

bool has_name(const WatchedNames& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// Figures of rows by interest, those that a run goes by apart.
WatchedNames names_by_interest() {
  WatchedNames names;
  for (const char* rows : {"validation_", ""})
    for (const char* figure : {"log_likelihood", "pseudo_log_likelihood", "loss", "accuracy", "reconstruction_error"})
      names.push_back(rows + std::string(figure));
  return names;
}

WatchedNames followed_names(const TrainingOptions& options) {
  WatchedNames names;
  for (const FollowOptions* follow : {&options.stop_early.follow, &options.keep_best.follow})
    if (follow->metric && !has_name(names, *follow->metric)) names.push_back(*follow->metric);
  return names;
}

/// The figure of training rows that says beside one of validation rows whether the former are learned by heart.
std::string same_of_training(const std::string& name) {
  return name.substr(name.starts_with("validation_") ? std::string_view("validation_").size() : 0);
}

/// Where classes are told, how many are told right says more than a likelihood: of validation rows, where there are such. It
/// stands at `place`, unless it is measured more rarely than `often`.
void put_accuracy_forward(WatchedNames& names, std::ptrdiff_t place, std::uint64_t often,
                          FunctionRef<std::uint64_t(const std::string&)> every) {
  for (const char* name : {"validation_accuracy", "accuracy"}) {
    if (every(name) == 0) continue;
    const auto shown = std::ranges::find(names, name);
    const auto to = every(name) > often ? names.end() : names.begin() + place;
    if (shown == names.end()) names.insert(to, name);
    else if (to < shown) std::rotate(to, shown, shown + 1);
    return;
  }
}

}  // namespace

WatchedFigures::WatchedFigures(const TrainingOptions& options, const std::vector<MeasuredFigure>& measured,
                               std::uint64_t epochs) {
  // Epochs between two values; 0: it is not measured in this run.
  const auto every = [&](const std::string& name) -> std::uint64_t {
    const auto found = std::ranges::find(measured, name, &MeasuredFigure::name);
    return found == measured.end() || found->every > epochs ? 0 : found->every;
  };
  WatchedNames ranked = names_by_interest();
  std::erase_if(ranked, [&](const std::string& name) { return every(name) == 0; });
  std::uint64_t often = 0;
  for (const std::string& name : ranked) often = often == 0 ? every(name) : std::min(often, every(name));
  const WatchedNames followed = followed_names(options);
  WatchedNames candidates = followed;
  for (const std::string& name : ranked)
    if (every(name) == often && !has_name(candidates, name)) candidates.push_back(name);
  if (!candidates.empty()) {
    names_.push_back(candidates[0]);
    const std::string beside = same_of_training(candidates[0]);
    if (beside != candidates[0] && every(beside) > 0) names_.push_back(beside);
    else if (candidates.size() > 1) names_.push_back(candidates[1]);
  }

  WatchedNames others = ranked;
  others.emplace_back(training_itself);
  const bool moves = std::ranges::any_of(names_, [&](const std::string& name) { return every(name) == 1; });
  const auto end = !moves ? others.end() : followed.empty() ? std::ranges::find(others, names_[0]) : others.begin();
  const auto third = std::find_if(others.begin(), end, [&](const std::string& name) {
    return !has_name(names_, name) && (moves || every(name) == 1);
  });
  if (third != end) names_.push_back(*third);
  put_accuracy_forward(names_, followed.empty() ? 0 : 1, often, every);
  for (const std::string& name : names_) every_.push_back(every(name));
  last_.resize(names_.size());
}

void WatchedFigures::take(std::uint64_t epoch, const MetricRecord& record) {
  epoch_ = epoch;
  for (std::size_t k = 0; k < names_.size(); ++k)
    if (const auto value = value_of(record, names_[k]))
      last_[k] = {epoch, *value, value_of(record, names_[k] + "_error")};
}

void WatchedFigures::take_up(const MetricsLog& log) {
  epoch_ = log.epochs;
  for (std::size_t k = 0; k < names_.size(); ++k) {
    const MetricSeries* series = log.find(names_[k]);
    if (!series) continue;
    const MetricSeries* errors = log.find(names_[k] + "_error");
    const double epoch = series->epochs.back();
    last_[k] = {static_cast<std::uint64_t>(epoch), series->values.back(),
                errors && errors->epochs.back() == epoch ? std::optional(errors->values.back()) : std::nullopt};
  }
}

std::string WatchedFigures::why_none(std::size_t figure) const {
  if (every_[figure] == 0) return "not measured in this run";
  if (epoch_ < every_[figure]) return fmt::format("first at epoch {}", every_[figure]);
  return "without a value so far";  // as log Z that is not agreed on
}

std::string WatchedFigures::words(std::size_t figure, Errors errors) const {
  constexpr double small = 0.002;  // of the value: then its digits say about as much
  const std::optional<Last>& last = last_[figure];
  if (!last) return fmt::format("{} - ({})", names_[figure], why_none(figure));
  std::string text = fmt::format("{} {:.5g}", names_[figure], last->value);
  if (errors == Errors::shown && last->error && *last->error > small * std::abs(last->value))
    text += fmt::format(" +- {:.2g}", *last->error);
  if (last->epoch != epoch_) text += fmt::format(" (of epoch {})", last->epoch);
  return text;
}

std::vector<std::string> WatchedFigures::known() const {
  std::vector<std::string> words_of;
  for (std::size_t k = 0; k < names_.size(); ++k)
    if (last_[k]) words_of.push_back(words(k, Errors::left_out));
  return words_of;
}

std::vector<std::string> WatchedFigures::all() const {
  std::vector<std::string> words_of;
  for (std::size_t k = 0; k < names_.size(); ++k) words_of.push_back(words(k, Errors::shown));
  return words_of;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
