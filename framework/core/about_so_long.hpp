#pragma once

#include <string>

namespace harmonium {
inline namespace v1 {

/// "90 seconds", "3.2 minutes", "2.1 hours": two digits, of a tenth of a second at least.
std::string about_so_long(double seconds);

}  // namespace v1
}  // namespace harmonium
