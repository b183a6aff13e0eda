#include <harmonium/program/work/clamp_rows.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/program/work/clamp_columns.hpp>
#include <harmonium/program/work/columns_by_name.hpp>
#include <harmonium/program/work/data_remarks.hpp>
#include <harmonium/program/work/data_spec.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Rows that are held may have no class: it is read where the file names its column as the model's data did, or has no names and a
/// column for it (drop_absent_class), or `told` says where it is. `names` are those of the file's columns.
void drop_unread_classes(Value& spec, const std::vector<std::string>& names, const ModelHeader& header,
                         const Value* told) {
  const Value *column = spec.find("label_column"), *type = spec.find("type");
  const auto has_column = [&](const Value& name) {
    return name.is_string() && std::ranges::find(names, std::get<std::string>(name.data)) != names.end();
  };
  const auto of_csv = [&] {
    return names.empty() || (spec.find("columns") && *column == make_value(header.label_name));
  };
  const bool found =
      column && (*type == make_value("csv") ? of_csv() : *type == make_value("table") && has_column(*column));
  if (!found) drop_classes(spec, told);
}

}  // namespace

Dataset rows_to_hold(const ClampSetting& setting, const DataArgument& given) {
  ModelHeader header = setting.header;
  if (Value* own = header.config.find("data"))
    for (const char* key : {"missing", "label_dataset"}) own->erase(key);
  if (std::optional<Dataset> some = rows_of_some_columns(setting, given.file, given.options)) return *std::move(some);
  std::vector<std::string> names;
  Value spec = data_spec(header, setting.layout, given.file, given.options, setting.display, &names);
  drop_unread_classes(spec, names, header, given.options.find("data"));
  const Value& type = *spec.find("type");
  if (!given.file.empty() && !(type == make_value(std::string("fasta"))) && !spec.find("missing"))
    spec.set("missing", make_value(type == make_value("table") ? "nan" : "nan_columns"));
  Dataset rows = load_partial_rows(setting.model, spec, setting.layout, setting.registries, setting.random);
  tell_of_states(rows, setting.layout, setting.display);
  tell_of_rows_at_random(spec, rows, setting.display);
  return rows;
}

Clamp::Reader clamp_rows(const ClampSetting& setting) {
  return [setting](const std::string& text) {
    DataArgument given{file_of_clamp(text), setting.options};
    if (given.file != text) given = data_argument(text, setting.options, setting.registries, "--clamp ");
    ClampSetting own = setting;
    own.random = setting.random.child("data");
    return rows_to_hold(own, given);
  };
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
