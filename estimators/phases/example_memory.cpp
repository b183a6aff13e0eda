#include <harmonium/estimators/phases/example_memory.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include <harmonium/framework/model/domain.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
void ExampleMemory::begin(const Layout& layout, LayerSet layers) {
  if (!layers_.empty()) return;
  for (const LayerId l : layout.ids())
    if (layers.contains(l)) layers_.push_back({l, layout[l], {}, {}});
}

void ExampleMemory::decode(const Remembered& from, Index row, Real* to) const {
  const Index columns = from.layer.columns();
  if (!as_bytes(from.layer)) {
    std::copy_n(&from.numbers[row * columns], columns, to);
    return;
  }
  const ByteCode code = *from.layer.unit->byte_code();
  const std::uint8_t* bytes = &from.bytes[row * columns];
  std::transform(bytes, bytes + columns, to,
                 [&](std::uint8_t b) { return code.low + code.step * static_cast<Real>(b); });
}

void ExampleMemory::recall(const Layout& layout, std::span<const Index> indices, Chains& rows) const {
  if (met_.empty()) return;
  for (const Remembered& from : layers_) {
    const MatrixRef to = rows.write(from.id);
    if (to.cols != from.layer.columns())
      throw std::logic_error(fmt::format("layer '{}' is remembered of another model", layout[from.id].name));
    for (Index r = 0; r < indices.size(); ++r)
      if (indices[r] < met_.size() && met_[indices[r]]) decode(from, indices[r], to.row(r));
  }
}

void ExampleMemory::remember(const Layout& layout, LayerSet layers, std::span<const Index> indices,
                             const Chains& rows) {
  if (indices.empty()) return;
  begin(layout, layers);
  met_.resize(std::max(met_.size(), *std::ranges::max_element(indices) + 1));
  const auto keep = [&](ConstMatrixRef from, auto& values, const auto& kept) {
    values.resize(met_.size() * from.cols);
    for (Index r = 0; r < indices.size(); ++r)
      std::transform(from.row(r), from.row(r) + from.cols, &values[indices[r] * from.cols], kept);
  };
  for (Remembered& to : layers_) {
    if (!as_bytes(to.layer)) {
      keep(rows.read(to.id), to.numbers, [](Real x) { return x; });
      continue;
    }
    // What was drawn is a state. Of what was seen, which may be gray, the nearest serves: it comes from the data again.
    keep(rows.read(to.id), to.bytes, [code = *to.layer.unit->byte_code()](Real x) {
      return static_cast<std::uint8_t>(std::clamp(std::round((x - code.low) / code.step), Real{0}, Real{255}));
    });
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

void ExampleMemory::check_loaded(const StateArchive& archive, const std::string& name, const Remembered& r) const {
  if (values_ == Values::numbers) return;            // any will do
  const bool states = r.layer.role == Role::latent;  // data need be no state of its units
  std::vector<Real> row(r.layer.columns());
  for (Index i = 0; i < met_.size(); ++i) {
    if (!met_[i]) continue;
    decode(r, i, row.data());
    if (first_outside(r.layer, {row.data(), 1, row.size(), row.size()}, states ? Domain::states : Domain::interval))
      archive.refuse(name,
                     fmt::format("holds in row {} of the data (counted from 0) what {} units of layer '{}' are not", i,
                                 r.layer.unit->name(), r.layer.name));
  }
}

void ExampleMemory::state(StateArchive& archive) {
  if (!archive.loading() && met_.empty()) return;
  archive.field("met", met_, FieldSize::up_to(archive.sizes().rows));
  for (Remembered& r : layers_) {
    const Index size = met_.size() * r.layer.columns();
    const std::string name = fmt::format("{}{}", as_bytes(r.layer) ? "bytes" : "numbers", static_cast<Index>(r.id));
    if (as_bytes(r.layer)) archive.field(name, r.bytes, size);
    else archive.field(name, r.numbers, size);
    if (archive.loading()) check_loaded(archive, name, r);
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
