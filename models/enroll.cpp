#include <harmonium/models/enroll.hpp>

#include <harmonium/models/rbm.hpp>
#include <harmonium/models/units/binary.hpp>

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
  registries.of<EnergyModel>().add_made<RbmOptions>(
      "rbm", "restricted Boltzmann machine: a visible and a hidden layer, coupled with each other only",
      [](RbmOptions&& options) { return std::unique_ptr<EnergyModel>(make_rbm(std::move(options))); });
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
