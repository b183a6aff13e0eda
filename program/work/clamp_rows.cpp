#include <harmonium/program/work/clamp_rows.hpp>

#include <algorithm>

#include <harmonium/framework/files/csv_by_name.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/program/work/command_options.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Whether the file of a table has the column of that name.
bool has_column(const Value& spec, const Value& name) {
  const auto format = options_among<CsvOptions>(spec, {"separator", "header"});
  const std::vector<std::string> names = read_csv_header(std::get<std::string>(spec.find("path")->data), format);
  return name.is_string() && std::ranges::find(names, std::get<std::string>(name.data)) != names.end();
}

/// Rows that are held may have no class: it is read where the file names its column as the model's data did, or `told` says
/// where it is.
void drop_labels(Value& spec, const ModelHeader& header, const Value* told) {
  const Value *column = spec.find("label_column"), *type = spec.find("type");
  const bool found =
      column && (*type == make_value("csv") ? spec.find("columns") && *column == make_value(header.label_name)
                                            : *type == make_value("table") && has_column(spec, *column));
  for (const char* key : {"label_column", "num_classes", "classes"})
    if (!found && (!told || !told->find(key))) spec.erase(key);
}

}  // namespace

Clamp::Reader clamp_rows(const ClampSetting& setting) {
  return [setting](const std::string& file) {
    ModelHeader header = setting.header;
    if (Value* own = header.config.find("data"))
      for (const char* key : {"missing", "label_dataset"}) own->erase(key);
    Value spec = data_spec(header, setting.layout, file, setting.options, setting.display);
    drop_labels(spec, header, setting.options.find("data"));
    const Value& type = *spec.find("type");
    if (!(type == make_value(std::string("fasta"))) && !spec.find("missing"))
      spec.set("missing", make_value(type == make_value("table") ? "nan" : "nan_columns"));
    return load_partial_rows(setting.model, spec, setting.layout, setting.registries, setting.random.child("data"));
  };
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
