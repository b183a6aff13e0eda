#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/data/sources.hpp>

/// What the sources of data in files share.
namespace harmonium {
inline namespace v1 {

/// What a file holds: samples, and where it has them a class a row, by number and what the numbers are called.
struct FileContent {
  Table table;
  std::optional<std::vector<double>> labels = {};
  std::vector<std::string> classes = {};
  std::string sha256 = {};  ///< where it is none of the file
};
/// What the classes of the training rows are called; empty: that is to be found, or they are numbers.
using FileClasses = std::vector<std::string>;
using FileReader = std::function<FileContent(const std::string& path, const FileClasses& classes)>;
using WeighRows = std::function<std::vector<double>(const Table&)>;
using FitTransform = std::function<std::shared_ptr<const Transform>(const Dataset&)>;

/// How files are read beside what is in them: what is made of their rows; null: nothing, or what their options say.
struct FileSteps {
  WeighRows weigh = {};
  FitTransform fit = {};
  bool folders = false;  ///< whether a path names a folder
};

/// Throws ConfigError where the option `key` names no file; or, of folders, no folder.
void check_data_file(const std::string& key, const std::string& path, bool folder = false);
/// The files that the options name, their labels and weights, split and transformed.
DataSplits load_files(const FileReader& read, const FileDataOptions& options, const RandomSource& random,
                      const FileSteps& steps = {});
/// Options with the range and the classes that were found.
Value with_range_and_classes(const Value& effective, const DataSplits& loaded);
/// Options without those of these lists that are empty, which versions before them have not: their runs go on.
Value without_empty_lists(Value value, std::initializer_list<const char*> keys);
Value list_of_words(const std::vector<std::string>& words);

}  // namespace v1
}  // namespace harmonium
