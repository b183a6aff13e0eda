#pragma once

#include <string>

#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The model's table with the numbers that its size goes by made smaller, the largest first, until its states can be
/// added up; which they are is found by trying. `changes` says what became of them.
Value shrunk_model(const Registries& registries, const Value& spec, std::string& changes);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
