#include <harmonium/program/work/betas.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/parsed_number.hpp>
#include <harmonium/framework/core/shortest_decimal.hpp>
#include <harmonium/framework/files/csv_fields.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index most_betas = 1000;
constexpr const char* forms =
    "Give numbers with commas between, such as 0.2,0.4,0.8, or FIRST:LAST:COUNT, or FIRST:LAST:STEP.";

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == separator) parts.emplace_back();
    else parts.back() += c;
  }
  return parts;
}

/// A list of numbers as an option has it, and what these are.
struct Listed {
  const char* option;
  const std::string& text;
  bool inverse;

  [[noreturn]] void refuse(const std::string& why) const {
    throw ConfigError(fmt::format("{} {}: {}", option, text, why));
  }
};

double number_in(const Listed& list, const std::string& word) {
  const std::optional<double> number = parsed_number<double>(without_blanks(word));
  if (!number) list.refuse(fmt::format("'{}' is no number. {}", word, forms));
  if (!std::isfinite(*number) || *number < 0.0 || (*number == 0.0 && !list.inverse))
    list.refuse(fmt::format("'{}' is no {}. {}", word,
                            list.inverse ? "inverse temperature, which is 0 or more"
                                         : "temperature, which is above 0 and finite (of an infinite one --betas 0)",
                            forms));
  return *number;
}

[[noreturn]] void refuse_third(const Listed& list, const std::string& word) {
  list.refuse(fmt::format(
      "'{}' is no count of temperatures, which is a whole number from 2 to {}, and no step, which has a decimal "
      "point, as 0.1 or 1.0. Write FIRST:LAST:COUNT or FIRST:LAST:STEP.",
      word, most_betas));
}

std::vector<double> evenly_spaced(const Listed& list, double first, double last, const std::string& word) {
  const std::optional<double> count = parsed_number<double>(word);
  if (!count || *count != std::floor(*count) || *count < 2.0 || *count > static_cast<double>(most_betas))
    refuse_third(list, word);
  const auto steps = static_cast<Index>(*count) - 1;
  std::vector<double> betas{first};
  for (Index k = 1; k < steps; ++k)
    betas.push_back(shortest_decimal((first * static_cast<double>(steps - k) + last * static_cast<double>(k)) /
                                     static_cast<double>(steps)));
  betas.push_back(last);
  return betas;
}

/// A count is a whole number without a sign, so that 0:10:2 has two temperatures and 0:10:2.0 has six.
bool is_step(const std::string& word) { return word.find_first_of("-.eE") != std::string::npos; }

/// first, first + step, …, to `last`, which is one of them where it is off by no more than rounding.
std::vector<double> stepped(const Listed& list, double first, double last, const std::string& word) {
  constexpr double rounding = 1e-6;  // of a step
  const std::optional<double> step = parsed_number<double>(word);
  if (!step || !std::isfinite(*step)) refuse_third(list, word);
  const double steps = (last - first) / *step;
  if (*step == 0.0 || steps < 0.0)
    list.refuse(fmt::format("steps of {} do not lead from {:g} to {:g}. Give a step {} 0.", word, first, last,
                            last < first ? "below" : "above"));
  if (steps < 1.0 - rounding)
    list.refuse(fmt::format("a step of {} leads beyond {:g} at once. Give a smaller one.", word, last));
  if (steps > static_cast<double>(most_betas) - 1.0 + rounding)
    list.refuse(fmt::format("{:.0f} temperatures, and {} are the most. Give a larger step.", std::floor(steps) + 1.0,
                            most_betas));
  const auto whole = static_cast<Index>(steps + rounding);
  const bool ends_at_last = std::abs(steps - static_cast<double>(whole)) <= rounding;
  std::vector<double> betas{first};
  for (Index k = 1; k <= whole; ++k) betas.push_back(shortest_decimal(first + static_cast<double>(k) * *step));
  if (ends_at_last) betas.back() = last;
  return betas;
}

std::vector<double> numbers_of_range(const Listed& list) {
  const std::vector<std::string> parts = parts_of(list.text, ':');
  if (parts.size() != 3) list.refuse("a range has three numbers. Write FIRST:LAST:COUNT or FIRST:LAST:STEP.");
  const double first = number_in(list, parts[0]), last = number_in(list, parts[1]);
  const std::string third(without_blanks(parts[2]));
  return is_step(third) ? stepped(list, first, last, third) : evenly_spaced(list, first, last, third);
}

/// Descending.
std::vector<double> numbers_of(const Listed& list) {
  std::vector<double> numbers;
  if (list.text.find(':') != std::string::npos) {
    numbers = numbers_of_range(list);
  } else {
    for (const std::string& word : parts_of(list.text, ',')) numbers.push_back(number_in(list, word));
    if (numbers.size() > most_betas)
      throw ConfigError(fmt::format("{}: {} temperatures, and {} are the most. Leave some out.", list.option,
                                    numbers.size(), most_betas));
  }
  std::ranges::sort(numbers, std::greater());
  if (const auto twice = std::ranges::adjacent_find(numbers); twice != numbers.end())
    list.refuse(fmt::format("{:g} is given twice. Leave one out.", *twice));
  return numbers;
}

}  // namespace

std::vector<double> read_betas(const ListedTemperatures& listed) {
  listed.check_only_one();
  if (!listed.by_temperature()) return numbers_of({"--betas", listed.betas, true});
  const Listed list{"--temperatures", listed.temperatures, false};
  std::vector<double> inverse = numbers_of(list);
  for (double& number : inverse) {
    if (!std::isfinite(1.0 / number))
      list.refuse(fmt::format("the inverse of {:g} is beyond what a number holds. Give a higher temperature.", number));
    number = 1.0 / number;
  }
  std::ranges::reverse(inverse);
  return inverse;
}

void check_laws_at_zero(const std::vector<double>& betas, const Layout& layout, const char* option,
                        const char* remedy) {
  if (betas.back() > 0.0) return;
  for (const Layer& layer : layout.layers())
    if (!has_law_at_zero(*layer.unit))
      throw ConfigError(fmt::format("{}: at beta = 0 the continuous units of layer '{}' have no law. {}", option,
                                    layer.name, remedy));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
