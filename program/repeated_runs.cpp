#include <harmonium/program/repeated_runs.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace harmonium {
inline namespace v1 {
namespace {

bool have_other_values(const std::vector<ComparedFigure>& figures, std::size_t run, std::size_t other) {
  constexpr double by_rounding = 1e-9;
  return std::ranges::any_of(figures, [&](const ComparedFigure& figure) {
    const auto &a = figure.of_runs[run], &b = figure.of_runs[other];
    if (!a || !b || !std::isfinite(a->last.value) || !std::isfinite(b->last.value)) return false;
    return a->last.epoch != b->last.epoch ||
           std::abs(a->last.value - b->last.value) > by_rounding * std::abs(b->last.value);
  });
}

}  // namespace

std::vector<std::size_t> counted_runs(const std::vector<ComparedRun>& runs, const std::vector<std::size_t>& groups,
                                      const DifferingSetting& seeds) {
  const auto same_seed = [&](std::size_t a, std::size_t b) {
    const Value *one = seeds.values[a], *other = seeds.values[b];
    return !one == !other && (!one || *one == *other);
  };
  const auto finished = [&](std::size_t r) { return runs[r].state == ComparedRun::State::finished; };
  std::vector<std::size_t> counted;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    std::size_t first = r;
    for (std::size_t other = 0; other < runs.size(); ++other) {
      if (groups[other] != groups[r] || !same_seed(other, r)) continue;
      const bool earlier = other < first;
      if (finished(other) == finished(first) ? earlier : finished(other)) first = other;
    }
    counted.push_back(first);
  }
  return counted;
}

RepeatedRun repeated_run(const std::vector<ComparedRun>& runs, std::size_t run, std::size_t counted,
                         const std::vector<ComparedFigure>& figures) {
  // What a run that goes on has measured is of an earlier epoch.
  const bool over = runs[run].state == ComparedRun::State::finished;
  return {runs[run].name, runs[counted].name, over && have_other_values(figures, run, counted)};
}

std::vector<std::string> words_on_repeats(const std::vector<RepeatedRun>& repeats) {
  constexpr std::size_t most_named = 2;
  std::vector<std::string> lines;
  if (repeats.size() <= most_named) {
    for (const RepeatedRun& r : repeats)
      lines.push_back(fmt::format("{} repeats {}{} and is not counted again.", r.name, r.of,
                                  r.other_figures ? ", though with other figures," : ""));
    return lines;
  }
  const auto others = std::ranges::count_if(repeats, &RepeatedRun::other_figures);
  std::string line = fmt::format(
      "{} runs repeat others, by configuration and seed, and are not counted again, such as {}, which repeats {}",
      repeats.size(), repeats[0].name, repeats[0].of);
  if (others > 0) {
    const RepeatedRun& one = *std::ranges::find_if(repeats, &RepeatedRun::other_figures);
    line += fmt::format("; {} of them with other figures, such as {}, which repeats {}", others, one.name, one.of);
  }
  lines.push_back(line + ".");
  return lines;
}

}  // namespace v1
}  // namespace harmonium
