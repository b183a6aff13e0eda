#pragma once

#include <cstddef>
#include <string>

#include <fmt/format.h>

namespace harmonium {
inline namespace v1 {

// The folders of a stack's runs within its own.

/// Of machine `k`, from 0: "machine1" and so on.
inline std::string machine_folder(std::size_t k) { return fmt::format("machine{}", k + 1); }
/// Of a phase of the training of all layers, from 0: "joint", "joint2" and so on.
inline std::string joint_folder(std::size_t phase) { return phase == 0 ? "joint" : fmt::format("joint{}", phase + 1); }

}  // namespace v1
}  // namespace harmonium
