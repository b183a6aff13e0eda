#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/output_folder.hpp>
#include <harmonium/framework/files/row_writer.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>
#include <harmonium/framework/model/zero_sum_gauge.hpp>
#include <harmonium/framework/run/column_names.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/framework/run/tensor_names.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/columns_by_name.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/export_contacts.hpp>
#include <harmonium/program/work/export_matrix.hpp>
#include <harmonium/program/work/exported_layers.hpp>
#include <harmonium/program/work/exported_model.hpp>
#include <harmonium/program/work/exported_transform.hpp>
#include <harmonium/program/work/former_export.hpp>
#include <harmonium/program/work/table_samples.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// A field of CSV, in quotation marks where it must be.
std::string csv_field(const std::string& text) {
  return text.find_first_of(",\"\n\r") == std::string::npos ? text : csv_quoted(text);
}

/// What the columns of a layer are called: by the data's names, which are those of the first observed layers, and the words of its
/// classes, else as everywhere, by the layer and a number from 0.
std::vector<std::string> names_of_columns(const Layout& layout, LayerId l, const ModelHeader& header) {
  const Layer& layer = layout[l];
  const std::vector<std::string>& data = header.column_names;
  if (layer.name == label_layer && class_words(header.config).size() == layer.columns())
    return names_of_classes(header, layout);
  const Index first = layer.role == Role::observed ? layout.first_columns(layout.observed())[l] : data.size();
  if (first + layer.columns() > data.size()) {
    LayerSet own;
    return names_of_units(layout, own.add(l));
  }
  std::vector<std::string> names;
  std::ranges::copy(std::span(data).subspan(first, layer.columns()), std::back_inserter(names));
  return names;
}

class TensorTexts {
 public:
  TensorTexts(const EnergyModel& model, const ModelHeader& header) : model_(model), header_(header) {}

  std::string of(Index tensor) const {
    const ParameterBlock& block = model_.parameter_layout()[tensor];
    if (block.role == ParameterRole::edges) return edges(block);
    if (block.symmetry != Symmetry::none) return pairs(block);
    if (block.cols == 1) return vector(block);
    return matrix(block, [&](Index at) { return value(block, at); });
  }
  /// 1 where a coupling exists; empty of a tensor without a mask, or whose pairs tell.
  std::string mask_of(Index tensor) const {
    const ParameterBlock& block = model_.parameter_layout()[tensor];
    if (!block.mask || block.symmetry != Symmetry::none) return "";
    return matrix(block, [&](Index at) { return static_cast<int>((*block.mask)[at]); });
  }

 private:
  Real value(const ParameterBlock& b, Index at) const { return model_.parameters()[b.offset + at]; }
  std::vector<std::string> names(const ParameterBlock& block, Index which, Index count) const {
    return names_along(model_.layout(), block, which, count,
                       [&](LayerId layer) { return names_of_columns(model_.layout(), layer, header_); });
  }
  std::string vector(const ParameterBlock& block) const {
    std::string text = "unit,value\n";
    const std::vector<std::string> rows = names(block, 0, block.rows);
    for (Index r = 0; r < block.rows; ++r) text += fmt::format("{},{}\n", csv_field(rows[r]), value(block, r));
    return text;
  }
  template <class Entry>
  std::string matrix(const ParameterBlock& block, const Entry& entry) const {
    std::string text = "unit";
    for (const std::string& name : names(block, 1, block.cols)) text += "," + csv_field(name);
    text += "\n";
    const std::vector<std::string> rows = names(block, 0, block.rows);
    for (Index r = 0; r < block.rows; ++r) {
      text += csv_field(rows[r]);
      for (Index c = 0; c < block.cols; ++c) fmt::format_to(std::back_inserter(text), ",{}", entry(r * block.cols + c));
      text += "\n";
    }
    return text;
  }
  /// Couplings within a layer: each pair that exists, once. States of one unit are no pair.
  std::string pairs(const ParameterBlock& block) const {
    std::string text = "unit,other,value\n";
    const std::vector<std::string> own = names(block, 0, block.rows);
    const Index width =
        block.role == ParameterRole::coupling ? model_.layout()[block.layers[0]].unit->width() : Index{1};
    for (Index r = 0; r < block.rows; ++r)
      for (Index c = (r / width + 1) * width; c < block.cols; ++c)
        if (!block.mask || (*block.mask)[r * block.cols + c] != 0)
          text += fmt::format("{},{},{}\n", csv_field(own[r]), csv_field(own[c]), value(block, r * block.cols + c));
    return text;
  }
  std::string edges(const ParameterBlock& block) const {
    std::string text = "unit,other,value\n";
    const Layer& layer = model_.layout()[block.layers[0]];
    for (const Edge& e : *block.edges)
      text += fmt::format("{},{},{}\n", csv_field(fmt::format("{}[{}]", layer.name, e.a)),
                          csv_field(fmt::format("{}[{}]", layer.name, e.b)), value(block, e.entry));
    return text;
  }

  const EnergyModel& model_;
  const ModelHeader& header_;
};

/// What read_exported_layers reads.
std::string layers_text(const Layout& layout) {
  std::string text = fmt::format("{}\n", exported_layers_head);
  for (const Layer& layer : layout.layers())
    text += fmt::format("{},{},{}\n", csv_field(layer.name), layer.size, layer.unit->name());
  return text;
}

