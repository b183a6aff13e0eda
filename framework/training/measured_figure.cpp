#include <harmonium/framework/training/measured_figure.hpp>

#include <algorithm>

namespace harmonium {
inline namespace HARMONIUM_ABI {

FigureSource::~FigureSource() = default;

std::vector<MeasuredFigure> figures_of(const NamedObservers& observers, const RunOutline& run) {
  std::vector<MeasuredFigure> all;
  const auto taken = [&](const std::string& figure, std::size_t known) {
    return std::any_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(known),
                       [&](const MeasuredFigure& other) { return other.name == figure; });
  };
  for (const auto& [name, observer] : observers) {
    const auto* source = dynamic_cast<const FigureSource*>(observer.get());
    if (!source) continue;
    const std::size_t known = all.size();
    for (MeasuredFigure figure : source->figures(run)) {  // two of one type: the second under its own name
      if (taken(figure.name, known)) figure.name = name + "." + figure.name;
      if (!figure.error.empty() && taken(figure.error, known)) figure.error = name + "." + figure.error;
      all.push_back(std::move(figure));
    }
  }
  return all;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
