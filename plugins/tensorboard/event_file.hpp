#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace harmonium::tensorboard {

/// A record of TensorFlow's file format: length (8 bytes), masked CRC-32C of it (4), the text's bytes, masked CRC-32C of them (4),
/// all little-endian.
std::string record_of(std::string_view text);

/// An Event message of TensorBoard (protocol buffers: wall_time = 1, step = 2, file_version = 3, summary = 5). Seconds
/// since 1970.
std::string first_event(double wall_time);
std::string scalars_event(double wall_time, std::int64_t step,
                          const std::vector<std::pair<std::string, double>>& scalars);

}  // namespace harmonium::tensorboard
