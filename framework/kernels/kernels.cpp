#include <harmonium/framework/kernels/kernels.hpp>

#include <cstdlib>
#include <span>
#include <string>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/kernels/integer_tiles.hpp>
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
  const auto available = available_kernels();
  std::string names;
  const auto say = [&](std::string_view known) { names += (names.empty() ? "" : ", ") + std::string(known); };
  for (const Kernels* each : available) {
    if (each->name == name) return *each;
    say(each->name);
  }
  // A level with instructions that multiply bytes; the first tiles need none.
  const auto tiles = available_integer_tiles();
  for (const IntegerTiles* each : std::span(tiles).subspan(1)) {
    if (each->name == name) return kernels_named(each->level);
    say(each->name);
  }
  throw ConfigError("environment: variable HARMONIUM_ISA: '" + std::string(name) +
                    "' is no instruction set to run with (this machine has " + names +
                    "). Name one of these, or unset the variable for the best.");
}

std::string_view instruction_set() {
  static const std::string chosen = [] {
    const char* const name = std::getenv("HARMONIUM_ISA");
    if (name != nullptr && *name != '\0') {
      kernels_named(name);  // throws where this machine has none
      return std::string(name);
    }
    const IntegerTiles* const tiles = available_integer_tiles().back();
    const std::string_view best = available_kernels().back()->name;
    return std::string(tiles->level == best ? tiles->name : best);
  }();
  return chosen;
}

const Kernels& kernels() {
  static const Kernels& chosen = kernels_named(instruction_set());
  return chosen;
}

}  // namespace v1
}  // namespace harmonium
