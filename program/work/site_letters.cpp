#include <harmonium/program/work/site_letters.hpp>

#include <iterator>

#include <fmt/format.h>

#include <harmonium/framework/files/fasta.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/of_type.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::string sequence_letters(const Value& config) {
  const Value* data = config.find("data");
  if (!data || !is_of_type(*data, "fasta")) return "";
  return options_among<FastaOptions>(*data, {"alphabet", "gap"}).letters();
}

std::string letters_of_layer(const ModelHeader& header, const Layer& layer) {
  if (layer.role == Role::latent || layer.name == label_layer) return "";
  std::string letters = sequence_letters(header.config);
  const bool sites = layer.unit->num_states() == letters.size() && layer.unit->width() == letters.size();
  return sites ? letters : "";
}

std::string letters_text(const ModelHeader& header, const Layout& layout) {
  std::string text;
  for (const Layer& layer : layout.layers()) {
    const std::string letters = letters_of_layer(header, layer);
    for (std::size_t state = 0; state < letters.size(); ++state)
      fmt::format_to(std::back_inserter(text), "{},{},{}\n", layer.name, state, letters[state]);
  }
  return text.empty() ? "" : fmt::format("{}\n{}", letters_head, text);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
