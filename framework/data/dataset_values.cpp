#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include <xtensor/xmath.hpp>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/data/dataset_range.hpp>
#include <harmonium/framework/data/dataset_storage.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

std::array<bool, 256> find_bytes(std::span<const std::uint8_t> values) {
  std::array<bool, 256> present{};
  for (const std::uint8_t v : values) present[v] = true;
  return present;
}

ValueRange find_range(const ValueOverview& all, bool are_bytes, const ValueOptions& options) {
  if (!options.range.empty()) return {options.range[0], options.range[1]};
  if (all.low >= 0 && all.high <= 1) return {0, 1};
  // Bytes are a gray scale whose white is 255, whether or not a pixel is white.
  if (are_bytes) return {std::min(0.0, 255 * options.scale), std::max(0.0, 255 * options.scale)};
  return {all.low, all.high};
}

}  // namespace

// What is NaN is marked, and becomes the mean of its column: a number like the others to whoever does not ask.
void Dataset::Storage::find_missing(bool whole_columns) {
  if (table.is_bytes()) return;
  const Index cols = table.cols;
  const auto replace = [&]<class T>(const NumberArray<T>& values) {
    if (std::none_of(values.begin(), values.end(), [](T v) { return std::isnan(v); })) return;
    seen.resize(values.size());
    std::transform(values.begin(), values.end(), seen.begin(), [](T v) { return std::isnan(v) ? 0 : 1; });
    Vector<double> sum = zeros<double>(cols), count = zeros<double>(cols);
    for (Index i = 0; i < values.size(); ++i) {
      if (!seen[i]) continue;
      sum(i % cols) += static_cast<double>(values[i]);
      ++count(i % cols);
    }
    if (const auto empty = std::find(count.begin(), count.end(), 0.0); empty != count.end() && !whole_columns)
      throw DataError(
          fmt::format("{}: column {} (counted from 0) is missing in every row. Leave it out, or take such columns by "
                      "data.missing = \"nan_columns\".",
                      name, empty - count.begin()));
    const Vector<double> means = sum / xt::maximum(count, 1.0);
    std::vector<T> filled(values.begin(), values.end());
    for (Index i = 0; i < filled.size(); ++i)
      if (!seen[i]) filled[i] = static_cast<T>(means(i % cols));
    table.values = std::move(filled);
  };
  if (const auto* singles = std::get_if<NumberArray<float>>(&table.values)) replace(*singles);
  else replace(std::get<NumberArray<double>>(table.values));
}

std::string text_of(const ValuePlace& place) {
  return fmt::format("row {}, column {} (both counted from 0)", place.row, place.col);
}

void ValueOptions::bind(OptionBinder& o) {
  static constexpr OptionBinder::Choice<Binarize> choices[] = {{"none", Binarize::none},
                                                               {"threshold", Binarize::threshold},
                                                               {"stochastic", Binarize::stochastic},
                                                               {"each_epoch", Binarize::each_epoch}};
  static constexpr OptionBinder::Choice<Missing> meanings[] = {
      {"refuse", Missing::refuse}, {"nan", Missing::nan}, {"nan_columns", Missing::nan_columns}};
  o.choice("missing", missing, meanings,
           "what NaN is in a file: an error, or an entry that was not seen, which training takes as a latent unit; "
           "nan_columns allows columns of which no row was seen");
  o.option("scale", scale, "every number of the file is multiplied by it");
  o.choice("binarize", binarize, choices,
           "makes bits of the values, -1 and 1 for spins: threshold (1 above the middle of the range), stochastic "
           "(drawn once, with the place "
           "in the range as probability) or each_epoch (drawn anew each epoch)");
  o.option("range", range, "low and high end of the values, after scale; empty: found from the data");
}

void ValueOptions::validate() const {
  if (!std::isfinite(scale) || scale == 0)
    throw ConfigError(fmt::format("scale is {} (a finite number but 0 expected)", scale));
  if (range.empty()) return;
  if (range.size() != 2) throw ConfigError(fmt::format("range holds {} numbers (low and high expected)", range.size()));
  if (!std::isfinite(range[0]) || !std::isfinite(range[1]) || !(range[0] < range[1])) {
    throw ConfigError(fmt::format("range is [{}, {}] (the first must be below the second)", range[0], range[1]));
  }
}

