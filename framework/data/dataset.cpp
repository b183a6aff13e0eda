#include <harmonium/framework/data/dataset.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {

struct Dataset::Storage {
  Table table;  // bits already, where binarize is threshold or stochastic
  std::string name;
  double scale = 1;  // 1 where the table holds bits
  Binarize binarize = Binarize::none;
  ValueRange range;
  RandomSource random;
  std::vector<Index> sample_shape;

  double value(double number) const { return number * scale; }
  double probability(double number) const { return (value(number) - range.low) / (range.high - range.low); }
  std::string place(Index index) const {
    return fmt::format("{}: {}", name, words(ValuePlace{index / table.cols, index % table.cols, 0}));
  }
};

namespace {

// The bit of a probability, at its address: chain = row of the file, site = column, step = epoch.
class BitDrawer {
 public:
  BitDrawer(const RandomSource& random, std::uint64_t epoch) : block_(DrawBlock::of(random, 0, epoch, LayerId{0})) {}
  bool operator()(Index row, Index col, double p) const {
    return uniform<double>(block_.word(row, static_cast<std::uint32_t>(col))) < p;
  }

 private:
  DrawBlock block_;
};

ValueRange find_range(const Table& table, const ValueOptions& options) {
  if (!options.range.empty()) return {options.range[0], options.range[1]};
  double low = std::numeric_limits<double>::infinity(), high = -low;
  std::visit(
      [&](const auto& values) {
        for (const auto v : values) {
          low = std::min(low, static_cast<double>(v));
          high = std::max(high, static_cast<double>(v));
        }
      },
      table.values);
  const auto [least, greatest] = std::minmax({options.scale * low, options.scale * high});
  if (least >= 0 && greatest <= 1) return {0, 1};
  // Bytes are a grey scale whose white is 255, whether or not a pixel is white.
  if (table.is_bytes()) return {std::min(0.0, 255 * options.scale), std::max(0.0, 255 * options.scale)};
  return {least, greatest};
}

}  // namespace

std::string words(const ValuePlace& place) {
  return fmt::format("row {}, column {} (both counted from 0)", place.row, place.col);
}

