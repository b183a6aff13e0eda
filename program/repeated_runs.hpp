#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <harmonium/program/compared_figures.hpp>
#include <harmonium/program/differing_settings.hpp>

namespace harmonium {
inline namespace v1 {

/// A run of the configuration and the seed of another: it is no further seed, and one of the two counts.
struct RepeatedRun {
  std::string name, of;        ///< of this run, and of the one that counts
  bool other_figures = false;  ///< a figure that both have is not the same, as by another version of the program
};

/// For each run which one counts for it: itself, or of its group and its seed the first that finished, else the first. `groups`: the
/// group that each is in, of runs that differ in nothing but the seed; `seeds`: their values of that.
std::vector<std::size_t> counted_runs(const std::vector<ComparedRun>& runs, const std::vector<std::size_t>& groups,
                                      const DifferingSetting& seeds);
/// Of a run for which another one counts.
RepeatedRun repeated_run(const std::vector<ComparedRun>& runs, std::size_t run, std::size_t counted,
                         const std::vector<ComparedFigure>& figures);
/// "lr/runs/b repeats est/runs/a and is not counted again.", a sentence for each of two; of more their number, with one of them. Empty
/// of none.
std::vector<std::string> words_on_repeats(const std::vector<RepeatedRun>& repeats);

}  // namespace v1
}  // namespace harmonium
