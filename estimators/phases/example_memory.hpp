#pragma once

#include <span>
#include <vector>

#include <harmonium/framework/core/state_archive.hpp>
#include <harmonium/framework/model/chains.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What a phase remembers of each row of the data from one visit to the next: the values of some layers, kept as states (a
/// byte a column where the units have a byte code) or as any numbers.
class ExampleMemory {
 public:
  enum class Values : std::uint8_t { states, numbers };
  explicit ExampleMemory(Values values) : values_(values) {}

  /// Writes `layers` of each row of `rows` whose place in the data, indices[row], was met before; other rows are left
  /// alone. The layers are those of every call.
  void recall(const Layout& layout, LayerSet layers, std::span<const Index> indices, Chains& rows) const;
  void remember(const Layout& layout, LayerSet layers, std::span<const Index> indices, const Chains& rows);
  /// Bytes that `rows` of the data take.
  static double bytes(const Layout& layout, LayerSet layers, Values values, Index rows);

  void state(StateArchive& archive);

 private:
  bool as_bytes(const Layer& layer) const { return values_ == Values::states && layer.unit->byte_code().has_value(); }

  Values values_;
  std::vector<std::uint8_t> met_;  ///< one a row of the data, as far as the greatest that was met
  std::vector<std::vector<std::uint8_t>> bytes_;
  std::vector<std::vector<Real>> numbers_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
