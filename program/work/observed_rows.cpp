#include <harmonium/program/work/observed_rows.hpp>

#include <harmonium/framework/core/copies.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/framework/training/fitted_data.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Those that the data has columns of, where it has no classes.
std::vector<LayerId> ObservedRows::layers() const {
  std::vector<LayerId> all = layout_->ids(layout_->observed());
  std::erase_if(all, [&](LayerId l) { return (*layout_)[l].name == label_layer; });
  return all;
}

Chains ObservedRows::rows(Index first, Index count) const {
  if (whole()) return rows_of(*data_, *layout_, first, count, 0);
  Chains rows(*layout_, count);
  Matrix<Real> values = zeros<Real>(count, data_->cols());
  data_->fetch<Real>(first, 0, as_matrix(values));
  Index column = 0;
  for (const LayerId l : layers()) {
    const Index next = column + (*layout_)[l].columns();
    copy(as_matrix(values).columns(column, next), rows.write(l));
    column = next;
  }
  return rows;
}

HeldMask ObservedRows::seen(Index first, Index count) const {
  if (whole()) return seen_of(*data_, *layout_, first, count);
  std::vector<Layer> own;
  for (const LayerId l : layers()) own.push_back((*layout_)[l]);
  const Layout own_layout(own);
  const HeldMask found = seen_of(*data_, own_layout, first, count);
  HeldMask mask;
  for (const LayerId l : own_layout.ids()) {
    const LayerId of_model = layout_->find(own_layout[l].name);
    const MatrixView<const std::uint8_t> units = found.units(l, 0, count);
    if (found.holds(l)) mask.hold(of_model);
    else mask.hold_units(of_model, own_layout[l].size, {units.data, units.data + units.rows * units.cols});
  }
  return mask;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
