#include <harmonium/framework/core/state_archive.hpp>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {

template <class Stored, class T>
void StateArchive::exchange(std::string_view name, std::vector<T>& values) {
  const std::string path = prefix_ + std::string(name);
  if (!loading_) {
    fields_[path] = std::vector<Stored>(values.begin(), values.end());
    return;
  }
  const auto found = fields_.find(path);
  if (found == fields_.end() && free_size_) {
    values.clear();  // What has no entries need not be kept.
    return;
  }
  if (found == fields_.end()) throw DataError(fmt::format("the saved state lacks '{}'", path));
  const auto* stored = std::get_if<std::vector<Stored>>(&found->second);
  if (!stored) throw DataError(fmt::format("the saved state holds '{}' as another type of number", path));
  if (!free_size_ && stored->size() != values.size())
    throw DataError(fmt::format("the saved state holds {} values of '{}' where {} are needed", stored->size(), path,
                                values.size()));
  values.clear();
  values.reserve(stored->size());
  for (const Stored v : *stored) values.push_back(static_cast<T>(v));
}

template <class Stored, class T>
void StateArchive::exchange_one(std::string_view name, T& value) {
  std::vector<T> one{value};
  exchange<Stored>(name, one);
  value = one[0];
}

void StateArchive::field(std::string_view name, double& value) { exchange_one<double>(name, value); }
void StateArchive::field(std::string_view name, std::uint64_t& value) { exchange_one<std::uint64_t>(name, value); }
void StateArchive::field(std::string_view name, std::uint32_t& value) { exchange_one<std::uint64_t>(name, value); }
void StateArchive::field(std::string_view name, bool& value) {
  std::uint64_t word = value ? 1 : 0;
  exchange_one<std::uint64_t>(name, word);
  value = word != 0;
}
void StateArchive::field(std::string_view name, std::vector<double>& values) { exchange<double>(name, values); }
void StateArchive::field(std::string_view name, std::vector<float>& values) { exchange<float>(name, values); }
void StateArchive::field(std::string_view name, std::vector<std::uint8_t>& values) {
  exchange<std::uint8_t>(name, values);
}
void StateArchive::field(std::string_view name, std::vector<std::uint64_t>& values) {
  exchange<std::uint64_t>(name, values);
}
void StateArchive::field(std::string_view name, std::vector<std::uint32_t>& values) {
  exchange<std::uint64_t>(name, values);
}

}  // namespace v1
}  // namespace harmonium
