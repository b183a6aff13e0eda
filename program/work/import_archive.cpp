#include <harmonium/program/work/import_archive.hpp>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/npz.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr std::string_view of_couplings[] = {"j", "w", "weight", "weights", "coupling", "couplings"};
constexpr std::string_view of_fields[] = {"h", "b", "field", "fields", "bias", "biases"};

template <class Words>
bool is_among(const Words& words, std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::find(words, name) != std::end(words);
}

std::string array_of(const std::string& file, const std::string& array) {
  return fmt::format("{}:array={}", file, array);
}

}  // namespace

void take_archive(ImportRequest& request) {
  if (!request.edges.ends_with(".npz")) return;
  const std::vector<std::string> arrays = npz_arrays(request.edges);
  if (arrays.size() < 2) return;
  std::vector<std::string> couplings, fields;
  for (const std::string& name : arrays) {
    if (is_among(of_couplings, name)) couplings.push_back(name);
    if (is_among(of_fields, name)) fields.push_back(name);
  }
  const bool all_known = couplings.size() + fields.size() == arrays.size();
  if (couplings.size() != 1 || fields.size() != 1 || !all_known)
    throw ConfigError(
        fmt::format("import {}: it holds {} arrays: {:.200}. Name that of the couplings, and that of the fields where "
                    "there are any, "
                    "as in import {}{}.",
                    request.edges, arrays.size(), fmt::format("{}", fmt::join(arrays, ", ")),
                    array_of(request.edges, couplings.empty() ? arrays.front() : couplings.front()),
                    fields.empty() ? "" : " --fields " + array_of(request.edges, fields.front())));
  if (request.fields.empty()) request.fields = array_of(request.edges, fields.front());
  request.edges = array_of(request.edges, couplings.front());
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
