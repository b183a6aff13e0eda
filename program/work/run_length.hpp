#pragma once

#include <cstdint>
#include <optional>

#include <harmonium/framework/config/subtable.hpp>
#include <harmonium/framework/config/value.hpp>

namespace harmonium {
inline namespace v1 {

/// The updates that a configuration asks for, where an epoch has so many; none where it does not say.
inline std::optional<double> updates_asked(const Value& config, double updates_per_epoch) {
  const Value* training = subtable(config, "training");
  const auto count = [&](const char* name) -> std::optional<double> {
    const Value* value = training ? training->find(name) : nullptr;
    const auto* number = value ? std::get_if<std::int64_t>(&value->data) : nullptr;
    if (!number || *number < 1) return {};
    return static_cast<double>(*number);
  };
  if (const auto updates = count("num_updates")) return updates;
  if (const auto epochs = count("num_epochs")) return *epochs * updates_per_epoch;
  return {};
}

}  // namespace v1
}  // namespace harmonium
