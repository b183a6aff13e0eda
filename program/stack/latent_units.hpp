#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <harmonium/framework/config/value.hpp>

namespace harmonium {
inline namespace v1 {

/// The latent units of a machine: what it passes up.
struct LatentUnits {
  std::uint64_t number = 0;
  Value units;  ///< their kind, a name or a table with a 'type'

  /// The name of their kind.
  std::string kind() const;
};

/// As the table [model] of a configuration says them: `num_hidden` and `hidden_units`, or the only latent layer of its `layers`.
/// Nothing where it does not say how many there are, or has several layers of them.
std::optional<LatentUnits> latent_units(const Value& config);

/// Has the model of `config` observe these units.
void observe_units(const LatentUnits& below, Value& config);

}  // namespace v1
}  // namespace harmonium
