#pragma once

namespace harmonium {
inline namespace v1 {

/// How many of `wanted` threads this process can have, the calling one among them: fewer where a limit on processes or
/// memory, or that of a container, is in the way. Found by making them, for a moment; what was found is remembered.
int threads_to_be_had(int wanted);

}  // namespace v1
}  // namespace harmonium
