#include <harmonium/program/work/spelt_out_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

Value spelt_out_model(const Value& model, const Registries& registries) {
  Value spec = model, expanded;
  spec.erase("masks");
  registries.make<EnergyModel>(spec, expanded);
  if (const Value* masks = model.find("masks")) expanded.set("masks", *masks);
  return expanded;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
