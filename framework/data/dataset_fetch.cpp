#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <type_traits>

#include <harmonium/framework/data/dataset_storage.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

template <class Number>
void prefetch(const Number* row, Index width) {
  const auto* bytes = reinterpret_cast<const char*>(row);
  for (Index b = 0; b < width * sizeof(Number); b += 64) __builtin_prefetch(bytes + b);
}

/// Puts `count` zeros before column `at` of a row of `width` numbers.
template <class T>
void make_room(T* row, Index width, Index at, Index count) {
  std::copy_backward(row + at, row + width, row + width + count);
  std::fill_n(row + at, count, T{0});
}

}  // namespace

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
            prefetch(values.data() + source_row(rows[r + 1]) * width, width);
          }
          if (draws) {
            for (Index c = 0; c < width; ++c) {
              double p = 0;
              if constexpr (tabled) p = chance[from[c]];
              else p = s.probability(static_cast<double>(from[c]));
              to[c] = static_cast<T>(s.of_bit(drawn(source, c, p), c));
            }
          } else if (!s.mean.empty()) {
            for (Index c = 0; c < width; ++c)
              to[c] = static_cast<T>((s.value(static_cast<double>(from[c])) - s.mean[c]) / s.deviation[c]);
          } else if constexpr (tabled) {
            // Bits and raw bytes, the common case, without a table: this loop is one of a training step's, and vectorizes.
            if (s.scale == 1) {
              for (Index c = 0; c < width; ++c) to[c] = static_cast<T>(from[c]);
            } else {
              for (Index c = 0; c < width; ++c) to[c] = made[from[c]];
            }
          } else {
            for (Index c = 0; c < width; ++c) to[c] = static_cast<T>(s.value(static_cast<double>(from[c])));
          }
          if (label_at_) {
            make_room(to, width, *label_at_, labels_->num_classes);
            if (const Index own = labels_->classes[source]; own < labels_->num_classes) to[*label_at_ + own] = T{1};
          }
        }
      },
      s.table.values);
}

template <class T>
void Dataset::fetch(Index first, std::uint64_t epoch, MatrixView<T> out) const {
  std::vector<Index> rows(out.rows);
  std::iota(rows.begin(), rows.end(), first);
  fetch<T>(rows, epoch, out);
}

template void Dataset::fetch(std::span<const Index>, std::uint64_t, MatrixView<double>) const;
template void Dataset::fetch(std::span<const Index>, std::uint64_t, MatrixView<float>) const;
template void Dataset::fetch(std::span<const Index>, std::uint64_t, MatrixView<std::uint8_t>) const;
template void Dataset::fetch(Index, std::uint64_t, MatrixView<double>) const;
template void Dataset::fetch(Index, std::uint64_t, MatrixView<float>) const;
template void Dataset::fetch(Index, std::uint64_t, MatrixView<std::uint8_t>) const;

}  // namespace v1
}  // namespace harmonium
