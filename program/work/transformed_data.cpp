#include <harmonium/program/work/transformed_data.hpp>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/latent_law.hpp>
#include <harmonium/framework/inference/posterior.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/clamp_rows.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/data_remarks.hpp>
#include <harmonium/program/work/data_spec.hpp>
#include <harmonium/program/work/own_data.hpp>
#include <harmonium/program/work/own_parts.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

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

/// Whether the rows may lack their classes: these are summed over.
bool without_classes(TransformWay way) {
  return takes_holes(way) || way == TransformWay::unlabeled || way == TransformWay::unlabeled_upward;
}

/// What the commands of a refusal have besides, of what was asked for.
std::string asked_besides(const TransformRequest& request) {
  return (request.layer.empty() ? "" : " --layer " + request.layer) + (request.given_label ? " --given-label" : "") +
         (request.phase.empty() ? "" : " --phase " + request.phase) + (request.draws ? " --draws" : "");
}

/// What is asked for takes complete rows: the way to have these. Features that know nothing of the class are of rows that are filled
/// in without it.
[[noreturn]] void refuse_holes(const TransformRequest& request, const Dataset& data, const Layout& layout,
                               TransformTarget target, bool means) {
  const bool labels = label_place(layout).has_value();
  const bool blind = labels && data.cols() == layout.columns(layout.observed()) && without_classes(target.way);
  const std::string option = request.draws ? "--draws" : "--phase " + request.phase;
  throw CapabilityError(fmt::format(
      "{}: entries are missing, and {}. 'harmonium sample {} --clamp {}{} --num-samples {} --steps 1000 --output "
      "filled.csv' draws what is missing{}, and 'harmonium transform {} filled.csv{} --output {}' then takes these "
      "rows.{}{}",
      data.name(), means ? option + " is of latent units given complete rows" : "latent units are given complete rows",
      request.model, request.data.empty() ? data.name() : request.data,
      blind ? fmt::format(" --clamp {}=free", label_layer) : "", data.rows(),
      blind ? " without looking at the class" : "", request.model, asked_besides(request), request.output,
      means ? fmt::format(" Without {} there are means given what was seen of each row.", option) : "",
      labels ? " --layer label tells the classes of rows with holes as they are." : ""));
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

/// A file that is written, and the option that names it.
struct Output {
  const char* flag;
  const std::string& path;
};

std::vector<Output> outputs_of(const TransformRequest& request) {
  std::vector<Output> outputs{{"--output", request.output}};
  if (!request.errors.empty()) outputs.push_back({"--errors", request.errors});
  if (!request.spread.empty()) outputs.push_back({"--spread", request.spread});
  if (!request.rows.empty()) outputs.push_back({"--rows", request.rows});
  return outputs;
}

void check_outputs(const TransformRequest& request, const std::vector<std::string>& inputs) {
  const auto plain = [](const std::string& path) { return std::filesystem::absolute(path).lexically_normal(); };
  const std::vector<Output> outputs = outputs_of(request);
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    for (std::size_t i = 0; i < k; ++i)
      if (plain(outputs[i].path) == plain(outputs[k].path))
        throw ConfigError(fmt::format("{} {}: {} names that file already. Give another name.", outputs[k].flag,
                                      outputs[k].path, outputs[i].flag));
    check_output(outputs[k].path, inputs, outputs[k].flag);
  }
}

Dataset named_rows(const TransformRequest& request, const ModelHeader& header, const Layout& layout, TransformWay way,
                   const Value& options, const Registries& registries, const RandomSource& random) {
  if (request.data.empty()) ask_for_rows(header);
  const DataArgument given = data_argument(request.data, options, registries, "");
  check_outputs(request, {request.model, given.file, request.truth});
  if (way == TransformWay::completed)
    return rows_to_hold({request.model, header, layout, registries, options, random, request.display, "missing"},
                        given);
  const Value spec = data_spec(header, layout, given.file, given.options, request.display);
  const auto load = without_classes(way) ? load_partial_rows : load_rows_with_holes;
  Dataset data = load(request.model, spec, layout, registries, random);
  tell_of_states(data, layout, request.display);
  tell_of_rows_at_random(spec, data, request.display);
  return data;
}

Dataset rows_of_split(const TransformRequest& request, const ModelHeader& header, const Layout& layout,
                      const Registries& registries) {
  check_outputs(request, {request.model, request.truth});
  const DataSplits splits = own_data(request.model, header.config, layout, registries,
                                     "To transform other rows name them in place of --split.");
  const Dataset& rows = *part_named(splits, request.split).second;
  for (const Output& output : outputs_of(request)) check_output_spares(rows, output.path, output.flag);
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
  if (fits_holes(request, target.way) || !lacks_units(data, layout, target.way)) return data;
  const bool stack = target.way == TransformWay::upward || target.way == TransformWay::unlabeled_upward;
  refuse_holes(request, data, layout, target, !stack && (posterior_factorizes(model) || offers_enumerated_law(model)));
}

Dataset true_rows(const TransformRequest& request, const ModelHeader& header, const Layout& layout,
                  const Value& options, const Registries& registries, const RandomSource& random) {
  const DataArgument given = data_argument(request.truth, options, registries, "--truth ");
  return rows_to_hold({request.model, header, layout, registries, options, random, request.display, "not judged"},
                      given);
}

bool lacks_units(const Dataset& data, const Layout& layout, TransformWay way) {
  return data.has_missing() && !(without_classes(way) && lacks_classes_alone(data, layout));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
