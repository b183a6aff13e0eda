#pragma once

#include <string>
#include <vector>

#include <harmonium/studies/cd_bias/run.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What Bengio & Delalleau (2009) say in words about one of their figures, and what these runs say.
struct CdBiasClaim {
  enum class Verdict : std::uint8_t { holds, fails, open };  ///< open: these runs cannot tell
  int figure = 0;
  std::string claim, found;
  Verdict verdict = Verdict::open;
};
std::vector<CdBiasClaim> cd_bias_claims(const CdBiasOptions& options, const std::vector<CdBiasRun>& runs);

/// A figure: its number, its name without ending, its caption, and what gnuplot draws it from.
struct CdBiasFigure {
  int number = 0;
  std::string name, caption, script;
};
std::vector<CdBiasFigure> cd_bias_figures(const CdBiasOptions& options, const std::vector<CdBiasRun>& runs);

/// The means over seeds as a table in Markdown, a row a data set and size.
std::string cd_bias_means(const CdBiasOptions& options, const std::vector<CdBiasRun>& runs);
/// report.md: the figures (where there are any), and beside each the claims.
std::string cd_bias_report(const CdBiasOptions& options, const std::vector<CdBiasRun>& runs,
                           const std::vector<CdBiasClaim>& claims, const std::vector<CdBiasFigure>& figures);
/// The means and the claims, for a terminal.
std::string cd_bias_summary(const CdBiasOptions& options, const std::vector<CdBiasRun>& runs,
                            const std::vector<CdBiasClaim>& claims);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
