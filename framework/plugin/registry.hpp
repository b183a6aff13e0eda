#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The plugin that has such a component, of those that are found by their names (loader.hpp), which loads them; empty: none.
std::string plugin_with(std::string_view kind, const std::string& name);

/// Name → how to make a component of one kind, what it is for, and what it may be told. A value, not a global: a host
/// may own several, and a test starts from an empty one.
template <class I>
class Registry {
 public:
  struct Entry {
    std::string summary;
    std::string origin;  ///< "built in", or "plugin NAME VERSION"
    /// Reads `spec`; `effective` receives it with every default written out.
    std::function<std::unique_ptr<I>(const Value& spec, const ComponentMaker& all, Value& effective)> make;
    std::function<std::vector<OptionInfo>()> describe;
    Value example = {};  ///< of a preset that has one: a table to show the expansion of
  };

  /// Registers C, which has `C::Options`, default-constructible with `bind`, and `C(Options)`.
  template <class C>
  void add(std::string name, std::string summary) {
    add_made<typename C::Options>(std::move(name), std::move(summary), [](typename C::Options&& options) {
      return std::unique_ptr<I>(std::make_unique<C>(std::move(options)));
    });
  }

  /// Registers what `maker(Options&&)` makes: for components that a function puts together.
  template <class Options, class Maker>
  void add_made(std::string name, std::string summary, Maker maker) {
    const std::string who = who_is(name);
    insert(name, {std::move(summary), origin,
                  [who, maker](const Value& spec, const ComponentMaker& all, Value& effective) {
                    Options options;
                    effective = read_options(spec, who, options, &all);
                    std::unique_ptr<I> made;
                    check_options(spec, who, [&] { made = maker(std::move(options)); });
                    return made;
                  },
                  [] {
                    return describe_options([](OptionBinder& binder) {
                      Options options;
                      options.bind(binder);
                    });
                  }});
  }

  /// Registers a preset: a few options that `Options::expand(effective)` turns into another entry's table. The effective
  /// configuration shows what it stands for.
  template <class Options>
  void add_preset(std::string name, std::string summary) {
    const std::string who = who_is(name);
    insert(name,
           {std::move(summary), origin,
            [this_kind = std::string(I::kind), who](const Value& spec, const ComponentMaker& all, Value& effective) {
              Options options;
              const Value own = read_options(spec, who, options, &all);
              Value expanded = std::move(options).expand(own);
              expanded.where = spec.where;
              try {
                return std::unique_ptr<I>(static_cast<I*>(all.make_component(this_kind, expanded, effective)));
              } catch (const ConfigError& error) {
                throw ConfigError(in_words_of(who, expanded, error.what()));
              }
            },
            [] {
              return describe_options([](OptionBinder& binder) {
                Options options;
                options.bind(binder);
              });
            },
            example_of<Options>(name)});
  }

  /// Makes the component that `spec` names under `type`. Throws ConfigError with place, reason and nearest name.
  std::unique_ptr<I> make(const Value& spec, const ComponentMaker& all, Value& effective) const {
    const std::string place = spec.where.empty() ? "" : spec.where + ": ";
    const Value* type = spec.find("type");
    if (!type) throw ConfigError(place + I::kind + ": no 'type' is given. Known: " + known() + ".");
    const auto* name = std::get_if<std::string>(&type->data);
    if (!name)
      throw ConfigError(place + I::kind + ": 'type' must be a string, not " + std::string(type->type_name()) +
                        ". Known: " + known() + ".");
    const auto found = entries_.find(*name);
    if (found == entries_.end()) throw ConfigError((type->where.empty() ? place : type->where + ": ") + unknown(*name));
    return found->second.make(spec, all, effective);
  }

  const std::map<std::string, Entry>& entries() const { return entries_; }
  /// "sampler 'gibs' is not registered (did you mean 'gibbs'?). Known: …"
  std::string unknown(const std::string& name) const {
    std::vector<std::string> names;
    for (const auto& [n, e] : entries_) names.push_back(n);
    const std::string who = std::string(I::kind) + " '" + name + "' is not registered";
    if (const std::string plugin = plugin_with(I::kind, name); !plugin.empty())
      return who + ": the plugin '" + plugin + "' has it, which is not loaded. Add --plugin " + plugin +
             ", or plugins = [\"" + plugin + "\"] at the top of the configuration.";
    const std::string near = did_you_mean(name, names);
    return who + near + ". Known: " + known() + "." +
           (near.empty() ? " If a plugin provides it, name that under 'plugins' or by --plugin." : "");
  }

  std::string origin = "built in";  ///< stamped on what is added from now on

 private:
  template <class Options>
  static Value example_of(const std::string& name) {
    Value example;
    if constexpr (requires { Options::example(); }) {
      example = Options::example();
      example.set("type", make_value(name));
    }
    return example;
  }
  /// A message about the entry that a preset expands to, about the preset: that is what was written.
  static std::string in_words_of(const std::string& preset, const Value& expanded, std::string message) {
    const std::string entry = who_is(std::get<std::string>(expanded.find("type")->data));
    if (const auto at = message.find(entry); at != std::string::npos) message.replace(at, entry.size(), preset);
    return message;
  }
  static std::string who_is(const std::string& name) { return std::string(I::kind) + " '" + name + "'"; }
  std::string known() const {
    std::string names;
    for (const auto& [n, e] : entries_) names += (names.empty() ? "" : ", ") + n;
    return names.empty() ? "none" : names;
  }
  void insert(const std::string& name, Entry entry) {
    const auto [at, added] = entries_.try_emplace(name, std::move(entry));
    if (!added) throw PluginError(who_is(name) + " has two origins: " + at->second.origin + ", and " + origin + ".");
  }

  std::map<std::string, Entry> entries_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
