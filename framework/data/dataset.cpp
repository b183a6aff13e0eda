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
#include <harmonium/framework/data/transform.hpp>

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
  std::array<bool, 256> present{};      // whether a byte occurs, where they are bytes
  std::vector<double> mean, deviation;  // of each column, where values are standardised as they are fetched
  std::vector<std::uint8_t> seen;       // a byte a number, 0 where it is missing; empty: all are there

  double value(double number) const { return number * scale; }
  double value(double number, Index col) const {
    return mean.empty() ? value(number) : (value(number) - mean[col]) / deviation[col];
  }
  double probability(double number) const { return (value(number) - range.low) / (range.high - range.low); }
  // Whether a number's value is the same in every column: then a byte has one of 256.
  bool tabled() const { return table.is_bytes() && mean.empty() && seen.empty(); }
  bool saw(Index row, Index col) const { return seen.empty() || seen[row * table.cols + col]; }
  void find_missing(bool whole_columns);
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

constexpr std::uint32_t most_classes = 1u << 16;

std::array<bool, 256> find_bytes(std::span<const std::uint8_t> values) {
  std::array<bool, 256> present{};
  for (const std::uint8_t v : values) present[v] = true;
  return present;
}

// What one look at all numbers of a table tells. `number_of` gives the value of a number.
struct Overview {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  bool finite = true, bits = true;
  bool raw_bits = true;  ///< before the scale

  template <class Number, class ValueOf>
  void take(Number number, const ValueOf& value_of) {
    const double v = value_of(static_cast<double>(number));
    low = std::min(low, v);
    high = std::max(high, v);
    finite &= std::abs(v) <= std::numeric_limits<double>::max();
    bits &= v == 0.0 || v == 1.0;
    raw_bits &= number == Number{0} || number == Number{1};
  }
};

ValueRange find_range(const Overview& all, bool are_bytes, const ValueOptions& options) {
  if (!options.range.empty()) return {options.range[0], options.range[1]};
  if (all.low >= 0 && all.high <= 1) return {0, 1};
  // Bytes are a grey scale whose white is 255, whether or not a pixel is white.
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
    seen.assign(values.size(), 1);
    std::vector<double> sum(cols, 0.0), count(cols, 0.0);
    for (Index i = 0; i < values.size(); ++i) {
      if (std::isnan(values[i])) {
        seen[i] = 0;
        continue;
      }
      sum[i % cols] += static_cast<double>(values[i]);
      ++count[i % cols];
    }
    for (Index c = 0; c < cols; ++c)
      if (count[c] == 0 && !whole_columns)
        throw DataError(fmt::format("{}: column {} (counted from 0) is missing in every row. Leave it out.", name, c));
    std::vector<T> filled(values.begin(), values.end());
    for (Index i = 0; i < filled.size(); ++i)
      if (!seen[i]) filled[i] = static_cast<T>(sum[i % cols] / std::max(count[i % cols], 1.0));
    table.values = std::move(filled);
  };
  if (const auto* singles = std::get_if<NumberArray<float>>(&table.values)) replace(*singles);
  else replace(std::get<NumberArray<double>>(table.values));
}

std::string words(const ValuePlace& place) {
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

  if (options.missing != Missing::refuse) s.find_missing(options.missing == Missing::nan_columns);
  Overview all;
  const auto value_of = [&](double number) { return s.value(number); };
  if (t.is_bytes()) {
    const auto& values = std::get<NumberArray<std::uint8_t>>(t.values);
    s.present = find_bytes({values.data(), values.size()});
    for (int b = 0; b < 256; ++b)
      if (s.present[b]) all.take(b, value_of);
  } else {
    std::visit(
        [&](const auto& values) {
          for (Index i = 0; i < values.size(); ++i)
            if (s.seen.empty() || s.seen[i]) all.take(values[i], value_of);
        },
        t.values);
  }
  if (!all.finite) {
    std::visit(
        [&](const auto& values) {
          for (Index i = 0; i < values.size(); ++i) {
            if (std::isfinite(s.value(values[i]))) continue;
            const std::string_view after = std::isfinite(values[i]) ? " times data.scale, more than a number holds"
                                           : std::isnan(values[i])
                                               ? ". If that means that nothing was seen, set data.missing = \"nan\"."
                                               : "";
            throw DataError(fmt::format("{} is {}{}", s.place(i), values[i], after));
          }
        },
        t.values);
  }
  // Of bits, such as samples of bits that were made of scaled values, a scale makes nothing else.
  if (s.binarize != Binarize::none && all.raw_bits && s.scale != 1) {
    s.scale = 1;
    all.bits = true;
  }
  s.range = find_range(all, t.is_bytes(), options);
  // Bits are bits already, whatever range other data had: a threshold at 127.5 would blank them.
  if (all.bits) s.range = {0, 1};
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
    if (all.low < s.range.low || all.high > s.range.high) {
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
  }
  if (s.binarize != Binarize::each_epoch) {
    const double middle = s.range.low + (s.range.high - s.range.low) / 2;
    const bool draws = s.binarize == Binarize::stochastic;
    const BitDrawer drawn(random, 0);
    std::vector<std::uint8_t> bits(t.rows * t.cols);
    std::visit(
        [&](const auto& values) {
          for (Index i = 0; i < values.size(); ++i) {
            const auto number = static_cast<double>(values[i]);
            bits[i] = draws ? drawn(i / t.cols, i % t.cols, s.probability(number)) : s.value(number) > middle;
          }
        },
        s.table.values);
    s.present = find_bytes(bits);
    s.table.values = std::move(bits);
    s.scale = 1;
  }
  storage_ = std::move(storage);
}

