#include <harmonium/program/work/export_contacts.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/memory_need.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/row_writer.hpp>
#include <harmonium/framework/model/contact_scores.hpp>
#include <harmonium/framework/model/zero_sum_gauge.hpp>
#include <harmonium/framework/run/column_names.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/export_matrix.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

[[noreturn]] void refuse_contacts(const std::string& why) { throw CapabilityError("--contacts: " + why); }

void check_no_latent(const Layout& layout) {
  const std::vector<LayerId> latent = layout.ids(layout.latent());
  if (latent.empty()) return;
  refuse_contacts(fmt::format(
      "visible units are coupled by way of the latent ones of layer '{}', so that the model has effective couplings of "
      "pairs, and of more units, which are no parameters of it (Tubiana, Cocco & Monasson 2019; Decelle et al. 2023). "
      "They are not computed. Train a model without latent units, model = {{ type = \"fully_visible\" }}.",
      layout[latent.front()].name));
}

/// The couplings of the one layer that has some of its own.
const ParameterBlock& couplings_of_pairs(const EnergyModel& model) {
  check_no_latent(model.layout());
  const std::vector<Index> found = couplings_within_layers(model);
  if (found.size() != 1)
    refuse_contacts(fmt::format(
        "pairs are those of one layer whose units are coupled with each other, and the model has {}.", found.size()));
  return model.parameter_layout()[found.front()];
}

void check_scored_units(const Layer& layer, const ExportRequest& request) {
  const UnitType& unit = *layer.unit;
  if (unit.num_states() == 0 || (unit.width() > 1 && !has_gauge(unit)))
    refuse_contacts(fmt::format(
        "the units of layer '{}' are {}, and couplings go by the unit of their numbers. Scores are those of units of a "
        "finite list of states.",
        layer.name, unit.name()));
  if (request.left_out && unit.width() == 1)
    throw ConfigError(
        fmt::format("--left-out is for units of several states, categorical ones, and those of layer '{}' are {}. "
                    "Leave it out.",
                    layer.name, unit.name()));
  if (request.left_out && *request.left_out >= unit.width())
    throw ConfigError(fmt::format("--left-out {}: the units of layer '{}' have the states 0 to {}.", *request.left_out,
                                  layer.name, unit.width() - 1));
  if (request.min_separation >= layer.size)
    throw ConfigError(fmt::format("--min-separation {}: no two of the {} units of layer '{}' are so far apart.",
                                  request.min_separation, layer.size, layer.name));
}

/// units × units: the couplings of units of one column; of units of several states the norms of theirs.
std::vector<double> strengths(const ParameterBlock& block, const Layer& layer, const Real* theta,
                              std::optional<Index> left_out) {
  const Index units = layer.size, width = layer.unit->width();
  if (block.role != ParameterRole::edges) {
    if (width > 1) return coupling_norms({theta, block.rows, block.cols, block.cols}, width, left_out);
    return {theta, theta + units * units};
  }
  std::vector<double> strength(units * units);
  std::vector<Real> coupling(width * width);
  for (const Edge& e : *block.edges) {
    double value = static_cast<double>(theta[e.entry]);
    if (width > 1) {
      for (Index s = 0; s < width; ++s) coupling[s * width + s] = theta[e.entry];
      value = coupling_norm({coupling.data(), width, width, width}, left_out);
    }
    strength[e.a * units + e.b] = strength[e.b * units + e.a] = value;
  }
  return strength;
}

/// What the data call the units of the layer; nothing where they have no names of their own.
std::vector<std::string> names_of_layer(const Layout& layout, LayerId own, const ModelHeader& header) {
  std::vector<std::string> names = names_of_sites(header.column_names, layout);
  LayerSet sites = layout.observed();
  if (label_place(layout)) sites.remove(layout.find(label_layer));
  if (names.empty() || header.column_names == names_of_units(layout, sites)) return {};
  Index first = 0;
  for (const LayerId l : layout.ids(layout.observed())) {
    if (l == own) break;
    if (layout[l].name != label_layer) first += layout[l].size;
  }
  const auto begin = names.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(layout[own].size)};
}

struct RankedPair {
  Index i, j;
  double score, strength;
};

std::vector<RankedPair> ranked_pairs(const std::vector<double>& strength, Index units, bool states, Index separation) {
  const std::vector<double> corrected = states ? corrected_by_average_product(strength, units) : strength;
  std::vector<RankedPair> pairs;
  for (Index i = 0; i < units; ++i)
    for (Index j = i + separation; j < units; ++j) {
      const double score = corrected[i * units + j];
      pairs.push_back({i, j, states ? score : std::abs(score), strength[i * units + j]});
    }
  std::ranges::stable_sort(pairs, std::ranges::greater(), &RankedPair::score);
  return pairs;
}

}  // namespace

void export_contacts(const EnergyModel& model, const ModelHeader& header, const ExportRequest& request) {
  const ParameterBlock& block = couplings_of_pairs(model);
  const LayerId own = block.layers[0];
  const Layer& layer = model.layout()[own];
  check_scored_units(layer, request);
  const double pairs = static_cast<double>(layer.size) * static_cast<double>(layer.size);
  MemoryNeed need;  // two matrices, the pairs, and their lines
  need.add("the scores of all pairs", pairs * (2.0 * sizeof(double) + 0.5 * sizeof(RankedPair) + 30.0), "");
  need.check("export --contacts");

  const bool states = layer.unit->width() > 1;
  const std::vector<std::string> names =
      request.numbered ? std::vector<std::string>() : names_of_layer(model.layout(), own, header);
  std::string text = fmt::format("i,j,score,{}{}\n", states ? "norm" : "coupling", names.empty() ? "" : ",unit,other");
  const std::vector<double> strength =
      strengths(block, layer, model.parameters().data() + block.offset, request.left_out);
  for (const RankedPair& pair : ranked_pairs(strength, layer.size, states, request.min_separation)) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{}", pair.i + 1, pair.j + 1, static_cast<Real>(pair.score),
                   static_cast<Real>(pair.strength));
    if (!names.empty()) text += "," + csv_word(names[pair.i]) + "," + csv_word(names[pair.j]);
    text += "\n";
  }
  write_file_atomically(request.output, text);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
