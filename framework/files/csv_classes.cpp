#include <harmonium/framework/files/csv_classes.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/files/csv_fields.hpp>

namespace harmonium {
inline namespace v1 {

CsvClasses::CsvClasses(std::vector<std::string> known) : known_(std::move(known)) {
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
  if (text.empty())
    return "is empty (a class expected). Fill it in, or leave out the row; for classes that are to be told or drawn "
           "(transform, sample --clamp) leave the column out of the file.";
  if (!known_.empty()) {
    const auto at = found_.find(text);
    if (at == found_.end())
      return fmt::format("is '{:.40}', and the classes are {:.200}. Add it to data.classes.", text,
                         fmt::format("{}", fmt::join(known_, ", ")));
    numbers_.push_back(at->second);
    return "";
  }
  const auto [number, fault] = csv_number(text);
  if (fault == NumberFault::none) return add_number(number);
  if (fault != NumberFault::no_number) return fmt::format("is {:.40} (a class expected)", text);
  if (found_.empty() && !numbers_.empty())
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
    std::ranges::transform(numbers_, numbers_.begin(), [&](double n) { return place[static_cast<std::size_t>(n)]; });
  }
  return std::move(numbers_);
}

}  // namespace v1
}  // namespace harmonium
