#pragma once

namespace harmonium {
inline namespace v1 {

/// "0.1.0"
const char* version();
/// The commit that this was built from, as `git describe` gives it; "unknown" outside a repository.
const char* revision();

}  // namespace v1
}  // namespace harmonium
