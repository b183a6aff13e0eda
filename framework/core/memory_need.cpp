#include <harmonium/framework/core/memory_need.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {

void MemoryNeed::add(std::string what, double bytes, std::string lower) {
  items_.push_back({std::move(what), bytes, std::move(lower)});
}

void MemoryNeed::add_state(std::string what, double bytes, std::string lower) {
  state_bytes_ += bytes;
  add(std::move(what), bytes, std::move(lower));
}

void MemoryNeed::add_passing(std::string what, double bytes, std::string lower) {
  if (bytes > passing_.bytes) passing_ = {std::move(what), bytes, std::move(lower)};
}

double MemoryNeed::bytes() const {
  double sum = passing_.bytes;
  for (const Item& item : items_) sum += item.bytes;
  return sum;
}

std::vector<MemoryNeed::Item> MemoryNeed::items() const {
  std::vector<Item> sorted;
  for (const Item& item : items_)
    if (item.bytes > 0.0) sorted.push_back(item);
  if (passing_.bytes > 0.0) sorted.push_back(passing_);
  std::ranges::stable_sort(sorted, std::ranges::greater{}, &Item::bytes);
  return sorted;
}

std::string MemoryNeed::summary(std::size_t most) const {
  std::vector<std::string> parts;
  for (const Item& item : items()) {
    if (parts.size() == most) break;
    parts.push_back(fmt::format("{} {}", item.what, bytes_in_words(item.bytes)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

void MemoryNeed::check(std::string_view who, double available) const {
  if (available <= 0.0 || bytes() <= available) return;
  std::vector<std::string> remedies;
  double named = 0.0;
  for (const Item& item : items()) {
    // Until what is named would have been enough to name.
    if (named > 0.9 * bytes() || remedies.size() == 3) break;
    named += item.bytes;
    if (!item.lower.empty() && std::ranges::find(remedies, item.lower) == remedies.end())
      remedies.push_back(item.lower);
  }
  throw ConfigError(fmt::format(
      "{} needs about {} of memory, and {} is what there is. The largest parts: {}. {}.", who, bytes_in_words(bytes()),
      bytes_in_words(available), summary(4),
      remedies.empty() ? std::string("Take a smaller model") : fmt::format("Lower {}", fmt::join(remedies, " or "))));
}

std::string bytes_in_words(double bytes) {
  const char* unit = "B";
  for (const char* larger : {"kB", "MB", "GB", "TB", "PB", "EB"}) {
    if (bytes < 999.5) break;
    bytes /= 1000.0;
    unit = larger;
  }
  return fmt::format("{:.3g} {}", bytes, unit);
}

}  // namespace v1
}  // namespace harmonium
