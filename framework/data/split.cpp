#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/execution/permutation.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr double most_rows = 0x1p53;

// Rows that `asked` means: a fraction is rounded to the nearest number, at least one.
Index rows_of(double asked, Index rows) {
  if (asked == 0) return 0;
  if (asked >= 1) return static_cast<Index>(asked);
  return std::max<Index>(1, static_cast<Index>(std::llround(asked * static_cast<double>(rows))));
}

}  // namespace

void SplitOptions::bind(OptionBinder& o) {
  o.option("validation", validation, "rows set aside for validation: below 1 a fraction of the rows, else their number",
           at_least(0));
  o.option("test", test, "rows set aside for the test: below 1 a fraction of the rows, else their number", at_least(0));
  o.option("rows", rows,
           "train on so many of the other rows, drawn at random: below 1 a fraction of them, else their number",
           more_than(0));
}

void SplitOptions::validate() const {
  const auto check = [](const char* name, double asked) {
    if (asked >= 0 && (asked < 1 || (asked == std::floor(asked) && asked < most_rows))) return;
    throw ConfigError(fmt::format("{} is {} (0, a fraction below 1 or a whole number of rows expected)", name, asked));
  };
  check("validation", validation);
  check("test", test);
  if (rows) check("rows", *rows);
  if (rows == 0.0) throw ConfigError("rows is 0 (a fraction below 1 or a whole number of rows expected)");
}

DataSplits split(const Dataset& data, const SplitOptions& options, const RandomSource& random) {
  options.validate();
  const Index rows = data.rows();
  const Index validation = rows_of(options.validation, rows), test = rows_of(options.test, rows);
  if (validation == 0 && test == 0 && !options.rows) return {data, std::nullopt, std::nullopt};
  if (validation >= rows || test >= rows - validation) {
    throw ConfigError(
        fmt::format("{}: {} rows for validation and {} for the test leave none of {} to train on. Lower "
                    "data.validation or data.test.",
                    data.name(), validation, test, rows));
  }
  const Index others = rows - validation - test, kept = options.rows ? rows_of(*options.rows, others) : others;
  if (kept > others)
    throw ConfigError(fmt::format("{}: {} rows are asked for, but there are {}{}. Lower data.rows.", data.name(), kept,
                                  others, others < rows ? " beside those set aside" : ""));
  const Permutation place(rows, random.key(0));
  std::vector<Index> parts[3];
  // Validation from the front of the dealt order and test from its end: neither moves when the other is asked for.
  for (Index i = 0; i < validation + kept; ++i) parts[i < validation ? 1 : 0].push_back(place(i));
  for (Index i = rows - test; i < rows; ++i) parts[2].push_back(place(i));
  for (auto& part : parts) std::sort(part.begin(), part.end());
  DataSplits splits{data.part(std::move(parts[0])), std::nullopt, std::nullopt};
  if (validation > 0) splits.validation = data.part(std::move(parts[1]));
  if (test > 0) splits.test = data.part(std::move(parts[2]));
  return splits;
}

}  // namespace v1
}  // namespace harmonium
