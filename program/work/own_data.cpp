#include <harmonium/program/work/own_data.hpp>

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

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
