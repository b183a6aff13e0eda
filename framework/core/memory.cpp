#include <harmonium/framework/core/memory.hpp>

#include <unistd.h>

#include <algorithm>

namespace harmonium {
inline namespace v1 {

double machine_memory() {
  return static_cast<double>(std::max(0L, ::sysconf(_SC_PHYS_PAGES))) *
         static_cast<double>(std::max(0L, ::sysconf(_SC_PAGE_SIZE)));
}

}  // namespace v1
}  // namespace harmonium
