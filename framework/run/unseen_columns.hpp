#pragma once

#include <string>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What data.missing says where entries, and whole columns, may be unseen: "nan_columns", or "nan" where the source knows no such
/// word; empty where it has no such option.
std::string missing_of_columns(const Value& source, const Registries& registries);

/// A [data] table of rows for a trained model. Where it takes missing entries it takes columns that are missing whole too: nothing is
/// learned from them.
Value with_unseen_columns(Value source, const Registries& registries);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
