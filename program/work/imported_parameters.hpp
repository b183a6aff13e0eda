#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// θ of a model as tables or arrays have it, and masks by the positions of their tensors.
struct ImportedParameters {
  std::vector<Real> theta;
  std::map<Index, std::vector<std::uint8_t>> masks = {};
};

/// Throws DataError where θ is not 0 at an entry of the tensor that `mask`, called `mask_name`, says does not exist. `where` stands
/// before what is wrong.
void check_absent(const std::string& where, const ParameterBlock& block, const std::vector<Real>& theta,
                  const std::vector<std::uint8_t>& mask, const std::string& mask_name);

/// The values of a list of edges as they are read in its order, where edges may share an entry of the tensor.
class ImportedEdgeValues {
 public:
  /// `block` has edges; it and `theta` must outlive this.
  ImportedEdgeValues(const ParameterBlock& block, std::vector<Real>& theta)
      : block_(block), theta_(theta), known_(block.size(), false) {}

  /// Puts the value of an edge into θ. False, with θ as it was, where an edge before has another value in the entry of both.
  [[nodiscard]] bool take(const Edge& edge, Real value);

 private:
  const ParameterBlock& block_;
  std::vector<Real>& theta_;
  std::vector<bool> known_;
};
inline constexpr const char* other_value_than_shared =
    "another value than that of an edge before, whose coupling it has";

/// Puts them into their model. A mask that the model has from its configuration stays, and is that which was read, where one was.
/// Throws DataError where they are of no such model.
void put_parameters(const std::string& where, ImportedParameters read, EnergyModel& model);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