/// What import makes the model of, before it reads the parameters.
std::string model_text(const Value& config) {
  Value described = make_table();
  for (const char* key : {"precision", "plugins", "model"})
    if (const Value* value = config.find(key)) described.set(key, *value);
  described.find("model")->erase("masks");  // files that may be gone: tables have the masks
  return write_toml(described);
}

/// Refuses options that are of another form of output.
void check_form(const ExportRequest& request) {
  if (request.contacts && std::filesystem::path(request.output).extension() != ".csv")
    throw ConfigError(
        fmt::format("--output {}: --contacts writes one table. Name a file that ends in .csv.", request.output));
  if (request.contacts && !request.gauge.empty())
    throw ConfigError("--gauge: scores of pairs are the same in every gauge. Leave it out of --contacts.");
  if (!request.gauge.empty() && request.gauge != "zero_sum")
    throw ConfigError(fmt::format("--gauge {}: there is no such gauge. Known: zero_sum.", request.gauge));
  if (request.contacts) return;
  if (request.min_separation != 1 || request.left_out)
    throw ConfigError(fmt::format("{} is for the table of pairs. Give --contacts too.",
                                  request.left_out ? "--left-out" : "--min-separation"));
}

/// In the zero-sum gauge, where that is asked for.
void set_gauge(EnergyModel& model, const ExportRequest& request) {
  if (request.gauge.empty()) return;
  const auto refuse = [&](const std::string& why) {
    throw CapabilityError(fmt::format("--gauge {}: {}", request.gauge, why));
  };
  if (stacked_machines(model))
    refuse("the machines of a stack send fields up and down, which its law does not leave free. Leave it out.");
  if (std::ranges::none_of(model.layout().layers(), [](const Layer& layer) { return has_gauge(*layer.unit); }))
    refuse(
        "no layer of the model is of categorical units, and the couplings of others are told by their law. Leave it "
        "out.");
  try {
    set_zero_sum_gauge(model);
  } catch (const CapabilityError& error) {
    refuse(error.what());
  }
}

/// Whether --output names a file in place of a folder.
bool is_matrix_file(const std::string& output) {
  const std::string extension = std::filesystem::path(output).extension().string();
  if (extension == ".npy") return true;
  for (const char* other : {".csv", ".txt", ".h5", ".npz"})
    if (extension == other && !std::filesystem::is_directory(output))
      throw ConfigError(
          fmt::format("--output {}: export writes a folder of CSV files, or couplings within a layer as a matrix in a "
                      "file FILE.npy. Name one of these.{}",
                      output, extension == ".csv" ? " --contacts writes a table of pairs." : ""));
  return false;
}

}  // namespace

std::vector<std::string> export_model(const ExportRequest& request, const Registries& builtin) {
  namespace fs = std::filesystem;
  check_form(request);
  const bool as_matrix_file = !request.contacts && is_matrix_file(request.output);
  if (as_matrix_file || request.contacts) check_output(request.output, {request.model});
  else check_output_folder(request.output);
  ModelHeader header = read_model_header(request.model);
  const Registries registries = with_plugins(builtin, request, header);
  const std::unique_ptr<EnergyModel> model = load_model(request.model, header, registries);
  const Layout& layout = model->layout();
  if (request.contacts) {
    export_contacts(*model, header, request);
    return {request.output};
  }
  set_gauge(*model, request);
  const DataUnits units = data_units_of(request.model, header, layout);
  const auto tell_units = [&](const char* more) {
    const std::string formula = formula_of_transform(units);
    if (!formula.empty() && request.display)
      request.display->warn(
          fmt::format("parameters are in units of z, not of the data's numbers x: {}.{}", formula, more));
  };
  if (as_matrix_file) {
    tell_units(" Exporting to a folder writes these files.");
    export_matrix(*model, request.output);
    return {request.output};
  }
  create_folders(request.output);
  if (request.numbered) {
    header.column_names.clear();
    header.config.erase("data");  // which has the words of classes
  }
  std::set<std::string> names = former_files(request.output, registries), written;
  names.merge(names_of_tables(*model));
  const TensorTexts texts(*model, header);
  std::vector<std::string> files;
  const auto write = [&](const std::string& name, const std::string& text) {
    files.push_back((fs::path(request.output) / name).string());
    write_file_atomically(files.back(), text);
    written.insert(name);
  };
  write(exported_layers_file, layers_text(layout));
  write(exported_model_file, model_text(header.config));
  const ParameterLayout& parameters = model->parameter_layout();
  for (Index k = 0; k < parameters.blocks().size(); ++k) {
    write(parameters[k].name + ".csv", texts.of(k));
    if (parameters[k].role != ParameterRole::coupling) continue;
    const std::string text = texts.mask_of(k);
    if (!text.empty()) write(harmonium::mask_of(parameters[k]) + ".csv", text);
  }
  for (const auto& [name, text] : exported_transform(units, header, layout)) write(name, text);
  const std::vector<std::string> left = remove_former(request.output, names, written);
  if (!left.empty() && request.display)
    request.display->warn(
        fmt::format("{} holds tables that are no part of this model, and import refuses the folder beside them: {}. "
                    "Remove them, or export to a new folder.",
                    request.output, fmt::join(left, ", ")));
  tell_units("");
  return files;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
