#include <harmonium/plugins/builtin/components.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

const Registries& builtin_registries() {
  static const Registries registries = [] {
    Registries all;
    enroll_builtin(all);
    return all;
  }();
  return registries;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
