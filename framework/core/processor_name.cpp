#include <harmonium/framework/core/processor_name.hpp>

#include <fstream>
#include <string>

namespace harmonium {
inline namespace v1 {

// /proc/cpuinfo: "model name\t: AMD EPYC 9R14" and "model\t\t: 17", once for each core; of the first alone. Virtual machines
// call theirs "Intel(R) Xeon(R) Processor", whatever it is.
std::string processor_name() {
  std::ifstream cores("/proc/cpuinfo");
  std::string name, family, model;
  for (std::string line; std::getline(cores, line) && !line.empty();) {
    const auto colon = line.find(':');
    if (colon == std::string::npos || colon + 2 >= line.size()) continue;
    const std::string key = line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1), value = line.substr(colon + 2);
    if (key == "model name") name = value;
    else if (key == "cpu family") family = value;
    else if (key == "model") model = value;
  }
  if (name.empty()) return "unknown";
  if (!family.empty() && !model.empty()) name += " (family " + family + ", model " + model + ")";
  return name;
}

}  // namespace v1
}  // namespace harmonium
