#include <harmonium/program/work/own_data.hpp>

#include <string>
#include <variant>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

std::string with_remedy(std::string text, const std::string& remedy) {
  while (!text.empty() && text.back() == '.') text.pop_back();
  return text + ". " + remedy;
}

}  // namespace

DataSplits own_data(const std::string& model, const Value& config, const Layout& layout, const Registries& registries,
                    const std::string& remedy) {
  const Value* own = config.find("data");
  if (!own || !own->is_table())
    throw ConfigError(fmt::format("{}: the model does not say which data it was trained on. Add --data FILE.", model));
  try {
    return load_own_splits(model, config, layout, registries);
  } catch (const ConfigError& error) {
    throw ConfigError(with_remedy(error.what(), remedy));
  } catch (const DataError& error) {
    throw DataError(with_remedy(error.what(), remedy));
  } catch (const FileError& error) {
    throw FileError(with_remedy(error.what(), remedy));
  }
}

std::string weights_setting(const Value& config) {
  const Value* data = config.find("data");
  if (!data || !data->is_table()) return "";
  const Value *weights = data->find("weights"), *reweight = data->find("reweight");
  if (weights && weights->is_string() && !std::get<std::string>(weights->data).empty()) return "data.weights";
  return reweight && reweight->number().value_or(0.0) > 0.0 ? "data.reweight" : "";
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
