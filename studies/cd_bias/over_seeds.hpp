#pragma once

#include <algorithm>
#include <vector>

#include <harmonium/studies/cd_bias/run.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The runs of one data set and size.
inline std::vector<const CdBiasRun*> runs_of(const std::vector<CdBiasRun>& runs, const std::string& data_set,
                                             Index size) {
  std::vector<const CdBiasRun*> found;
  for (const CdBiasRun& run : runs)
    if (run.cell.data_set == data_set && run.cell.size == size) found.push_back(&run);
  return found;
}

/// Mean, smallest and largest over seeds.
struct OverSeeds {
  double mean = 0.0, min = 0.0, max = 0.0;
};
template <class Figure>
OverSeeds over_seeds(const std::vector<const CdBiasRun*>& runs, const Figure& figure) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (const CdBiasRun* run : runs) values.push_back(figure(*run));
  OverSeeds result;
  if (values.empty()) return result;
  for (const double v : values) result.mean += v / static_cast<double>(values.size());
  result.min = *std::ranges::min_element(values);
  result.max = *std::ranges::max_element(values);
  return result;
}

/// "Diag", "1DBall": what the paper calls a data set.
inline const char* paper_name(const std::string& data_set) { return data_set == "diagonal" ? "Diag" : "1DBall"; }

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
