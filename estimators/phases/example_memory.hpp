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

  /// Which layers are remembered: said once, before a state is loaded; the first `remember` says it otherwise.
  void begin(const Layout& layout, LayerSet layers);
  /// Writes the layers of each row of `rows` whose place in the data, indices[row], was met before; other rows are left
  /// alone.
  void recall(const Layout& layout, std::span<const Index> indices, Chains& rows) const;
  /// The layers are those of every call.
  void remember(const Layout& layout, LayerSet layers, std::span<const Index> indices, const Chains& rows);
  /// Bytes that `rows` of the data take.
  static double bytes(const Layout& layout, LayerSet layers, Values values, Index rows);

  void state(StateArchive& archive);

 private:
  struct Remembered {
    LayerId id;
    Layer layer;
    std::vector<std::uint8_t> bytes;  ///< where the units have a byte code and states are kept
    std::vector<Real> numbers;        ///< otherwise
  };
  bool as_bytes(const Layer& layer) const { return values_ == Values::states && layer.unit->byte_code().has_value(); }
  /// The values of row `row`, to columns() places.
  void decode(const Remembered& from, Index row, Real* to) const;
  /// Throws DataError where what was loaded is beyond the domain of the layer's units.
  void check_loaded(const StateArchive& archive, const std::string& name, const Remembered& r) const;

  Values values_;
  std::vector<std::uint8_t> met_;  ///< one a row of the data, as far as the largest that was met
  std::vector<Remembered> layers_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
