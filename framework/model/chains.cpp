#include <harmonium/framework/model/chains.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/copies.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/state_archive.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

Chains::Chains(const Layout& layout, Index num_rows, std::uint32_t first_chain)
    : num_rows_(num_rows), first_chain_(first_chain), rung_(num_rows, 0) {
  for (const Layer& layer : layout.layers()) {
    LayerValues v;
    v.columns = layer.columns();
    v.code = layer.unit->byte_code();
    v.real.assign(num_rows * v.columns, Real{0});
    layers_.push_back(std::move(v));
  }
}

// The flags are written only when they change, so that many threads may pass through once a form is current.
void Chains::make_real_current(const LayerValues& v) const {
  if (v.real_current) return;
  std::transform(v.bytes.begin(), v.bytes.end(), v.real.begin(),
                 [&](std::uint8_t b) { return v.code->low + v.code->step * static_cast<Real>(b); });
  v.real_current = true;
}

void Chains::make_bytes_current(const LayerValues& v) const {
  if (!v.code) throw CapabilityError("a layer whose units have no byte code was asked for as bytes");
  if (v.bytes_current) return;
  v.bytes.resize(v.real.size());
  for (Index i = 0; i < v.real.size(); ++i) {
    const Real byte = (v.real[i] - v.code->low) / v.code->step;
    if (!(byte >= 0 && byte <= 255 && byte == std::floor(byte)))
      throw CapabilityError(
          fmt::format("the value {} of row {} is no state of its unit, and a byte holds states only. Read the layer as "
                      "numbers.",
                      v.real[i], i / v.columns));
    v.bytes[i] = static_cast<std::uint8_t>(byte);
  }
  v.bytes_current = true;
}

ConstMatrixRef Chains::read(LayerId layer) const {
  const LayerValues& v = values(layer);
  make_real_current(v);
  return {v.real.data(), num_rows_, v.columns, v.columns};
}

MatrixRef Chains::write(LayerId layer) {
  const LayerValues& v = values(layer);
  make_real_current(v);
  if (v.bytes_current) v.bytes_current = false;
  return {v.real.data(), num_rows_, v.columns, v.columns};
}

ConstChainView Chains::real() const {
  for (const LayerValues& v : layers_) make_real_current(v);
  return *this;
}

void Chains::copy_rows(LayerSet layers, const ConstChainView& from, Index at) {
  for_each(layers, [&](LayerId l) { copy(from[l], write(l).slice(at, at + from.rows())); });
}

void Chains::copy_to_all(LayerSet layers, const Chains& from, Index row) {
  for_each(layers, [&](LayerId l) { copy_to_rows(from.read(l)[row], write(l)); });
}

ConstByteView Chains::read_bytes(LayerId layer) const {
  const LayerValues& v = values(layer);
  make_bytes_current(v);
  return {v.bytes.data(), num_rows_, v.columns, v.columns};
}

ByteView Chains::write_bytes(LayerId layer) {
  const LayerValues& v = values(layer);
  make_bytes_current(v);
  if (v.real_current) v.real_current = false;
  return {v.bytes.data(), num_rows_, v.columns, v.columns};
}

void Chains::state(StateArchive& archive) {
  std::uint64_t rows = num_rows_;
  archive.field("num_rows", rows);
  if (rows != num_rows_)
    throw DataError(fmt::format("the checkpoint holds {} chains where this run has {}", rows, num_rows_));
  archive.field("step", step_);
  archive.field("first_chain", first_chain_);
  archive.field("rung", rung_, num_rows_);
  for (Index l = 0; l < layers_.size(); ++l) {
    make_real_current(layers_[l]);
    archive.field(fmt::format("layer{}", l), layers_[l].real, num_rows_ * layers_[l].columns);
    layers_[l].bytes_current = false;
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
