#pragma once

#include <string>
#include <vector>

#include <harmonium/program/compared_figures.hpp>

namespace harmonium {
inline namespace v1 {

/// A note on figures of pseudo likelihoods that the runs' observers took of different numbers of units of each row, or of rows, so
/// that their difference is one of estimates too: "\nNote: …\n"; empty where none are.
std::string note_on_unlike_estimates(const std::vector<ComparedRun>& runs, const std::vector<ComparedFigure>& figures);

}  // namespace v1
}  // namespace harmonium
