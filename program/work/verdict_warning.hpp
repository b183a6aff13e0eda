#pragma once

#include <string>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/execution/display.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Tells of a model whose run found at its end that Gibbs chains do not mix on it, where `sampler` is that of such chains: what it draws
/// may keep to the modes that it began in; and whoever watches of one on which nobody has looked. `model` is the path of the model file; `held`:
/// something is, which the run's chains had not.
void warn_of_verdict(const std::string& model, const std::string& sampler, double beta, bool held, Display* display);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
