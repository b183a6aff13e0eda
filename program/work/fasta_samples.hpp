#pragma once

#include <span>
#include <string>

#include <harmonium/program/work/sampling.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Whether a file of samples is one of sequences, by its name (.fasta, .fa).
bool is_fasta(const std::string& output);
/// The letters of a model's states, in order, as those of the sequences that it was trained on. Throws ConfigError where it was
/// trained on no sequences, or observes something else beside them; `option` names the file `output`, which would have them.
std::string letters_of(const ModelHeader& header, const Layout& layout, const std::string& output, const char* option);
/// The sequence of a row of all observed columns.
std::string sequence_of(std::span<const Real> row, const std::string& letters);
/// Writes each sample as a sequence ">sample1", with its energy behind the name where that was asked for.
void write_fasta_samples(const SamplingPlan& plan, const Sampling& sampling);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
