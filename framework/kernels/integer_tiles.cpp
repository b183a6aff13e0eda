#include <harmonium/framework/kernels/integer_tiles.hpp>

#include <algorithm>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <harmonium/framework/kernels/kernels.hpp>
#include <harmonium/framework/kernels/simd_integer_tiles.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

#if defined(__x86_64__)
/// What a processor says of itself beyond the levels, which compilers do not all ask about.
struct ByteInstructions {
  bool avx_vnni = false, avx512_vnni = false, amx = false;

  static ByteInstructions of_this_machine() {
    constexpr unsigned features = 7, of_avx_vnni = 1u << 4, of_avx512_vnni = 1u << 11, of_amx = 3u << 24;
    ByteInstructions found;
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid_count(features, 0, &a, &b, &c, &d) == 0) return found;
    found.avx512_vnni = (c & of_avx512_vnni) != 0;
    found.amx = (d & of_amx) == of_amx && allowed();
    if (a >= 1 && __get_cpuid_count(features, 1, &a, &b, &c, &d) != 0) found.avx_vnni = (a & of_avx_vnni) != 0;
    return found;
  }

  /// Linux has the memory for tiles only of programs that asked for it, once for all their threads.
  static bool allowed() {
    constexpr long request = 0x1023, tile_data = 18;
    return syscall(SYS_arch_prctl, request, tile_data) == 0;
  }
};
#endif

}  // namespace

std::vector<const IntegerTiles*> available_integer_tiles() {
  static const std::vector<const IntegerTiles*> found = [] {
    std::vector<const IntegerTiles*> tiles{&simd::plain::tiles};
#if defined(__x86_64__)
    const auto levels = available_kernels();
    const auto has = [&](std::string_view level) {
      return std::ranges::any_of(levels, [&](const Kernels* each) { return each->name == level; });
    };
    const ByteInstructions bytes = ByteInstructions::of_this_machine();
    if (has("v3") && bytes.avx_vnni) tiles.push_back(&simd::v3_vnni::tiles);
    if (has("v4") && bytes.avx512_vnni) tiles.push_back(&simd::v4_vnni::tiles);
    if (has("v4") && bytes.amx) tiles.push_back(&simd::v4_amx::tiles);
#endif
    return tiles;
  }();
  return found;
}

const IntegerTiles& integer_tiles_named(std::string_view instruction_set) {
  const auto tiles = available_integer_tiles();
  const auto found =
      std::ranges::find_if(tiles, [&](const IntegerTiles* each) { return each->name == instruction_set; });
  return found == tiles.end() ? *tiles.front() : **found;
}

const IntegerTiles& integer_tiles() {
  static const IntegerTiles& chosen = integer_tiles_named(instruction_set());
  return chosen;
}

}  // namespace v1
}  // namespace harmonium
