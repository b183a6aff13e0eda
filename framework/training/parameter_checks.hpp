#pragma once

#include <optional>
#include <span>
#include <string>

#include <harmonium/framework/execution/executor.hpp>
#include <harmonium/framework/model/parameters.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Σ g², each symmetric pair once; not finite where an entry is not.
double squared_norm(const ParameterLayout& layout, std::span<const Real> g, const Executor& executor);

/// The first entry whose size exceeds `limit` or is NaN; θ.size() where there is none.
Index first_beyond(std::span<const Real> theta, double limit, const Executor& executor);

/// "weight.visible.hidden[3, 7]"
std::string place_of(const ParameterLayout& layout, Index i);

/// What is wrong with θ, such as "weight.visible.hidden[3, 7] is nan": the first entry that is not finite or exceeds `limit`
/// in size; nothing where all is well.
std::optional<std::string> beyond(const ParameterLayout& layout, std::span<const Real> theta, double limit,
                                  const Executor& executor);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
