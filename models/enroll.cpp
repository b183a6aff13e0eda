#include <harmonium/models/enroll.hpp>

#include <harmonium/models/presets.hpp>
#include <harmonium/models/rbm.hpp>
#include <harmonium/models/units/binary.hpp>
#include <harmonium/models/units/spin.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

struct NoOptions {
  void bind(OptionBinder&) {}
};

}  // namespace

void enroll_models(Registries& registries) {
  registries.of<UnitType>().add_made<NoOptions>(
      "binary", "0 or 1", [](NoOptions&&) { return std::unique_ptr<UnitType>(std::make_unique<BinaryUnit>()); });
  registries.of<UnitType>().add_made<NoOptions>(
      "spin", "-1 or 1", [](NoOptions&&) { return std::unique_ptr<UnitType>(std::make_unique<SpinUnit>()); });
  registries.of<EnergyModel>().add_made<RbmOptions>(
      "rbm", "restricted Boltzmann machine: a visible and a hidden layer, coupled with each other only",
      [](RbmOptions&& options) { return std::unique_ptr<EnergyModel>(make_rbm(std::move(options))); });
  registries.of<EnergyModel>().add_made<FullyVisibleOptions>(
      "fully_visible",
      "one visible layer, every unit coupled with every other: Ising, Sherrington-Kirkpatrick, Hopfield",
      [](FullyVisibleOptions&& options) {
        return std::unique_ptr<EnergyModel>(make_fully_visible(std::move(options)));
      });
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
