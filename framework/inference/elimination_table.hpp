#pragma once

#include <memory>
#include <span>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The entries of a table, which are not set until they are written.
template <class Entry>
class EliminationTable {
 public:
  /// Room that is there is taken where it is not far too large: to have it anew from the system takes longer than a sum.
  void resize(Index size) {
    if (size > room_ || size < room_ / 4) {
      values_.reset();
      values_ = std::make_unique_for_overwrite<Entry[]>(size);
      room_ = size;
    }
    size_ = size;
  }
  Index size() const { return size_; }
  std::span<Entry> all() { return {values_.get(), size_}; }
  const Entry* data() const { return values_.get(); }

 private:
  std::unique_ptr<Entry[]> values_;
  Index size_ = 0, room_ = 0;
};

/// The weights of a table are within 2^least and 2^(most + 1).
struct BinaryRange {
  int least = 0, most = 0;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
