#include <harmonium/framework/files/fasta_alphabet.hpp>

#include <array>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/fasta.hpp>
#include <harmonium/framework/files/line_reader.hpp>

namespace harmonium {
inline namespace v1 {

namespace {

/// How often each character stands in sequences, letters as capital ones.
class LetterCounts {
 public:
  void add(const std::filesystem::path& path) {
    LineReader lines(path);
    if (name_.empty()) name_ = lines.name();
    while (const std::optional<std::string_view> line = lines.next()) {
      if (line->starts_with('>') || line->starts_with(';')) continue;
      for (const char c : *line) ++count_[static_cast<unsigned char>(std::toupper(static_cast<unsigned char>(c)))];
    }
  }

  std::uint64_t of(std::string_view letters) const {
    std::uint64_t sum = 0;
    for (const char c : letters) sum += count_[static_cast<unsigned char>(c)];
    return sum;
  }
  std::string family() const {
    const std::uint64_t letters = of("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (letters == 0) throw DataError(fmt::format("{}: its sequences have no letters", name_));
    if (of("ACGTU") * 10 < letters * 9) return "protein";
    if (of("T") > 0 && of("U") > 0)
      throw DataError(
          fmt::format("{}: its sequences have the letters T and U, so that they are neither DNA nor RNA. Set "
                      "data.alphabet, such as \"-ACGTU\".",
                      name_));
    return of("U") > 0 ? "rna" : "dna";
  }

 private:
  std::string name_;  ///< of the first file
  std::array<std::uint64_t, 256> count_{};
};

std::string without_gap(const std::string& family) {
  FastaOptions options;
  options.alphabet = family;
  std::string letters = options.letters();
  std::erase(letters, '-');
  return letters;
}

}  // namespace

std::string fasta_alphabet(std::span<const std::filesystem::path> paths, GapState gap) {
  LetterCounts counts;
  for (const std::filesystem::path& path : paths) counts.add(path);
  const std::string family = counts.family();
  return gap == GapState::always || counts.of("-.") > 0 ? family : without_gap(family);
}

std::string fasta_family(const std::string& alphabet) {
  for (const char* family : {"protein", "dna", "rna"})
    if (alphabet == family || alphabet == without_gap(family)) return family;
  return "";
}

std::string fasta_alphabet_words(const std::string& alphabet) {
  const std::string family = fasta_family(alphabet);
  if (family.empty()) return fmt::format("letters {}", alphabet);
  return fmt::format("letters of {}, {}",
                     family == "protein" ? "amino acids"
                     : family == "dna"   ? "DNA"
                                         : "RNA",
                     alphabet == family ? "and the gap" : "without gaps");
}

}  // namespace v1
}  // namespace harmonium
