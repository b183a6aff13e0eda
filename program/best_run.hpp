#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/program/compared_figures.hpp>
#include <harmonium/program/differing_settings.hpp>
#include <harmonium/program/judging_figure.hpp>

namespace harmonium {
inline namespace v1 {

/// The best of several runs.
struct BestRun {
  std::vector<std::size_t> places;  ///< of all that are as good
  Judging by;
};

/// Of the runs that finished, but for those whose validation rows were trained on before, by the figure `asked`, else by one of
/// validation rows (judging_figure.hpp), whose values are of the same rows (have_other_rows) and, where it depends on them, in the same
/// units (unlike_units.hpp). Nothing where fewer than two did, there is no such figure, or all are as good.
std::optional<BestRun> best_run(const std::vector<ComparedRun>& runs, const std::vector<ComparedFigure>& figures,
                                const std::string& asked = "");

/// Why there is none, for whom it was asked by no figure: "No best run is named by validation_log_likelihood: the runs have ...", a
/// sentence.
std::string words_on_no_best_run(const std::vector<ComparedRun>& runs, const std::vector<ComparedFigure>& figures);

struct BestAsked {
  std::string figure = {};  ///< that runs are in order of; empty: none
  bool one_seed = false;
};

/// "Best by validation_log_likelihood: slow", of how many runs where not all have it, and how many others are no further from it than its
/// error, "; 2 others are within its error of 3.3"; where one of these has the same rows of data, that this error of a mean over rows is
/// none of a difference, and the command that finds that one's. Behind the name of a sweep's run are its settings, and on lines below, of
/// runs of one seed, that one is at the edge of what was tried; of several their means tell that. Notes below. "No best run is named by ..." where that is for
/// units or rows, and what to do. Empty where there is none.
std::string best_run_text(const std::vector<ComparedRun>& runs, const std::vector<ComparedFigure>& figures,
                          const std::vector<DifferingSetting>& settings, const BestAsked& asked);

}  // namespace v1
}  // namespace harmonium
