#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <harmonium/framework/training/observer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Which way a figure is better; `automatic`: as the figure itself is known to be.
enum class Goal : std::uint8_t { automatic, greater, less };

/// A figure of metrics.jsonl, as it is known before the run.
struct MeasuredFigure {
  std::string name;
  Goal goal = Goal::automatic;  ///< automatic: neither way is better as such
  Index every = 1;              ///< epochs between two values
  std::string error = {};       ///< the figure beside it that holds its standard error; empty: it has none
};

/// Of an observer that knows before the run which figures it will add to the record; others cannot be followed.
class FigureSource {
 public:
  virtual ~FigureSource();
  /// Called after Observer::begin with the same outline.
  virtual std::vector<MeasuredFigure> figures(const RunOutline& run) const = 0;
};

using NamedObservers = std::vector<std::pair<std::string, std::unique_ptr<Observer>>>;

/// The figures of a run's observers, under the names that they have in its record.
std::vector<MeasuredFigure> figures_of(const NamedObservers& observers, const RunOutline& run);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
