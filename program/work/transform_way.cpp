#include <harmonium/program/work/transform_way.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/classification.hpp>
#include <harmonium/framework/inference/latent_law.hpp>
#include <harmonium/framework/inference/means_by_chains.hpp>
#include <harmonium/framework/inference/posterior.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/clamp_words.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

[[noreturn]] void refuse_given_label() {
  throw ConfigError("--given-label: the model observes no labels of one class a row. Leave it out.");
}

TransformWay way_of_latent(const TransformRequest& request, const EnergyModel& model, LayerId layer) {
  const std::string& phase = request.phase;
  if (const StackedMachines* const stack = stacked_machines(model)) {
    if (!phase.empty())
      throw ConfigError(
          fmt::format("--phase {}: a stack is passed up through, machine by machine. Leave it out.", phase));
    const bool labels = offers_classification(stack->recognition(0), label_layer);
    if (request.given_label && !labels) refuse_given_label();
    return labels && !request.given_label ? TransformWay::unlabeled_upward : TransformWay::upward;
  }
  const bool labels = offers_classification(model, label_layer);
  if (labels && phase.empty() && posterior_factorizes(model) && !request.given_label) return TransformWay::unlabeled;
  if (request.given_label && !labels) refuse_given_label();
  const bool closed = posterior_factorizes(model), enumerated = offers_enumerated_law(model);
  if (phase.empty()) {
    if (closed) return TransformWay::closed;
    if (enumerated) return TransformWay::enumerated;
    throw CapabilityError(fmt::format(
        "layer '{}': latent units are coupled given the observed ones, and their states are too many to add up (more "
        "than 2^{}). Add --phase mean_field for means that are approximate.",
        model.layout()[layer].name, most_enumerated_bits));
  }
  const std::vector<std::string> known{"posterior_mean", "exact", "mean_field"};
  if (std::ranges::find(known, phase) == known.end())
    throw ConfigError(fmt::format("--phase {}: there is no such way{}. Known: {}.", phase, did_you_mean(phase, known),
                                  fmt::join(known, ", ")));
  if (phase == "posterior_mean" && !closed)
    throw CapabilityError("--phase posterior_mean: latent units are coupled given the observed ones. Try exact.");
  if (phase == "exact" && !closed && !enumerated)
    throw CapabilityError(
        fmt::format("--phase exact: the latent states are too many to add up (more than 2^{}). Try mean_field.",
                    most_enumerated_bits));
  if (phase == "mean_field") {
    if (request.draws)
      throw ConfigError("--phase mean_field: it gives means, and no draws. Leave --draws or --phase out.");
    if (!offers_mean_field(model))
      throw CapabilityError("--phase mean_field: the model offers no conditionals for laws that factorize.");
    return TransformWay::mean_field;
  }
  return closed ? TransformWay::closed : TransformWay::enumerated;
}

/// What --complete does not go with.
TransformWay way_of_completion(const TransformRequest& request) {
  if (!request.layer.empty())
    throw ConfigError(
        fmt::format("--layer {}: --complete writes all that is observed. Leave one of the two out.", request.layer));
  if (!request.phase.empty())
    throw ConfigError(fmt::format(
        "--phase {}: it says how the means of latent layers are found, and --complete has those of observed units. "
        "Leave it out.",
        request.phase));
  if (request.draws)
    throw ConfigError(
        "--draws: --complete has means. Leave it out, or draw what is missing by 'harmonium sample --clamp FILE'.");
  if (request.given_label)
    throw ConfigError(
        "--given-label: --complete keeps all that rows have, and their classes. Leave it out. --clamp label=free has "
        "the classes count as missing.");
  return TransformWay::completed;
}

/// Throws ConfigError for what is said of rows with holes where a way takes none.
void check_options_of_holes(const TransformRequest& request, const EnergyModel& model, TransformWay way) {
  const auto refuse = [](const char* option, const std::string& rest) {
    throw ConfigError(fmt::format("{}: {}. Leave it out.", option, rest));
  };
  if (request.raw && way != TransformWay::completed) refuse("--raw", "it is for the rows that --complete writes");
  if (!request.spread.empty() && way != TransformWay::completed)
    refuse("--spread", "it is for what --complete fills in");
  if (!request.truth.empty() && way != TransformWay::completed)
    refuse("--truth", "it is for what --complete fills in; 'harmonium evaluate --data' has the accuracy of classes");
  if (request.raw && request.likeliest) refuse("--raw", "--likeliest writes rows as the data has them");
  if (takes_holes(way)) return;
  if (request.likeliest) refuse("--likeliest", "it is for what --complete and --layer label write");
  if (fits_holes(request, way)) return;
  const std::string missing =
      fmt::format("it is for what rows lack, and {} takes complete rows", stacked_machines(model) ? "a stack"
                                                                          : request.draws         ? "--draws"
                                                                                          : "--phase " + request.phase);
  if (!request.clamp.empty()) refuse("--clamp", missing);
  if (!request.errors.empty()) refuse("--errors", missing);
  if (request.steps) refuse("--steps", missing);
  if (request.chains) refuse("--chains", missing);
}