namespace {

// The steps of making a data set. What it stores is private, so that its type is deduced.

// Of a table of bytes, each value that occurs is looked at once.
template <class Storage>
ValueOverview look_at(const Storage& s) {
  ValueOverview all;
  const auto value_of = [&](double number) { return s.value(number); };
  if (s.table.is_bytes()) {
    for (int b = 0; b < 256; ++b)
      if (s.present[b]) all.take(b, value_of);
    return all;
  }
  std::visit(
      [&](const auto& values) {
        for (Index i = 0; i < values.size(); ++i)
          if (s.seen.empty() || s.seen[i]) all.take(values[i], value_of);
      },
      s.table.values);
  return all;
}

template <class Storage>
void refuse_infinite(const Storage& s) {
  std::visit(
      [&](const auto& values) {
        const auto found =
            std::find_if_not(values.begin(), values.end(), [&](auto number) { return std::isfinite(s.value(number)); });
        if (found == values.end()) return;
        const std::string_view after = std::isfinite(*found) ? " times data.scale, more than a number holds"
                                       : std::isnan(*found)
                                           ? ". If that means that nothing was seen, set data.missing = \"nan\"."
                                           : "";
        throw DataError(fmt::format("{} is {}{}", s.place(static_cast<Index>(found - values.begin())), *found, after));
      },
      s.table.values);
}

template <class Storage>
void make_bits(Storage& s) {
  const double middle = s.range.low + (s.range.high - s.range.low) / 2;
  const bool draws = s.binarize == Binarize::stochastic;
  const BitDrawer drawn(s.random, 0);
  const Index cols = s.table.cols;
  std::vector<std::uint8_t> bits(s.table.rows * cols);
  std::visit(
      [&](const auto& values) {
        for (Index i = 0; i < values.size(); ++i) {
          const auto number = static_cast<double>(values[i]);
          bits[i] = draws ? drawn(i / cols, i % cols, s.probability(number)) : s.value(number) > middle;
        }
      },
      s.table.values);
  s.present = find_bytes(bits);
  s.table.values = std::move(bits);
  s.scale = 1;
}

}  // namespace

Dataset::Dataset(Table table, std::string name, const ValueOptions& options, const RandomSource& random,
                 std::vector<DataFile> files)
    : files_(std::move(files)) {
  options.validate();
  auto storage = std::make_shared<Storage>();
  Storage& s = *storage;
  s.name = std::move(name);
  s.scale = options.scale;
  s.binarize = options.binarize;
  s.random = random;
  s.table = std::move(table);
  const Table& t = s.table;
  if (t.rows == 0 || t.cols == 0)
    throw DataError(fmt::format("{}: has no {}", s.name, t.rows == 0 ? "rows" : "columns"));
  if (t.shape.size() > 1) s.sample_shape.assign(t.shape.begin() + 1, t.shape.end());

  s.may_miss = options.missing != Missing::refuse;
  if (s.may_miss) s.find_missing(options.missing == Missing::nan_columns);
  if (t.is_bytes()) {
    const auto& values = std::get<NumberArray<std::uint8_t>>(t.values);
    s.present = find_bytes({values.data(), values.size()});
  }
  ValueOverview all = look_at(s);
  if (!all.finite) refuse_infinite(s);
  // Of bits, such as samples of bits that were made of scaled values, a scale makes nothing else.
  if (s.binarize != Binarize::none && all.raw_bits && s.scale != 1) {
    s.scale = 1;
    all.bits = true;
  }
  s.range = find_range(all, t.is_bytes(), options);
  // Bits are bits already, whatever range other data had: a threshold at 127.5 would blank them.
  if (all.bits) s.range = {0, 1};
  // So are spins, such as a model's own samples, which no range that begins at 0 has a place for.
  else if (all.spins && s.range.low == 0) s.range = {-1, 1};
  if (s.binarize != Binarize::none) {
    check_range(s, all, !options.range.empty());
    if (s.binarize != Binarize::each_epoch) make_bits(s);
  }
  storage_ = std::move(storage);
}

}  // namespace v1
}  // namespace harmonium
