#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/execution/display.hpp>
#include <harmonium/program/work/observation.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A row for each temperature; four columns of each average (its value, error, autocorrelation time in steps and the error of that),
/// the rate of exchanges with the next colder temperature, and the names of averages whose series are too short.
std::string observables_csv(const Observation& found);
/// A row for each temperature and bin of the overlap; no error where chains did not meet the bin.
std::string overlaps_csv(const Observation& found);
/// A row for each temperature, axis and distance.
std::string correlations_csv(const Observation& found);
/// A row for each temperature and magnetization, of a sum over all states.
std::string magnetizations_csv(const Observation& found);
/// What gnuplot draws of them.
std::string observables_figure(const Observation& found);
std::string correlations_figure(const Observation& found);

/// Throws, before any work is done, where the results could not be written: ConfigError where a file has that name, FileError
/// where the folder, or the one that it is to be made in, is not there or not ours to write to.
void check_folder_of_observation(const std::string& folder);

/// Writes observables.csv, where there are some overlaps.csv, magnetizations.csv, correlations.csv, units.csv and pairs.csv, and, where gnuplot is
/// installed, a figure of the averages and one of the correlations, as .svg, .png and .gp; each whole or not at all, in place of
/// those that are there, into a folder that is made where there is none. Returns the paths of tables and picture.
std::vector<std::string> write_observation(const Observation& found, const std::filesystem::path& folder,
                                           Display* display);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
