#include <harmonium/program/work/own_run.hpp>

#include <algorithm>
#include <filesystem>

#include <harmonium/framework/run/sections.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

Value with_own_run(Value spec, std::string_view kind, const std::string& model, const Registries& registries) {
  namespace fs = std::filesystem;
  const Value* type = spec.find("type");
  if (spec.find("run") || !type || !type->is_string()) return spec;
  const auto known = option_names(registries, kind, std::get<std::string>(type->data));
  if (!known || std::ranges::find(*known, "run") == known->end()) return spec;
  std::error_code error;
  const fs::path folder = fs::absolute(model, error).parent_path();
  if (fs::exists(folder / "config.toml", error)) spec.set("run", make_value(folder.string()));
  return spec;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
