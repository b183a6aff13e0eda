#pragma once

#include <span>
#include <vector>

#include <harmonium/framework/model/layout.hpp>

namespace harmonium {
inline namespace v1 {

/// What a sampler must leave alone: whole layers, and optionally single units of single rows, a byte each (clamping,
/// inpainting, missing values). A subset of a block of independent units is independent, so holding is never the
/// model's business.
class HeldMask {
 public:
  HeldMask() = default;
  explicit HeldMask(LayerSet layers) : layers_(layers) {}

  HeldMask& hold(LayerId layer) {
    layers_.add(layer);
    return *this;
  }
  /// Non-zero bytes of `units` (rows of the batch × units of the layer, contiguous) are held.
  HeldMask& hold_units(LayerId layer, Index num_units, std::vector<std::uint8_t> units) {
    const auto l = static_cast<Index>(layer);
    if (partial_.size() <= l) partial_.resize(l + 1);
    partial_[l] = {num_units, std::move(units)};
    return *this;
  }

  /// Of the rows of this that are named, in that order; one may be named often.
  HeldMask of_rows(std::span<const Index> rows) const {
    HeldMask chosen(layers_);
    for (Index l = 0; l < partial_.size(); ++l) {
      const auto& [num_units, held] = partial_[l];
      if (held.empty()) continue;
      std::vector<std::uint8_t> units;
      units.reserve(rows.size() * num_units);
      for (const Index r : rows) units.insert(units.end(), &held[r * num_units], &held[r * num_units] + num_units);
      chosen.hold_units(static_cast<LayerId>(l), num_units, std::move(units));
    }
    return chosen;
  }

  LayerSet layers() const { return layers_; }
  bool holds(LayerId layer) const { return layers_.contains(layer); }
  bool any_units() const {
    for (const Partial& p : partial_)
      if (!p.held.empty()) return true;
    return false;
  }
  /// The bytes of rows [begin, end) of a layer; empty where no single unit of it is held.
  MatrixView<const std::uint8_t> units(LayerId layer, Index begin, Index end) const {
    const auto l = static_cast<Index>(layer);
    if (l >= partial_.size() || partial_[l].held.empty()) return {};
    const Partial& p = partial_[l];
    return {p.held.data() + begin * p.num_units, end - begin, p.num_units, p.num_units};
  }

 private:
  struct Partial {
    Index num_units = 0;
    std::vector<std::uint8_t> held;
  };
  LayerSet layers_;
  std::vector<Partial> partial_;
};

}  // namespace v1
}  // namespace harmonium
