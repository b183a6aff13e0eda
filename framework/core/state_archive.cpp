#include <harmonium/framework/core/state_archive.hpp>

#include <cmath>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {

std::string FieldSize::summary() const {
  if (exact_ || most_ == 0) return fmt::format("{} are needed", most_);
  std::string text = step_ == 1 ? "" : fmt::format("a multiple of {}", step_);
  if (most_ != std::numeric_limits<Index>::max())
    text += fmt::format("{}{} at most", text.empty() ? "" : " and ", most_);
  return text.empty() ? "any number is taken" : text + (step_ == 1 ? " are taken" : " is taken");
}

bool StateArchive::has_group(std::string_view name) const {
  const std::string mark = prefix_ + std::string(name) + "/";
  const auto first = saved_.lower_bound(mark);
  return first != saved_.end() && first->first.starts_with(mark);
}

std::string StateArchive::unread() const {
  for (const auto& [path, values] : saved_)
    if (!read_.contains(path)) return path;
  return "";
}

void StateArchive::refuse(std::string_view name, std::string_view why) const {
  throw DataError(fmt::format("the saved state of '{}{}' {}", prefix_, name, why));
}

namespace {

/// Throws where `value`, entry `at` of the field `path`, is not finite or is beyond T.
template <class T, class Stored>
void check_value(const std::string& path, Stored value, Index at) {
  if constexpr (std::is_floating_point_v<Stored>) {
    if (!std::isfinite(value))
      throw DataError(fmt::format("the saved state holds {} in '{}', entry {} (counted from 0)", value, path, at));
  } else if (!std::in_range<T>(value)) {
    throw DataError(fmt::format("the saved state holds {} in '{}', entry {} (counted from 0), where {} is the most",
                                value, path, at, std::numeric_limits<T>::max()));
  }
}

}  // namespace

template <class Stored, class T>
void StateArchive::exchange(std::string_view name, std::vector<T>& values, FieldSize size) {
  const std::string path = prefix_ + std::string(name);
  if (!loading_) {
    fields_[path] = std::vector<Stored>(values.begin(), values.end());
    return;
  }
  const auto found = saved_.find(path);
  read_.insert(path);
  if (found == saved_.end() && size.takes(0)) {
    values.clear();
    return;
  }
  if (found == saved_.end()) throw DataError(fmt::format("the saved state lacks '{}'", path));
  const auto* stored = std::get_if<std::vector<Stored>>(&found->second);
  if (!stored) throw DataError(fmt::format("the saved state holds '{}' as another type of number", path));
  if (!size.takes(stored->size()))
    throw DataError(
        fmt::format("the saved state holds {} values of '{}' where {}", stored->size(), path, size.summary()));
  std::vector<T> loaded;  // what is refused changes nothing
  loaded.reserve(stored->size());
  for (const Stored v : *stored) {
    check_value<T>(path, v, loaded.size());
    loaded.push_back(static_cast<T>(v));
  }
  values = std::move(loaded);
}

template <class Stored, class T>
void StateArchive::exchange_one(std::string_view name, T& value) {
  std::vector<T> one{value};
  exchange<Stored>(name, one, 1);
  value = one[0];
}

void StateArchive::field(std::string_view name, double& value) { exchange_one<double>(name, value); }
void StateArchive::field(std::string_view name, std::uint64_t& value) { exchange_one<std::uint64_t>(name, value); }
void StateArchive::field(std::string_view name, std::uint32_t& value) { exchange_one<std::uint64_t>(name, value); }
void StateArchive::field(std::string_view name, bool& value) {
  std::uint64_t word = value ? 1 : 0;
  exchange_one<std::uint64_t>(name, word);
  if (word > 1) refuse(name, fmt::format("is {}, where 0 or 1 is needed", word));
  value = word != 0;
}
void StateArchive::field(std::string_view name, std::vector<double>& values, FieldSize size) {
  exchange<double>(name, values, size);
}
void StateArchive::field(std::string_view name, std::vector<float>& values, FieldSize size) {
  exchange<float>(name, values, size);
}
void StateArchive::field(std::string_view name, std::vector<std::uint8_t>& values, FieldSize size) {
  exchange<std::uint8_t>(name, values, size);
}
void StateArchive::field(std::string_view name, std::vector<std::uint64_t>& values, FieldSize size) {
  exchange<std::uint64_t>(name, values, size);
}
void StateArchive::field(std::string_view name, std::vector<std::uint32_t>& values, FieldSize size) {
  exchange<std::uint64_t>(name, values, size);
}

}  // namespace v1
}  // namespace harmonium
