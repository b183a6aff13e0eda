#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The parameters of a model as tables of CSV, every number with all its digits.
class TensorTexts {
 public:
  TensorTexts(const EnergyModel& model, const ModelHeader& header) : model_(model), header_(header) {}

  std::string of(Index tensor) const;
  /// 1 where a coupling exists; empty of a tensor without a mask, or whose pairs tell.
  std::string mask_of(Index tensor) const;

 private:
  Real value(const ParameterBlock& b, Index at) const { return model_.parameters()[b.offset + at]; }
  std::vector<std::string> names(const ParameterBlock& block, Index which, Index count) const;
  std::string vector(const ParameterBlock& block) const;
  template <class Entry>
  std::string matrix(const ParameterBlock& block, const Entry& entry) const;
  std::string pairs(const ParameterBlock& block) const;
  std::string edges(const ParameterBlock& block) const;

  const EnergyModel& model_;
  const ModelHeader& header_;
};

/// The sizes of the layers and what units they are of, as read_exported_layers reads them.
std::string layers_text(const Layout& layout);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
