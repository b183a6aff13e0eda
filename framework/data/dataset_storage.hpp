#pragma once

#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/data/dataset.hpp>

/// What a Dataset shares with its parts. Internal to this folder.
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
  std::vector<double> mean, deviation;  // of each column, where values are standardized as they are fetched
  std::vector<std::uint8_t> seen;       // a byte a number, 0 where it is missing; empty: all are there
  bool may_miss = false;                // whether NaN means that nothing was seen

  double value(double number) const { return number * scale; }
  double value(double number, Index col) const {
    return mean.empty() ? value(number) : (value(number) - mean[col]) / deviation[col];
  }
  double value_at(Index index) const {
    return value(std::visit([&](const auto& values) { return static_cast<double>(values[index]); }, table.values));
  }
  // Of a bit that is drawn.
  double of_bit(double bit, Index col) const { return mean.empty() ? bit : (bit - mean[col]) / deviation[col]; }
  double probability(double number) const { return (value(number) - range.low) / (range.high - range.low); }
  // Whether a number's value is the same in every column: then a byte has one of 256.
  bool tabled() const { return table.is_bytes() && mean.empty() && seen.empty(); }
  bool saw(Index row, Index col) const { return seen.empty() || seen[row * table.cols + col]; }
  void find_missing(bool whole_columns);
  std::string place(Index index) const {
    return fmt::format("{}: {}", name, text_of(ValuePlace{index / table.cols, index % table.cols, 0}));
  }
};

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

template <class Visit>
void Dataset::visit_rows(const Visit& visit) const {
  std::visit(
      [&](const auto& values) {
        for (Index r = 0; r < rows(); ++r)
          if (!visit(r, values.data() + source_row(r) * storage_->table.cols)) return;
      },
      storage_->table.values);
}

}  // namespace v1
}  // namespace harmonium
