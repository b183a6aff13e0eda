#include <harmonium/program/work/clamp_rows.hpp>

#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/program/work/command_options.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

Clamp::Reader clamp_rows(const ClampSetting& setting) {
  return [setting](const std::string& file) {
    Value config = setting.config;
    if (Value* own = config.find("data"))
      for (const char* key : {"missing", "label_column", "label_dataset", "num_classes", "classes"}) own->erase(key);
    Value spec = data_spec(config, file, setting.options);
    const Value& type = *spec.find("type");
    if (!(type == make_value(std::string("fasta"))) && !spec.find("missing"))
      spec.set("missing", make_value(type == make_value("table") ? "nan" : "nan_columns"));
    return load_partial_rows(setting.model, spec, setting.layout, setting.registries, setting.random.child("data"));
  };
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
