#pragma once

namespace harmonium {
inline namespace v1 {

/// Bytes of memory that this machine has; 0 where it does not say.
double machine_memory();

}  // namespace v1
}  // namespace harmonium
