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
constexpr const char* forms = "Give numbers with commas between, such as 0.2,0.4,0.8, or FIRST:LAST:COUNT.";

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == separator) parts.emplace_back();
    else parts.back() += c;
  }
  return parts;
}

double beta_in(const std::string& text, const std::string& word) {
  const std::optional<double> beta = parsed_number<double>(without_blanks(word));
  if (!beta) throw ConfigError(fmt::format("--betas {}: '{}' is no number. {}", text, word, forms));
  if (!std::isfinite(*beta) || *beta < 0.0)
    throw ConfigError(
        fmt::format("--betas {}: '{}' is no inverse temperature, which is 0 or more. {}", text, word, forms));
  return *beta;
}

std::vector<double> evenly_spaced(const std::string& text) {
  const std::vector<std::string> parts = parts_of(text, ':');
  if (parts.size() != 3)
    throw ConfigError(fmt::format("--betas {}: a range has three numbers. Write FIRST:LAST:COUNT.", text));
  const double first = beta_in(text, parts[0]), last = beta_in(text, parts[1]);
  const std::optional<double> count = parsed_number<double>(parts[2]);
  if (!count || *count != std::floor(*count) || *count < 2.0 || *count > static_cast<double>(most_betas))
    throw ConfigError(
        fmt::format("--betas {}: '{}' is no count of temperatures, which is a whole number from 2 to {}. Write "
                    "FIRST:LAST:COUNT.",
                    text, parts[2], most_betas));
  const auto steps = static_cast<Index>(*count) - 1;
  std::vector<double> betas{first};
  for (Index k = 1; k < steps; ++k)
    betas.push_back(shortest_decimal((first * static_cast<double>(steps - k) + last * static_cast<double>(k)) /
                                     static_cast<double>(steps)));
  betas.push_back(last);
  return betas;
}

}  // namespace

std::vector<double> read_betas(const std::string& text) {
  std::vector<double> betas;
  if (text.find(':') != std::string::npos) {
    betas = evenly_spaced(text);
  } else {
    for (const std::string& word : parts_of(text, ',')) betas.push_back(beta_in(text, word));
    if (betas.size() > most_betas)
      throw ConfigError(
          fmt::format("--betas: {} temperatures, and {} are the most. Leave some out.", betas.size(), most_betas));
  }
  std::ranges::sort(betas, std::greater());
  if (const auto twice = std::ranges::adjacent_find(betas); twice != betas.end())
    throw ConfigError(fmt::format("--betas {}: {:g} is given twice. Leave one out.", text, *twice));
  return betas;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