Index Dataset::rows() const { return rows_ ? rows_->size() : storage_->table.rows; }
double Dataset::bytes() const {
  if (storage_->table.mapped()) return 0.0;
  const std::size_t each = std::visit([](const auto& values) { return sizeof(values[0]); }, storage_->table.values) +
                           (has_missing() ? 1 : 0);
  return static_cast<double>(rows()) * static_cast<double>(storage_->table.cols) * static_cast<double>(each);
}
Index Dataset::cols() const { return storage_->table.cols + (label_at_ ? labels_->num_classes : 0); }
const std::string& Dataset::name() const { return storage_->name; }
const std::vector<DataFile>& Dataset::files() const { return files_; }
std::span<const Index> Dataset::sample_shape() const { return storage_->sample_shape; }
Index Dataset::source_row(Index row) const { return rows_ ? (*rows_)[row] : row; }
Binarize Dataset::binarize() const { return storage_->binarize; }
ValueRange Dataset::range() const { return storage_->range; }

bool Dataset::has_missing() const { return !storage_->seen.empty(); }

void Dataset::seen(std::span<const Index> rows, MatrixView<std::uint8_t> out) const {
  const Storage& s = *storage_;
  for (Index r = 0; r < rows.size(); ++r) {
    std::fill_n(out.row(r), out.cols, std::uint8_t{1});
    for (Index c = 0; c < s.table.cols; ++c) out(r, shifted(c)) = s.saw(source_row(rows[r]), c) ? 1 : 0;
  }
}

