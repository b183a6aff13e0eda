#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/program/compared_figures.hpp>

namespace harmonium {
inline namespace v1 {

/// The epochs after which a figure was last taken in several runs.
struct FigureEpochs {
  double first = 0.0, last = 0.0;
};
/// Whether a run went on after it had taken its last value of a figure.
bool taken_earlier(const ComparedFigure& figure, const ComparedRun& run, std::size_t place);
/// Of the runs at `places`, which have the figure; nothing where each took it after its own last epoch.
std::optional<FigureEpochs> earlier_epochs(const ComparedFigure& figure, const std::vector<ComparedRun>& runs,
                                           const std::vector<std::size_t>& places);
/// " at 165", " at 100 to 165"; empty where there are none.
std::string epochs_words(const std::optional<FigureEpochs>& epochs);

}  // namespace v1
}  // namespace harmonium
