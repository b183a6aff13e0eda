#include <harmonium/framework/files/fasta_alphabet.hpp>

#include <array>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/line_reader.hpp>

namespace harmonium {
inline namespace v1 {

std::string fasta_alphabet(const std::filesystem::path& path) {
  std::array<std::uint64_t, 256> count{};
  std::uint64_t letters = 0, bases = 0;
  LineReader lines(path);
  while (const std::optional<std::string_view> line = lines.next()) {
    if (line->starts_with('>') || line->starts_with(';')) continue;
    for (const char c : *line) {
      const auto byte = static_cast<unsigned char>(c);
      if (!std::isalpha(byte)) continue;
      ++letters;
      ++count[static_cast<unsigned char>(std::toupper(byte))];
    }
  }
  if (letters == 0) throw DataError(fmt::format("{}: its sequences have no letters", lines.name()));
  for (const char base : {'A', 'C', 'G', 'T', 'U'}) bases += count[static_cast<unsigned char>(base)];
  if (bases * 10 < letters * 9) return "protein";
  if (count['T'] > 0 && count['U'] > 0)
    throw DataError(
        fmt::format("{}: its sequences have the letters T and U, so that they are neither DNA nor RNA. Set "
                    "data.alphabet, such as \"-ACGTU\".",
                    lines.name()));
  return count['U'] > 0 ? "rna" : "dna";
}

}  // namespace v1
}  // namespace harmonium
