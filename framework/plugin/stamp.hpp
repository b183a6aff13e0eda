#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <harmonium/framework/core/types.hpp>

/// Raised whenever a header that plugins are written against changes what was compiled: a virtual function more, a member
/// more, another argument. scripts/check_plugin_abi.py asks for it, and records the headers beside it in abi_digest.txt.
#define HARMONIUM_PLUGIN_ABI 22u

#define HARMONIUM_WORDS_(x) #x
#define HARMONIUM_WORDS(x) HARMONIUM_WORDS_(x)
#if defined(__GLIBCXX__)
#if defined(_GLIBCXX_DEBUG)
#define HARMONIUM_LIBRARY_MODE " debug"
#else
#define HARMONIUM_LIBRARY_MODE ""
#endif
/// What the layout of the standard library's types goes by. They stand in our interfaces; no xtensor type does.
#define HARMONIUM_TOOLCHAIN "libstdc++ cxx11abi=" HARMONIUM_WORDS(_GLIBCXX_USE_CXX11_ABI) HARMONIUM_LIBRARY_MODE
#else
#define HARMONIUM_TOOLCHAIN "another standard library"
#endif

/// The version of Harmonium that a plugin is compiled against, for messages; harmonium_add_plugin says it.
#ifndef HARMONIUM_BUILT_AGAINST
#define HARMONIUM_BUILT_AGAINST "unknown"
#endif

namespace harmonium {
inline namespace v1 {

/// What a plugin says of itself before any of it runs: plain bytes, read from the file. The first four members never move,
/// so that any two generations of Harmonium can read each other's and refuse each other with a reason. Texts end with 0.
struct PluginStamp {
  std::uint32_t abi;               ///< HARMONIUM_PLUGIN_ABI
  std::uint32_t real_bits;         ///< 32 or 64
  std::array<char, 24> harmonium;  ///< the version it was built against
  std::array<char, 64> toolchain;  ///< HARMONIUM_TOOLCHAIN
  std::array<char, 64> name;       ///< what a configuration calls it
  std::array<char, 24> version;    ///< its own
  std::array<char, 256> summary;   ///< what it is for, in a sentence
};
inline constexpr const char* plugin_stamp_symbol = "harmonium_plugin_stamp";
inline constexpr const char* plugin_enroll_symbol = "harmonium_plugin_enroll";

/// A text of a stamp; one that is too long does not compile.
template <std::size_t N>
consteval std::array<char, N> stamp_text(std::string_view text) {
  std::array<char, N> out{};
  if (text.empty() || text.size() >= N) throw "a plugin's name, version or summary is empty or too long";
  for (std::size_t i = 0; i < text.size(); ++i) out[i] = text[i];
  return out;
}

consteval PluginStamp plugin_stamp(std::uint32_t real_bits, std::string_view name, std::string_view version,
                                   std::string_view summary) {
  for (const char c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'))
      throw "a plugin's name has small letters, digits and underscores";
  return {HARMONIUM_PLUGIN_ABI,
          real_bits,
          stamp_text<24>(HARMONIUM_BUILT_AGAINST),
          stamp_text<64>(HARMONIUM_TOOLCHAIN),
          stamp_text<64>(name),
          stamp_text<24>(version),
          stamp_text<256>(summary)};
}

}  // namespace v1
}  // namespace harmonium
