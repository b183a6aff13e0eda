#include <harmonium/framework/files/npz.hpp>

#include <algorithm>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/config/nearest_name.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/npy_header.hpp>
#include <harmonium/framework/files/stream_reader.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr std::string_view array_ending = ".npy";

std::vector<ZipMember> arrays_in(const std::filesystem::path& path) {
  std::vector<ZipMember> arrays = read_zip_directory(path);
  std::erase_if(arrays, [](const ZipMember& m) { return !m.name.ends_with(array_ending); });
  return arrays;
}

std::vector<std::string> names_of(const std::vector<ZipMember>& arrays) {
  std::vector<std::string> names;
  names.reserve(arrays.size());
  for (const ZipMember& m : arrays) names.push_back(m.name.substr(0, m.name.size() - array_ending.size()));
  return names;
}

std::string several_text(const std::vector<std::string>& names) {
  return fmt::format("holds {} arrays, and one is read: {:.200}.", names.size(),
                     fmt::format("{}", fmt::join(names, ", ")));
}

}  // namespace

std::vector<std::string> npz_arrays(const std::filesystem::path& path) {
  if (!is_zip_archive(path)) return {};
  return names_of(arrays_in(path));
}

std::vector<NpzShape> npz_shapes(const std::filesystem::path& path) {
  if (!is_zip_archive(path)) return {};
  const std::vector<ZipMember> arrays = arrays_in(path);
  const std::vector<std::string> names = names_of(arrays);
  std::vector<NpzShape> shapes;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    try {
      StreamReader reader(path, arrays[k]);
      const NpyHeader header = read_npy_header(reader);
      if (header.text_width == 0) shapes.push_back({names[k], header.shape});
    } catch (const DataError&) {  // of objects, such as None, or damaged: whoever reads it is told
    }
  }
  return shapes;
}

void need_npz_array(const std::filesystem::path& path, const std::string& array, const std::string& what,
                    std::string_view remedy) {
  if (!array.empty()) return;
  const std::vector<std::string> names = npz_arrays(path);
  if (names.size() < 2) return;
  std::string how(remedy);
  if (const std::size_t at = how.rfind("{}"); at != std::string::npos) how.replace(at, 2, names.front());
  throw ConfigError(fmt::format("{}{} {}", what, several_text(names), how));
}

NamedArray named_array(const std::filesystem::path& path) {
  constexpr std::string_view setting = ":array=";
  const std::string text = path.string();
  const std::size_t at = text.rfind(setting);
  std::error_code error;
  if (at == std::string::npos || at + setting.size() == text.size() || std::filesystem::exists(path, error))
    return {path};
  const std::filesystem::path file = text.substr(0, at);
  if (!std::filesystem::is_regular_file(file, error)) return {path};
  return {file, text.substr(at + setting.size())};
}

ZipMember find_npz_array(const std::filesystem::path& path, const std::string& array) {
  const std::vector<ZipMember> arrays = arrays_in(path);
  if (arrays.empty()) throw DataError(fmt::format("{}: a zip archive that holds no array (.npy)", path.string()));
  if (array.empty() && arrays.size() == 1) return arrays.front();
  const std::vector<std::string> names = names_of(arrays);
  if (array.empty())
    throw DataError(fmt::format("{}: {} Name it as in {}:array={}.", path.string(), several_text(names),
                                path.filename().string(), names.front()));
  const auto found = std::ranges::find(names, array);
  if (found == names.end())
    throw ConfigError(fmt::format("[data] array is '{}', but {} has no such array{}. It has: {:.200}.", array,
                                  path.string(), did_you_mean(array, names),
                                  fmt::format("{}", fmt::join(names, ", "))));
  return arrays[static_cast<std::size_t>(found - names.begin())];
}

}  // namespace v1
}  // namespace harmonium
