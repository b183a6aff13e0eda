#include <harmonium/program/work/imported_parameters.hpp>

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/run/tensor_names.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void check_absent(const std::string& where, const ParameterBlock& block, const std::vector<Real>& theta,
                  const std::vector<std::uint8_t>& mask, const std::string& mask_name) {
  for (Index i = 0; i < mask.size(); ++i)
    if (mask[i] == 0 && theta[block.offset + i] != 0)
      throw DataError(fmt::format("{}: '{}' is {} at row {}, column {}, where {} says that there is none.", where,
                                  block.name, theta[block.offset + i], i / block.cols, i % block.cols, mask_name));
}

bool ImportedEdgeValues::take(const Edge& edge, Real value) {
  Real& own = theta_[block_.offset + edge.entry];
  if (known_[edge.entry]) return own == value;
  known_[edge.entry] = true;
  own = value;
  return true;
}

void put_parameters(const std::string& where, ImportedParameters read, EnergyModel& model) {
  for (auto& [tensor, mask] : read.masks) {
    const ParameterBlock& block = model.parameter_layout()[tensor];
    if (!block.mask) continue;
    if (*block.mask != mask)
      throw DataError(fmt::format("{}: '{}' is another mask than that of the configuration. Leave one of them out.",
                                  where, mask_of(block)));
  }
  try {
    for (auto& [tensor, mask] : read.masks)
      if (!model.parameter_layout()[tensor].mask) model.set_mask(tensor, std::move(mask));
    for (const ParameterBlock& block : model.parameter_layout().blocks())
      if (block.mask) check_absent(where, block, read.theta, *block.mask, "the mask of the configuration");
    model.update_parameters([&](std::span<Real> theta) { std::ranges::copy(read.theta, theta.begin()); });
  } catch (const DataError&) {
    throw;
  } catch (const Error& error) {
    throw DataError(fmt::format("{}: {}", where, error.what()));
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
