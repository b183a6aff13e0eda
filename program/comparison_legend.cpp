#include <harmonium/program/comparison_legend.hpp>

#include <fmt/format.h>

#include <harmonium/program/compare_text.hpp>
#include <harmonium/program/seed_means.hpp>
#include <harmonium/program/setting_words.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr std::size_t longest_legend = 105;

std::string cut_to_legend(const std::string& text) {
  return text.size() <= longest_legend ? text : text.substr(0, longest_legend - 3) + "...";
}

/// A line for each run: its name and the settings in which it differs.
std::vector<std::string> legend_by_run(const std::vector<ComparedRun>& runs,
                                       const std::vector<DifferingSetting>& settings) {
  std::vector<std::string> paths, legend;
  std::vector<std::vector<std::string>> texts;
  for (const DifferingSetting& setting : settings) {
    paths.push_back(setting.path);
    texts.push_back(setting_texts(setting));
  }
  const std::vector<std::string> words = last_words_of(paths);
  for (std::size_t r = 0; r < runs.size(); ++r) {
    std::string text = runs[r].name;
    for (std::size_t k = 0; k < settings.size(); ++k)
      text += fmt::format("{}{} = {}", k == 0 ? ": " : ", ", words[k], texts[k][r]);
    legend.push_back(cut_to_legend(text));
  }
  return legend;
}

}  // namespace

std::vector<std::string> legend_by_setting(const std::vector<ComparedRun>& runs,
                                           const std::vector<DifferingSetting>& settings) {
  std::vector<std::string> legend = legend_by_run(runs, settings);
  const std::optional<SeedMeans> means = means_over_seeds(runs, settings);
  if (!means) return legend;
  for (const SeedMeans::Group& group : means->groups) {
    if (group.members.size() < 2) continue;
    const std::string title = means->groups.size() < 2 ? "" : fmt::format("{}: {}, ", group.number, group.whole_name);
    const std::string text = cut_to_legend(fmt::format("{}{} seeds", title, group.members.size()));
    for (const ComparedRun* run : group.members) legend[static_cast<std::size_t>(run - runs.data())] = text;
  }
  return legend;
}

}  // namespace v1
}  // namespace harmonium
