#include <harmonium/framework/run/unseen_columns.hpp>

#include <algorithm>
#include <cmath>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::string missing_of_columns(const Value& source, const Registries& registries) {
  const Value* type = source.find("type");
  for (const auto& [name, entry] : registries.of<DataSource>().entries()) {
    if (!type || !(*type == make_value(name))) continue;
    const std::vector<OptionInfo> options = entry.describe();
    const auto missing = std::ranges::find(options, "missing", &OptionInfo::name);
    if (missing == options.end()) return "";
    return missing->type.find("nan_columns") == std::string::npos ? "nan" : "nan_columns";
  }
  return "";
}

Value with_unseen_columns(Value source, const Registries& registries) {
  const Value* missing = source.find("missing");
  // Without quotation marks the word is a number.
  const bool nan = missing && (*missing == make_value("nan") || *missing == make_value(std::nan("")));
  if (!nan || missing_of_columns(source, registries) != "nan_columns") return source;
  Value columns = make_value("nan_columns");
  columns.where = missing->where;
  source.set("missing", std::move(columns));
  return source;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
