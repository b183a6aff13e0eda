#include <harmonium/program/work/export_folder.hpp>

#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/output_folder.hpp>
#include <harmonium/framework/run/tensor_names.hpp>
#include <harmonium/program/work/export_tables.hpp>
#include <harmonium/program/work/exported_layers.hpp>
#include <harmonium/program/work/exported_model.hpp>
#include <harmonium/program/work/exported_transform.hpp>
#include <harmonium/program/work/former_export.hpp>
#include <harmonium/program/work/model_text.hpp>
#include <harmonium/program/work/site_letters.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Writes one table after the other: all of them together may not fit in memory.
class TableFolder {
 public:
  explicit TableFolder(const std::string& folder) : folder_(folder) {}

  void write(const std::string& name, const std::string& text) {
    paths_.push_back((folder_ / name).string());
    write_file_atomically(paths_.back(), text);
    names_.insert(name);
  }
  const std::set<std::string>& names() const { return names_; }
  const std::vector<std::string>& paths() const { return paths_; }

 private:
  std::filesystem::path folder_;
  std::set<std::string> names_;
  std::vector<std::string> paths_;
};

void write_parameters(const EnergyModel& model, const ModelHeader& header, TableFolder& to) {
  const TensorTexts texts(model, header);
  const ParameterLayout& parameters = model.parameter_layout();
  for (Index k = 0; k < parameters.blocks().size(); ++k) {
    to.write(parameters[k].name + ".csv", texts.of(k));
    if (parameters[k].role != ParameterRole::coupling) continue;
    const std::string text = texts.mask_of(k);
    if (!text.empty()) to.write(mask_of(parameters[k]) + ".csv", text);
  }
}

}  // namespace

void tell_units(const ExportRequest& request, const std::string& formula, const char* more) {
  if (!formula.empty() && request.display)
    request.display->warn(
        fmt::format("parameters are in units of z, not of the data's numbers x: {}.{}", formula, more));
}

std::vector<std::string> export_folder(const EnergyModel& model, const ModelHeader& header, const DataUnits& units,
                                       const ExportRequest& request, const Registries& registries) {
  const Layout& layout = model.layout();
  const std::string letters = letters_text(header, layout);
  create_folders(request.output);
  std::set<std::string> names = former_files(request.output, registries);
  names.merge(names_of_tables(model));
  TableFolder folder(request.output);
  folder.write(exported_layers_file, layers_text(layout));
  folder.write(exported_model_file, model_text(header.config));
  if (!letters.empty()) folder.write(letters_file, letters);
  ModelHeader told = header;
  if (request.numbered) {
    told.column_names.clear();
    told.config.erase("data");  // which has the words of classes
  }
  write_parameters(model, told, folder);
  for (const auto& [name, text] : exported_transform(units, told, layout)) folder.write(name, text);
  const std::vector<std::string> left = remove_former(request.output, names, folder.names());
  if (!left.empty() && request.display)
    request.display->warn(
        fmt::format("{} holds tables that are no part of this model, and import refuses the folder beside them: {}. "
                    "Remove them, or export to a new folder.",
                    request.output, fmt::join(left, ", ")));
  tell_units(request, formula_of_transform(units));
  return folder.paths();
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
