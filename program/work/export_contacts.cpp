#include <harmonium/program/work/export_contacts.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/memory_need.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/row_writer.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>
#include <harmonium/framework/model/contact_scores.hpp>
#include <harmonium/framework/model/domain.hpp>
#include <harmonium/framework/model/latent_couplings.hpp>
#include <harmonium/framework/model/zero_sum_gauge.hpp>
#include <harmonium/framework/run/column_names.hpp>
#include <harmonium/framework/training/fitted_data.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

[[noreturn]] void refuse_contacts(const std::string& why) { throw CapabilityError("--contacts: " + why); }

void check_latent(const EnergyModel& model) {
  const std::optional<LayerId> other = latent_of_other_kind(model);
  if (!other && !stacked_machines(model)) return;
  const Layout& layout = model.layout();
  const Layer& latent = layout[other ? *other : layout.ids(layout.latent()).front()];
  if (is_normal(*latent.unit))
    refuse_contacts(fmt::format(
        "the latent units of layer '{}' are coupled with other latent ones, and effective couplings of the visible "
        "units are computed where these are independent of each other given the visible units. Leave such couplings "
        "out of the model.",
        latent.name));
  refuse_contacts(
      fmt::format("visible units are coupled by way of the latent ones of layer '{}', which are {}, so that the model "
                  "has effective "
                  "couplings of pairs, and of more units, which are no parameters of it (Tubiana, Cocco & Monasson "
                  "2019; Decelle et "
                  "al. 2023). They are not computed. Train a model without latent units, model = {{ type = "
                  "\"fully_visible\" }}, or "
                  "with Gaussian ones, which couple pairs alone.",
                  latent.name, latent.unit->name()));
}

/// What couples the units of one layer with each other: a tensor of their own, normal latent units, or both.
struct CouplingsOfPairs {
  LayerId layer{};
  const ParameterBlock* own = nullptr;
  bool by_latent = false;
};

/// The one layer whose pairs of units are coupled.
CouplingsOfPairs couplings_of_pairs(const EnergyModel& model) {
  check_latent(model);
  const Layout& layout = model.layout();
  std::map<LayerId, CouplingsOfPairs> found;
  for (const ParameterBlock& block : model.parameter_layout().blocks()) {
    if (!is_coupling(block)) continue;
    const bool within = block.role == ParameterRole::edges || block.symmetry != Symmetry::none;
    const bool by_latent = std::ranges::any_of(block.layers, [&](LayerId l) { return layout.latent().contains(l); });
    for (const LayerId l : block.layers) {
      if (!(within || by_latent) || layout.latent().contains(l) || layout[l].size < 2) continue;
      CouplingsOfPairs& of_layer = found[l];
      of_layer.layer = l;
      of_layer.by_latent = of_layer.by_latent || by_latent;
      if (within) of_layer.own = &block;
    }
  }
  if (found.size() != 1)
    refuse_contacts(fmt::format(
        "pairs are those of one layer whose units are coupled with each other, and the model has {}.", found.size()));
  return found.begin()->second;
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

/// Adds the couplings of a layer's own tensor to a matrix, columns × columns.
void add_own(const ParameterBlock& block, Index width, const Real* theta, Matrix<double>& out) {
  if (block.role != ParameterRole::edges) {
    out += xt::cast<double>(as_xtensor(ConstMatrixRef{theta, block.rows, block.cols, block.cols}));
    return;
  }
  for (const Edge& e : *block.edges)
    for (Index s = 0; s < width; ++s) {
      const Index a = e.a * width + s, b = e.b * width + s;
      out(a, b) += static_cast<double>(theta[e.entry]);
      out(b, a) = out(a, b);
    }
}

/// units × units: the couplings of units of one column, each as the model's numbers are; of units of several states the norms of
/// theirs.
std::vector<double> strengths(const EnergyModel& model, const CouplingsOfPairs& of, std::optional<Index> left_out) {
  const Layer& layer = model.layout()[of.layer];
  const Index width = layer.unit->width(), columns = layer.columns();
  Matrix<double> couplings = of.by_latent ? couplings_by_latent(model, of.layer) : zeros<double>(columns, columns);
  if (of.own) add_own(*of.own, width, model.parameters().data() + of.own->offset, couplings);
  if (width == 1) return {couplings.begin(), couplings.end()};
  Matrix<Real> rounded = couplings;
  return coupling_norms(as_matrix(rounded), width, left_out);
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
  const CouplingsOfPairs of = couplings_of_pairs(model);
  const Layer& layer = model.layout()[of.layer];
  check_scored_units(layer, request);
  const double pairs = static_cast<double>(layer.size) * static_cast<double>(layer.size);
  const double entries = static_cast<double>(layer.columns()) * static_cast<double>(layer.columns());
  MemoryNeed need;  // two matrices, the pairs, and their lines
  need.add("the couplings of all pairs", entries * 2.0 * sizeof(double), "");
  need.add("the scores of all pairs", pairs * (2.0 * sizeof(double) + 0.5 * sizeof(RankedPair) + 30.0), "");
  need.check("export --contacts");

  const bool states = layer.unit->width() > 1;
  const std::vector<std::string> names =
      request.numbered ? std::vector<std::string>() : names_of_layer(model.layout(), of.layer, header);
  std::string text =
      fmt::format("site_i,site_j,score,{}{}\n", states ? "norm" : "coupling", names.empty() ? "" : ",unit,other");
  const std::vector<double> strength = strengths(model, of, request.left_out);
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
