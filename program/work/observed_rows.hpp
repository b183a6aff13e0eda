#pragma once

#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/model/chains.hpp>
#include <harmonium/framework/model/held_mask.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Rows of data that may have no classes, as states of a model's observed layers. It refers to both.
class ObservedRows {
 public:
  /// `data` has the columns of all observed layers of `layout`, or of those but the labels.
  ObservedRows(const Dataset& data, const Layout& layout) : data_(&data), layout_(&layout) {}

  /// Rows [first, first + count); classes that the data does not have are 0.
  Chains rows(Index first, Index count) const;
  /// The units of these rows that were seen; classes that the data does not have are not among them.
  HeldMask seen(Index first, Index count) const;

 private:
  bool whole() const { return data_->cols() == layout_->columns(layout_->observed()); }
  std::vector<LayerId> layers() const;

  const Dataset* data_;
  const Layout* layout_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
