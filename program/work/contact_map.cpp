#include <harmonium/program/work/contact_map.hpp>

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/pictures/gnuplot.hpp>
#include <harmonium/framework/pictures/pair_map.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/program/work/pair_scores.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

void check_drawn_pairs(const EnergyModel& model, const PairChoice& choice) {
  const std::string what = fmt::format("--what {}: ", contacts_picture);
  try {
    const Layer& layer = model.layout()[layer_of_pairs(model)];
    check_choice(choice, layer);
    if (layer.size > most_sites_of_map)
      throw ConfigError(
          fmt::format("{}layer '{}' has {} units, and a map has {} on a side at most. 'harmonium export --contacts' "
                      "writes a table.",
                      what, layer.name, layer.size, most_sites_of_map));
  } catch (const CapabilityError& error) {
    throw CapabilityError(what + error.what());
  }
}

/// Pairs nearer than that are as white as the diagonal.
void leave_blank(Index separation, Index units, std::vector<double>& values) {
  for (Index i = 0; i < units; ++i)
    for (Index j = i; j < std::min(units, i + separation); ++j) values[i * units + j] = values[j * units + i] = 0.0;
}

/// "; left out: state 0, pairs with |i - j| < 5", or nothing.
std::string words_on(const PairChoice& choice) {
  std::string words;
  if (choice.left_out) words = fmt::format("state {}", *choice.left_out);
  if (choice.min_separation > 1)
    words += fmt::format("{}pairs with |i - j| < {}", words.empty() ? "" : ", ", choice.min_separation);
  return words.empty() ? words : "; left out: " + words;
}

}  // namespace

std::string draw_contact_map(const DrawRequest& request, const std::string& model, const std::filesystem::path& output,
                             const Registries& registries) {
  const ModelHeader header = read_model_header(model);
  const Registries own = with_plugins(registries, request, header);
  const std::unique_ptr<EnergyModel> loaded = load_model(model, header, own);
  check_drawn_pairs(*loaded, request.pairs);
  const auto gnuplot = find_gnuplot();
  if (!gnuplot) throw FileError(without_gnuplot("there is no map"));
  const PairScores of = pair_scores(*loaded, request.pairs.left_out, "draw --what contacts");
  const char* const meaning =
      of.states ? "score: APC-corrected Frobenius norm, zero-sum gauge" : "coupling J, whose size is the score";
  std::vector<double> values = of.states ? of.scores : of.strengths;
  leave_blank(request.pairs.min_separation, of.units, values);
  const PairMap map{of.units, values, of.states ? "site" : "unit", meaning};
  std::string caption = fmt::format(
      "pairs of the {} {}s of layer '{}', counted from 1; {}{}; blue below 0, red above, darkest from {:.3g} on",
      of.units, map.axis, loaded->layout()[of.layer].name, meaning, words_on(request.pairs), end_of_scale(map));
  draw_svg_or_png(*gnuplot, output, pair_map_script(map), size_of_pair_map, caption);
  return caption;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
