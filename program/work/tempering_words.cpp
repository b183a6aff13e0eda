#include <harmonium/program/work/tempering_words.hpp>

#include <fmt/format.h>

#include <harmonium/framework/config/overrides.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::string tempering_words(const EnergyModel& model, double beta, const Registries& registries) {
  // Where there is no law at β = 0, nor a base for this β, the ladder ends above 0.
  Value ends_above_zero;
  ends_above_zero.data =
      Value::List{make_value(1.0), make_value(0.7), make_value(0.5), make_value(0.35), make_value(0.25)};
  Target target{model};
  target.beta = beta;
  for (const bool by_hand : {false, true}) {
    Value spec = make_table({{"type", make_value("parallel_tempering")}}), effective;
    if (by_hand) spec.set("betas", ends_above_zero);
    try {
      registries.make<Sampler>(spec, effective)->check(target);
    } catch (const CapabilityError&) {
      continue;
    }
    return fmt::format("--sampler parallel_tempering{}",
                       by_hand ? " --set 'sampler.betas=[1, 0.7, 0.5, 0.35, 0.25]'" : "");
  }
  return "";
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
