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

std::string letters_of(const SamplingPlan& plan) {
  std::string letters = sequence_letters(plan.header().config);
  if (letters.empty())
    throw ConfigError(fmt::format(
        "--output {}: the model was not trained on sequences, and which letter a state is is not known. Write .csv.",
        plan.request().output));
  const Layout& layout = plan.model().layout();
  const std::vector<LayerId> observed = layout.ids(layout.observed());
  if (observed.size() != 1 || letters_of_layer(plan.header(), layout[observed[0]]).empty())
    throw ConfigError(
        fmt::format("--output {}: the model observes something else than sites of the {} letters of '{}'. Write .csv.",
                    plan.request().output, letters.size(), letters));
  return letters;
}

void write_fasta_samples(const SamplingPlan& plan, const Sampling& sampling) {
  const std::string letters = letters_of(plan);
  const Index columns = plan.columns(), states = letters.size();
  std::string text;
  for (Index r = 0; r < plan.request().num_samples; ++r) {
    text += fmt::format(">sample{}", r + 1);
    if (!sampling.energies().empty()) text += fmt::format(" energy={:.10g}", sampling.energies()[r]);
    text += '\n';
    for (const Real* site = sampling.samples().data() + r * columns;
         site < sampling.samples().data() + (r + 1) * columns; site += states)
      text += letters[static_cast<Index>(std::max_element(site, site + states) - site)];
    text += '\n';
  }
  write_file_atomically(plan.request().output, text);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
