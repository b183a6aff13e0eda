#include <harmonium/program/work/pair_scores.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/memory_need.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>
#include <harmonium/framework/model/contact_scores.hpp>
#include <harmonium/framework/model/domain.hpp>
#include <harmonium/framework/model/latent_couplings.hpp>
#include <harmonium/framework/model/zero_sum_gauge.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

[[noreturn]] void refuse_pairs(const std::string& why) { throw CapabilityError(why); }

void check_latent(const EnergyModel& model) {
  const std::optional<LayerId> other = latent_of_other_kind(model);
  if (!other && !stacked_machines(model)) return;
  const Layout& layout = model.layout();
  const Layer& latent = layout[other ? *other : layout.ids(layout.latent()).front()];
  if (is_normal(*latent.unit))
    refuse_pairs(fmt::format(
        "the latent units of layer '{}' are coupled with other latent ones, and effective couplings of the visible "
        "units are computed where these are independent of each other given the visible units. Leave such couplings "
        "out of the model.",
        latent.name));
  refuse_pairs(
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
    refuse_pairs(fmt::format(
        "pairs are those of one layer whose units are coupled with each other, and the model has {}.", found.size()));
  return found.begin()->second;
}

/// That, of units that have scores.
CouplingsOfPairs scored_couplings(const EnergyModel& model) {
  const CouplingsOfPairs of = couplings_of_pairs(model);
  const Layer& layer = model.layout()[of.layer];
  if (layer.unit->num_states() == 0 || (layer.unit->width() > 1 && !has_gauge(*layer.unit)))
    refuse_pairs(fmt::format(
        "the units of layer '{}' are {}, and couplings go by the unit of their numbers. Scores are those of units of a "
        "finite list of states.",
        layer.name, layer.unit->name()));
  return of;
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
std::vector<double> strengths_of(const EnergyModel& model, const CouplingsOfPairs& of, std::optional<Index> left_out) {
  const Layer& layer = model.layout()[of.layer];
  const Index width = layer.unit->width(), columns = layer.columns();
  Matrix<double> couplings = of.by_latent ? couplings_by_latent(model, of.layer) : zeros<double>(columns, columns);
  if (of.own) add_own(*of.own, width, model.parameters().data() + of.own->offset, couplings);
  if (width == 1) return {couplings.begin(), couplings.end()};
  Matrix<Real> rounded = couplings;
  return coupling_norms(as_matrix(rounded), width, left_out);
}

}  // namespace

LayerId layer_of_pairs(const EnergyModel& model) { return scored_couplings(model).layer; }

void check_choice(const PairChoice& choice, const Layer& layer) {
  const UnitType& unit = *layer.unit;
  if (choice.left_out && unit.width() == 1)
    throw ConfigError(
        fmt::format("--left-out is for units of several states, categorical ones, and those of layer '{}' are {}. "
                    "Leave it out.",
                    layer.name, unit.name()));
  if (choice.left_out && *choice.left_out >= unit.width())
    throw ConfigError(fmt::format("--left-out {}: the units of layer '{}' have the states 0 to {}.", *choice.left_out,
                                  layer.name, unit.width() - 1));
  if (choice.min_separation >= layer.size)
    throw ConfigError(fmt::format("--min-separation {}: no two of the {} units of layer '{}' are so far apart.",
                                  choice.min_separation, layer.size, layer.name));
}

PairScores pair_scores(const EnergyModel& model, std::optional<Index> left_out, const char* who) {
  const CouplingsOfPairs of = scored_couplings(model);
  const Layer& layer = model.layout()[of.layer];
  const double pairs = static_cast<double>(layer.size) * static_cast<double>(layer.size);
  const double entries = static_cast<double>(layer.columns()) * static_cast<double>(layer.columns());
  constexpr double of_pair = 2.0 * sizeof(double) + 46.0;  // two numbers, and half of a line that is sorted and written
  MemoryNeed need;
  need.add("the couplings of all pairs", entries * 2.0 * sizeof(double), "");
  need.add("the scores of all pairs", pairs * of_pair, "");
  need.check(who);
  PairScores found{of.layer, layer.size, layer.unit->width() > 1, strengths_of(model, of, left_out), {}};
  found.scores = found.states ? corrected_by_average_product(found.strengths, found.units) : found.strengths;
  if (!found.states) std::ranges::transform(found.scores, found.scores.begin(), [](double j) { return std::abs(j); });
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
