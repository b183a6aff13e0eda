#include <harmonium/framework/files/csv_classes.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/files/csv_fields.hpp>

namespace harmonium {
inline namespace v1 {

CsvClasses::CsvClasses(std::vector<std::string> known, AbsentClass absent) : known_(std::move(known)), absent_(absent) {
  for (std::uint32_t k = 0; k < known_.size(); ++k) found_.emplace(known_[k], k);
}

std::string CsvClasses::add_number(double number) {
  if (by_words())
    return fmt::format(
        "is the number {}, but rows before it have words (classes are all numbers or all words). Mend "
        "it, or list what they are called in data.classes.",
        number);
  numbers_.push_back(number);
  return "";
}

std::string CsvClasses::add(const std::string& text) {
  const auto [number, fault] = csv_number(text);
  const bool absent = text.empty() || (fault == NumberFault::not_finite && std::isnan(number));
  if (absent && absent_ == AbsentClass::unseen) {
    numbers_.push_back(std::numeric_limits<double>::quiet_NaN());
    return "";
  }
  if (text.empty())
    return "is empty (a class expected). Fill it in, leave out the row, or set data.missing = \"nan\", by which it was "
           "not seen; where all classes are to be told or drawn (transform, sample --clamp) leave the column out of "
           "the "
           "file.";
  if (!known_.empty()) {
    const auto at = found_.find(text);
    if (at == found_.end())
      return fmt::format("is '{:.40}', and the classes are {:.200}. Add it to data.classes.", text,
                         fmt::format("{}", fmt::join(known_, ", ")));
    numbers_.push_back(at->second);
    return "";
  }
  if (fault == NumberFault::none) return add_number(number);
  if (fault != NumberFault::no_number) return fmt::format("is {:.40} (a class expected)", text);
  if (found_.empty() && !std::ranges::all_of(numbers_, [](double n) { return std::isnan(n); }))
    return fmt::format(
        "is '{:.40}', but rows before it have numbers (classes are all numbers or all words). Mend it, "
        "or list what they are called in data.classes.",
        text);
  numbers_.push_back(found_.emplace(text, static_cast<std::uint32_t>(found_.size())).first->second);
  return "";
}

std::vector<double> CsvClasses::take() {
  if (known_.empty() && !found_.empty()) {
    std::vector<double> place(found_.size());
    for (const auto& [word, order] : found_) {
      place[order] = static_cast<double>(known_.size());
      known_.push_back(word);
    }
    std::ranges::transform(numbers_, numbers_.begin(),
                           [&](double n) { return std::isnan(n) ? n : place[static_cast<std::size_t>(n)]; });
  }
  return std::move(numbers_);
}

}  // namespace v1
}  // namespace harmonium