bool Dataset::is_bytes() const {
  return storage_->binarize != Binarize::none || (storage_->tabled() && storage_->scale == 1);
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
  const Index count = this->rows(), width = s.table.cols;
  const bool draws = s.binarize == Binarize::each_epoch;
  const BitDrawer drawn(s.random, epoch);
  std::visit(
      [&](const auto& values) {
        using Number = typename std::remove_reference_t<decltype(values)>::value_type;
        // Of a byte there are 256 values: worked out once a call, where a call has as many.
        std::array<T, 256> made{};
        std::array<double, 256> chance{};
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
          } else if (!s.mean.empty()) {
            for (Index c = 0; c < width; ++c)
              to[c] = static_cast<T>((s.value(static_cast<double>(from[c])) - s.mean[c]) / s.deviation[c]);
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
          if (label_at_) {
            const Index classes = labels_->num_classes;
            std::copy_backward(to + *label_at_, to + width, to + width + classes);
            std::fill_n(to + *label_at_, classes, T{0});
            to[*label_at_ + labels_->classes[source]] = T{1};
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
void Dataset::visit_rows(const Visit& visit) const {
  std::visit(
      [&](const auto& values) {
        for (Index r = 0; r < rows(); ++r)
          if (!visit(r, values.data() + source_row(r) * storage_->table.cols)) return;
      },
      storage_->table.values);
}

std::array<bool, 256> Dataset::bytes_present() const {
  if (!rows_) return storage_->present;
  std::array<bool, 256> present{};
  visit_rows([&](Index, const auto* from) {
    for (Index c = 0; c < storage_->table.cols; ++c) present[static_cast<std::uint8_t>(from[c])] = true;
    return true;
  });
  return present;
}

ValuePlace Dataset::extreme(double sign) const {
  const Storage& s = *storage_;
  const Index width = s.table.cols;
  // A bit that is drawn takes both values unless its probability is 0 or 1.
  const auto reached = [&](double number, Index col) {
    if (s.binarize != Binarize::each_epoch) return sign * s.value(number, col);
    return sign > 0 ? std::ceil(s.probability(number)) : -std::floor(s.probability(number));
  };
  double best = -std::numeric_limits<double>::infinity();
  if (s.tabled()) {
    const std::array<bool, 256> present = bytes_present();
    for (int b = 0; b < 256; ++b)
      if (present[b]) best = std::max(best, reached(b, 0));
  } else {
    visit_rows([&](Index r, const auto* from) {
      for (Index c = 0; c < width; ++c)
        if (s.saw(source_row(r), c)) best = std::max(best, reached(static_cast<double>(from[c]), c));
      return true;
    });
  }
  ValuePlace place{0, 0, best * sign + 0.0};  // no negative zero
  visit_rows([&](Index r, const auto* from) {
    for (Index c = 0; c < width; ++c) {
      if (!s.saw(source_row(r), c) || reached(static_cast<double>(from[c]), c) != best) continue;
      place.row = source_row(r);
      place.col = shifted(c);
      return false;
    }
    return true;
  });
  if (!label_at_) return place;
  // Of two classes or more, a row has a 1 for its own and a 0 for another.
  const double of_labels = sign > 0 || labels_->num_classes == 1 ? 1 : 0;
  if (sign * of_labels <= best) return place;
  const Index own = label(0), other = own == 0 ? 1 : 0;
  return {source_row(0), *label_at_ + (of_labels > 0 ? own : other), of_labels};
}

ValuePlace Dataset::least() const { return extreme(-1); }
ValuePlace Dataset::greatest() const { return extreme(1); }

std::optional<ValuePlace> Dataset::first_outside(const std::function<bool(double)>& allowed, Index begin,
                                                 Index end) const {
  const Storage& s = *storage_;
  // The first value that a number takes and `allowed` refuses.
  const auto refused = [&](double number, Index col) -> std::optional<double> {
    const auto check = [&](double v) { return allowed(v) ? std::nullopt : std::optional<double>(v); };
    if (s.binarize != Binarize::each_epoch) return check(s.value(number, col));
    const double p = s.probability(number);
    const std::optional<double> zero = p >= 1 ? std::nullopt : check(0);
    return zero || p <= 0 ? zero : check(1);
  };
  std::optional<ValuePlace> found;
  const auto search = [&](const auto& outside) {
    visit_rows([&](Index r, const auto* from) {
      for (Index c = 0; c < s.table.cols; ++c) {
        if (!s.saw(source_row(r), c) || !outside(from[c], c) || shifted(c) < begin || shifted(c) >= end) continue;
        found = ValuePlace{source_row(r), shifted(c), *refused(static_cast<double>(from[c]), c)};
        return false;
      }
      return true;
    });
  };
  if (s.tabled()) {
    std::array<bool, 256> outside{};
    bool any = false;
    for (int b = 0; b < 256; ++b) any |= outside[b] = s.present[b] && refused(b, 0);
    if (any) search([&](auto number, Index) { return outside[static_cast<std::uint8_t>(number)]; });
  } else {
    search([&](auto number, Index col) { return refused(static_cast<double>(number), col).has_value(); });
  }
  if (!label_at_) return found;
  for (Index r = 0; r < rows() && (!found || source_row(r) < found->row); ++r) {
    for (Index k = 0; k < labels_->num_classes; ++k) {
      const double v = label(r) == k ? 1 : 0;
      const bool asked = *label_at_ + k >= begin && *label_at_ + k < end;
      if (asked && !allowed(v)) return ValuePlace{source_row(r), *label_at_ + k, v};
    }
  }
  return found;
}

std::optional<ValuePlace> Dataset::first_outside(std::span<const double> allowed, Index begin, Index end) const {
  return first_outside([=](double v) { return std::find(allowed.begin(), allowed.end(), v) != allowed.end(); }, begin,
                       end);
}

std::vector<double> Dataset::column_means() const {
  const Storage& s = *storage_;
  const bool draws = s.binarize == Binarize::each_epoch;
  const Index width = s.table.cols;
  std::vector<double> means(width, 0.0), classes(label_at_ ? labels_->num_classes : 0, 0.0);
  double total = 0;
  for (Index r = 0; r < rows(); ++r) total += weight(r);
  visit_rows([&](Index r, const auto* from) {
    const double share = weight(r) / total;
    if (draws) {
      for (Index c = 0; c < width; ++c) means[c] += share * s.probability(static_cast<double>(from[c]));
    } else if (s.mean.empty()) {
      for (Index c = 0; c < width; ++c) means[c] += share * s.value(static_cast<double>(from[c]));
    } else {
      for (Index c = 0; c < width; ++c) means[c] += share * s.value(static_cast<double>(from[c]), c);
    }
    if (label_at_) classes[label(r)] += share;
    return true;
  });
  if (has_missing()) means = means_of_seen();
  if (label_at_) means.insert(means.begin() + static_cast<std::ptrdiff_t>(*label_at_), classes.begin(), classes.end());
  return means;
}

std::vector<double> Dataset::means_of_seen() const {
  const Storage& s = *storage_;
  const bool draws = s.binarize == Binarize::each_epoch;
  const Index width = s.table.cols;
  std::vector<double> sum(width, 0.0), total(width, 0.0), filled(width, 0.0);
  visit_rows([&](Index r, const auto* from) {
    for (Index c = 0; c < width; ++c) {
      const auto number = static_cast<double>(from[c]);
      const double v = draws ? s.probability(number) : s.value(number, c);
      if (s.saw(source_row(r), c)) {
        sum[c] += weight(r) * v;
        total[c] += weight(r);
      } else {
        filled[c] = v;
      }
    }
    return true;
  });
  for (Index c = 0; c < width; ++c) sum[c] = total[c] > 0 ? sum[c] / total[c] : filled[c];
  return sum;
}

Dataset Dataset::with_transform(std::shared_ptr<const Transform> transform) const {
  const Storage& s = *storage_;
  if (label_at_) throw std::logic_error(s.name + ": labels take no part in a transform");
  if (transform->cols() != cols())
    throw ConfigError(
        fmt::format("[data] {} has {} columns, but the transform was fitted to {}. Take data of that kind.", s.name,
                    cols(), transform->cols()));
  if (s.binarize != Binarize::none)
    throw ConfigError(
        fmt::format("[data] {}: bits are neither standardised nor whitened. Leave data.binarize out.", s.name));
  if (has_missing() && transform->kind() != Transform::Kind::standardize)
    throw ConfigError(
        fmt::format("[data] {}: whitening mixes the columns of a row, and entries are missing. Set data.standardize in "
                    "its place.",
                    s.name));
  Dataset made = *this;
  auto storage = std::make_shared<Storage>(s);
  if (transform->kind() == Transform::Kind::standardize) {
    storage->mean = transform->mean();
    storage->deviation = transform->scale();
  } else {
    // The rows of every part, once, in the precision of the file.
    Dataset whole = *this;
    whole.rows_.reset();
    const auto fill = [&]<class T>(T) {
      constexpr Index piece = 512;
      std::vector<T> values(s.table.rows * s.table.cols);
      std::vector<double> rows(piece * s.table.cols);
      for (Index first = 0; first < s.table.rows; first += piece) {
        const Index count = std::min(piece, s.table.rows - first);
        const MatrixView<double> view{rows.data(), count, s.table.cols, s.table.cols};
        whole.fetch(first, 0, view);
        transform->apply(view);
        std::transform(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count * s.table.cols),
                       values.begin() + static_cast<std::ptrdiff_t>(first * s.table.cols),
                       [](double v) { return static_cast<T>(v); });
      }
      storage->table.values = std::move(values);
    };
    if (std::holds_alternative<NumberArray<double>>(s.table.values)) fill(double{});
    else fill(float{});
    storage->scale = 1;
  }
  made.storage_ = std::move(storage);
  made.transform_ = std::move(transform);
  return made;
}

Dataset Dataset::with_labels(const std::vector<double>& labels, const std::string& name,
                             std::optional<Index> num_classes, std::vector<DataFile> files) const {
  const Index rows = storage_->table.rows;
  if (labels.size() != rows) {
    throw DataError(fmt::format("{}: holds {} labels (one for each of the {} rows of {} expected)", name, labels.size(),
                                rows, storage_->name));
  }
  auto own = std::make_shared<Labels>();
  own->classes.reserve(rows);
  std::uint32_t greatest = 0;
  for (Index r = 0; r < rows; ++r) {
    const double v = labels[r];
    if (!(v >= 0) || v != std::floor(v) || v >= most_classes) {
      throw DataError(fmt::format("{}: row {} (counted from 0) is {} (a class, an integer from 0 to {}, expected)",
                                  name, r, v, most_classes - 1));
    }
    own->classes.push_back(static_cast<std::uint32_t>(v));
    greatest = std::max(greatest, own->classes.back());
    if (num_classes && greatest >= *num_classes) {
      throw DataError(
          fmt::format("{}: row {} (counted from 0) is {}, but there are {} classes, counted from 0. Set "
                      "data.num_classes.",
                      name, r, v, *num_classes));
    }
  }
  own->num_classes = num_classes.value_or(Index{greatest} + 1);
  Dataset labelled = *this;
  labelled.labels_ = std::move(own);
  labelled.files_.insert(labelled.files_.end(), files.begin(), files.end());
  return labelled;
}

Table Dataset::labels() const {
  const Index classes = labels_->num_classes;
  std::vector<std::uint8_t> bits(rows() * classes);
  for (Index r = 0; r < rows(); ++r) bits[r * classes + label(r)] = 1;
  return {rows(), classes, std::move(bits), {rows(), classes}};
}

Dataset Dataset::with_label_columns(Index at) const {
  if (!labels_ || label_at_ || at > cols()) throw std::logic_error(name() + ": no labels to make columns of");
  Dataset joined = *this;
  joined.label_at_ = at;
  return joined;
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
