#include <harmonium/framework/run/stored_masks.hpp>

#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/sections.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Of an item of [[model.masks]], the keys that are paths.
constexpr const char* mask_path_keys[] = {"edges", "matrix"};

/// The file that an item of [[model.masks]] names; empty where it names none.
std::string file_of(const Value& mask) {
  for (const char* key : mask_path_keys)
    if (const Value* path = mask.find(key); path && path->is_string() && !std::get<std::string>(path->data).empty())
      return std::get<std::string>(path->data);
  return "";
}

/// Where the mask of a tensor, as a configuration's file has it, is another than the run's own: which pairs of units.
std::string mask_difference(const ParameterBlock& block, const Layout& layout, const std::vector<std::uint8_t>& own) {
  const Index high = layout[block.layers[0]].unit->width(), wide = layout[block.layers[1]].unit->width();
  const bool lateral = block.symmetry == Symmetry::symmetric_zero_diagonal;
  std::string first;
  Index pairs = 0;
  for (Index i = 0; i < block.rows; i += high) {
    for (Index j = lateral ? i + high : 0; j < block.cols; j += wide) {
      const Index at = i * block.cols + j;
      if ((*block.mask)[at] == own[at]) continue;
      if (pairs++ == 0)
        first = fmt::format("the run {} units {} and {} (counted from 0), and this file {}",
                            own[at] != 0 ? "couples" : "does not couple", i / high, j / wide,
                            own[at] != 0 ? "does not" : "does");
    }
  }
  return fmt::format("{}; {} such pair{} in all", first, pairs, pairs == 1 ? "" : "s");
}

}  // namespace

Value absolute_mask_paths(const Value& model, const std::string& folder) {
  Value result = model;
  if (Value* masks = result.find("masks"); masks && masks->is_list())
    for (Value& mask : std::get<Value::List>(masks->data))
      for (const char* key : mask_path_keys) make_absolute(mask.find(key), folder);
  return result;
}

Value without_lost_masks(Value model) {
  if (Value* masks = model.find("masks"); masks && masks->is_list())
    std::erase_if(std::get<Value::List>(masks->data), [](const Value& mask) {
      const std::string file = file_of(mask);
      return !file.empty() && !std::filesystem::exists(file);
    });
  return model;
}

void take_masks(const std::filesystem::path& stored, const Value& spec, EnergyModel& model) {
  for (auto& [position, own] : load_masks(stored, model.parameter_layout())) {
    const ParameterBlock& block = model.parameter_layout()[position];
    if (!block.mask) {
      model.set_mask(position, std::move(own));
      continue;
    }
    if (*block.mask == own) continue;
    std::string file = "a mask";
    for (const Value& mask : tables_of(spec, "masks"))
      if (const Value* coupling = mask.find("coupling");
          coupling && coupling->is_string() && block.name == "weight." + std::get<std::string>(coupling->data))
        file = written_at(mask) + file_of(mask);
    throw ConfigError(fmt::format(
        "{}: it has changed since the run began: {}. Put it back as it was, remove it (the run keeps a copy "
        "in {}), or start a new run.",
        file, mask_difference(block, model.layout(), own), stored.string()));
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
