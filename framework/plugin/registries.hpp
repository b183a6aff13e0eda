#pragma once

#include <tuple>

#include <harmonium/framework/data/sources.hpp>
#include <harmonium/framework/inference/gradient_estimator.hpp>
#include <harmonium/framework/inference/log_partition.hpp>
#include <harmonium/framework/model/term.hpp>
#include <harmonium/framework/plugin/registry.hpp>
#include <harmonium/framework/studies/study.hpp>
#include <harmonium/framework/training/initializer.hpp>
#include <harmonium/framework/training/observer.hpp>
#include <harmonium/framework/training/optimizer.hpp>
#include <harmonium/framework/training/regularizer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A component without its type, for `harmonium list` and `harmonium describe`.
struct ComponentInfo {
  std::string kind, name, summary, origin;
  std::vector<OptionInfo> options;
  Value example;  ///< of a preset: a table whose expansion shows what it stands for; else empty
};

/// A plugin whose components were enrolled.
struct LoadedPlugin {
  std::string name, version, summary;
  std::string path;  ///< of the shared object
};

/// One registry for each kind of component. The set of kinds is closed; the components are not.
class Registries final : public ComponentMaker {
 public:
  template <class I>
  Registry<I>& of() {
    return std::get<Registry<I>>(all_);
  }
  template <class I>
  const Registry<I>& of() const {
    return std::get<Registry<I>>(all_);
  }

  void* make_component(std::string_view kind, const Value& spec, Value& effective) const override;
  /// The same, with the components inside of it made by `nested`.
  void* make_component(std::string_view kind, const Value& spec, Value& effective, const ComponentMaker& nested) const;
  template <class I>
  std::unique_ptr<I> make(const Value& spec, Value& effective) const {
    return of<I>().make(spec, *this, effective);
  }

  /// Names who provides what is registered from now on.
  void set_origin(const std::string& origin);
  std::vector<std::string> kinds() const;
  /// Every component, kinds in their order, names sorted.
  std::vector<ComponentInfo> components() const;

  const std::vector<LoadedPlugin>& plugins() const { return plugins_; }
  void add_plugin(LoadedPlugin plugin) { plugins_.push_back(std::move(plugin)); }

 private:
  std::tuple<Registry<EnergyModel>, Registry<EnergyTerm>, Registry<UnitType>, Registry<Initializer>, Registry<Sampler>,
             Registry<PhaseEstimator>, Registry<GradientEstimator>, Registry<LogPartition>, Registry<Optimizer>,
             Registry<Schedule>, Registry<Regularizer>, Registry<Observer>, Registry<DataSource>, Registry<Study>>
      all_;
  std::vector<LoadedPlugin> plugins_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