void ValueOptions::bind(OptionBinder& o) {
  static constexpr OptionBinder::Choice<Binarize> choices[] = {{"none", Binarize::none},
                                                               {"threshold", Binarize::threshold},
                                                               {"stochastic", Binarize::stochastic},
                                                               {"each_epoch", Binarize::each_epoch}};
  o.option("scale", scale, "every number of the file is multiplied by it");
  o.choice(
      "binarize", binarize, choices,
      "makes bits of the values: threshold (1 above the middle of the range), stochastic (drawn once, with the place "
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

  if (!t.is_bytes()) {
    std::visit(
        [&](const auto& values) {
          for (Index i = 0; i < values.size(); ++i) {
            if (std::isfinite(s.value(values[i]))) continue;
            const std::string_view after =
                std::isfinite(values[i]) ? " times data.scale, more than a number holds" : "";
            throw DataError(fmt::format("{} is {}{}", s.place(i), values[i], after));
          }
        },
        t.values);
  }
  s.range = find_range(t, options);
  // Bits are bits already, whatever range other data had: a threshold at 127.5 would blank them.
  const bool bits_already = std::visit(
      [&](const auto& values) {
        return std::all_of(values.begin(), values.end(), [&](auto number) {
          const double v = s.value(static_cast<double>(number));
          return v == 0.0 || v == 1.0;
        });
      },
      t.values);
  if (bits_already) s.range = {0, 1};
  if (s.binarize == Binarize::none) {
    storage_ = std::move(storage);
    return;
  }

  if (!(s.range.low < s.range.high)) {
    throw ConfigError(fmt::format("{}: every value is {}, so that no range is known to make bits by: set data.range.",
                                  s.name, s.range.low));
  }
  if (s.binarize != Binarize::threshold) {
    constexpr Index addresses = std::numeric_limits<std::uint32_t>::max();
    if (t.rows > addresses || t.cols > addresses) {
      throw DataError(fmt::format("{}: bits are drawn for at most {} rows and columns", s.name, addresses));
    }
    std::visit(
        [&](const auto& values) {
          for (Index i = 0; i < values.size(); ++i) {
            const double v = s.value(static_cast<double>(values[i]));
            if (v >= s.range.low && v <= s.range.high) continue;
            throw ConfigError(
                fmt::format("{} is {}, outside the range {} to {} in which values are probabilities: set data.scale, "
                            "data.range or data.binarize.",
                            s.place(i), v, s.range.low, s.range.high));
          }
        },
        t.values);
  }
  if (s.binarize != Binarize::each_epoch) {
    const double middle = s.range.low + (s.range.high - s.range.low) / 2;
    const bool draws = s.binarize == Binarize::stochastic;
    const BitDrawer drawn(random, 0);
    std::vector<std::uint8_t> bits;
    std::visit(
        [&](auto& values) {
          if constexpr (!std::is_same_v<typename std::remove_reference_t<decltype(values)>::value_type, std::uint8_t>) {
            bits.resize(values.size());
          }
          // Bytes become bits where they are: MNIST is not held twice.
          auto* const to = [&] {
            if constexpr (std::is_same_v<decltype(values.data()), std::uint8_t*>) return values.data();
            else return bits.data();
          }();
          for (Index i = 0; i < values.size(); ++i) {
            const auto number = static_cast<double>(values[i]);
            to[i] = draws ? drawn(i / t.cols, i % t.cols, s.probability(number)) : s.value(number) > middle;
          }
        },
        s.table.values);
    if (!bits.empty()) s.table.values = std::move(bits);
    s.scale = 1;
  }
  storage_ = std::move(storage);
}

Index Dataset::rows() const { return rows_ ? rows_->size() : storage_->table.rows; }
double Dataset::bytes() const {
  const std::size_t each = std::visit([](const auto& values) { return sizeof(values[0]); }, storage_->table.values);
  return static_cast<double>(rows()) * static_cast<double>(cols()) * static_cast<double>(each);
}
Index Dataset::cols() const { return storage_->table.cols; }
const std::string& Dataset::name() const { return storage_->name; }
const std::vector<DataFile>& Dataset::files() const { return files_; }
std::span<const Index> Dataset::sample_shape() const { return storage_->sample_shape; }
Index Dataset::source_row(Index row) const { return rows_ ? (*rows_)[row] : row; }
Binarize Dataset::binarize() const { return storage_->binarize; }
ValueRange Dataset::range() const { return storage_->range; }

bool Dataset::is_bytes() const {
  return storage_->binarize != Binarize::none || (storage_->table.is_bytes() && storage_->scale == 1);
}

bool Dataset::is_binary() const {
  if (storage_->binarize != Binarize::none) return true;
  const double bits[] = {0, 1};
  return !first_outside(bits);
}

template <class T>
void Dataset::fetch(std::span<const Index> rows, std::uint64_t epoch, MatrixView<T> out) const {
  const Storage& s = *storage_;
  if (std::is_same_v<T, std::uint8_t> && !is_bytes()) throw std::logic_error(s.name + ": its values are no bytes");
  if (out.cols != cols() || out.rows < rows.size())
    throw std::logic_error(s.name + ": rows fetched into a wrong shape");
  const Index count = this->rows(), width = cols();
  const bool draws = s.binarize == Binarize::each_epoch;
  const BitDrawer drawn(s.random, epoch);
  std::visit(
      [&](const auto& values) {
        using Number = typename std::remove_reference_t<decltype(values)>::value_type;
        // Of a byte there are 256 values: worked out once a call, where a call has as many.
        std::array<T, 256> made;
        std::array<double, 256> chance;
        constexpr bool tabled = std::is_same_v<Number, std::uint8_t>;
        if constexpr (tabled) {
          for (unsigned b = 0; b < 256; ++b) {
            made[b] = static_cast<T>(s.value(b));
            chance[b] = draws ? s.probability(b) : 0;
          }
        }
        for (Index r = 0; r < rows.size(); ++r) {
          if (rows[r] >= count) throw std::out_of_range(fmt::format("{}: row {} of {}", s.name, rows[r], count));
          const Index source = source_row(rows[r]);
          const Number* from = values.data() + source * width;
          T* to = out.row(r);
          // Rows of a minibatch lie anywhere in memory: the next one is on its way while this one is converted.
          if (r + 1 < rows.size() && rows[r + 1] < count) {
            const auto* next = reinterpret_cast<const char*>(values.data() + source_row(rows[r + 1]) * width);
            for (Index b = 0; b < width * sizeof(Number); b += 64) __builtin_prefetch(next + b);
          }
          if (draws) {
            for (Index c = 0; c < width; ++c) {
              double p = 0;
              if constexpr (tabled) p = chance[from[c]];
              else p = s.probability(static_cast<double>(from[c]));
              to[c] = static_cast<T>(drawn(source, c, p));
            }
          } else if constexpr (tabled) {
            // Bits and raw bytes, the common case, without a table: this loop is one of a training step's, and vectorises.
            if (s.scale == 1) {
              for (Index c = 0; c < width; ++c) to[c] = static_cast<T>(from[c]);
            } else {
              for (Index c = 0; c < width; ++c) to[c] = made[from[c]];
            }
          } else {
            for (Index c = 0; c < width; ++c) to[c] = static_cast<T>(s.value(static_cast<double>(from[c])));
          }
        }
      },
      s.table.values);
}

template <class T>
void Dataset::fetch(Index first, std::uint64_t epoch, MatrixView<T> out) const {
  std::vector<Index> rows(out.rows);
  for (Index r = 0; r < out.rows; ++r) rows[r] = first + r;
  fetch<T>(rows, epoch, out);
}

template void Dataset::fetch(std::span<const Index>, std::uint64_t, MatrixView<double>) const;
template void Dataset::fetch(std::span<const Index>, std::uint64_t, MatrixView<float>) const;
template void Dataset::fetch(std::span<const Index>, std::uint64_t, MatrixView<std::uint8_t>) const;
template void Dataset::fetch(Index, std::uint64_t, MatrixView<double>) const;
template void Dataset::fetch(Index, std::uint64_t, MatrixView<float>) const;
template void Dataset::fetch(Index, std::uint64_t, MatrixView<std::uint8_t>) const;

template <class Visit>
void Dataset::visit_numbers(const Visit& visit) const {
  std::visit(
      [&](const auto& values) {
        for (Index r = 0; r < rows(); ++r) {
          const auto* from = values.data() + source_row(r) * cols();
          for (Index c = 0; c < cols(); ++c) {
            if (!visit(r, c, static_cast<double>(from[c]))) return;
          }
        }
      },
      storage_->table.values);
}

ValuePlace Dataset::extreme(double sign) const {
  const Storage& s = *storage_;
  const bool draws = s.binarize == Binarize::each_epoch;
  ValuePlace best{0, 0, -std::numeric_limits<double>::infinity()};
  visit_numbers([&](Index r, Index c, double number) {
    double v = sign * s.value(number);
    // A bit that is drawn takes both values unless its probability is 0 or 1.
    if (draws) v = sign > 0 ? std::ceil(s.probability(number)) : -std::floor(s.probability(number));
    if (v > best.value) best = {source_row(r), c, v};
    return true;
  });
  best.value = best.value * sign + 0.0;  // no negative zero
  return best;
}

ValuePlace Dataset::least() const { return extreme(-1); }
ValuePlace Dataset::greatest() const { return extreme(1); }

std::optional<ValuePlace> Dataset::first_outside(const std::function<bool(double)>& allowed) const {
  const Storage& s = *storage_;
  std::optional<ValuePlace> found;
  std::array<signed char, 256> known;  // what was said of a byte: -1 nothing yet
  known.fill(-1);
  visit_numbers([&](Index r, Index c, double number) {
    const auto check = [&](double v) {
      if (allowed(v)) return true;
      found = ValuePlace{source_row(r), c, v};
      return false;
    };
    const auto check_number = [&] {
      if (s.binarize != Binarize::each_epoch) return check(s.value(number));
      const double p = s.probability(number);
      return (p >= 1 || check(0)) && (p <= 0 || check(1));
    };
    if (!s.table.is_bytes()) return check_number();
    signed char& answer = known[static_cast<std::size_t>(number)];
    if (answer < 0) answer = check_number();
    return answer == 1;
  });
  return found;
}

std::optional<ValuePlace> Dataset::first_outside(std::span<const double> allowed) const {
  return first_outside([=](double v) { return std::find(allowed.begin(), allowed.end(), v) != allowed.end(); });
}

std::vector<double> Dataset::column_means() const {
  const Storage& s = *storage_;
  const bool draws = s.binarize == Binarize::each_epoch;
  std::vector<double> means(cols(), 0.0);
  double total = 0;
  for (Index r = 0; r < rows(); ++r) total += weight(r);
  double share = 0;
  visit_numbers([&](Index r, Index c, double number) {
    if (c == 0) share = weight(r) / total;
    means[c] += share * (draws ? s.probability(number) : s.value(number));
    return true;
  });
  return means;
}

bool Dataset::weighted() const { return weights_ != nullptr; }

double Dataset::weight(Index row) const { return weights_ ? (*weights_)[source_row(row)] : 1.0; }

std::vector<double> Dataset::weights() const {
  std::vector<double> values;
  for (Index r = 0; weights_ && r < rows(); ++r) values.push_back(weight(r));
  return values;
}

Dataset Dataset::with_weights(std::vector<double> weights, const std::string& name, std::vector<DataFile> files) const {
  if (weights.size() != storage_->table.rows) {
    throw DataError(fmt::format("{}: holds {} weights (one for each of the {} rows of {} expected)", name,
                                weights.size(), storage_->table.rows, storage_->name));
  }
  for (Index r = 0; r < weights.size(); ++r) {
    if (std::isfinite(weights[r]) && weights[r] >= 0) continue;
    throw DataError(
        fmt::format("{}: row {} (counted from 0) is {} (a finite weight of at least 0 expected)", name, r, weights[r]));
  }
  Dataset weighted = *this;
  weighted.weights_ = std::make_shared<const std::vector<double>>(std::move(weights));
  weighted.files_.insert(weighted.files_.end(), files.begin(), files.end());
  weighted.check_weights(name);
  return weighted;
}

void Dataset::check_weights(const std::string& name) const {
  double total = 0;
  for (Index r = 0; r < rows(); ++r) total += weight(r);
  if (!(total > 0)) throw DataError(fmt::format("{}: every weight is 0 (one above 0 expected)", name));
  if (!std::isfinite(total)) throw DataError(fmt::format("{}: the weights add up to more than a number holds", name));
}

Dataset Dataset::part(std::vector<Index> rows) const {
  if (rows.empty()) throw std::logic_error(name() + ": a part without rows");
  for (Index& row : rows) {
    if (row >= this->rows()) throw std::out_of_range(fmt::format("{}: row {} of {}", name(), row, this->rows()));
    row = source_row(row);
  }
  Dataset part = *this;
  part.rows_ = std::make_shared<const std::vector<Index>>(std::move(rows));
  part.check_weights(fmt::format("{}, a part of {} rows", name(), part.rows()));
  return part;
}

}  // namespace v1
}  // namespace harmonium
