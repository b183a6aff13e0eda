#pragma once

#include <map>
#include <string>

#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What the entries of one configuration mean, in the words of the options' own declarations: "optimizer.momentum",
/// "observers[2].every", and for a table, "optimizer", what the component that it names is for.
class Meanings {
 public:
  Meanings(const Value& config, const Registries& registries);

  /// "part of the last step that is kept (number, from 0 to 0.9999; default 0)"; empty for a path it does not know.
  std::string operator()(const std::string& path) const;

 private:
  void add_component(const std::vector<ComponentInfo>& all, const std::string& kind, const Value& table,
                     const std::string& path);

  std::map<std::string, std::string> words_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
