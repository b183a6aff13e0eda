#include <harmonium/framework/core/version.hpp>

#ifndef HARMONIUM_VERSION
#define HARMONIUM_VERSION "unknown"
#endif
#ifndef HARMONIUM_REVISION
#define HARMONIUM_REVISION "unknown"
#endif

namespace harmonium {
inline namespace v1 {

const char* version() { return HARMONIUM_VERSION; }
const char* revision() { return HARMONIUM_REVISION; }

}  // namespace v1
}  // namespace harmonium
