#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <harmonium/program/report/record.hpp>
#include <harmonium/program/work/findings.hpp>

namespace harmonium {
inline namespace v1 {

struct ReportRequest : CommonRequest {
  std::vector<std::string> runs;  ///< folders
  std::string output = "report.html";
  double effort = 1.0;  ///< how much longer than usual annealing, ladders and chains may take
  bool no_likelihood = false, no_diagnosis = false, no_pictures = false;
};

/// Something that was computed for a report, how and how long; or why it was not.
template <class T>
struct ComputedPart {
  std::optional<T> found;
  std::string how;      ///< the command that gives the same
  std::string why_not;  ///< a sentence; empty where it was found
  double seconds = 0.0;
};

/// What the folder of a run does not hold.
struct Computed {
  ComputedPart<Evaluations> likelihood;
  ComputedPart<Diagnosis> diagnosis;
  ComputedPart<std::vector<WeightSpectrum>> spectra;
  ComputedPart<std::vector<ReportPicture>> pictures;             ///< those that the run has not drawn
  std::vector<std::pair<std::string, std::string>> no_pictures;  ///< kinds, and why there are none
};

/// What a stack comes to beside its first machine.
struct ComputedStack {
  std::string folder;
  ComputedPart<Evaluations> likelihood;
};
ComputedStack compute_stack(const std::string& folder, const ReportRequest& report);

/// By the code of evaluate, diagnose and draw. Throws DataError where the model file is damaged, and Stopped.
Computed compute(const RunRecord& record, const ReportRequest& request);

}  // namespace v1
}  // namespace harmonium
