#include <harmonium/framework/model/exact_fields.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

ExactFields::~ExactFields() = default;

const ExactFields* exact_fields(const EnergyModel& model) {
  return static_cast<const ExactFields*>(model.extension(ExactFields::extension_id));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
