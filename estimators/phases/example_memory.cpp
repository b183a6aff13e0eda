#include <harmonium/estimators/phases/example_memory.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

template <class T>
void check_size(const std::vector<T>& values, Index rows, Index columns) {
  if (values.size() != rows * columns)
    throw DataError(fmt::format("the checkpoint remembers {} values of a layer for {} rows of {} columns",
                                values.size(), rows, columns));
}

}  // namespace

void ExampleMemory::recall(const Layout& layout, LayerSet layers, std::span<const Index> indices, Chains& rows) const {
  if (met_.empty()) return;
  for (const LayerId l : layout.ids()) {
    if (!layers.contains(l)) continue;
    const auto i = static_cast<Index>(l);
    const MatrixRef to = rows.write(l);
    const bool coded = as_bytes(layout[l]);
    if (coded) check_size(bytes_.at(i), met_.size(), to.cols);
    else check_size(numbers_.at(i), met_.size(), to.cols);
    for (Index r = 0; r < indices.size(); ++r) {
      if (indices[r] >= met_.size() || !met_[indices[r]]) continue;
      if (coded) {
        const ByteCode code = *layout[l].unit->byte_code();
        const std::uint8_t* from = &bytes_[i][indices[r] * to.cols];
        std::transform(from, from + to.cols, to.row(r),
                       [&](std::uint8_t b) { return code.low + code.step * static_cast<Real>(b); });
      } else {
        std::copy_n(&numbers_[i][indices[r] * to.cols], to.cols, to.row(r));
      }
    }
  }
}

void ExampleMemory::remember(const Layout& layout, LayerSet layers, std::span<const Index> indices,
                             const Chains& rows) {
  if (indices.empty()) return;
  met_.resize(std::max(met_.size(), *std::ranges::max_element(indices) + 1));
  bytes_.resize(layout.size());
  numbers_.resize(layout.size());
  const auto keep = [&](auto from, auto& values) {
    values.resize(met_.size() * from.cols);
    for (Index r = 0; r < indices.size(); ++r) std::copy_n(from.row(r), from.cols, &values[indices[r] * from.cols]);
  };
  for (const LayerId l : layout.ids()) {
    if (!layers.contains(l)) continue;
    if (as_bytes(layout[l])) keep(rows.read_bytes(l), bytes_[static_cast<Index>(l)]);
    else keep(rows.read(l), numbers_[static_cast<Index>(l)]);
  }
  for (const Index i : indices) met_[i] = 1;
}

double ExampleMemory::bytes(const Layout& layout, LayerSet layers, Values values, Index rows) {
  double bytes = 1.0;
  for (const LayerId l : layout.ids()) {
    if (!layers.contains(l)) continue;
    const bool coded = values == Values::states && layout[l].unit->byte_code();
    bytes += static_cast<double>(layout[l].columns()) * static_cast<double>(coded ? 1 : sizeof(Real));
  }
  return bytes * static_cast<double>(rows);
}

void ExampleMemory::state(StateArchive& archive) {
  if (!archive.loading() && met_.empty()) return;
  if (archive.loading() && !archive.fields().contains(archive.prefix() + "met")) return;
  archive.sized("met", met_);
  bytes_.resize(64);
  numbers_.resize(64);
  for (Index i = 0; i < 64; ++i) {
    const std::string coded = fmt::format("bytes{}", i), plain = fmt::format("numbers{}", i);
    const bool has_coded = archive.loading() ? archive.fields().contains(archive.prefix() + coded) : !bytes_[i].empty();
    const bool has_plain =
        archive.loading() ? archive.fields().contains(archive.prefix() + plain) : !numbers_[i].empty();
    if (has_coded) archive.sized(coded, bytes_[i]);
    if (has_plain) archive.sized(plain, numbers_[i]);
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
