#include <harmonium/program/figure_epochs.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace harmonium {
inline namespace v1 {

bool taken_earlier(const ComparedFigure& figure, const ComparedRun& run, std::size_t place) {
  const std::optional<FinalFigure>& own = figure.of_runs[place];
  return own && own->last.epoch != static_cast<double>(run.log.epochs);
}

std::optional<FigureEpochs> earlier_epochs(const ComparedFigure& figure, const std::vector<ComparedRun>& runs,
                                           const std::vector<std::size_t>& places) {
  std::optional<FigureEpochs> epochs;
  bool earlier = false;
  for (const std::size_t place : places) {
    const double epoch = figure.of_runs[place]->last.epoch;
    if (!epochs) epochs = FigureEpochs{epoch, epoch};
    epochs->first = std::min(epochs->first, epoch), epochs->last = std::max(epochs->last, epoch);
    earlier |= taken_earlier(figure, runs[place], place);
  }
  return earlier ? epochs : std::nullopt;
}

std::string epochs_words(const std::optional<FigureEpochs>& epochs) {
  if (!epochs) return "";
  return epochs->first == epochs->last ? fmt::format(" at {}", epochs->first)
                                       : fmt::format(" at {} to {}", epochs->first, epochs->last);
}

}  // namespace v1
}  // namespace harmonium
