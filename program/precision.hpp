#pragma once

#include <cstdint>
#include <string>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/program/work/program.hpp>

namespace harmonium {
inline namespace v1 {

enum class Precision : std::uint8_t { float64, float32 };

/// The precision of that name, as a configuration and a model file have it.
Precision precision_named(const std::string& name);
/// That of a model file.
Precision precision_of_model(const std::string& path);
/// That which a configuration asks for.
Precision precision_of_config(const Value& config);

/// The one door to each.
const Program& program(Precision precision);

}  // namespace v1
}  // namespace harmonium
