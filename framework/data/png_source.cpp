#include <harmonium/framework/data/png_source.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/file_loading.hpp>
#include <harmonium/framework/files/png_folder.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// The classes of a folder's pictures as other rows number them. Throws DataError for a subfolder that is none.
void renumber(PngFolder& folder, const std::vector<std::string>& classes, const std::string& path) {
  std::vector<double> number;
  for (const std::string& own : folder.classes) {
    const auto at = std::ranges::find(classes, own);
    if (at == classes.end())
      throw DataError(fmt::format("{}: its subfolder '{}' is no class: these are {:.200}. Set data.classes.", path, own,
                                  fmt::format("{}", fmt::join(classes, ", "))));
    number.push_back(static_cast<double>(at - classes.begin()));
  }
  for (double& label : folder.labels) label = number[static_cast<std::size_t>(label)];
  folder.classes = classes;
}

}  // namespace

void PngSource::Options::bind(OptionBinder& o) {
  bind_files(o);
  o.option("classes", classes, "the subfolders, that of class 0 first; empty: those that there are, by the alphabet");
}

PngSource::PngSource(Options options) : options_(std::move(options)) { options_.validate(); }

DataSplits PngSource::load(const RandomSource& random) const {
  const auto read = [&](const std::string& path, const FileClasses& known) {
    PngFolder folder = read_png_folder(path);
    const FileClasses& classes = known.empty() ? options_.classes : known;
    if (!classes.empty() && !folder.classes.empty()) renumber(folder, classes, path);
    FileContent content{std::move(folder.table), {}, std::move(folder.classes), std::move(folder.sha256)};
    if (!content.classes.empty()) content.labels = std::move(folder.labels);
    return content;
  };
  return load_files(read, options_, random, {.folders = true});
}

Value PngSource::resolved(const Value& effective, const DataSplits& loaded) const {
  return with_range_and_classes(effective, loaded);
}

}  // namespace v1
}  // namespace harmonium
