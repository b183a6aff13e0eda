#pragma once

#include <string>

namespace harmonium {
inline namespace v1 {

/// What this machine's processor is called, "AMD EPYC 9R14 (family 25, model 17)"; "unknown" where the system does not say.
std::string processor_name();

}  // namespace v1
}  // namespace harmonium
