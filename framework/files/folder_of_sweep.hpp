#pragma once

#include <string>

namespace harmonium {
inline namespace v1 {

/// Throws ConfigError where `given`, which is to name a run, is the folder of a sweep, or the one in that which holds its runs; the
/// message names one of them. `asked` stands in front of it: "--resume ".
void refuse_sweep(const std::string& given, const std::string& asked = "");

}  // namespace v1
}  // namespace harmonium
