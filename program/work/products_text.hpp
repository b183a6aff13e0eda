#pragma once

#include <string>

#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// How products with the states of coupled layers are made in batches of `rows`: a line for each direction between two layers, and
/// for each gradient; empty where all go to BLAS for their units.
std::string products_text(const EnergyModel& model, Index rows);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
