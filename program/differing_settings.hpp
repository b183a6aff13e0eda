#pragma once

#include <string>
#include <vector>

#include <harmonium/program/compared_runs.hpp>

namespace harmonium {
inline namespace v1 {

/// A setting in which runs differ: its dotted path, and the value that each run has; null where a run has none.
struct DifferingSetting {
  std::string path;
  std::vector<const Value*> values;
};

/// Settings that are not the same in all runs, each once, in the order of their configurations. Members of a list of components go by
/// their types, where these differ in every run (`observers.log_likelihood.every`), else by number; of a component that some run
/// lacks only the type is told. What follows from another row is left out: defaults of a component where other runs have one of
/// another type, phases that the names of presets of estimators tell, the size of observed layers where the data differ, what is
/// measured and drawn by default where the model or the data do, and a number of chains that is the batch's rows in words of another
/// run. Of runs that all belong to one sweep they are the keys of that, as its file has them, from which all else follows. The values
/// are those of `runs`.
std::vector<DifferingSetting> differing_settings(const std::vector<ComparedRun>& runs);

}  // namespace v1
}  // namespace harmonium
