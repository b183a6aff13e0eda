#include <harmonium/program/work/transformed_data.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/rows_with_holes.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/data_argument.hpp>
#include <harmonium/program/work/data_remarks.hpp>
#include <harmonium/program/work/observed_rows.hpp>
#include <harmonium/program/work/own_data.hpp>
#include <harmonium/program/work/own_parts.hpp>
#include <harmonium/program/work/row_kinds.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index checked_at_once = 2000;  // rows: what is in memory does not grow with the data

/// Rows that are to be named, with the file that the model was trained on as the one most likely meant.
[[noreturn]] void ask_for_rows(const ModelHeader& header) {
  const Value* own = header.config.find("data");
  if (!own || !own->is_table())
    throw ConfigError("transform: DATA is missing. Name the rows behind the model, or by --data.");
  const Value* path = own->find("path");
  throw ConfigError(fmt::format(
      "transform: DATA is missing. Name the rows behind the model, by --data, or by --split{}.",
      path && path->is_string() ? "; the model was trained on rows of " + std::get<std::string>(path->data) : ""));
}

/// What is missing of a row is summed over for each class.
void check_holes_of_classes(const Dataset& data, const EnergyModel& model, LayerId labels) {
  const ObservedRows given(data, model.layout());
  const auto classes = static_cast<double>(model.layout()[labels].columns());
  double all = 0.0;
  bool many_ways = false;
  for (Index first = 0; first < data.rows(); first += checked_at_once) {
    const Index count = std::min(checked_at_once, data.rows() - first);
    HeldMask with_class = given.seen(first, count);
    const std::vector<double> ways = completions(model.layout(), with_class.hold(labels), count),
                              operations = operations_of_each_seen(model, with_class, count);
    for (Index r = 0; r < count; ++r) {
      if (std::isinf(operations[r]))
        throw CapabilityError(fmt::format(
            "{}: what row {} (counted from 0) lacks {}, and classes are told by sums over at most {:g} ways or latent "
            "states. Leave the row out, or draw its class by 'harmonium sample --clamp FILE --clamp label=free'.",
            data.name(), first + r,
            std::isinf(ways[r]) ? "is a real number" : fmt::format("can be filled in in {:g} ways", ways[r]),
            most_completions));
      if (ways[r] > 1.0) all += classes * operations[r];
      many_ways = many_ways || ways[r] > always_summed;
    }
  }
  if (many_ways && all > most_operations_of_sums)
    throw CapabilityError(fmt::format(
        "{}: to sum over what its rows lack takes {:.2g} operations, and at most {:.2g} are spent on that. Leave out "
        "the rows that lack most, or draw their classes by 'harmonium sample --clamp FILE --clamp label=free'.",
        data.name(), all, most_operations_of_sums));
}

/// Whether the rows may lack their classes: these are summed over.
bool without_classes(TransformWay way) {
  return way == TransformWay::classes || way == TransformWay::unlabeled || way == TransformWay::unlabeled_upward;
}

/// Latent units take complete rows: the way to have these. Features that know nothing of the class are of rows that are filled
/// in without it.
[[noreturn]] void refuse_holes(const TransformRequest& request, const Dataset& data, const Layout& layout,
                               TransformWay way) {
  const bool labels = label_place(layout).has_value();
  const bool blind = labels && data.cols() == layout.columns(layout.observed()) && without_classes(way);
  throw CapabilityError(fmt::format(
      "{}: entries are missing, and latent units are given complete rows. 'harmonium sample {} --clamp {}{} "
      "--num-samples {} --steps 1000 --output filled.csv' draws what is missing{}, and 'harmonium transform {} "
      "filled.csv{} --output {}' then takes these rows.{}",
      data.name(), request.model, request.data.empty() ? data.name() : request.data,
      blind ? fmt::format(" --clamp {}=free", label_layer) : "", data.rows(),
      blind ? " without looking at the class" : "", request.model, request.given_label ? " --given-label" : "",
      request.output, labels ? " --layer label tells the classes of rows with holes as they are." : ""));
}

/// Whether rows lack no more than their classes.
bool lacks_classes_alone(const Dataset& data, const Layout& layout) {
  const std::optional<Index> place = label_place(layout);
  if (!place || data.cols() != layout.columns(layout.observed())) return false;
  std::vector<std::uint8_t> seen(data.cols());
  for (Index r = 0; r < data.rows(); ++r) {
    data.seen({&r, 1}, {seen.data(), 1, seen.size(), seen.size()});
    std::fill_n(&seen[*place], label_columns(layout), std::uint8_t{1});
    if (std::ranges::count(seen, 0) > 0) return false;
  }
  return true;
}

Dataset named_rows(const TransformRequest& request, const ModelHeader& header, const Layout& layout, TransformWay way,
                   const Value& options, const Registries& registries, const RandomSource& random) {
  if (request.data.empty()) ask_for_rows(header);
  const DataArgument given = data_argument(request.data, options, registries, "");
  check_output(request.output, {request.model, given.file});
  const Value spec = data_spec(header, layout, given.file, given.options, request.display);
  const auto load = without_classes(way) ? load_partial_rows : load_rows_with_holes;
  Dataset data = load(request.model, spec, layout, registries, random);
  tell_of_states(data, layout, request.display);
  return data;
}

Dataset rows_of_split(const TransformRequest& request, const ModelHeader& header, const Layout& layout,
                      const Registries& registries) {
  check_output(request.output, {request.model});
  const DataSplits splits = own_data(request.model, header.config, layout, registries,
                                     "To transform other rows name them in place of --split.");
  const Dataset& rows = *part_named(splits, request.split).second;
  check_output_spares(rows, request.output, "--output");
  return rows;
}

}  // namespace

Dataset rows_to_transform(const TransformRequest& request, const ModelHeader& header, const EnergyModel& model,
                          TransformTarget target, const Value& options, const Registries& registries,
                          const RandomSource& random) {
  check_split(request.split, request.data, options, "DATA");
  const Layout& layout = model.layout();
  Dataset data = request.split.empty() ? named_rows(request, header, layout, target.way, options, registries, random)
                                       : rows_of_split(request, header, layout, registries);
  if (!data.has_missing()) return data;
  if (target.way != TransformWay::classes && without_classes(target.way) && lacks_classes_alone(data, layout))
    return data;
  if (target.way != TransformWay::classes) refuse_holes(request, data, layout, target.way);
  check_holes_of_classes(data, model, target.layer);
  return data;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
