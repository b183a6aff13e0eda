#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/pictures/curves.hpp>
#include <harmonium/program/report/computed.hpp>
#include <harmonium/program/scratch_folder.hpp>

namespace harmonium {
inline namespace v1 {

/// Draws charts by gnuplot, each a piece of a page.
class Charts {
 public:
  /// False where there is no gnuplot: charts are then empty.
  bool can_draw() const { return gnuplot_.has_value(); }
  /// A panel a figure, with `whose` in front of its title in its description.
  std::vector<std::string> curves(const CurveFigure& figure, const std::string& whose);
  /// Of a coupling; singular values by rank, and where those of independent entries would end.
  std::string spectrum(const WeightSpectrum& spectrum);
  /// 95 % intervals of log Z, of both sides and of each alone.
  std::string intervals(const Evaluation& annealed);
  /// Mean energies of fresh chains along the way, with errors.
  std::string energies(const std::vector<DiagnosedAge>& ages);
  /// How far their second moments are from those of the data.
  std::string distances(const std::vector<DiagnosedAge>& ages);
  /// Shares of the cells along the leading modes, of data and of draws.
  std::string cells(const std::vector<double>& data, const std::vector<double>& draws);

 private:
  std::string draw(const std::string& script, FigureSize size, const std::string& description);

  std::optional<std::filesystem::path> gnuplot_ = find_gnuplot();
  std::optional<ScratchSpace> scratch_;
  int count_ = 0;
};

/// Which colors stand for which curves, as a list beside the panels.
std::string html_legend(const std::vector<std::string>& names);

}  // namespace v1
}  // namespace harmonium
