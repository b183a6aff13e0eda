#include <harmonium/program/work/fasta_samples.hpp>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/program/work/site_letters.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
bool is_fasta(const std::string& output) {
  const std::string extension = std::filesystem::path(output).extension().string();
  return extension == ".fasta" || extension == ".fa";
}

std::string letters_of(const ModelHeader& header, const Layout& layout, const std::string& output, const char* option) {
  std::string letters = sequence_letters(header.config);
  if (letters.empty())
    throw ConfigError(fmt::format(
        "{} {}: the model was not trained on sequences, and which letter a state is is not known. Write .csv.", option,
        output));
  const std::vector<LayerId> observed = layout.ids(layout.observed());
  if (observed.size() != 1 || letters_of_layer(header, layout[observed[0]]).empty())
    throw ConfigError(
        fmt::format("{} {}: the model observes something else than sites of the {} letters of '{}'. Write .csv.",
                    option, output, letters.size(), letters));
  return letters;
}

std::string sequence_of(std::span<const Real> row, const std::string& letters) {
  std::string sequence;
  const Index states = letters.size();
  for (const Real* site = row.data(); site < row.data() + row.size(); site += states)
    sequence += letters[static_cast<Index>(std::max_element(site, site + states) - site)];
  return sequence;
}

void write_fasta_samples(const SamplingPlan& plan, const Sampling& sampling) {
  const std::string letters = letters_of(plan.header(), plan.model().layout(), plan.request().output, "--output");
  const std::span<const Real> all(sampling.samples());
  std::string text;
  for (Index r = 0; r < plan.request().num_samples; ++r) {
    text += fmt::format(">sample{}", r + 1);
    if (!sampling.energies().empty()) text += fmt::format(" energy={:.10g}", sampling.energies()[r]);
    text += "\n" + sequence_of(all.subspan(r * plan.columns(), plan.columns()), letters) + "\n";
  }
  write_file_atomically(plan.request().output, text);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
