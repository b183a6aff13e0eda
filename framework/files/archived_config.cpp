#include <harmonium/framework/files/archived_config.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/files/npy_words.hpp>
#include <harmonium/framework/files/npz.hpp>

namespace harmonium {
inline namespace v1 {

std::optional<Value> archived_config(const std::filesystem::path& path) {
  const std::vector<std::string> arrays = npz_arrays(path);
  if (std::ranges::find(arrays, archived_config_name) == arrays.end()) return {};
  return parse_toml(read_npy_text(path, archived_config_name), path.string() + ":" + archived_config_name);
}

}  // namespace v1
}  // namespace harmonium
