#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace harmonium {
inline namespace v1 {

enum class GapState { if_met, always };

/// What the letters of FASTA files are, all together, as FastaOptions names it: "dna" or "rna" where nine in ten of them, gaps left
/// out, are A, C, G, T or U (the others being the codes of doubtful bases), else "protein"; with GapState::if_met the letters of that
/// themselves, without '-', where no sequence has a gap. A guess: a protein may be made of alanine, cysteine, glycine and threonine
/// alone. Small letters are read as capital ones. Throws FileError where a file cannot be read, DataError where they have no letters, or
/// both T and U among their bases.
std::string fasta_alphabet(std::span<const std::filesystem::path> paths, GapState gap = GapState::if_met);

/// The alphabet's "protein", "dna" or "rna", where it is one of these or the letters of one without the gap; else empty.
std::string fasta_family(const std::string& alphabet);

/// "letters of DNA, without gaps": what such an alphabet is, for people.
std::string fasta_alphabet_words(const std::string& alphabet);

}  // namespace v1
}  // namespace harmonium
