#pragma once

#include <filesystem>
#include <string>

namespace harmonium {
inline namespace v1 {

/// What the letters of a FASTA file are, as FastaOptions names it: "dna" or "rna" where nine in ten of them, gaps left out,
/// are A, C, G, T or U (the others being the codes of doubtful bases), else "protein". A guess: a protein may be made of
/// alanine, cysteine, glycine and threonine alone. Small letters are read as capital ones. Throws FileError where the file
/// cannot be read, DataError where it has no letters, or has both T and U among its bases.
std::string fasta_alphabet(const std::filesystem::path& path);

}  // namespace v1
}  // namespace harmonium
