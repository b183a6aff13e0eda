#include <harmonium/framework/kernels/kernels.hpp>

#include <cstdlib>
#include <string>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/kernels/simd_kernels.hpp>

namespace harmonium {
inline namespace v1 {

std::vector<const Kernels*> available_kernels() {
  std::vector<const Kernels*> available{&simd::baseline::table};
#if defined(__x86_64__)
  // The features of each level that compilers can be asked about; processors have the others with them.
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                  __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  if (v3) available.push_back(&simd::v3::table);
  if (v4) available.push_back(&simd::v4::table);
#endif
  return available;
}

const Kernels& kernels_named(std::string_view name) {
  std::string names;
  for (const Kernels* each : available_kernels()) {
    if (each->name == name) return *each;
    if (!names.empty()) names += ", ";
    names += each->name;
  }
  throw ConfigError("environment: variable HARMONIUM_ISA: '" + std::string(name) +
                    "' is no instruction set to run with (this machine has " + names +
                    "). Name one of these, or unset the variable for the best.");
}

const Kernels& kernels() {
  static const Kernels& chosen = [&]() -> const Kernels& {
    const char* name = std::getenv("HARMONIUM_ISA");
    return name == nullptr || *name == '\0' ? *available_kernels().back() : kernels_named(name);
  }();
  return chosen;
}

}  // namespace v1
}  // namespace harmonium
