#pragma once

namespace harmonium {
inline namespace v1 {

/// Bytes of memory that this process may have: the machine's, or less where the system limits it (a control group, as
/// of a container or a batch job; `ulimit -v`). 0 where nothing says.
double machine_memory();

}  // namespace v1
}  // namespace harmonium
