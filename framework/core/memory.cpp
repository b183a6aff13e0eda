#include <harmonium/framework/core/memory.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr double boundless = std::numeric_limits<double>::infinity();

/// The number that a file holds; no bound where there is none, or the word "max".
double number_in(const std::string& path) {
  double value = boundless;
  return std::ifstream(path) >> value ? value : boundless;
}

/// The smallest limit of the control groups that this process is in. Those around a group limit it as well.
double group_limit() {
  double min = boundless;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "4:memory:/a/b", or "0::/a/b" of the second version
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool unified = controllers.empty();
    if (!unified && controllers != "memory") continue;
    const std::string root = unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    const char* file = unified ? "/memory.max" : "/memory.limit_in_bytes";
    std::string group = line.substr(second + 1);
    while (!group.empty()) {
      min = std::min(min, number_in(root + group + file));
      group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
    }
    min = std::min(min, number_in(root + file));  // in a container the group itself is the root
  }
  return min;
}

double process_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return boundless;
  return static_cast<double>(limit.rlim_cur);
}

}  // namespace

double machine_memory() {
  const double machine = static_cast<double>(std::max(0L, ::sysconf(_SC_PHYS_PAGES))) *
                         static_cast<double>(std::max(0L, ::sysconf(_SC_PAGE_SIZE)));
  const double min = std::min({machine > 0.0 ? machine : boundless, group_limit(), process_limit()});
  return min < boundless ? min : 0.0;
}

}  // namespace v1
}  // namespace harmonium
