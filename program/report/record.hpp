#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <harmonium/program/compared_runs.hpp>

namespace harmonium {
inline namespace v1 {

/// A picture of a run: what it is of, what it says of itself, and its bytes.
struct ReportPicture {
  std::string kind, caption, png;
};

/// What the folder of a run holds.
struct RunRecord {
  ComparedRun run;
  std::string config;    ///< the text of config.toml
  std::string model;     ///< the file that is looked at; empty: there is none yet
  std::string model_is;  ///< "the trained model", "the checkpoint of update 40"
  std::optional<double> training_seconds, measuring_seconds;
  std::vector<int> threads;             ///< numbers of threads that epochs were trained by, smallest first
  std::optional<double> seconds_since;  ///< the last line of the log was written, of a run that is not finished
  double progress = 0.0;                ///< the share of the epochs or updates that are made
  std::string planned;                  ///< "50 epochs"; empty where the configuration does not tell
  std::vector<std::pair<std::string, std::string>> provenance;
  std::vector<ReportPicture> pictures;  ///< that the run has drawn
};

/// Of what a run says, that which changes from epoch to epoch.
RunRecord read_progress(const std::string& folder);
/// All of it. Both throw ConfigError where the folder is no run, DataError and FileError where a file of it is damaged or cannot
/// be read.
RunRecord read_record(const std::string& folder);

/// The content of a file. Throws FileError.
std::string content_of_file(const std::filesystem::path& path);
/// A PNG picture with its caption. Throws DataError where it is none.
ReportPicture read_picture(const std::string& kind, const std::filesystem::path& path);
/// The kinds of pictures that a report has, in its order.
inline constexpr const char* report_pictures[] = {"filters", "data", "reconstructions", "samples", "chains"};

}  // namespace v1
}  // namespace harmonium
