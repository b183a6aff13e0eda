#pragma once

#include <memory>
#include <string>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/plugins/builtin/enroll.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Everything that is built in, made once.
const Registries& builtin_registries();

/// The component that a table of a configuration describes, such as
///   make<Sampler>("type = 'parallel_tempering'\nnum_rungs = 12")
///   make<Regularizer>("type = 'l2'\nstrength = 1e-4").
/// Throws ConfigError as a configuration does.
template <class I>
std::unique_ptr<I> make(const std::string& toml, const Registries& registries = builtin_registries()) {
  Value effective;
  return registries.make<I>(parse_toml(toml, I::kind), effective);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