TransformWay way_of_layer(const TransformRequest& request, const EnergyModel& model, LayerId layer) {
  const bool of_labels = model.layout()[layer].role == Role::observed;
  if (!of_labels) return way_of_latent(request, model, layer);
  if (!request.phase.empty())
    throw ConfigError(fmt::format("--phase {}: the probabilities of labels are exact. Leave it out.", request.phase));
  if (request.draws)
    throw ConfigError(
        "--draws: of labels there are probabilities. Leave it out, or draw by 'harmonium sample --clamp FILE --clamp "
        "label=free'.");
  if (!tells_classes(model))
    throw CapabilityError(
        "--layer label: the layer is not one categorical unit, or the model has neither a free energy nor conditionals "
        "of its units.");
  return TransformWay::classes;
}

/// Of a column in place of a layer, with what fills it in.
[[noreturn]] void refuse_column(const std::string& name, const ModelHeader& header, const Layout& layout,
                                const std::vector<std::string>& layers) {
  const char* const quote = name.find(' ') == std::string::npos ? "" : "'";
  const std::string instead =
      label_place(layout) && name == header.label_name
          ? fmt::format("--layer {} has the probabilities of its classes.", label_layer)
          : fmt::format("--complete --clamp {0}{1}=free{0} fills it in, given the rest of each row.", quote, name);
  throw ConfigError(fmt::format("--layer {}: it is a column of the model's data, and no layer. {} Layers: {}.", name,
                                instead, layers.empty() ? "none" : fmt::format("{}", fmt::join(layers, ", "))));
}

}  // namespace

bool fits_holes(const TransformRequest& request, TransformWay way) {
  if (takes_holes(way)) return true;
  const bool sums = way == TransformWay::closed || way == TransformWay::enumerated || way == TransformWay::unlabeled;
  return sums && !request.draws && request.phase.empty();
}

bool tells_classes(const EnergyModel& model) {
  if (offers_classification(model, label_layer)) return true;
  return offers_means_by_chains(model) && std::ranges::any_of(model.layout().layers(), [](const Layer& l) {
           return l.name == label_layer && l.role == Role::observed && l.size == 1 && l.unit->num_states() > 1;
         });
}

LayerId transformed_layer(const TransformRequest& request, const ModelHeader& header, const Layout& layout) {
  if (request.complete) return layout.ids(layout.observed()).front();
  if (request.layer.empty()) {
    if (!layout.latent().empty()) return layout.ids(layout.latent()).front();
    throw CapabilityError(
        fmt::format("{}: the model has no latent layer. Where it observes labels, --layer label has their "
                    "probabilities; --complete "
                    "fills in what rows lack.",
                    request.model));
  }
  std::vector<std::string> known;
  for (const Layer& l : layout.layers())
    if (l.role == Role::latent || l.name == label_layer) known.push_back(l.name);
  if (std::ranges::find(known, request.layer) != known.end()) return layout.find(request.layer);
  if (std::ranges::any_of(layout.layers(), [&](const Layer& l) { return l.name == request.layer; }))
    throw ConfigError(fmt::format(
        "--layer {}: it is observed. --complete writes rows with the means of what they lack.", request.layer));
  const std::vector<std::string> columns = columns_to_clamp(header, layout);
  if (std::ranges::find(columns, request.layer) != columns.end()) refuse_column(request.layer, header, layout, known);
  throw ConfigError(fmt::format(
      "--layer {}: the model has no such latent layer, nor is it that of labels{}. Known: {}.", request.layer,
      did_you_mean(request.layer, known), known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
}

TransformWay transform_way(const TransformRequest& request, const EnergyModel& model, LayerId layer) {
  const TransformWay way = request.complete ? way_of_completion(request) : way_of_layer(request, model, layer);
  check_options_of_holes(request, model, way);
  return way;
}

const char* words_of_way(TransformWay way, bool draws) {
  const char* const words[] = {"in closed form (posterior_mean, exact)",
                               "by adding up all latent states (exact)",
                               "by mean field (mean_field, not exact)",
                               "by the free energy of each class (exact)",
                               "labels summed out, in closed form (exact; --given-label takes those of the data)",
                               draws ? "each given the layer below it (exact)"
                                     : "each given the means below it (exact for the first layer alone)",
                               draws ? "labels drawn by the first machine, then each given the layer below it "
                                       "(--given-label takes those of the data)"
                                     : "labels summed out by the first machine, then each given the means below it "
                                       "(--given-label takes those of the data)",
                               "E[missing | seen]"};
  return words[static_cast<int>(way)];
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
