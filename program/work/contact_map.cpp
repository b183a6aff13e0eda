#include <harmonium/program/work/contact_map.hpp>

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

void check_drawn_pairs(const EnergyModel& model) {
  const std::string what = fmt::format("--what {}: ", contacts_picture);
  try {
    const Layer& layer = model.layout()[layer_of_pairs(model)];
    if (layer.size > most_sites_of_map)
      throw ConfigError(
          fmt::format("{}layer '{}' has {} units, and a map has {} on a side at most. 'harmonium export --contacts' "
                      "writes a table.",
                      what, layer.name, layer.size, most_sites_of_map));
  } catch (const CapabilityError& error) {
    throw CapabilityError(what + error.what());
  }
}

}  // namespace

std::string draw_contact_map(const DrawRequest& request, const std::string& model, const std::filesystem::path& output,
                             const Registries& registries) {
  const ModelHeader header = read_model_header(model);
  const Registries own = with_plugins(registries, request, header);
  const std::unique_ptr<EnergyModel> loaded = load_model(model, header, own);
  check_drawn_pairs(*loaded);
  const auto gnuplot = find_gnuplot();
  if (!gnuplot) throw FileError(without_gnuplot("there is no map"));
  const PairScores of = pair_scores(*loaded, {}, "draw --what contacts");
  const char* const meaning =
      of.states ? "score: APC-corrected Frobenius norm, zero-sum gauge" : "coupling J, whose size is the score";
  const PairMap map{of.units, of.states ? of.scores : of.strengths, of.states ? "site" : "unit", meaning};
  std::string caption = fmt::format(
      "pairs of the {} {}s of layer '{}', counted from 1; {}; blue below 0, red above, darkest from {:.3g} on",
      of.units, map.axis, loaded->layout()[of.layer].name, meaning, end_of_scale(map));
  draw_svg_or_png(*gnuplot, output, pair_map_script(map), size_of_pair_map, caption);
  return caption;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
